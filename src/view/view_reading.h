/* view/view_reading.h - reads the JSON of a view file (docs/view-files.md), with the byte offset of an error. */
#ifndef VIEW_VIEW_READING_H
#define VIEW_VIEW_READING_H
#include "base/json_members.h"
#include "view/view_state.h"

typedef struct ViewReading {
    StringView text;            /* the file: valid JSON */
    Arena     *arena;           /* for decoded texts */
    uint32_t   unknown_members; /* they are ignored */
    StringView first_unknown;   /* with its quotes, in `text` */
    Err       *err;
} ViewReading;

/* Fill the error with the offset of `at` and return false. */
bool reading_fail(const ViewReading *r, const char *at, const char *problem);
bool reading_no_memory(const ViewReading *r);

/* Read a value. False: the error is filled. A decoded text is in the arena. */
bool reading_u64(const ViewReading *r, StringView value, uint64_t *number) WARN_UNUSED;
bool reading_i64(const ViewReading *r, StringView value, int64_t *number) WARN_UNUSED;
bool reading_text(const ViewReading *r, StringView value, StringView *text) WARN_UNUSED;
bool reading_list(const ViewReading *r, StringView value, JsonMembers *elements) WARN_UNUSED;

/* The members of an object by name. `value.bytes` is NULL for an absent one. */
typedef struct ViewMember {
    const char *name;
    StringView  value;
} ViewMember;
/* Reads the values of an object's members; of equal names the last one counts. Counts members of other names as unknown. */
bool reading_members(ViewReading *r, StringView object, ViewMember *members, size_t count) WARN_UNUSED;

#endif
