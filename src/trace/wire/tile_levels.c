/* The level of the lists in a file: trace/wire/tile_encode.h. */
#include "base/bits.h"
#include "trace/wire/tile_encode.h"

enum { LEVELS = TILE_MAX_LEVEL + 1 };

/* The number of events of a row in the list around an average event. */
static const double LIST_EVENTS = 1024;

/* The events of all rows, counted for each level. */
typedef struct Levels {
    uint64_t events;
    uint64_t neighbours[LEVELS + TILE_BUCKET_BITS + 1]; /* pairs whose highest different bit is this one */
    double   squares[LEVELS]; /* sum over the windows of a row of (events in the window)^2 */
    uint32_t root;
} Levels;

static void close_windows(Levels *levels, uint32_t *first, uint32_t i, uint32_t below)
{
    for (uint32_t level = 0; level < below && level <= levels->root; level++) {
        const double events = i - first[level];
        levels->squares[level] += events * events;
        first[level] = i;
    }
}

/* Returns tick `i` of the events of a row. */
typedef int64_t (*TickOf)(const Trace *trace, const Row *row, uint32_t i);

static int64_t instant_tick(const Trace *trace, const Row *row, uint32_t i)
{
    return trace->instants.tick[row_extras(row)->first_instant + i];
}

static int64_t sample_tick(const Trace *trace, const Row *row, uint32_t i)
{
    return trace->samples.tick[row_extras(row)->first_sample + i];
}

/* Adds `count` events of a row, which ascend. */
static void count_events(Levels *levels, const Trace *trace, const Row *row, uint32_t count, TickOf tick_of)
{
    if (count == 0) return;
    uint32_t first[LEVELS] = { 0 };
    uint64_t a, b = trace_since_begin(trace, tick_of(trace, row, 0));
    for (uint32_t i = 1; i < count; i++) {
        a = b;
        b = trace_since_begin(trace, tick_of(trace, row, i));
        if (a == b) continue;
        const uint32_t bit = bits_highest_u64(a ^ b);
        levels->neighbours[bit]++;
        if (bit >= TILE_BUCKET_BITS) close_windows(levels, first, i, bit - TILE_BUCKET_BITS + 1);
    }
    close_windows(levels, first, count, LEVELS);
    levels->events += count;
}

uint32_t tile_list_level(const Trace *trace, uint32_t root)
{
    Levels levels = { .root = root };
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row       *row = &trace->rows[r];
        const RowExtras *extras = row_extras(row);
        count_events(&levels, trace, row, row->slice_count, row_slice_begin);
        count_events(&levels, trace, row, extras->instant_count, instant_tick);
        count_events(&levels, trace, row, extras->sample_count, sample_tick);
    }
    uint64_t entries = 0, above = 0; /* of one level, and of all coarser ones */
    for (uint32_t bit = root; bit < sizeof levels.neighbours / sizeof levels.neighbours[0]; bit++)
        entries += levels.neighbours[bit];
    uint32_t level = root;
    while (level > 0 && levels.squares[level] / LIST_EVENTS > (double)levels.events) {
        above += entries;
        if (above > levels.events) break;
        level--;
        entries += levels.neighbours[level];
    }
    return level;
}
