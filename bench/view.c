/* varve-bench-view FILE - how long the view takes for a frame (view_step and view_draw) while it zooms, pans and scrolls
 * rows at 1600x900. Every frame has all tiles of the frame before it. Prints the median, the 95th and the 99th
 * percentile of each movement: CPU time, because the machine may be busy. */
#include "format/load.h"
#include "view_frames.h"

#include <inttypes.h>
#include <stdio.h>

static bool measure_all(BenchView *bench, Err *err)
{
    BenchFrameTimes times;
    const double   *ms = times.frames;
    printf("%-12s %8s %8s %8s %8s\n", "ms a frame", "median", "95 %", "99 %", "most");
    for (const BenchMovement *movement = BENCH_MOVEMENTS; movement->name != NULL; movement++) {
        if (!bench_view_move(bench, movement, &times, err)) return false;
        printf("%-12s %8.2f %8.2f %8.2f %8.2f\n", movement->name, ms[BENCH_FRAMES / 2],
               ms[BENCH_FRAMES * 95 / 100], ms[BENCH_FRAMES * 99 / 100], ms[BENCH_FRAMES - 1]);
    }
    return true;
}

int main(int count, char **words)
{
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    const LoadOptions options = { .perspective = "" };
    Loaded            loaded;
    BenchView         bench;
    if (count != 2) {
        fprintf(stderr, "usage: varve-bench-view FILE\n");
        return 2;
    }
    if (!load_file(words[1], &options, &loaded, &err)) {
        fprintf(stderr, "varve-bench-view: %s\n", err.message);
        return 1;
    }
    printf("%" PRIu64 " slices\n", trace_slice_count(loaded.trace));
    const bool done = bench_view_open(&bench, loaded.trace, &err) && measure_all(&bench, &err);
    if (!done) fprintf(stderr, "varve-bench-view: %s\n", err.message);
    bench_view_release(&bench);
    loaded_release(&loaded);
    return done ? 0 : 1;
}
