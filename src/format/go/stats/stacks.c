/* Waits of goroutines by the stack at the begin of the wait. A stack is a node in a tree of frames, common to all
 * generations. */
#include "format/go/stats/state.h"
#include "format/go/v2/spec.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const PROFILES[GO_PROFILE_COUNT] = { "net", "sync", "syscall", "sched" };

const char *go_profile_name(GoProfile profile)
{
    assert((unsigned)profile < GO_PROFILE_COUNT);
    return PROFILES[profile];
}

bool go_profile_find(const char *text, GoProfile *profile)
{
    for (int i = 0; i < GO_PROFILE_COUNT; i++) {
        if (strcmp(text, PROFILES[i]) != 0) continue;
        *profile = (GoProfile)i;
        return true;
    }
    return false;
}

bool stats_stacks_begin(Stats *stats)
{
    GoStats *out = stats->out;
    out->nodes = arena_grow(&out->arena, NULL, 0, &stats->out_capacity.nodes, sizeof *out->nodes);
    out->frames = arena_grow(&out->arena, NULL, 0, &stats->out_capacity.frames, sizeof *out->frames);
    if (out->nodes == NULL || out->frames == NULL) return false;
    out->node_count = out->frame_count = 1;
    return true;
}

/* -- the tree -- */

static uint64_t pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static StringId function_of(Stats *stats, const GoFrame *frame)
{
    GoTables *tables = go_trace_tables(stats->trace);
    if (!tables->bare_frames) return go_string_intern(tables, frame->function);
    char name[24]; /* 1.5 has no names */
    int  size = snprintf(name, sizeof name, "0x%" PRIx64, frame->pc);
    return string_table_intern(stats->out->texts, name, (size_t)size);
}

/* Returns the frame of a function, file and line, and adds it if it is new; 0 = out of memory. */
static uint32_t find_frame(Stats *stats, const GoFrame *frame)
{
    GoStats     *out = stats->out;
    GoStackFrame made = { .function = function_of(stats, frame),
                          .file = go_string_intern(go_trace_tables(stats->trace), frame->file),
                          .line = frame->line > UINT32_MAX ? 0 : (uint32_t)frame->line,
                          .pc = frame->pc };
    uint64_t     key = pair(made.function.index, made.file.index);
    uint32_t     place = id_map_find(&stats->maps.places, key);
    if (place == 0) {
        place = ++stats->place_count;
        if (!id_map_put(&stats->maps.places, key, place)) return 0;
    }
    key = pair(place, made.line);
    uint32_t found = id_map_find(&stats->maps.lines, key);
    if (found != 0) return found;
    GoStackFrame *frames =
        arena_grow(&out->arena, out->frames, out->frame_count, &stats->out_capacity.frames, sizeof *frames);
    if (frames == NULL || !id_map_put(&stats->maps.lines, key, out->frame_count)) return 0;
    out->frames = frames;
    frames[out->frame_count] = made;
    return out->frame_count++;
}

static uint32_t find_node(Stats *stats, uint32_t parent, uint32_t frame)
{
    GoStats *out = stats->out;
    uint64_t key = pair(parent, frame);
    uint32_t found = id_map_find(&stats->maps.nodes, key);
    assert(parent < out->node_count && frame < out->frame_count);
    if (found != 0 || frame == 0) return found;
    GoStackNode *nodes =
        arena_grow(&out->arena, out->nodes, out->node_count, &stats->out_capacity.nodes, sizeof *nodes);
    if (nodes == NULL || !id_map_put(&stats->maps.nodes, key, out->node_count)) return 0;
    out->nodes = nodes;
    nodes[out->node_count] = (GoStackNode){ .parent = parent, .frame = frame };
    return out->node_count++;
}

/* Returns the node of a stack; 0 = no stack. */
static uint32_t node_of_stack(Stats *stats, uint32_t stack_place)
{
    enum { MOST_FRAMES = 1000 };
    if (stack_place == 0) return 0;
    GoTables *tables = go_trace_tables(stats->trace);
    assert(stack_place <= tables->stack_count);
    GoStack *stack = &tables->stacks[stack_place - 1];
    if (stack->known != 0) return stack->known;
    if (stats->stack == NULL) stats->stack = ARENA_ARRAY(&stats->out->arena, uint32_t, MOST_FRAMES);
    if (stats->stack == NULL) {
        stats->out_of_memory = true;
        return 0;
    }
    ByteCursor cursor = go_stack_frames(tables, stack_place);
    GoFrame    frame;
    uint32_t   count = 0, node = 0;
    while (count < MOST_FRAMES && go_stack_next(tables, &cursor, &frame)) {
        if (go_frame_is_empty(tables, &frame)) continue;
        stats->stack[count] = find_frame(stats, &frame);
        stats->out_of_memory |= stats->stack[count++] == 0;
    }
    while (count > 0 && !stats->out_of_memory) { /* the file has the innermost frame first */
        node = find_node(stats, node, stats->stack[--count]);
        stats->out_of_memory |= node == 0;
    }
    stack->known = node;
    return node;
}

StringId stats_outermost(Stats *stats, uint32_t stack_place)
{
    GoFrame frame;
    if (stack_place == 0 || !go_stack_outermost(go_trace_tables(stats->trace), stack_place, &frame))
        return STRING_NONE;
    return function_of(stats, &frame);
}

