/* Who woke whom, and who started whom: arrows between the states of goroutines. */
#include "format/go/feed.h"

#include "format/go/vector.h"

/* With what it takes to sort them an arrow costs some 120 bytes, and a goroutine may be woken every 15 bytes of input: without
 * an end arrows would take more than all else. */
enum { MOST_ARROWS = 1 << 20 };

/* An arrow ends where the state begins that it brings about; it leaves what the waker does at that moment. */
static void tell_arrow(Feed *feed, const FeedArrow *arrow)
{
    TrackId from = feed->gs[arrow->from].states, to = feed->gs[arrow->to].states;
    builder_arrow(feed->builder, (FlowPoint){ from, FLOW_BIND_ENCLOSING, arrow->time },
                  (FlowPoint){ to, FLOW_BIND_ENCLOSING, arrow->time }, feed->labels[arrow->label]);
}

void feed_arrow(Feed *feed, uint32_t place, const GoEvent *event)
{
    bool is_new = event->from == GO_STATE_NOT_EXIST;
    bool is_woken = event->from == GO_STATE_WAITING && event->to == GO_STATE_RUNNABLE;
    /* v1: what is there at the start is "created" by goroutine 0 */
    if (!(is_new || is_woken) || event->g <= 0 || event->g == event->id) return;
    uint32_t from = id_map_find(&feed->g_map, (uint64_t)event->g);
    if (from == 0) return;
    if (feed->arrow_total == MOST_ARROWS) {
        builder_warn(feed->builder, "arrows-left-out", (EventPos){ event->offset, feed->event },
                     "the first %d wake-ups have arrows, from here on they have none", (int)MOST_ARROWS);
        return;
    }
    feed->arrow_total++;
    FeedArrow arrow = { event->time, from, place, is_new ? FEED_CREATE : FEED_UNBLOCK };
    if (feed->gs[from].states.index != 0 && feed->gs[place].states.index != 0) {
        tell_arrow(feed, &arrow);
        return;
    }
    FeedArrow *arrows =
        vector_grow(feed->arena, feed->arrows, feed->arrow_count, &feed->arrow_capacity, sizeof *arrows);
    if (arrows == NULL) {
        feed->out_of_memory = true;
        return;
    }
    feed->arrows = arrows;
    arrows[feed->arrow_count++] = arrow;
}

void feed_arrows_end(Feed *feed)
{
    for (uint32_t i = 0; i < feed->arrow_count; i++)
        tell_arrow(feed, &feed->arrows[i]);
    feed->arrow_count = 0;
}
