/* format/perf_data/formats.h - the fields of tracepoints, as the kernel describes them. For format/perf_data only.
 *
 * A recording of tracepoints has the description files of the kernel (events/SYSTEM/NAME/format, Documentation/trace/events.rst)
 * in the layout of trace-cmd (trace-event-read.c of perf 6.1). */
#ifndef FORMAT_PERF_DATA_FORMATS_H
#define FORMAT_PERF_DATA_FORMATS_H
#include "base/id_map.h"
#include "base/string_view.h"

typedef enum {
    PERF_FIELD_NUMBER,
    PERF_FIELD_TEXT,       /* an array of char */
    PERF_FIELD_TEXT_PLACE, /* __data_loc char[]: the place of a text in the event */
    PERF_FIELD_OTHER       /* other arrays */
} PerfFieldKind;

typedef struct PerfField {
    StringView    name;
    PerfFieldKind kind;
    uint32_t      offset, size; /* bytes in the event */
    bool          is_signed;
} PerfField;

typedef struct PerfFormat {
    StringView name; /* "sched:sched_switch" */
    ARENA_LIST(PerfField) fields;
} PerfFormat;

/* A zeroed PerfFormats with an arena in `of_id` is valid and empty. */
typedef struct PerfFormats {
    ARENA_LIST(PerfFormat) all;
    IdMap of_id; /* by the kernel's number of the tracepoint: 1 + index in `all` */
} PerfFormats;

/* Adds the formats of a section of tracing data; its texts are copied to the arena. False: damage, and some formats may have
 * been added; or out of memory, which sets *out_of_memory. */
bool perf_formats_read(PerfFormats *formats, StringView section, bool *out_of_memory);
/* Returns a format by the kernel's number, or NULL. */
const PerfFormat *perf_formats_find(const PerfFormats *formats, uint64_t id);
/* Returns a field by its name, or NULL. */
const PerfField *perf_format_field(const PerfFormat *format, const char *name);
/* Returns the number in a field of an event; 0 if the event is too short. */
int64_t perf_field_number(const PerfField *field, StringView event);
/* Returns the text in a field of an event, borrowed from it; "" if the event is too short. */
StringView perf_field_text(const PerfField *field, StringView event);

#endif