/* -- the waits -- */

static bool has_moment(const Stats *stats, int64_t begin, int64_t end)
{
    return begin < stats->clip_end && end > stats->clip_begin;
}

static bool is_like_go(const Stats *stats)
{
    return stats->request->rules == GO_RULES_OF_GO;
}

static void add_wait(Stats *stats, GoProfile profile, uint32_t place, int64_t ns)
{
    GoStackNode *node = &stats->out->nodes[place];
    node->count[profile]++;
    i64_accumulate(&node->ns[profile], ns);
}

static void count_wait(Stats *stats, StatsG *g, GoProfile profile, const GoEvent *event)
{
    int64_t  begin = g->wait_since[profile], end = event->time;
    uint32_t place = g->wait_place[profile];
    if (place == 0) return;
    g->wait_place[profile] = 0;
    if (!has_moment(stats, begin, end)) return;
    if (begin < stats->clip_begin) begin = stats->clip_begin;
    if (end > stats->clip_end) end = stats->clip_end;
    if (end <= begin) return;
    /* from 1.22 on a goroutine exists for Go's tool from its first run */
    const GoGoroutine *row = stats_row(stats, g);
    const bool         had_started = row->has_started && row->started < event->time;
    if (!is_like_go(stats) || !stats->trace->is_v2 || had_started) {
        add_wait(stats, profile, place - 1, end - begin);
    } else if (event->to != GO_STATE_RUNNING) { /* unless it never runs: then from its creation */
        g->early_place = place;
        g->early_profile = profile;
        g->early_ns = end - begin;
    }
}

void stats_stacks_end(Stats *stats)
{
    for (uint32_t i = 1; i < stats->entries.g_count; i++) {
        const StatsG *g = &stats->entries.gs[i];
        if (g->early_place == 0 || stats_row(stats, g)->has_started) continue;
        add_wait(stats, g->early_profile, g->early_place - 1, g->early_ns);
    }
}

static void begin_wait(StatsG *g, GoProfile profile, uint32_t node, int64_t time)
{
    g->wait_place[profile] = node + 1;
    g->wait_since[profile] = time;
}

/* v1: true for the waits that Go's tool counts. */
static bool is_profiled_by_go(const GoEvent *event, GoTime wait)
{
    if (event->to == GO_STATE_RUNNABLE) return event->type == V1_GO_UNBLOCK || event->type == V1_GO_CREATE;
    return wait != GO_TIME_OTHER || event->type == V1_GO_BLOCK_GC;
}

static void begin_waits(Stats *stats, StatsG *g, const GoEvent *event, GoTime wait)
{
    bool like_go = is_like_go(stats) && !stats->trace->is_v2;
    if (like_go && event->to != GO_STATE_SYSCALL && !is_profiled_by_go(event, wait)) return;
    uint32_t node = node_of_stack(stats, event->stack);
    if (like_go && node == 0 && event->to != GO_STATE_SYSCALL) return;
    int64_t since = event->time;
    if (event->from == GO_STATE_UNDETERMINED && stats->trace->is_v2 && !is_like_go(stats) &&
        stats->sync_time < since)
        since = stats->sync_time; /* the state at the begin of the trace */
    switch ((GoState)event->to) {
    case GO_STATE_RUNNABLE:
        begin_wait(g, GO_PROFILE_SCHED, node, since);
        return;
    case GO_STATE_WAITING:
        if (wait == GO_TIME_NETWORK) begin_wait(g, GO_PROFILE_NET, node, event->time);
        if (wait == GO_TIME_SYNC || (like_go && event->type == V1_GO_BLOCK_GC))
            begin_wait(g, GO_PROFILE_SYNC, node, event->time);
        return;
    case GO_STATE_SYSCALL:
        if (stats->trace->is_v2) {
            begin_wait(g, GO_PROFILE_SYSCALL, node, since);
        } else if (g->syscall_node != 0) { /* it began with the GoSysCall */
            begin_wait(g, GO_PROFILE_SYSCALL, g->syscall_node, g->syscall_at);
        }
        return;
    case GO_STATE_RUNNING:
    case GO_STATE_NOT_EXIST:
    case GO_STATE_UNDETERMINED:
    case GO_STATE_COUNT:
        return;
    }
}

void stats_stack_changes(Stats *stats, StatsG *g, const GoEvent *event, GoTime wait)
{
    bool is_v2 = stats->trace->is_v2;
    if (!is_v2 && event->type == V1_GO_SYS_CALL) {
        g->syscall_at = event->time;
        g->syscall_node = node_of_stack(stats, event->stack);
        return;
    }
    if (event->from == event->to) return;
    if (event->to != GO_STATE_RUNNING)
        g->wait_place[GO_PROFILE_SCHED] =
            0; /* as at the begin of v1: it waits without being runnable before */
    for (int profile = 0; profile < GO_PROFILE_COUNT; profile++)
        count_wait(stats, g, (GoProfile)profile, event);
    /* a goroutine created in the initial events of v1 existed before, and the stack is that of the trace's starter;
     * Go's tool counts it */
    bool counts = event->from != GO_STATE_UNDETERMINED || is_v2 || is_like_go(stats);
    if (counts) begin_waits(stats, g, event, wait);
    g->syscall_node = 0;
}
