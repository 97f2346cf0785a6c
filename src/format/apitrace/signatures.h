/* format/apitrace/signatures.h - the dictionaries of a capture: functions, structs, enums, bitmasks, stack frames.
 *
 * The definition of an id follows its first occurrence in the stream; later occurrences are the id alone. The offset
 * after the id at the first occurrence is stored. When an event is parsed again, a definition follows the id only at
 * that offset. So events can be parsed again from any offset that was read before.
 *
 * Entries do not move or change. So threads may look up the definitions that were made before the threads started,
 * while another thread adds definitions. */
#ifndef FORMAT_APITRACE_SIGNATURES_H
#define FORMAT_APITRACE_SIGNATURES_H
#include "base/arena.h"
#include "base/id_map.h"
#include "base/string_view.h"

/* The purpose of a function, for colours and statistics. */
typedef enum {
    FAMILY_STATE, /* any other function */
    FAMILY_DRAW,
    FAMILY_UPLOAD,
    FAMILY_QUERY,
    FAMILY_SYNC,
    FAMILY_FRAME_END,
    FAMILY_MARKER,
    FAMILY_CONTEXT, /* GLX, EGL, WGL, CGL */
    FAMILY_MEMORY,  /* malloc and similar functions, recorded by the tracer */
    FAMILY_COUNT
} ApiFamily;

typedef struct FunctionSig {
    uint32_t    id;
    uint32_t    flags; /* CALL_ of call_flags.h */
    ApiFamily   family;
    uint32_t    label;        /* LabelId of its calls; 0 = the reader has not made one yet */
    uint32_t    fake_label;   /* LabelId of its calls that the tracer added */
    bool        is_get_error; /* glGetError without arguments */
    uint32_t    arg_count;
    StringView  name;
    StringView *args;
} FunctionSig;

typedef struct StructSig {
    uint32_t    id;
    bool        is_guid; /* named GUID, with four members */
    uint32_t    member_count;
    StringView  name;
    StringView *members; /* an empty name: its members belong to the outer struct */
} StructSig;

typedef struct EnumEntry {
    StringView name;
    int64_t    value;
} EnumEntry;

typedef struct EnumSig {
    uint32_t   id;
    uint32_t   count;
    EnumEntry *entries;  /* in table order */
    IdMap      by_value; /* 1 + index of the first entry with a value */
} EnumSig;

typedef struct BitmaskEntry {
    StringView name;
    uint64_t   value;
} BitmaskEntry;

typedef struct BitmaskSig {
    uint32_t      id;
    uint32_t      count;
    BitmaskEntry *entries;
} BitmaskSig;

/* A stack frame. Unknown members have bytes NULL or has_ false. */
typedef struct FrameSig {
    uint32_t   id;
    StringView module, function, file;
    uint64_t   line, offset;
    bool       has_line, has_offset;
} FrameSig;

typedef enum { SPACE_FUNCTION, SPACE_STRUCT, SPACE_ENUM, SPACE_BITMASK, SPACE_FRAME, SPACE_COUNT } SigSpace;

typedef struct SigEntry {
    uint64_t id_end;          /* offset in the stream after the first occurrence of the id */
    uint64_t definition_size; /* bytes */
    void    *sig;             /* of the space's type; NULL = not known yet */
} SigEntry;

/* Ids of this value or more are rejected, because ids are indices. */
enum { SIG_PAGE = 1 << 10, SIG_PAGES = 1 << 10, SIG_MOST = SIG_PAGE * SIG_PAGES };

typedef struct Signatures {
    Arena    *arena; /* borrowed; holds the pages and signatures */
    SigEntry *pages[SPACE_COUNT][SIG_PAGES];
    uint32_t  counts[SPACE_COUNT]; /* number of definitions */
} Signatures;

/* Returns the entry of an id, or NULL if the id is not defined. */
static inline const SigEntry *signature_find(const Signatures *sigs, SigSpace space, uint64_t id)
{
    const SigEntry *page = id < SIG_MOST ? sigs->pages[space][id / SIG_PAGE] : NULL;
    return page == NULL || page[id % SIG_PAGE].sig == NULL ? NULL : &page[id % SIG_PAGE];
}

/* Adds a definition; entry.sig is in the arena. False when out of memory. */
bool signature_add(Signatures *sigs, SigSpace space, uint64_t id, SigEntry entry) WARN_UNUSED;

/* Returns the name of the first entry with this value; NULL = no entry has it. */
const StringView *enum_name(const EnumSig *sig, int64_t value);
/* Makes by_value, for enum_name. False when out of memory. */
bool enum_index(EnumSig *sig, Arena *arena) WARN_UNUSED;

/* Returns a name up to its first zero byte, as apitrace reads it. */
StringView text_before_nul(StringView text);

#endif
