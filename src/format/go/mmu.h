/* format/go/mmu.h - minimum mutator utilisation: of all windows of a length, how much did the
 * worst one leave to the program?
 *
 * A series is a step function of time: what share of the machine, or of one processor, the program could use. Cheng and
 * Blelloch, "A parallel, real-time garbage collector", 2001. */
#ifndef FORMAT_GO_MMU_H
#define FORMAT_GO_MMU_H
#include "base/arena.h"

typedef struct MmuStep {
    int64_t time;  /* ns; from here to the next step: */
    double  share; /* 0 to 1 */
} MmuStep;

/* The last step is the end; its share counts for nothing. Times ascend strictly. */
typedef struct MmuSeries {
    MmuStep *steps;
    uint32_t count, capacity;
} MmuSeries;

/* A window and what it leaves. */
typedef struct MmuWindow {
    int64_t begin; /* ns */
    double  share;
} MmuWindow;

/* The least share of any window of `window` ns (> 0) in any of the series; a longer one than a series is as
 * long as that. 1 if there is nothing. *worst may be NULL: the first such window. Time: O(steps). */
double mmu_of(const MmuSeries *series, uint32_t series_count, int64_t window, MmuWindow *worst);

/* Up to `most` windows that do not overlap (in one series), the worst first, of those below a
 * share of 1. Gives how many. */
uint32_t mmu_worst(const MmuSeries *series, uint32_t series_count, int64_t window, MmuWindow *worst,
                   uint32_t most);

/* The steps that a range [begin, end) has, as a series of its own in `arena`. False when out of memory. */
bool mmu_clip(Arena *arena, const MmuSeries *series, int64_t begin, int64_t end,
              MmuSeries *clipped) WARN_UNUSED;

#endif
