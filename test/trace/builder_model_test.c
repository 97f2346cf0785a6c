/* The builder compared with a model: slow, small, and written only from the rules. */
#include "support/test.h"
#include "trace_support.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 40, NAMES = 4 };

typedef struct ModelEvent {
    char     kind; /* B E X i */
    int64_t  tick, end;
    unsigned name; /* 0 = no name, otherwise a letter */
    unsigned category;
    bool     no_end, details;
} ModelEvent;

typedef struct ModelSlice {
    int64_t  begin, end, key; /* key: the end it is sorted by */
    unsigned name, category, file_index, lane, depth, around;
    bool     paired, done, unfinished, no_end, repaired, source, end_source;
} ModelSlice;

typedef struct Model {
    ModelEvent     events[MOST_EVENTS];
    unsigned       event_count;
    MatchRule      match;
    UnfinishedRule unfinished;
    bool           repaired[MOST_EVENTS]; /* by event */
    unsigned       order[MOST_EVENTS];    /* of begins and ends */
    unsigned       mark_count;
    ModelSlice     slices[MOST_EVENTS];
    unsigned       slice_count;
    unsigned       open[MOST_EVENTS], open_count;
    unsigned       owner, owner_level, orphans[MOST_EVENTS], orphan_count;
    int64_t        trace_end;
} Model;

/* ---- the model ---- */

static void order_marks(Model *m)
{
    int64_t last = INT64_MIN;
    for (unsigned i = 0; i < m->event_count; i++) {
        ModelEvent *e = &m->events[i];
        if (e->kind != 'B' && e->kind != 'E') continue;
        if (m->match == MATCH_IN_FILE_ORDER) {
            m->repaired[i] = e->tick < last;
            if (e->tick < last) e->tick = last;
            last = e->tick;
        }
        unsigned at = m->mark_count++;
        for (; at > 0 && m->events[m->order[at - 1]].tick > e->tick; at--)
            m->order[at] = m->order[at - 1];
        m->order[at] = i;
    }
}

static bool names_match(unsigned name, unsigned category, const ModelSlice *s)
{
    return name == s->name && (category == 0 || s->category == 0 || category == s->category);
}

static ModelSlice *top(Model *m)
{
    return &m->slices[m->open[m->open_count - 1]];
}

static void pop(Model *m)
{
    m->open_count--;
    if (m->open_count < m->owner_level) m->orphan_count = 0;
}

static void close_top(Model *m, unsigned event, bool own)
{
    const ModelEvent *e = &m->events[event];
    top(m)->end = e->tick;
    top(m)->no_end = !own;
    if (m->repaired[event]) top(m)->repaired = true;
    if (own && e->details) top(m)->end_source = true;
    pop(m);
}

/* True if all ends with a name have one name, and no begin has it. */
static bool names_of_ends_mean_nothing(const Model *m)
{
    unsigned name = 0;
    for (unsigned i = 0; i < m->event_count; i++) {
        const ModelEvent *e = &m->events[i];
        if (e->kind != 'E' || e->name == 0) continue;
        if (name != 0 && e->name != name) return false;
        name = e->name;
    }
    for (unsigned i = 0; i < m->event_count; i++) {
        if (m->events[i].kind == 'B' && m->events[i].name == name) return false;
    }
    return true;
}

static void end_with_name(Model *m, unsigned event)
{
    const ModelEvent *e = &m->events[event];
    unsigned          level = m->open_count;
    while (level > 0 && !names_match(e->name, e->category, &m->slices[m->open[level - 1]]))
        level--;
    if (level == m->open_count && level > 0) {
        close_top(m, event, true);
    } else if (level > 0) { /* the slices inside it end too */
        m->orphan_count = 0;
        m->owner_level = 0;
        while (m->open_count > level) {
            unsigned above = m->open[m->open_count - 1];
            close_top(m, event, false);
            m->orphans[m->orphan_count++] = above;
        }
        m->owner = m->open[level - 1];
        close_top(m, event, true);
        m->owner_level = level - 1;
    } else if (m->open_count == m->owner_level) { /* it may have been exchanged with the previous one */
        for (unsigned i = m->orphan_count; i-- > 0;) {
            ModelSlice *orphan = &m->slices[m->orphans[i]];
            if (!names_match(e->name, e->category, orphan)) continue;
            orphan->no_end = false;
            if (e->details) orphan->end_source = true;
            m->slices[m->owner].end = e->tick;
            m->orphan_count--;
            memmove(m->orphans + i, m->orphans + i + 1, (m->orphan_count - i) * sizeof m->orphans[0]);
            return;
        }
    }
}

