/* Before 1.22: the batches of a processor have its records in order, each with its time. */
#include "format/go/trace/ends.h"

#include "format/go/common/version.h"
#include "format/go/v1/stream.h"

/* A walk over a processor's records near a moment. */
typedef struct Walk {
    GoLookup       *lookup;
    const GoMoment *moment;
    GoV1           *v1;       /* with version and clock; its tables are read when needed */
    uint64_t        g;        /* the running goroutine; 0 = none, UNKNOWN */
    uint64_t        syscall;  /* id of the stack of its last GoSysCall */
    bool            is_near;  /* the goroutine's last start was not after the begin of its run */
    bool            is_found; /* an event at exactly this time */
    uint64_t        stack;    /* of the event found: id of its stack */
    uint8_t         type;     /* of the event found; 0 = none */
} Walk;

static const uint64_t UNKNOWN = UINT64_MAX; /* all bits set, so that V1WhoseRule's masks pass it unchanged */

/* Returns the index of a record's first value, after its times. */
static unsigned first_value(const Walk *walk)
{
    return walk->v1->version < GO_1_7 ? 2 : 1;
}

static void find(Walk *walk, uint8_t type, uint64_t stack, bool is_exact)
{
    walk->type = type;
    walk->stack = type == V1_GO_SYS_BLOCK ? walk->syscall : stack;
    walk->is_found = is_exact;
}

static void look_at(Walk *walk, const V1Record *record, int64_t time)
{
    const GoMoment *moment = walk->moment;
    const V1Spec   *spec = &V1_SPECS[record->type];
    const unsigned  count = walk->v1->layouts.number_counts[record->type], first = first_value(walk);
    if (spec->name == NULL || spec->kind == GO_BAD || record->count < count) return;
    const V1WhoseRule rule = V1_WHOSE[spec->whose];
    const uint64_t    value = count > first ? record->numbers[first] : 0;
    const uint64_t    stack = spec->has_stack ? record->numbers[count - 1] : 0;
    const uint64_t    whose =
        (walk->g & (uint64_t)(int64_t)rule.event_runs) | (value & (uint64_t)(int64_t)rule.event_value);
    const bool is_stop = spec->whose == V1_G_THEN_NONE, is_exact = time == moment->time;
    const bool is_its = whose == (uint64_t)moment->g || (whose == UNKNOWN && is_exact);
    if (record->type == V1_GO_SYS_CALL) walk->syscall = stack;
    if (is_its && moment->is_stop && is_stop && walk->is_near) find(walk, record->type, stack, is_exact);
    if (is_its && !moment->is_stop && stack != 0 && is_exact) find(walk, record->type, stack, true);
    if (spec->whose == V1_G_BECOMES_ARG && value == (uint64_t)moment->g)
        walk->is_near = time <= moment->since;
    walk->g = (walk->g & (uint64_t)(int64_t)rule.then_runs) | (value & (uint64_t)(int64_t)rule.then_value);
    if (is_stop) walk->syscall = 0;
}

/* Walks over a segment, up to the moment. */
static bool walk_segment(Walk *walk, const GoKeptSegment *segment, Err *err)
{
    const uint8_t *bytes = go_lookup_bytes(walk->lookup, segment->begin, segment->end, 0, err);
    if (bytes == NULL) return false;
    ByteCursor c = cursor_over(bytes, (size_t)(segment->end - segment->begin), segment->begin);
    V1Record   record;
    uint64_t   ticks = segment->ticks;
    while (cursor_left(&c) > 0 && !walk->is_found) {
        if (v1_read_record(&c, walk->v1->version, &record) != V1_RECORD_GOOD) break;
        if (record.type >= V1_TYPE_COUNT || record.count < first_value(walk)) continue;
        if (record.type == V1_STRING || record.type == V1_STACK || record.type == V1_CPU_SAMPLE) continue;
        ticks += record.numbers[first_value(walk) - 1];
        const int64_t time = v1_ticks_to_ns(walk->v1, ticks);
        if (time > walk->moment->time) break;
        look_at(walk, &record, time);
    }
    return true;
}

/* Walks over the segments of the processor that begin last before the moment. The earlier ones show the running
 * goroutine. */
