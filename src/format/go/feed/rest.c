/* Goroutines without a lane at the end of the trace. Most of them did not run: they waited all the time, or were
 * created and did not start. */
#include "format/go/feed/feed.h"

#include <inttypes.h>
#include <stdlib.h>

/* While fewer than FEED_OWN_LANES goroutines have lanes, each of these gets its own lane. Beyond that the goroutines of
 * each large group share one lane: tens of thousands of lanes without changes have no use, and a lane takes more memory
 * than its goroutine takes in the file. */
enum { MOST_KINDS = 32 };

/* A number of goroutines of a group with the same state. */
typedef struct RestKind {
    int64_t  since; /* begin of the earliest */
    EventPos pos;
    LabelId  label;
    StackId  stack;
    uint32_t count;
} RestKind;

/* The goroutines without a lane that begin with one function. */
typedef struct RestGroup {
    StringId  name;
    uint32_t  count, guests; /* guests: the goroutines that have had a shared lane */
    RestKind *kinds;
    uint32_t  kind_count, kind_capacity;
} RestGroup;

typedef struct Rest {
    Feed      *feed;
    RestGroup *groups; /* [group_count]; item 0 is unused */
    uint32_t   group_count, group_capacity;
    IdMap      map;          /* StringId.index of the function -> place in groups */
    uint32_t   most_a_group; /* the goroutines of a larger group share a lane */
} Rest;

/* True if the goroutine has no lane and has a state to show. */
static bool rests(const Feed *feed, const FeedG *g)
{
    if (g->states.index != 0 || g->is_free) return false;
    if (g->is_guest && g->first_pending == 0) return false; /* it ended */
    return g->first_pending != 0 ||
           !feed->trace->window.is_set; /* in a window: only goroutines with pending changes */
}

static RestGroup *find_group(Rest *rest, StringId name)
{
    uint32_t place = id_map_find(&rest->map, name.index);
    if (place != 0) return &rest->groups[place];
    RestGroup *groups =
        arena_grow(rest->feed->arena, rest->groups, rest->group_count, &rest->group_capacity, sizeof *groups);
    if (groups == NULL || !id_map_put(&rest->map, name.index, rest->group_count)) {
        rest->feed->out_of_memory = true;
        return NULL;
    }
    rest->groups = groups;
    groups[rest->group_count] = (RestGroup){ .name = name };
    return &groups[rest->group_count++];
}

/* Returns the limit on the size of a group whose goroutines get their own lanes: about the largest for which these fit
 * into `lanes_left`. At least 1, because a lone goroutine gains nothing from sharing. */
static uint32_t choose_most(const Rest *rest, uint32_t lanes_left)
{
    uint32_t most = lanes_left;
    for (; most > 1; most /= 2) {
        uint64_t lanes = 0;
        for (uint32_t i = 1; i < rest->group_count; i++)
            lanes += rest->groups[i].count <= most ? rest->groups[i].count : 0;
        if (lanes <= lanes_left) break;
    }
    return most > 0 ? most : 1;
}

/* Returns the kind of a state in the group, and adds it if it is new. When the kinds are full, the last one takes all
 * others. */
static RestKind *find_kind(Feed *feed, RestGroup *group, const FeedChange *state)
{
    for (uint32_t i = 0; i < group->kind_count; i++) {
        RestKind *kind = &group->kinds[i];
        if (kind->label.index == state->label.index && kind->stack.index == state->begin_stack.index)
            return kind;
    }
    if (group->kind_count == MOST_KINDS) {
        RestKind *last = &group->kinds[MOST_KINDS - 1];
        last->label = feed->names.labels[FEED_WAITING];
        last->stack = STACK_NONE;
        return last;
    }
    RestKind *kinds =
        arena_grow(feed->arena, group->kinds, group->kind_count, &group->kind_capacity, sizeof *kinds);
    if (kinds == NULL) {
        feed->out_of_memory = true;
        return NULL;
    }
    group->kinds = kinds;
    kinds[group->kind_count] = (RestKind){
        .since = state->time, .pos = state->pos, .label = state->label, .stack = state->begin_stack
    };
    return &kinds[group->kind_count++];
}