static void pair(Model *m)
{
    bool nameless = m->match == MATCH_IN_FILE_ORDER || names_of_ends_mean_nothing(m);
    for (unsigned k = 0; k < m->mark_count; k++) {
        unsigned          event = m->order[k];
        const ModelEvent *e = &m->events[event];
        if (e->kind == 'B') {
            m->slices[m->slice_count] = (ModelSlice){ .begin = e->tick,
                                                      .name = e->name,
                                                      .category = e->category,
                                                      .file_index = event,
                                                      .around = m->open_count,
                                                      .paired = true,
                                                      .repaired = m->repaired[event],
                                                      .source = e->details };
            m->open[m->open_count++] = m->slice_count++;
        } else if (nameless || e->name == 0) {
            if (m->open_count > 0) close_top(m, event, true);
        } else {
            end_with_name(m, event);
        }
    }
}

static void end_unfinished_and_add_completes(Model *m)
{
    int64_t thread_end = INT64_MIN;
    for (unsigned i = 0; i < m->event_count; i++) {
        const ModelEvent *e = &m->events[i];
        int64_t           end = e->kind == 'X' && !e->no_end ? e->end : e->tick;
        if (end > thread_end) thread_end = end;
    }
    int64_t limit =
        m->unfinished == UNFINISHED_TO_THREAD_END || thread_end > m->trace_end ? thread_end : m->trace_end;
    for (; m->open_count > 0; m->open_count--) {
        top(m)->end = limit;
        top(m)->unfinished = true;
    }
    for (unsigned i = 0; i < m->event_count; i++) {
        const ModelEvent *e = &m->events[i];
        if (e->kind != 'X') continue;
        m->slices[m->slice_count++] = (ModelSlice){ .begin = e->tick,
                                                    .end = e->no_end ? limit : e->end,
                                                    .name = e->name,
                                                    .category = e->category,
                                                    .file_index = i,
                                                    .unfinished = e->no_end,
                                                    .source = e->details };
    }
}

/* Begins and ends keep their order at one time: each counts as long as the longest that begins there after it. */
static bool goes_before(const ModelSlice *a, const ModelSlice *b)
{
    if (a->begin != b->begin) return a->begin < b->begin;
    if (a->key != b->key) return a->key > b->key;
    return a->file_index < b->file_index;
}

static void nest(Model *m, ModelSlice *sorted)
{
    for (unsigned i = 0; i < m->slice_count; i++) {
        ModelSlice *s = &m->slices[i];
        s->key = s->end;
        for (unsigned j = i + 1; s->paired && j < m->slice_count; j++) {
            const ModelSlice *later = &m->slices[j];
            if (later->paired && later->begin == s->begin && later->end > s->key) s->key = later->end;
        }
    }
    for (unsigned n = 0; n < m->slice_count; n++) {
        ModelSlice *first = NULL;
        for (unsigned i = 0; i < m->slice_count; i++) {
            ModelSlice *s = &m->slices[i];
            if (!s->done && (first == NULL || goes_before(s, first))) first = s;
        }
        first->done = true;
        sorted[n] = *first;
    }
    ModelSlice *stacks[MOST_EVENTS][MOST_EVENTS];
    unsigned    depths[MOST_EVENTS] = { 0 };
    for (unsigned n = 0; n < m->slice_count; n++) {
        ModelSlice *s = &sorted[n];
        for (unsigned lane = 0;; lane++) {
            while (depths[lane] > 0) {
                const ModelSlice *t = stacks[lane][depths[lane] - 1];
                bool              inside = t->end > s->begin;
                if (s->begin == s->end && t->end == s->begin) { /* empty, at the end of the other */
                    inside = t->paired && s->paired ? s->around > t->around
                                                    : t->unfinished || t->begin == s->begin;
                }
                if (inside) break;
                depths[lane]--;
            }
            if (depths[lane] > 0 && stacks[lane][depths[lane] - 1]->end < s->end) continue;
            s->lane = lane;
            s->depth = depths[lane];
            stacks[lane][depths[lane]++] = s;
            break;
        }
    }
}

