#include "format/go/stats/mmu.h"

#include <float.h>

/* The integral of a series from its begin to a time that increases. */
typedef struct Integral {
    const MmuSeries *series;
    uint32_t         at;  /* the step at the time */
    double           sum; /* up to that step */
} Integral;

static double integral_move(Integral *integral, int64_t time)
{
    const MmuStep *steps = integral->series->steps;
    while (integral->at + 1 < integral->series->count && steps[integral->at + 1].time <= time) {
        integral->sum +=
            steps[integral->at].share * (double)(steps[integral->at + 1].time - steps[integral->at].time);
        integral->at++;
    }
    return integral->sum + steps[integral->at].share * (double)(time - steps[integral->at].time);
}

/* Returns the begin of the next step. */
static int64_t integral_next(const Integral *integral)
{
    const MmuSeries *series = integral->series;
    return integral->at + 1 < series->count ? series->steps[integral->at + 1].time : INT64_MAX;
}

/* Takes a window with an edge at a step. One of these windows has the least share. False: stop. */
typedef bool (*WindowTaker)(void *context, int64_t begin, int64_t window, double share);

static void each_window(const MmuSeries *series, int64_t window, WindowTaker take, void *context)
{
    if (series->count < 2) return;
    int64_t begin = series->steps[0].time, end = series->steps[series->count - 1].time;
    if (window > end - begin) window = end - begin;
    if (window <= 0) return;
    Integral left = { .series = series }, right = { .series = series };
    for (int64_t time = begin;;) {
        double share = (integral_move(&right, time + window) - integral_move(&left, time)) / (double)window;
        if (!take(context, time, window, share) || time == end - window) return;
        int64_t by_left = integral_next(&left), by_right = integral_next(&right);
        if (by_right != INT64_MAX) by_right -= window;
        time = by_left < by_right ? by_left : by_right;
        if (time > end - window) time = end - window;
    }
}

static bool take_least(void *context, int64_t begin, int64_t window, double share)
{
    MmuWindow *least = context;
    (void)window;
    if (share < least->share) *least = (MmuWindow){ begin, share < 0 ? 0 : share };
    return least->share > 0; /* stop at 0 */
}

double mmu_of(const MmuSeries *series, uint32_t series_count, int64_t window, MmuWindow *worst)
{
    MmuWindow least = { 0, 1 };
    for (uint32_t i = 0; i < series_count; i++) {
        MmuWindow of_one = { 0, DBL_MAX };
        each_window(&series[i], window, take_least, &of_one);
        if (of_one.share < least.share) least = of_one;
    }
    if (worst != NULL) *worst = least;
    return least.share;
}

bool mmu_clip(Arena *arena, const MmuSeries *series, int64_t begin, int64_t end, MmuSeries *clipped)
{
    *clipped = (MmuSeries){ 0 };
    if (series->count < 2) return true;
    if (begin < series->steps[0].time) begin = series->steps[0].time;
    if (end > series->steps[series->count - 1].time) end = series->steps[series->count - 1].time;
    if (begin >= end) return true;
    uint32_t first = 0;
    while (first + 1 < series->count && series->steps[first + 1].time <= begin)
        first++;
    uint32_t last = first;
    while (last + 1 < series->count && series->steps[last + 1].time < end)
        last++;
    clipped->count = clipped->capacity = last - first + 2;
    clipped->steps = ARENA_ARRAY(arena, MmuStep, clipped->count);
    if (clipped->steps == NULL) return false;
    memcpy(clipped->steps, series->steps + first, (last - first + 1) * sizeof *clipped->steps);
    clipped->steps[0].time = begin;
    clipped->steps[clipped->count - 1] = (MmuStep){ end, 0 };
    return true;
}
