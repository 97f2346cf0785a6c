/* Arrows from wakers and creators to the goroutines: between states of goroutines, and between runs on processors and
 * threads. An arrow between runs ends where the woken goroutine begins to run. */
#include "format/go/feed/feed.h"

#include <inttypes.h>

/* Limit on the number of arrows. An arrow takes about 50 bytes with the memory to sort it, and a goroutine can be woken
 * every 15 bytes of input, so arrows would need the most memory. At the limit every other arrow of the whole trace is
 * removed, repeatedly. */
enum { MOST_ARROWS = 1 << 20 };

static bool wants_arrow(Feed *feed)
{
    if (feed_thins_arrow(feed)) return false;
    if (feed->arrows.kept == MOST_ARROWS) {
        builder_thin_arrows(feed->builder);
        feed->arrows.kept /= 2;
        feed->arrows.step *= 2;
        if (feed_thins_arrow(feed)) return false;
    }
    feed->arrows.total++;
    feed->arrows.kept++;
    return true;
}

void feed_add_arrow(Feed *feed, TrackId from, int64_t time, TrackId to, int64_t arrival, LabelId label)
{
    if (from.index == 0 || to.index == 0 || !wants_arrow(feed)) return; /* one has no lane */
    builder_arrow(feed->builder, (FlowPoint){ from, FLOW_BIND_ENCLOSING, time },
                  (FlowPoint){ to, FLOW_BIND_ENCLOSING, arrival }, label);
}

static void add_arrow(Feed *feed, const FeedArrow *arrow)
{
    feed_add_arrow(feed, feed_states_at(feed, arrow->from, arrow->time), arrow->time,
                   feed_states_at(feed, arrow->to, arrow->time), arrow->time,
                   feed->names.labels[arrow->label]);
}

static bool has_both_ends(const Feed *feed, const FeedArrow *arrow)
{
    return feed_states_at(feed, arrow->from, arrow->time).index != 0 &&
           feed_states_at(feed, arrow->to, arrow->time).index != 0;
}

/* Emits the kept arrows whose goroutines both have lanes by now. */
static void add_kept_arrows(Feed *feed)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < feed->arrows.count; i++) {
        if (has_both_ends(feed, &feed->arrows.items[i])) {
            add_arrow(feed, &feed->arrows.items[i]);
        } else {
            feed->arrows.items[kept++] = feed->arrows.items[i];
        }
    }
    feed->arrows.count = kept;
}

/* Keeps an arrow while one of its goroutines has no track. */
static void keep_arrow(Feed *feed, const FeedArrow *arrow)
{
    if (feed->arrows.count == feed->arrows.capacity && feed->arrows.count >= feed->arrows.left * 2) {
        add_kept_arrows(feed);
        feed->arrows.left = feed->arrows.count;
    }
    if (feed->arrows.count == MOST_ARROWS) return;
    FeedArrow *arrows = arena_grow(feed->arena, feed->arrows.items, feed->arrows.count,
                                   &feed->arrows.capacity, sizeof *arrows);
    if (arrows == NULL) {
        feed->out_of_memory = true;
        return;
    }
    feed->arrows.items = arrows;
    arrows[feed->arrows.count++] = *arrow;
}

FeedWaker *feed_waker(Feed *feed, uint32_t place)
{
    while (place >= feed->arrows.waker_capacity) {
        FeedWaker *wakers = arena_grow(feed->arena, feed->arrows.wakers, feed->arrows.waker_capacity,
                                       &feed->arrows.waker_capacity, sizeof *wakers);
        if (wakers == NULL) {
            feed->out_of_memory = true;
            return NULL;
        }
        feed->arrows.wakers = wakers;
    }
    return &feed->arrows.wakers[place];
}