/* ---- its rows as text ---- */

static void name_append(unsigned name, unsigned category, Bytes *out)
{
    if (name != 0) bytes_printf(out, "%c", (char)('a' + name));
    if (category != 0) bytes_printf(out, "/%c", (char)('t' + category));
}

static void model_slice_append(const ModelSlice *s, Bytes *out)
{
    name_append(s->name, s->category, out);
    bytes_printf(out, " %lld..%lld", (long long)s->begin, (long long)s->end);
    const char flags[] = { s->unfinished ? 'u' : 0, s->no_end ? 'n' : 0,     s->repaired ? 'r' : 0,
                           s->source ? 's' : 0,     s->end_source ? 'e' : 0, 0 };
    bool any = false;
    for (unsigned i = 0; i < sizeof flags; i++) {
        if (flags[i] == 0) continue;
        if (!any) bytes_append_text(out, " ");
        any = true;
        bytes_append(out, &flags[i], 1);
    }
}

/* Appends instants of one depth before `tick`, in order of time. */
static void instants_append(const Model *m, const ModelSlice *sorted, unsigned depth, int64_t *from,
                            unsigned *from_event, int64_t before, const char **between, Bytes *out)
{
    for (;;) {
        unsigned best = MOST_EVENTS;
        for (unsigned i = 0; i < m->event_count; i++) {
            const ModelEvent *e = &m->events[i];
            if (e->kind != 'i' || e->tick >= before) continue;
            if (e->tick < *from || (e->tick == *from && i < *from_event)) continue;
            if (best < MOST_EVENTS && m->events[best].tick <= e->tick) continue;
            unsigned around = 0;
            for (unsigned s = 0; s < m->slice_count; s++) {
                const int64_t last = sorted[s].unfinished ? sorted[s].end : sorted[s].end - 1;
                const bool    holds = sorted[s].lane == 0 && sorted[s].begin <= e->tick && e->tick <= last;
                if (holds && sorted[s].depth >= around) around = sorted[s].depth + 1;
            }
            if (around == depth) best = i;
        }
        if (best == MOST_EVENTS) return;
        bytes_append_text(out, *between);
        *between = ", ";
        name_append(m->events[best].name, m->events[best].category, out);
        bytes_printf(out, "@%lld", (long long)m->events[best].tick);
        *from = m->events[best].tick;
        *from_event = best + 1;
    }
}

static void model_rows_append(const Model *m, const ModelSlice *sorted, Bytes *out)
{
    const char *between_rows = "";
    for (unsigned lane = 0; lane < MOST_EVENTS; lane++) {
        for (unsigned depth = 0; depth < MOST_EVENTS; depth++) {
            Bytes       row = { NULL, 0, 0, false };
            const char *between = " ";
            int64_t     from = INT64_MIN;
            unsigned    from_event = 0;
            for (unsigned n = 0; n < m->slice_count; n++) {
                if (sorted[n].lane != lane || sorted[n].depth != depth) continue;
                if (lane == 0)
                    instants_append(m, sorted, depth, &from, &from_event, sorted[n].begin, &between, &row);
                bytes_append_text(&row, between);
                between = ", ";
                model_slice_append(&sorted[n], &row);
            }
            if (lane == 0) instants_append(m, sorted, depth, &from, &from_event, INT64_MAX, &between, &row);
            if (row.size > 0) {
                bytes_printf(out, "%s%u.%u:", between_rows, lane, depth);
                bytes_append(out, row.data, row.size);
                between_rows = "; ";
            }
            bytes_release(&row);
        }
    }
}

/* ---- the comparison ---- */

