#include "trace/make/flow_log.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

/* Result of matching an event. */
enum { EVENT_ALONE, EVENT_JOINED, EVENT_REPORTED };

typedef struct Matcher {
    Finish      *finish;
    FlowMatches *matches;
    uint8_t     *fates;    /* EVENT_, by event */
    VEC(uint32_t) waiting; /* events of the group before its first start */
    bool by_alias;
    bool failed;
} Matcher;

static void report(Matcher *m, const FlowEvent *event, const char *kind, const char *message)
{
    if (m->finish->is_growing) return;
    uint64_t offset = place_offset(event->place);
    Warning  warning = {
         .kind = kind,
         .count = 1,
         .first = { .offset = offset, .event = builder_event_number(m->finish->builder, offset, event->event) }
    };
    strncpy(warning.first.message, message, sizeof warning.first.message - 1);
    builder_add_warning(m->finish->builder, &warning);
}

static void join(Matcher *m, uint32_t from, uint32_t to)
{
    EventPair pair = { from, to };
    vec_push(&m->matches->pairs, pair);
    m->fates[from] = m->fates[to] = EVENT_JOINED;
}

/* Connects a start without a later event to the event before it. */
static void end_chain(Matcher *m, uint32_t start)
{
    const uint32_t *waiting = m->waiting.items;
    bool            is_alone = m->fates[start] == EVENT_ALONE;
    for (size_t i = 0; is_alone && i < vec_count(&m->waiting); i++)
        join(m, start, waiting[i]);
    vec_clear(&m->waiting);
}

/* True if the flow has links. An end of it needs an open flow: it ends neither twice nor before its start. */
static bool is_linked(const FlowEvent *events, const SortKey *order, size_t count)
{
    size_t i = 0;
    while (i < count && (events[order[i].index].place & FLOW_ROLE_BITS) == FLOW_FINISH)
        i++;
    return i < count && (events[order[i].index].place & FLOW_ROLE_BITS) == FLOW_LINK;
}

/* Matches the events of one flow, in order of time: indices into matches->events. */
static void match_group(Matcher *m, const SortKey *order, size_t count)
{
    const FlowEvent *events = m->matches->events;
    bool             has_start = false, has_ended = false;
    uint32_t         start = 0, last = 0;
    const bool       needs_open = is_linked(events, order, count);
    vec_clear(&m->waiting);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)order[i].index;
        FlowRole role = (FlowRole)(events[at].place & FLOW_ROLE_BITS);
        if (role == FLOW_LINK) role = has_start && !has_ended ? FLOW_STEP : FLOW_START;
        if (needs_open && role == FLOW_FINISH && (!has_start || has_ended)) continue;
        if (role == FLOW_START) {
            if (has_start && !has_ended) { /* the first start counts */
                if (m->by_alias) continue;
                report(m, &events[at], "flow-begun-twice",
                       "a flow is begun (s) while one of its id is open: kept, but not drawn");
                m->fates[at] = EVENT_REPORTED;
                continue;
            }
            if (has_start) end_chain(m, start);
            has_start = true;
            has_ended = false;
            start = last = at;
            continue;
        }
        if (!has_start) {
            vec_push(&m->waiting, at);
            continue;
        }
        join(m, last, at);
        if (role == FLOW_STEP) last = at;
        if (role == FLOW_FINISH) has_ended = true;
    }
    if (has_start) end_chain(m, start);
    m->failed |= m->waiting.bytes.failed || m->matches->pairs.bytes.failed;
}

static void match_groups(Matcher *m, const SortKey *order, size_t count)
{
    for (size_t first = 0, end; first < count && !m->failed; first = end) {
        end = sort_group_end(order, first, count);
        match_group(m, order + first, end - first);
    }
}

static uint64_t flow_of(const TraceBuilder *builder, const void *event)
{
    (void)builder;
    return ((const FlowEvent *)event)->flow;
}

static uint64_t alias_of(const TraceBuilder *builder, const void *event)
{
    const FlowLog *flow = &builder->flows.ids.items[((const FlowEvent *)event)->flow];
    return (uint64_t)flow->process.index << 32 | flow->alias.index;
}

/* Matches the remaining events again, by the number of their id. */
static bool match_by_alias(Matcher *m, SortKey *keys)
{
    const FlowEvent *events = m->matches->events;
    const FlowLog   *flows = m->finish->builder->flows.ids.items;
    size_t           count = 0;
    for (size_t i = 0; i < m->matches->event_count; i++) {
        if (m->fates[i] != EVENT_ALONE || flows[events[i].flow].alias.index == 0) continue;
        keys[count++].index = i;
    }
    const SortKey *order = workspace_sort_indices(&m->finish->workspaces[0], keys,
                                                  &(SortItems){ events, count, sizeof *events, alias_of });
    if (order == NULL) return false;
    m->by_alias = true;
    match_groups(m, order, count);
    return !m->failed;
}

/* Sets the order for matching events of the same time: file order, except that starts at slices are first, because the
 * position of a slice in the file depends on the time of writing. */
static void order_by_file(const FlowEvent *events, size_t count, SortKey *keys)
{
    size_t at = 0;
    for (int role = -1; role <= FLOW_LINK; role++) {
        for (size_t i = 0; i < count; i++) {
            bool is_slice = (events[i].place >> FLOW_BINDING_SHIFT & 3) == FLOW_BIND_SLICE;
            if (is_slice ? (int)(events[i].place & FLOW_ROLE_BITS) == role : role == -1) keys[at++].index = i;
        }
    }
    assert(at == count);
}

static bool match_all(Matcher *m)
{
    TraceBuilder    *builder = m->finish->builder;
    Workspace       *ws = &m->finish->workspaces[0];
    const FlowEvent *fed = builder->flows.events.items;
    FlowMatches     *matches = m->matches;
    size_t           count = vec_count(&builder->flows.events);
    if (count > UINT32_MAX) return false;
    SortKey *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    matches->events = ARENA_ARRAY(&builder->log_arena, FlowEvent, count);
    m->fates = ARENA_ARRAY(&builder->log_arena, uint8_t, count);
    if (keys == NULL || matches->events == NULL || m->fates == NULL) return false;
    order_by_file(fed, count, keys);
    SortKey *order = workspace_sort_indices(ws, keys, &(SortItems){ fed, count, sizeof *fed, flow_of });
    if (order == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        matches->events[i] = fed[order[i].index];
        order[i].index = i;
    }
    matches->event_count = count;
    match_groups(m, order, count);
    return !m->failed && match_by_alias(m, keys);
}

bool flow_match(Finish *finish, FlowMatches *matches)
{
    Matcher m = { .finish = finish, .matches = matches };
    bool    done = match_all(&m);
    for (size_t i = 0; done && i < matches->event_count; i++) {
        if (m.fates[i] == EVENT_ALONE && (matches->events[i].place & FLOW_ROLE_BITS) != FLOW_LINK)
            report(&m, &matches->events[i], "unmatched-flow",
                   "an event of a flow without a matching event: kept, but not drawn");
    }
    vec_release(&m.waiting);
    return done;
}
