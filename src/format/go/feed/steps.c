#include "format/go/feed/steps.h"

#include <string.h>

bool feed_takes_steps(const Feed *feed)
{
    const FeedShows *shows = &feed->shows;
    const bool       takes = shows->ms ? shows->ps && shows->gs : shows->ps != shows->gs;
    return takes && feed->carry == NULL;
}

LabelId feed_step_wait(const Feed *feed, const char *reason)
{
    if (reason == NULL) return feed->names.labels[FEED_WAITING];
    const StringId text = string_table_intern(feed->trace->texts, reason, strlen(reason));
    return (LabelId){ id_map_find(&feed->names.reason_map, text.index) };
}

bool feed_step_syscall(Feed *feed, uint32_t place, FeedRun *lane, SyscallStep step, int64_t time,
                       EventPos pos)
{
    const bool    begins = step == STEP_SYSCALL_BEGIN;
    FeedG *const  g = &feed->places.gs[place];
    const LabelId label = feed->names.labels[FEED_SYSCALL];
    const bool    is_inside = lane->inside_count == 1 && lane->inside[0].kind == INSIDE_SYSCALL;
    if (lane->g != place || g->label.index == 0 || lane->load != (begins ? LOAD_RUNS : LOAD_SYSCALL) ||
        (begins ? lane->inside_count != 0 : !is_inside) ||
        !feed_step_changes(feed, g, begins ? GO_STATE_RUNNING : GO_STATE_SYSCALL,
                           begins ? GO_STATE_SYSCALL : GO_STATE_RUNNING))
        return false;
    if (begins) lane->inside[0] = (FeedInside){ INSIDE_SYSCALL, label, { time, pos } };
    lane->inside_count = begins ? 1 : 0;
    feed_run_mark(feed, lane, time, begins ? label : LABEL_NONE, pos);
    feed_set_load(feed, lane, begins ? LOAD_SYSCALL : LOAD_RUNS);
    return true;
}

bool feed_steps(Feed *feed, GoTrace *trace)
{
    const uint64_t before = trace->event_count;
    const bool     omits = !(feed->shows.ps && feed->shows.gs);
    if (omits && feed->report.unseen_begin > feed->last_time)
        return true; /* fast only after the first omitted event, which is then the earliest */
    const bool done = trace->is_v2 ? feed_steps_v2(feed, trace) : feed_steps_v1(feed, trace);
    if (omits && trace->event_count > before) feed_leave_out(feed, feed->last_time);
    return done;
}