static void model_append(const Model *m, Bytes *out)
{
    for (unsigned i = 0; i < m->event_count; i++) {
        const ModelEvent *e = &m->events[i];
        bytes_printf(out, "%s %c%lld", e->details ? " +d" : " -", e->kind, (long long)e->tick);
        if (e->kind == 'X' && e->no_end) bytes_append_text(out, "..?");
        if (e->kind == 'X' && !e->no_end) bytes_printf(out, "..%lld", (long long)e->end);
        if (e->name != 0 || e->category != 0) bytes_append_text(out, ":");
        name_append(e->name, e->category, out);
    }
    bytes_append(out, "", 1);
}

typedef struct Shape {
    unsigned    most_events, ticks, names, categories;
    const char *kinds; /* drawn from these letters; "calls" = draw_calls */
    MatchRule   match;
} Shape;

/* Draws the events of a program that calls functions: a begin and an end, or a complete when the call ends, and
 * instants. The time goes on by less than shape->ticks from event to event. */
static void draw_calls(TestRandom *random, const Shape *shape, Model *m)
{
    unsigned open[MOST_EVENTS],
        depth = 0; /* stack of calls: their begin event, or MOST_EVENTS + the tick of it */
    int64_t tick = 10;
    for (unsigned i = 0; i < shape->most_events || depth > 0;) {
        const bool ends = depth > 0 && (i + depth >= shape->most_events || test_random_below(random, 2) == 0);
        ModelEvent *e = &m->events[i];
        tick += (int64_t)test_random_below(random, shape->ticks);
        *e = (ModelEvent){ .tick = tick,
                           .end = tick,
                           .name = (unsigned)test_random_below(random, shape->names),
                           .details = test_random_below(random, 4) == 0 };
        if (ends) {
            const unsigned own = open[--depth];
            e->kind = own < MOST_EVENTS ? 'E' : 'X';
            e->name = own >= MOST_EVENTS                  ? e->name
                      : test_random_below(random, 2) == 0 ? 0
                                                          : m->events[own].name;
            if (own >= MOST_EVENTS) e->tick = (int64_t)own - MOST_EVENTS;
        } else if (i + depth + 2 > shape->most_events || test_random_below(random, 6) == 0) {
            e->kind = 'i';
        } else if (test_random_below(random, 2) == 0) {
            e->kind = 'B';
            open[depth++] = i;
        } else {
            open[depth++] = MOST_EVENTS + (unsigned)tick;
            continue; /* it is written at its end */
        }
        i++;
    }
    m->event_count = shape->most_events;
}

static void draw_events(TestRandom *random, const Shape *shape, Model *m)
{
    m->match = shape->match;
    m->unfinished = test_random_below(random, 2) == 0 ? UNFINISHED_TO_TRACE_END : UNFINISHED_TO_THREAD_END;
    if (strcmp(shape->kinds, "calls") == 0) {
        draw_calls(random, shape, m);
        return;
    }
    m->event_count = 1 + (unsigned)test_random_below(random, shape->most_events);
    bool    sorted = test_random_below(random, 2) == 0;
    int64_t tick = 0;
    for (unsigned i = 0; i < m->event_count; i++) {
        tick = sorted ? tick + (int64_t)test_random_below(random, 3)
                      : (int64_t)test_random_below(random, shape->ticks);
        m->events[i] = (ModelEvent){ .kind = shape->kinds[test_random_below(random, strlen(shape->kinds))],
                                     .tick = tick,
                                     .end = tick + (int64_t)test_random_below(random, shape->ticks),
                                     .name = (unsigned)test_random_below(random, shape->names),
                                     .category = (unsigned)test_random_below(random, shape->categories),
                                     .no_end = test_random_below(random, 8) == 0,
                                     .details = test_random_below(random, 4) == 0 };
        if (test_random_below(random, 4) == 0) m->events[i].end = tick;
    }
}

