/* Binds arrows to slices: arrows of flow events, and those created by a reader. */
#include "base/thread.h"
#include "trace/make/flow_log.h"

enum { ENDS_A_JOB = 4096, JOBS_A_WORKER = 4 };

typedef struct FlowBuild {
    Finish        *finish;
    FlowMatches    matches;
    SlicesByOffset by_offset;
    BoundEnd      *event_ends; /* by event */
    BoundArrows    arrows;
    size_t         pieces_a_job;
    atomic_bool    failed; /* out of memory */
} FlowBuild;

static FlowBinding binding_of(const FlowEvent *event)
{
    return (FlowBinding)(event->place >> FLOW_BINDING_SHIFT & 3);
}

/* Returns `count` binders for a job; NULL and build->failed when out of memory. */
static FlowBinder *binders_map(FlowBuild *build, size_t count)
{
    FlowBinder *binders = (FlowBinder *)memory_map(count * sizeof *binders);
    if (binders == NULL) atomic_store(&build->failed, true);
    for (size_t i = 0; binders != NULL && i < count; i++)
        binders[i].trace = build->finish->trace;
    return binders;
}

static void bind_events(void *context, size_t job)
{
    FlowBuild  *build = (FlowBuild *)context;
    size_t      end = (job + 1) * ENDS_A_JOB;
    FlowBinder *binder = binders_map(build, 1);
    if (binder == NULL) return;
    if (end > build->matches.event_count) end = build->matches.event_count;
    for (size_t i = job * ENDS_A_JOB; i < end; i++) {
        const FlowEvent *event = &build->matches.events[i];
        uint32_t         track = build->finish->track_of[event->thread];
        if (binding_of(event) == FLOW_BIND_SLICE) {
            uint32_t slice = flow_slice_at(&build->by_offset, place_offset(event->place));
            build->event_ends[i] = (BoundEnd){ event->tick, slice, slice != FLOW_LOST };
        } else {
            build->event_ends[i] = flow_bind(binder, track, binding_of(event), event->tick);
            if (binding_of(event) == FLOW_BIND_TRACK && track != 0) build->event_ends[i].ref = track;
        }
    }
    memory_unmap(binder, sizeof *binder);
}

/* Binds both ends in place. */
static void bind_wide(FlowBuild *build, FlowBinder binders[2], ArrowRecord *arrow)
{
    const uint32_t *track_of = build->finish->track_of, from = track_of[arrow->from],
                   to = track_of[arrow->to];
    const BoundEnd a = flow_bind(&binders[0], from, (FlowBinding)arrow->from_binding, arrow->from_tick);
    const BoundEnd b = flow_bind(&binders[1], to, (FlowBinding)arrow->to_binding, arrow->to_tick);
    *arrow = (ArrowRecord){ .from_tick = a.tick,
                            .to_tick = b.tick,
                            .from = a.is_bound ? a.ref : from,
                            .to = b.is_bound ? b.ref : to,
                            .label = arrow->label,
                            .from_binding = a.is_bound,
                            .to_binding = b.is_bound };
}

/* Binds an end of a narrow arrow without changing its tick, since its binding is not FLOW_BIND_NEXT. Returns `bound` if
 * there is a slice. */
static inline uint32_t bind_end(const FlowBuild *build, FlowBinder *binder, uint32_t *end, int64_t tick,
                                uint32_t bound)
{
    const FlowBinding binding = (FlowBinding)(*end & ((1U << NARROW_BINDING_BITS) - 1));
    const uint32_t    track = build->finish->track_of[*end >> NARROW_BINDING_BITS];
    const uint32_t    slice = flow_find_slice(binder, track, binding, tick);
    *end = slice != FLOW_LOST ? slice : track;
    return slice != FLOW_LOST ? bound : 0;
}

static void bind_piece(FlowBuild *build, FlowBinder binders[2], const ArrowPiece *piece)
{
    for (uint32_t i = 0; i < piece->count; i++) {
        if (piece->is_wide) {
            bind_wide(build, binders, (ArrowRecord *)piece->arrows + i);
        } else {
            NarrowArrow  *arrow = (NarrowArrow *)piece->arrows + i;
            const int64_t from_tick = narrow_from_tick(piece, arrow), to_tick = narrow_to_tick(piece, arrow);
            arrow->label |= bind_end(build, &binders[0], &arrow->from, from_tick, NARROW_FROM_BOUND) |
                            bind_end(build, &binders[1], &arrow->to, to_tick, NARROW_TO_BOUND);
        }
    }
}

static void bind_pieces(void *context, size_t job)
{
    FlowBuild  *build = (FlowBuild *)context;
    size_t      end = (job + 1) * build->pieces_a_job;
    FlowBinder *binders = binders_map(build, 2);
    if (binders == NULL) return;
    if (end > build->arrows.piece_count) end = build->arrows.piece_count;
    for (size_t i = job * build->pieces_a_job; i < end; i++)
        bind_piece(build, binders, &build->arrows.pieces[i]);
    memory_unmap(binders, 2 * sizeof *binders);
}

