/* format/trace_event/read/emit.h - converts a parsed event to calls of the builder.
 *
 * The Emitter holds the state between events: caches of threads and labels, the counts, the clock. */
#ifndef FORMAT_TRACE_EVENT_READ_EMIT_H
#define FORMAT_TRACE_EVENT_READ_EMIT_H
#include "format/index_set.h"
#include "format/label_cache.h"
#include "format/trace_event/common/event.h"
#include "format/trace_event/common/text.h"
#include "format/trace_event/common/times.h"
#include "format/trace_event/read/ahead.h"
#include "format/trace_event/read/frames.h"
#include "format/trace_event/read/sample.h"
#include "format/trace_event/read/source_ids.h"

enum { TRACK_SLOTS = 256, PHASE_COUNT = 128, NAMED_SYNCS = 64 };

typedef struct TrackSlot {
    int64_t pid, tid;
    TrackId thread; /* TRACK_NONE = the slot is free */
} TrackSlot;

/* A clock sync event (ph "c"): the time on the trace's clock of a sync with this name on another clock. */
typedef struct NamedSync {
    StringId id; /* args.sync_id */
    int64_t  ns;
} NamedSync;

typedef struct LegacyState LegacyState; /* async.c */

struct Emitter {
    TraceBuilder *builder; /* borrowed */
    Arena        *arena;   /* borrowed */
    LabelCache   *labels;  /* in arena */
    Times         times;
    TrackSlot     recent;              /* the latest one found */
    TrackSlot     slots[TRACK_SLOTS];  /* by a hash of numeric pid and tid */
    uint64_t      counts[PHASE_COUNT]; /* since the last emitter_flush, by letter */
    uint16_t      kinds[PHASE_COUNT];  /* by letter; valid if the letter is in has_kind */
    bool          has_kind[PHASE_COUNT];
    SourceIds     sources;
    IndexSet      named_processes, named_threads; /* processes and threads with a name or a text id */
    Bytes         text, more_text;                /* scratch; freed by emitter_flush */
    LegacyState  *legacy;                         /* by AsyncId; in the arena */
    uint32_t      legacy_capacity;
    Frames        frames;
    SampleLog     samples;
    NamedSync     syncs[NAMED_SYNCS]; /* the first ones; the limit bounds the search per line of ftrace */
    uint32_t      sync_count;
    IndexSet      profiled_threads; /* threads with a V8 profile */
    uint64_t      without_phase;    /* events of the current part of the input that have no "ph" */
    bool          failed;           /* out of memory outside of the builder */
};

bool emitter_open(Emitter *emitter, Arena *arena, TraceBuilder *builder) WARN_UNUSED;
void emitter_event(Emitter *emitter, const RawEvent *event, EventPos pos);

/* As emitter_event for events[from] and those behind it, up to the first one without a phase, or that ends after `size` bytes of the
 * piece. `event` is the number of the first one. Returns the index of the event after the last one. */
size_t emitter_ahead(Emitter *emitter, const AheadList *list, size_t from, const uint8_t *piece, size_t size,
                     uint64_t event);
/* Interns the scratch text as a string of the trace. */
StringId emitter_intern_text(Emitter *emitter);
/* Passes the data to the builder that needs the whole part of the input. Call it at the end of a part. */
void emitter_finish(Emitter *emitter);
/* Passes the counts to the builder and frees the scratch. Call it at the end of each call of `read`. */
void emitter_flush(Emitter *emitter);

#endif
