/* Lanes that goroutines share when FEED_OWN_LANES goroutines have their own. A goroutine that runs gets a lane of its
 * function until it ends: a free lane; or a new one, within a limit that grows with the input; or the lane of the
 * longest-waiting goroutine, whose wait is cut there. A slice around the states names the goroutine. */
#include "format/go/feed/feed.h"

#include <assert.h>
#include <inttypes.h>

/* Limit on shared lanes: FIRST_LANES and one for each EVENTS_A_LANE events. A lane takes a few thousand bytes of
 * memory, an event at least three bytes of the input. */
enum { FIRST_LANES = 1000, EVENTS_A_LANE = 128 };

typedef enum { QUEUE_NONE, QUEUE_FREE, QUEUE_WAITING, QUEUE_COUNT } QueueKind;

typedef struct Lane {
    TrackId    thread, states;
    uint32_t   group;    /* place in FeedLanes.groups */
    uint32_t   g;        /* place of its goroutine; 0 = free */
    uint32_t   guests;   /* goroutines that have had it */
    int64_t    first_id; /* id of the first guest */
    int64_t    since;    /* time since which it is free or shows its goroutine */
    FeedChange last;     /* the change shown last */
    bool       shows_state;
    QueueKind  queue;
    uint32_t   previous, next; /* places in its queue; 0 = none */
} Lane;

/* The free lanes of a group, or the lanes of waiting goroutines, longest first. */
typedef struct Queue {
    uint32_t first, last;
} Queue;

typedef struct Group {
    ProcessId process;
    uint32_t  lanes, guests; /* guests: goroutines that have had a lane */
    Queue     queues[QUEUE_COUNT];
} Group;

struct FeedLanes {
    Lane    *lanes; /* [lane_count]; item 0 is unused, here and in groups */
    Group   *groups;
    uint32_t lane_count, lane_capacity, group_count, group_capacity;
    IdMap    map; /* StringId.index of the function -> place in groups */
};

/* -- queues -- */

static void leave_queue(FeedLanes *lanes, uint32_t at)
{
    Lane *lane = &lanes->lanes[at];
    assert(at > 0 && at < lanes->lane_count && lane->group < lanes->group_count);
    if (lane->queue == QUEUE_NONE) return;
    Queue *queue = &lanes->groups[lane->group].queues[lane->queue];
    *(lane->previous != 0 ? &lanes->lanes[lane->previous].next : &queue->first) = lane->next;
    *(lane->next != 0 ? &lanes->lanes[lane->next].previous : &queue->last) = lane->previous;
    lane->queue = QUEUE_NONE;
}

static void enter_queue(FeedLanes *lanes, uint32_t at, QueueKind kind)
{
    Lane  *lane = &lanes->lanes[at];
    Queue *queue = &lanes->groups[lane->group].queues[kind];
    if (lane->queue == kind) return;
    leave_queue(lanes, at);
    lane->queue = kind;
    lane->previous = queue->last;
    lane->next = 0;
    *(queue->last != 0 ? &lanes->lanes[queue->last].next : &queue->first) = at;
    queue->last = at;
}

/* -- lanes of goroutines -- */

TrackId feed_states_at(const Feed *feed, uint32_t place, int64_t time)
{
    const FeedG *g = &feed->places.gs[place];
    return g->lane != 0 && feed->lanes->lanes[g->lane].since > time ? TRACK_NONE : g->states;
}

/* Returns the place of the group; 0 when out of memory. */
static uint32_t find_group(Feed *feed, StringId name)
{
    FeedLanes *lanes = feed->lanes;
    uint32_t   place = id_map_find(&lanes->map, name.index);
    if (place != 0) return place;
    Group *groups =
        arena_grow(feed->arena, lanes->groups, lanes->group_count, &lanes->group_capacity, sizeof *groups);
    if (groups == NULL || !id_map_put(&lanes->map, name.index, lanes->group_count)) {
        feed->out_of_memory = true;
        return 0;
    }
    lanes->groups = groups;
    groups[lanes->group_count].process = feed_group(feed, name);
    return lanes->group_count++;
}

static uint32_t make_lane(Feed *feed, uint32_t group, int64_t first_id)
{
    assert(group < feed->lanes->group_count);
    FeedLanes *lanes = feed->lanes;
    Lane *all = arena_grow(feed->arena, lanes->lanes, lanes->lane_count, &lanes->lane_capacity, sizeof *all);
    if (all == NULL) {
        feed->out_of_memory = true;
        return 0;
    }
    lanes->lanes = all;
    StringId id = feed_printf(feed, "lane %" PRIu32, lanes->lane_count);
    TrackId  thread = builder_thread(feed->builder, lanes->groups[group].process, ident_text(id));
    builder_sort_thread(feed->builder, thread, (double)first_id);
    all[lanes->lane_count] = (Lane){ .thread = thread,
                                     .states = builder_states(feed->builder, thread),
                                     .group = group,
                                     .first_id = first_id,
                                     .since = INT64_MIN };
    lanes->groups[group].lanes++;
    return lanes->lane_count++;
}

/* Removes the goroutine from its lane. */
static void leave_lane(Feed *feed, uint32_t at, int64_t time, EventPos pos)
{
    Lane  *lane = &feed->lanes->lanes[at];
    FeedG *g = &feed->places.gs[lane->g];
    builder_end(feed->builder, lane->thread, time, LABEL_NONE, pos, EVENT_ANYWHERE);
    g->thread = g->states = TRACK_NONE;
    g->lane = lane->g = 0;
    lane->since = time;
}