static bool walk_processor(Walk *walk, int64_t p, Err *err)
{
    const GoKept  *kept = walk->lookup->kept;
    const uint32_t none = kept->segment_count;
    uint32_t       near[3] = { none, none, none }; /* in order */
    for (uint32_t i = 0; i < kept->segment_count; i++) {
        if (kept->segments[i].p != p) continue;
        if (v1_ticks_to_ns(walk->v1, kept->segments[i].ticks) > walk->moment->time) break;
        near[0] = near[1];
        near[1] = near[2];
        near[2] = i;
    }
    walk->g = UNKNOWN;
    walk->syscall = walk->type = 0;
    walk->is_near = true;
    for (unsigned i = 0; i < 3 && !walk->is_found; i++) {
        if (near[i] != none && !walk_segment(walk, &kept->segments[near[i]], err)) return false;
    }
    return true;
}

/* Walks over the processor of the lane, or over all processors for a lane of a thread, because their lanes do not have
 * the processor. Only on the processor's own lane an inexact match counts: where clocks disagree, the stop got the time
 * of the event before it, and the last stop before the moment is the right one. */
static bool walk_all(Walk *walk, Err *err)
{
    const GoKept *kept = walk->lookup->kept;
    IdMap         seen = { .arena = walk->lookup->arena };
    if (walk->moment->p != GO_NONE) return walk_processor(walk, walk->moment->p, err);
    for (uint32_t i = 0; i < kept->segment_count && !walk->is_found; i++) {
        const uint64_t p = (uint64_t)kept->segments[i].p;
        if (id_map_find(&seen, p) != 0) continue;
        if (!id_map_put(&seen, p, 1)) return err_set(err, ERR_MEMORY, "out of memory");
        if (!walk_processor(walk, kept->segments[i].p, err)) return false;
    }
    if (!walk->is_found) walk->type = 0;
    return true;
}

/* Reads the strings and stacks at the first need. */
static bool read_tables(GoLookup *lookup, GoV1 *v1, Err *err)
{
    const GoKept *kept = lookup->kept;
    if (v1->tables.bytes != NULL || kept->stacks_end <= kept->stacks_begin) return true;
    const uint8_t *bytes = go_lookup_bytes(lookup, kept->stacks_begin, kept->stacks_end, 0, err);
    if (bytes == NULL) return false;
    v1->scan.next = v1->source.origin = kept->stacks_begin;
    v1_scan(v1, bytes, (size_t)(kept->stacks_end - kept->stacks_begin), INPUT_ENDS);
    v1->tables.bytes = v1->source.kept.data;
    return !v1->out_of_memory || err_set(err, ERR_MEMORY, "out of memory");
}

static const char *what_happens(const V1Spec *spec)
{
    switch (spec->to) {
    case GO_STATE_WAITING:
        return "waits";
    case GO_STATE_RUNNABLE:
        return "runnable";
    case GO_STATE_SYSCALL:
        return "blocking syscall";
    default:
        return "ends";
    }
}

static bool describe(const Walk *walk, Err *err)
{
    const V1Spec *spec = &V1_SPECS[walk->type];
    StringView    reason = { spec->reason, spec->reason == NULL ? 0 : strlen(spec->reason) };
    SliceEnd     *end = walk->moment->end;
    if (walk->type == 0) return true;
    if (walk->stack != 0 && !read_tables(walk->lookup, walk->v1, err)) return false;
    const uint32_t place = go_stack_find(&walk->v1->tables, walk->stack);
    return (go_lookup_stack(walk->lookup, &walk->v1->tables, place, end) &&
            (!walk->moment->is_stop || go_lookup_why(walk->lookup, what_happens(spec), reason, end))) ||
           err_set(err, ERR_MEMORY, "out of memory");
}

bool go_lookup_v1(GoLookup *lookup, Err *err)
{
    const GoKept  *kept = lookup->kept;
    const GoReport report = { .warn = NULL }; /* the trace was loaded before with its warnings */
    GoV1          *v1 = ARENA_NEW(lookup->arena, GoV1);
    StringTable   *texts = string_table_create(lookup->arena);
    if (v1 == NULL || texts == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    *v1 = (GoV1){ .version = kept->version.read_as,
                  .report = &report,
                  .arena = lookup->arena,
                  .tables = { .texts = texts },
                  /* with `again` the tables are copied, not references to temporary bytes */
                  .source = { .again = *lookup->again },
                  .clock = { .first_ticks = kept->first_ticks, .ns_per_tick = kept->ns_per_tick } };
    v1_begin(v1);
    for (unsigned i = 0; i < GO_MOMENT_COUNT; i++) {
        Walk walk = { .lookup = lookup, .moment = &lookup->moments[i], .v1 = v1 };
        if (!walk.moment->is_wanted) continue;
        if (!walk_all(&walk, err) || !describe(&walk, err)) return false;
    }
    return true;
}