static void remember_waker(Feed *feed, uint32_t to, uint32_t from, const GoEvent *event, LabelId label)
{
    const FeedRun *runs[] = { feed_find_p(feed, event->p), feed_find_m(feed, event->m) };
    if (from == 0 || !(feed->shows.ps || feed->shows.ms || feed->lanes != NULL)) {
        if (to < feed->arrows.waker_capacity) feed->arrows.wakers[to] = (FeedWaker){ 0 };
        return;
    }
    FeedWaker *waker = feed_waker(feed, to);
    if (waker == NULL) return;
    *waker = (FeedWaker){ .time = event->time, .label = label };
    for (size_t i = 0; i < 2; i++)
        if (runs[i] != NULL && runs[i]->g == from) waker->from[i] = runs[i]->track;
    if (feed->lanes != NULL && feed->places.gs[to].states.index == 0)
        waker->states = feed_states_at(feed, from, event->time);
}

void feed_arrows_share(Feed *feed)
{
    add_kept_arrows(feed);
    for (uint32_t i = 0; i < feed->arrows.count; i++) {
        const FeedArrow *arrow = &feed->arrows.items[i];
        FeedWaker       *waker = feed_waker(feed, arrow->to);
        if (waker == NULL) break;
        waker->time = arrow->time;
        waker->label = feed->names.labels[arrow->label];
        waker->states = feed_states_at(feed, arrow->from, arrow->time);
    }
    feed->arrows.count = 0;
}

void feed_arrow_to_shared_lane(Feed *feed, uint32_t place, int64_t since)
{
    if (place >= feed->arrows.waker_capacity) return;
    FeedWaker *waker = &feed->arrows.wakers[place];
    feed_add_arrow(feed, waker->states, waker->time, feed->places.gs[place].states,
                   waker->time > since ? waker->time : since, waker->label);
    waker->states = TRACK_NONE;
}

void feed_arrow(Feed *feed, uint32_t place, const GoEvent *event)
{
    bool is_new = event->from == GO_STATE_NOT_EXIST;
    bool is_woken = event->from == GO_STATE_WAITING && event->to == GO_STATE_RUNNABLE;
    if (!is_new && !is_woken) return;
    /* v1: goroutines that exist at the start are "created" by goroutine 0 */
    uint32_t from =
        event->g <= 0 || event->g == event->id ? 0 : id_map_find(&feed->places.g_map, (uint64_t)event->g);
    FeedLabel label = is_new ? FEED_CREATE : FEED_UNBLOCK;
    remember_waker(feed, place, from, event, feed->names.labels[label]);
    if (from == 0 || !feed->shows.gs) return;
    FeedArrow arrow = { event->time, from, place, label };
    if (has_both_ends(feed, &arrow)) {
        add_arrow(feed, &arrow);
    } else if (feed->lanes == NULL) {
        keep_arrow(feed, &arrow);
    }
}

void feed_add_run_arrow(Feed *feed, TrackId from, int64_t since, TrackId to, int64_t time, LabelId label)
{
    if (!wants_arrow(feed)) return;
    builder_arrow(feed->builder, (FlowPoint){ from, FLOW_BIND_OUTERMOST, since },
                  (FlowPoint){ to, FLOW_BIND_OUTERMOST, time }, label);
}

void feed_arrow_to_run(Feed *feed, uint32_t place, const FeedRun *p, const FeedRun *m, int64_t time)
{
    const FeedRun *runs[] = { p, m };
    if (place >= feed->arrows.waker_capacity) return;
    FeedWaker *waker = &feed->arrows.wakers[place];
    for (size_t i = 0; i < 2; i++) {
        if (runs[i] == NULL || runs[i]->track.index == 0 || waker->from[i].index == 0) continue;
        feed_add_run_arrow(feed, waker->from[i], waker->time, runs[i]->track, time, waker->label);
        waker->from[i] = TRACK_NONE;
    }
}

void feed_arrows_end(Feed *feed)
{
    for (uint32_t i = 0; i < feed->arrows.count; i++)
        add_arrow(feed, &feed->arrows.items[i]);
    feed->arrows.count = 0;
    if (feed->arrows.step > 1)
        builder_warn(feed->builder, "arrows-thinned", (EventPos){ ERR_NOWHERE, ERR_NOWHERE },
                     "of %" PRIu64 " wake-ups one of %" PRIu64
                     " has an arrow; with --range all of its time have theirs",
                     feed->arrows.total, feed->arrows.step);
}