static void warn_lost(TraceBuilder *builder, const FlowEvent *event)
{
    uint64_t offset = place_offset(event->place);
    Warning  warning = { .kind = "flow-without-slice",
                         .count = 1,
                         .first = { .offset = offset,
                                    .event = builder_event_number(builder, offset, event->event),
                                    .message =
                                        "an event of a flow that no slice of its thread can be found for: "
                                         "kept, but not drawn" } };
    builder_add_warning(builder, &warning);
}

/* Appends the arrows of pairs with two known ends as a piece after those of the reader. An arrow leaves a slice that is
 * itself a flow event at its end, and enters it at its begin. */
static bool add_pairs(FlowBuild *build)
{
    TraceBuilder    *builder = build->finish->builder;
    const EventPair *pairs = build->matches.pairs.items;
    const size_t     count = vec_count(&build->matches.pairs);
    const Trace     *trace = build->finish->trace;
    ArrowRecord     *arrows = ARENA_ARRAY(&builder->log_arena, ArrowRecord, count);
    ArrowPiece       piece = { .arrows = arrows, .is_wide = true };
    if (arrows == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        BoundEnd         from = build->event_ends[pairs[i].from], to = build->event_ends[pairs[i].to];
        const FlowEvent *start = &build->matches.events[pairs[i].from];
        bool             has_label = binding_of(start) != FLOW_BIND_SLICE;
        if (from.ref == FLOW_LOST || to.ref == FLOW_LOST) continue;
        if (binding_of(start) == FLOW_BIND_SLICE) from.tick = trace_slice_end(trace, from.ref);
        arrows[piece.count++] = (ArrowRecord){ .from_tick = from.tick,
                                               .to_tick = to.tick,
                                               .from = from.ref,
                                               .to = to.ref,
                                               .label = has_label ? start->label : 0,
                                               .from_binding = from.is_bound,
                                               .to_binding = to.is_bound };
    }
    vec_push(&builder->flows.arrows.pieces, piece);
    build->arrows.pieces = builder->flows.arrows.pieces.items;
    build->arrows.piece_count = vec_count(&builder->flows.arrows.pieces);
    build->arrows.count += piece.count;
    return !builder->flows.arrows.pieces.bytes.failed;
}

/* Reports events without arrows because no slice was found for them. */
static bool report_lost(FlowBuild *build)
{
    if (build->finish->is_growing) return true;
    const EventPair *pairs = build->matches.pairs.items;
    uint8_t *reported = ARENA_ARRAY(&build->finish->builder->log_arena, uint8_t, build->matches.event_count);
    if (reported == NULL) return false;
    for (size_t i = 0; i < vec_count(&build->matches.pairs); i++) {
        uint32_t ends[] = { pairs[i].from, pairs[i].to };
        for (int e = 0; e < 2; e++) {
            if (build->event_ends[ends[e]].ref != FLOW_LOST || reported[ends[e]]) continue;
            reported[ends[e]] = 1;
            warn_lost(build->finish->builder, &build->matches.events[ends[e]]);
        }
    }
    return true;
}

static bool bind_everything(FlowBuild *build)
{
    Finish   *finish = build->finish;
    ArrowLog *fed = &finish->builder->flows.arrows;
    size_t    events = build->matches.event_count, pairs = vec_count(&build->matches.pairs);
    arrow_log_settle(fed);
    build->arrows.count = arrow_log_count(fed);
    build->arrows.pieces = fed->pieces.items;
    build->arrows.piece_count = vec_count(&fed->pieces);
    if (build->arrows.count + pairs > INT32_MAX) return false;
    build->event_ends = ARENA_ARRAY(&finish->builder->log_arena, BoundEnd, events);
    if (build->event_ends == NULL) return false;
    if (!flow_find_slices(finish, &build->matches, &build->by_offset)) return false;
    thread_run(finish->workers, (events + ENDS_A_JOB - 1) / ENDS_A_JOB, bind_events, build);
    /* long jobs: each begins without hints */
    const size_t pieces = build->arrows.piece_count, jobs = JOBS_A_WORKER * (size_t)finish->workers;
    build->pieces_a_job = (pieces + jobs - 1) / jobs;
    thread_run(finish->workers, pieces < jobs ? pieces : jobs, bind_pieces, build);
    if (atomic_load(&build->failed)) return false;
    return pairs == 0 || (add_pairs(build) && report_lost(build));
}

bool flows_build(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    if (builder->flows.events.bytes.failed) return false;
    if (builder->flows.events.bytes.size == 0 && builder->flows.arrows.pieces.bytes.size == 0) return true;
    FlowBuild build = { .finish = finish };
    bool      done = flow_match(finish, &build.matches) && bind_everything(&build) &&
                flow_columns_make(finish, &build.arrows);
    vec_release(&build.matches.pairs);
    return done;
}
