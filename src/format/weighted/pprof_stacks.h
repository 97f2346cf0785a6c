/* format/weighted/pprof_stacks.h - the messages of a pprof profile, and their stacks. For pprof.c only.
 *
 * Messages refer to later ones, so all are kept until the end of the input. */
#ifndef FORMAT_WEIGHTED_PPROF_STACKS_H
#define FORMAT_WEIGHTED_PPROF_STACKS_H
#include "format/weighted/weighted.h"
#include "format/wire.h"

/* Strings are indices in Pprof.strings; a range is first and count in one of the other lists. */
typedef struct PprofKind {
    uint64_t type, unit, offset;
} PprofKind;

typedef struct PprofSample {
    uint64_t offset;
    size_t   location, value; /* first of each */
    size_t   location_count, value_count;
} PprofSample;

typedef struct PprofLocation {
    uint64_t mapping, address;
    size_t   line; /* first one: its function's id in Pprof.lines; the innermost first */
    size_t   line_count;
    size_t   frame; /* the first in Pprof.frames, if has_frames; as many as lines, at least one */
    bool     has_frames;
} PprofLocation;

typedef struct PprofFunction {
    uint64_t name, system_name, file, line;
} PprofFunction;

typedef struct PprofFrame {
    FrameId  frame;
    StringId function;
} PprofFrame;

typedef ARENA_LIST(uint64_t) PprofNumbers;

typedef struct Pprof {
    Weighted     weighted; /* its arena and builder are those of the reader */
    PprofNumbers locations, lines;
    ARENA_LIST(int64_t) values;
    ARENA_LIST(StringId) strings;
    ARENA_LIST(PprofKind) kinds;
    ARENA_LIST(PprofSample) samples;
    ARENA_LIST(PprofLocation) location_of; /* by_location - 1 */
    ARENA_LIST(PprofFunction) functions;
    PprofNumbers mappings; /* the string of the file */
    ARENA_LIST(PprofFrame) frames;
    IdMap     location_ids, function_ids, mapping_ids; /* 1 + index */
    PprofKind period_type;
    int64_t   period, duration_ns, time_ns;
    uint64_t  default_type;
    uint64_t  event_count;
} Pprof;

bool pprof_open(Pprof *profile, Arena *arena, TraceBuilder *builder);
/* Takes a field of the profile, whose tag is at `offset`. False: it is damaged. */
bool pprof_take_field(Pprof *profile, const WireField *field, uint64_t offset);
/* Passes the profile to the builder. */
void pprof_finish(Pprof *profile);

enum { PPROF_SAMPLE = 2, SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };

#endif