static void share_lane(Feed *feed, RestGroup *group, const FeedG *g)
{
    if (g->first_pending == 0) return;
    const FeedChange *state = &feed->pending.items[g->last_pending - 1];
    RestKind         *kind = state->label.index == 0 ? NULL : find_kind(feed, group, state);
    if (kind == NULL) return;
    kind->count++;
    group->guests += g->is_guest;
    if (state->time < kind->since) kind->since = state->time;
}

static int compare_kinds(const void *left, const void *right)
{
    const RestKind *a = left, *b = right;
    if (a->since != b->since) return a->since < b->since ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->pos.offset > b->pos.offset) - (a->pos.offset < b->pos.offset);
}

/* Makes the shared lane of a group: a slice for each kind, from its earliest begin to the end of the trace. */
static void make_lane(Feed *feed, RestGroup *group)
{
    TraceBuilder *builder = feed->builder;
    uint64_t      total = 0;
    for (uint32_t i = 0; i < group->kind_count; i++)
        total += group->kinds[i].count;
    if (total == 0) return;
    const char *what = group->guests == 0 ? "that never ran" : "others";
    StringId    title = feed_printf(feed, "%" PRIu64 " %s", total, what);
    ProcessId   process = feed_group(feed, group->name);
    TrackId     lane = builder_thread(builder, process, ident_text(title));
    builder_share_lanes(builder, process,
                        (int64_t)(total - group->guests) - 1); /* the guests are already counted */
    builder_name_thread(builder, lane, title);
    builder_sort_thread(builder, lane, (double)INT64_MAX);
    TrackId states = builder_states(builder, lane);
    qsort(group->kinds, group->kind_count, sizeof *group->kinds, compare_kinds);
    for (uint32_t i = 0; i < group->kind_count; i++) {
        const RestKind *kind = &group->kinds[i];
        Label           label = builder_label_parts(builder, kind->label);
        StringView      text = builder_text(builder, label.name);
        StringId        name = feed_printf(feed, "%" PRIu32 " %.1024s", kind->count, text.bytes);
        LabelId         counted =
            builder_colour_label(builder, builder_label(builder, name, label.category), label.colour);
        builder_begin(builder, states, kind->since, counted, kind->pos, EVENT_ANYWHERE);
        builder_mark_stack(builder, states, kind->stack);
    }
}

void feed_rest_end(Feed *feed)
{
    Rest           rest = { .feed = feed, .group_count = 1, .map = { .arena = feed->arena } };
    const uint32_t left =
        feed->places.own_lanes < FEED_OWN_LANES ? FEED_OWN_LANES - feed->places.own_lanes : 0;
    uint32_t total = 0;
    for (uint32_t i = 1; i < feed->places.g_count; i++)
        total += rests(feed, &feed->places.gs[i]) ? 1 : 0;
    for (uint32_t i = 1; i < feed->places.g_count && total > left; i++) {
        RestGroup *group =
            rests(feed, &feed->places.gs[i]) ? find_group(&rest, feed->places.gs[i].name) : NULL;
        if (group != NULL) group->count++;
    }
    if (feed->out_of_memory) return;
    rest.most_a_group = choose_most(&rest, left);
    for (uint32_t i = 1; i < feed->places.g_count && !feed->out_of_memory; i++) {
        FeedG *g = &feed->places.gs[i];
        if (!rests(feed, g)) continue;
        RestGroup *group = total > left ? find_group(&rest, g->name) : NULL;
        if (group != NULL && group->count > rest.most_a_group) {
            share_lane(feed, group, g);
        } else {
            feed_settle_alone(feed, g);
        }
    }
    for (uint32_t i = 1; i < rest.group_count && !feed->out_of_memory; i++)
        make_lane(feed, &rest.groups[i]);
}