static void check_against_model(TestRandom *random, const Shape *shape)
{
    Model      model = { .event_count = 0 };
    ModelSlice sorted[MOST_EVENTS];
    Bytes      events = { NULL, 0, 0, false }, expected = events;
    draw_events(random, shape, &model);
    model_append(&model, &events);
    EventFeed feed = feed_create(model.match, model.unfinished);
    feed_events(&feed, (const char *)events.data);
    /* the last event of another thread */
    model.trace_end = (int64_t)test_random_below(random, 2 * shape->ticks);
    feed_set_thread(&feed, 1, 3);
    builder_instant(feed.builder, feed.thread, model.trace_end, LABEL_NONE, INSTANT_THREAD,
                    feed_next_pos(&feed), 0);
    Trace *trace = feed_finish(&feed, 1);

    order_marks(&model);
    pair(&model);
    end_unfinished_and_add_completes(&model);
    nest(&model, sorted);
    model_rows_append(&model, sorted, &expected);
    Bytes actual = { NULL, 0, 0, false };
    rows_append(trace, 1, &actual);
    bytes_append(&expected, "", 1);
    bytes_append(&actual, "", 1);
    if (strcmp((const char *)actual.data, (const char *)expected.data) != 0) {
        fail_msg("events%s (rules %d %d)\nactual:   %s\nexpected: %s", (const char *)events.data,
                 (int)model.match, (int)model.unfinished, (const char *)actual.data,
                 (const char *)expected.data);
    }
    bytes_release(&events);
    bytes_release(&expected);
    bytes_release(&actual);
    trace_release(trace);
}

static void check_many(uint64_t seed, unsigned cases, Shape shape)
{
    TestRandom random = { seed };
    for (unsigned i = 0; i < cases; i++)
        check_against_model(&random, &shape);
}

TEST(begins_and_ends)
{
    check_many(1, 1500, (Shape){ 12, 8, NAMES, 1, "BBEE", MATCH_BY_TIME_AND_NAME });
    check_many(2, 800, (Shape){ MOST_EVENTS, 30, NAMES, 3, "BBEEE", MATCH_BY_TIME_AND_NAME });
    check_many(3, 500, (Shape){ MOST_EVENTS, 5, 1, 1, "BEBEB", MATCH_BY_TIME_AND_NAME });
    check_many(4, 500, (Shape){ 8, 4, 3, 2, "BE", MATCH_BY_TIME_AND_NAME });
}

TEST(completes)
{
    check_many(5, 800, (Shape){ 10, 6, 2, 1, "X", MATCH_BY_TIME_AND_NAME });
    check_many(6, 400, (Shape){ MOST_EVENTS, 20, 2, 1, "X", MATCH_BY_TIME_AND_NAME });
    check_many(7, 400, (Shape){ MOST_EVENTS, 200, 2, 1, "X", MATCH_BY_TIME_AND_NAME });
}

TEST(all_kinds_together)
{
    check_many(8, 1500, (Shape){ 14, 8, NAMES, 2, "BBEEXXi", MATCH_BY_TIME_AND_NAME });
    check_many(9, 800, (Shape){ MOST_EVENTS, 25, NAMES, 2, "BBEEXi", MATCH_BY_TIME_AND_NAME });
    check_many(10, 500, (Shape){ MOST_EVENTS, 3, 2, 1, "BEXi", MATCH_BY_TIME_AND_NAME });
}

TEST(calls)
{
    check_many(13, 800, (Shape){ MOST_EVENTS, 200, NAMES, 1, "calls", MATCH_BY_TIME_AND_NAME });
    check_many(14, 800, (Shape){ MOST_EVENTS, 3, NAMES, 1, "calls", MATCH_BY_TIME_AND_NAME });
    check_many(15, 800, (Shape){ 12, 2, NAMES, 1, "calls", MATCH_BY_TIME_AND_NAME });
    check_many(16, 400, (Shape){ 20, 10, 2, 1, "calls", MATCH_IN_FILE_ORDER });
}

TEST(in_file_order)
{
    check_many(11, 1000, (Shape){ 14, 8, NAMES, 2, "BBEEXXi", MATCH_IN_FILE_ORDER });
    check_many(12, 600, (Shape){ MOST_EVENTS, 25, NAMES, 1, "BBEEi", MATCH_IN_FILE_ORDER });
}

TEST_MAIN("builder_model", TEST_CASE(begins_and_ends), TEST_CASE(completes), TEST_CASE(all_kinds_together),
          TEST_CASE(calls), TEST_CASE(in_file_order))
