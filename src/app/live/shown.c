#include "app/live/shown.h"

#include "trace/live/live.h"

#include <assert.h>
#include <string.h>
#include <time.h>

/* The time of an attempt to set the arrival while requests read the trace. */
enum { ARRIVAL_PATIENCE_MS = 10 };

struct Shown {
    Arena               arena; /* itself */
    LiveTrace          *live;
    const TraceBuilder *builder; /* that of `live` */
    LiveSource         *source;  /* the session's */
    Loaded              loaded;  /* the session has a copy of it */
};

/* Nanoseconds since 1970; 0 if the system does not know. */
static int64_t wall_clock_ns(void)
{
    struct timespec now;
    if (timespec_get(&now, TIME_UTC) != TIME_UTC) return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Sets the arrival of the events that the trace has from the start: of a sender whose first bytes had some. */
static void note_arrival(Shown *shown)
{
    while (!live_source_begin(shown->source, ARRIVAL_PATIENCE_MS)) {
    } /* requests are finite */
    live_source_arrived(shown->source, wall_clock_ns());
    live_source_end(shown->source, &(SourceChange){ .any = false });
}

Shown *shown_create(const ShowRules *rules, Stream *stream, const char *name, const InputStore *store,
                    Err *err)
{
    Arena         arena = arena_create(0);
    TraceBuilder *builder = stream_take_builder(stream);
    LiveOptions   options = { .keep_bytes = rules->keep_bytes, .keep_ns = rules->keep_ns };
    LiveTrace    *live = live_create(builder, &options, err);
    if (live == NULL) return NULL;
    Shown *shown = ARENA_NEW(&arena, Shown);
    char  *copy = shown == NULL ? NULL : arena_push_copy(&arena, name, strlen(name));
    if (copy == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto failed;
    }
    shown->live = live;
    shown->builder = builder;
    shown->loaded = (Loaded){ .trace = live_trace(live),
                              .reader = stream_reader(stream),
                              .store = *store,
                              .name = copy,
                              .context = { .symbols = { .policy = SYMBOLS_OFF } },
                              .is_plain = true };
    shown->arena = arena;
    shown->source = session_add_live(rules->session, &shown->loaded, live, err);
    if (shown->source != NULL) {
        note_arrival(shown);
        return shown;
    }
    arena = shown->arena;
failed:
    live_destroy(live);
    arena_release(&arena);
    return NULL;
}

void shown_destroy(Shown *shown)
{
    if (shown == NULL) return;
    live_destroy(shown->live);
    Arena arena = shown->arena; /* the arena holds `shown` itself */
    arena_release(&arena);
}

bool shown_begin(Shown *shown, unsigned patience_ms)
{
    return live_source_begin(shown->source, patience_ms);
}

bool shown_end(Shown *shown, ShowRule rule, Err *err)
{
    assert(shown->live != NULL && shown->source != NULL);
    LiveChange change = { .any = false };
    bool       done =
        rule == SHOW_ALL ? live_settle(shown->live, &change, err) : live_absorb(shown->live, &change, err);
    live_source_arrived(shown->source, wall_clock_ns());
    live_source_end(shown->source, &(SourceChange){ change.any, change.shape, change.from_tick });
    return done;
}

void shown_report(Shown *shown, LiveState state, uint64_t bytes, const ReadLosses *losses)
{
    live_source_report(shown->source, &(LiveReport){ .state = state,
                                                     .bytes = bytes,
                                                     .events = live_event_count(shown->live),
                                                     .lost = losses->missing,
                                                     .skipped = losses->skipped_bytes,
                                                     .unshown = live_unshown_count(shown->live),
                                                     .dropped = live_dropped_count(shown->live) });
}

uint64_t shown_events(const Shown *shown)
{
    return live_event_count(shown->live);
}

unsigned shown_request_count(const Shown *shown)
{
    return live_source_request_count(shown->source);
}

uint64_t shown_column_bytes(const Shown *shown)
{
    return live_bytes(shown->live);
}

uint64_t shown_column_memory(const Shown *shown)
{
    return live_column_bytes(shown->live);
}

void shown_keep_columns(Shown *shown, uint64_t bytes)
{
    live_set_keep_bytes(shown->live, bytes);
}

bool shown_exceeds(const Shown *shown)
{
    return live_exceeds(shown->live);
}

uint64_t shown_held_bytes(const Shown *shown)
{
    return builder_held_bytes(shown->builder);
}

uint64_t shown_table_bytes(const Shown *shown)
{
    return live_table_bytes(shown->live);
}

const Trace *shown_trace(const Shown *shown)
{
    return live_trace(shown->live);
}