/* Takes the lane of a waiting goroutine without open slices. Returns its place, or 0 if there is no such lane. */
static uint32_t take_from_waiting(Feed *feed, uint32_t group)
{
    FeedLanes *lanes = feed->lanes;
    uint32_t   at;
    while ((at = lanes->groups[group].queues[QUEUE_WAITING].first) != 0) {
        Lane  *lane = &lanes->lanes[at];
        FeedG *g = &feed->places.gs[lane->g];
        leave_queue(lanes, at);
        if (g->open_count > 0) continue;
        EventPos pos = { lane->last.pos.offset, feed->event };
        builder_end(feed->builder, lane->states, feed->last_time, LABEL_NONE, pos, EVENT_ANYWHERE);
        leave_lane(feed, at, feed->last_time, pos);
        lane->last.ends = false;
        feed_add_pending(feed, g, &lane->last);
        return at;
    }
    return 0;
}

/* Returns the place of a lane for a state that begins at `since`, or 0. */
static uint32_t find_lane(Feed *feed, uint32_t group, int64_t first_id, int64_t since)
{
    FeedLanes   *lanes = feed->lanes;
    const Queue *free = &lanes->groups[group].queues[QUEUE_FREE];
    uint32_t     at = free->last; /* best fit: the lane that became free last */
    if (at == 0 || lanes->lanes[at].since > since) at = free->first;
    if (at != 0 && lanes->lanes[at].since <= since) return at;
    if (lanes->lane_count <= FIRST_LANES + feed->event / EVENTS_A_LANE)
        return make_lane(feed, group, first_id);
    return at != 0 ? at : take_from_waiting(feed, group);
}

void feed_begin_sharing(Feed *feed)
{
    FeedLanes *lanes = ARENA_NEW(feed->arena, FeedLanes);
    if (lanes == NULL) {
        feed->out_of_memory = true;
        return;
    }
    lanes->map.arena = feed->arena;
    lanes->lane_count = lanes->group_count = 1;
    lanes->lanes = arena_grow(feed->arena, NULL, 0, &lanes->lane_capacity, sizeof *lanes->lanes);
    lanes->groups = arena_grow(feed->arena, NULL, 0, &lanes->group_capacity, sizeof *lanes->groups);
    feed->out_of_memory = feed->out_of_memory || lanes->lanes == NULL || lanes->groups == NULL;
    if (feed->out_of_memory) return;
    feed->lanes = lanes;
    feed_arrows_share(feed);
}

void feed_share_lane(Feed *feed, FeedG *g)
{
    const FeedChange *kept = g->first_pending == 0 ? NULL : &feed->pending.items[g->first_pending - 1];
    int64_t           since = kept == NULL ? feed->last_time : kept->time;
    EventPos          pos = { kept == NULL ? 0 : kept->pos.offset, feed->event };
    uint32_t          group = find_group(feed, g->name);
    uint32_t          at = group == 0 ? 0 : find_lane(feed, group, g->id, since);
    if (at == 0) return;
    Lane *lane = &feed->lanes->lanes[at];
    leave_queue(feed->lanes, at);
    if (since < lane->since) since = lane->since;
    lane->since = since;
    lane->g = (uint32_t)(g - feed->places.gs);
    lane->guests++;
    feed->lanes->groups[group].guests += !g->is_guest;
    g->is_guest = true;
    g->lane = at;
    g->thread = lane->thread;
    g->states = lane->states;
    builder_begin(feed->builder, lane->thread, since, feed_run_label(feed, g), pos, EVENT_ANYWHERE);
    lane->shows_state = feed_show_pending(feed, g, since);
    feed_arrow_to_shared_lane(feed, lane->g, since);
}

bool feed_lane_follow(Feed *feed, FeedG *g, const FeedChange *change)
{
    const uint32_t at = g->lane;
    Lane          *lane = &feed->lanes->lanes[at];
    const bool     showed_state = lane->shows_state;
    lane->shows_state = change->label.index != 0;
    lane->last = *change;
    if (change->label.index == 0) {
        leave_lane(feed, at, change->time, change->pos);
        enter_queue(feed->lanes, at, QUEUE_FREE);
    } else if (g->state == GO_STATE_WAITING) {
        enter_queue(feed->lanes, at, QUEUE_WAITING);
    } else {
        leave_queue(feed->lanes, at);
    }
    return showed_state;
}

void feed_lanes_end(Feed *feed)
{
    FeedLanes *lanes = feed->lanes;
    if (lanes == NULL) return;
    for (uint32_t i = 1; i < lanes->lane_count; i++) {
        const Lane *lane = &lanes->lanes[i];
        StringId    name = lane->guests == 1 ? feed_printf(feed, "G %" PRId64, lane->first_id)
                                             : feed_printf(feed, "%" PRIu32 " goroutines", lane->guests);
        builder_name_thread(feed->builder, lane->thread, name);
    }
    for (uint32_t i = 1; i < lanes->group_count; i++) {
        const Group *group = &lanes->groups[i];
        builder_share_lanes(feed->builder, group->process, (int64_t)group->guests - group->lanes);
    }
}
