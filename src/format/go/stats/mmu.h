/* format/go/stats/mmu.h - minimum mutator utilisation: the program's share of the worst of all windows of a length.
 *
 * A series is a step function of time: the share of the machine, or of one processor, that the program can use. Cheng
 * and Blelloch, "A parallel, real-time garbage collector", 2001. */
#ifndef FORMAT_GO_STATS_MMU_H
#define FORMAT_GO_STATS_MMU_H
#include "base/arena.h"

typedef struct MmuStep {
    int64_t time;  /* ns: begin of the step, which lasts until the next one */
    double  share; /* 0 to 1 */
} MmuStep;

/* Times increase strictly. The last step is the end; its share is unused. */
typedef struct MmuSeries {
    MmuStep *steps;
    uint32_t count, capacity;
} MmuSeries;

/* A window and its share. */
typedef struct MmuWindow {
    int64_t begin; /* ns */
    double  share;
} MmuWindow;

/* Returns the least share of any window of `window` ns (> 0) in any series; 1 if there are no steps. A window longer
 * than a series has its length. *worst (may be NULL) is the first such window. Time: O(steps). */
double mmu_of(const MmuSeries *series, uint32_t series_count, int64_t window, MmuWindow *worst);

/* Copies the steps of the range [begin, end) to *clipped, in `arena`. False when out of memory. */
bool mmu_clip(Arena *arena, const MmuSeries *series, int64_t begin, int64_t end,
              MmuSeries *clipped) WARN_UNUSED;

#endif
