/* trace/wire/tile.h - tiles as bytes: the layout, and its reader. Independent of Trace.
 *
 * A tile is (track, band, level, index): rows [32 band, 32 band + 32) of a track during a window of 512 buckets of
 * 2^level ticks each, window `index` counted from the begin of the grid. The grid begins at the begin of the trace, or,
 * if a growing trace received an earlier event, at its previous begin moved back by whole windows (Trace.lead: the
 * distance from the begin of the grid to that of the trace). All times in a tile's bytes are unsigned offsets in ticks
 * from the begin of the grid; the functions here return them from the begin of the trace, once Tile.lead is set. A tile
 * is immutable and the same over every transport.
 *
 * Each row is a list of entries in order of time:
 *
 *   single     one slice;
 *   aggregate  two or more slices that begin in the same bucket and are each shorter than a bucket.
 *
 * A slice at least a bucket long always is a single entry (it can only be the last to begin in its bucket). A slice
 * that begins before the window and extends into it is the row's first entry, with the flag TILE_CARRIED. So every
 * slice that touches the window is in exactly one entry; a slice of zero length counts at its begin. The instants of
 * the row follow in the same way: entries of one or of several in a bucket. Rows of counters have samples instead: one
 * entry for each bucket with samples, with their least, greatest and last value; the first entry may be the last sample
 * before the window, whose value is still valid.
 *
 * Tiles with TILE_FLOWS in their band have flows (trace/store/flows.h) instead: flows that begin or end in the band's rows
 * during the window, and flows of these rows that pass over it; unbound ends belong to the first row. If a row has many
 * flows, a few represent the others of their part of the window: all counts together are exact (under a filter
 * estimates), their distribution is an estimate. A tile of the band TILE_SLICE_FLOWS at level 0 has the flows of the
 * slice `index`. The flows that continue from the other ends of these have the flag TILE_FLOW_FAR.
 *
 * Layout, little-endian, no padding except the reserved members:
 *
 *   header     0 u32 magic "VTL1"   4 u32 track    8 u32 band     12 u32 level
 *             16 u64 index         24 u32 row_count              28 u32 flow_count (of flow tiles, else 0)
 *             32 u32 filter                     36 u32 reserved (0)
 *   directory  row_count x { 0 u32 entry_offset  4 u32 entry_count  8 u32 aggregate_offset  12 u32 aggregate_count
 *                           16 u32 instant_offset 20 u32 instant_count 24 u64 first_slice 32 u64 first_instant
 *                           40 u32 sample_offset  44 u32 sample_count  48 u64 first_sample }
 *              offsets are bytes from the tile's start
 *   entry      0 u32 first  4 u32 count  8 u64 begin  16 u64 extent  24 u32 label  28 u32 flags        (32 bytes)
 *   aggregate  0 u64 covered  8 u64 longest_ticks  16 u32 longest  20 u32 reserved (0)                 (24 bytes)
 *              one for each entry with count > 1, in their order
 *   instant    0 u32 first  4 u32 count  8 u64 tick  16 u32 label  20 u32 reserved (0)                 (24 bytes)
 *   sample     0 u32 first  4 u32 count  8 u64 tick  16 f64 least  24 f64 greatest  32 f64 last        (40 bytes)
 *              NaN in least and greatest: all values are unknown; NaN in last: no value from its end on
 *   flow       0 u32 flow   4 u32 count  8 u64 from_tick  16 u32 from_track  20 u32 from_row
 *             24 u64 to_tick            32 u32 to_track   36 u32 to_row       40 u32 label     44 u32 flags   (48 bytes)
 *              flow tiles have no rows: flow_count of these follow the header
 *
 * first and longest are indices into the row; add first_slice (first_instant) for the trace's slice (instant) id. Under
 * a filter (trace/store/filter.h) a tile has only visible slices: the slices of an aggregate are then `count` visible ones
 * from `first` on. `filter` is the number that the client gave the filter, 0 = none. begin is before the window only
 * with TILE_CARRIED. label: of the slice, or the dominant one. */
#ifndef TRACE_WIRE_TILE_H
#define TRACE_WIRE_TILE_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TILE_BUCKET_BITS = 9, TILE_BUCKETS = 1 << TILE_BUCKET_BITS, TILE_BAND_ROWS = 32, TILE_MAX_LEVEL = 54 };

enum {
    TILE_UNFINISHED = 1 << 0, /* for aggregates: a slice of it is unfinished */
    TILE_NO_END = 1 << 1,
    TILE_REPAIRED = 1 << 2,
    TILE_CARRIED = 1 << 8 /* begins before the window */
};

/* Bits of TileKey.band. */
#define TILE_FLOWS UINT32_C(0x80000000)
#define TILE_SLICE_FLOWS UINT32_MAX

typedef struct TileKey {
    uint32_t track; /* from 1 */
    uint32_t band;
    uint32_t level; /* <= TILE_MAX_LEVEL */
    uint64_t index;
    uint32_t filter; /* the client's number of the filter; 0 = none */
} TileKey;

static inline bool tile_key_equal(TileKey a, TileKey b)
{
    return a.track == b.track && a.band == b.band && a.level == b.level && a.index == b.index &&
           a.filter == b.filter;
}

typedef struct TileEntry {
    uint64_t slice;         /* id of the (first) slice */
    uint64_t begin, extent; /* [begin, begin + extent): from the first begin to the last end */
    uint64_t covered;       /* single: == extent */
    uint64_t longest;       /* id of the longest slice; single: == slice */
    uint64_t longest_ticks;
    uint32_t count;
    uint32_t label;
    uint32_t flags;
} TileEntry;

typedef struct TileInstant {
    uint64_t instant; /* id of the first instant */
    uint64_t tick;
    uint32_t count;
    uint32_t label;
} TileInstant;

typedef struct TileSample {
    uint64_t sample; /* id of the first sample */
    uint64_t tick;   /* of the first sample */
    uint32_t count;
    double   least, greatest, last;
} TileSample;

enum {
    TILE_FLOW_IN = 1 << 0,        /* it ends in the tile's row or slice; otherwise it begins there */
    TILE_FLOW_BACKWARDS = 1 << 1, /* it ends before it begins */
    TILE_FLOW_FAR = 1 << 2,       /* of another slice, to which an arrow of this one leads */
    TILE_FLOW_OVER = 1 << 3       /* it passes over the window: one end is before it, the other after it */
};

typedef struct TileFlowEnd {
    uint64_t tick;
    uint32_t track, row; /* row within the track */
} TileFlowEnd;

typedef struct TileFlow {
    uint32_t    flow;  /* id */
    uint32_t    count; /* the number of arrows that it represents, itself included */
    TileFlowEnd from, to;
    uint32_t    label, flags; /* TILE_FLOW_ */
} TileFlow;

typedef struct TileRow {
    const uint8_t *entries, *aggregates, *instants, *samples; /* borrowed from the tile's bytes */
    uint32_t       entry_count, aggregate_count, instant_count, sample_count;
    uint64_t       first_slice, first_instant, first_sample;
    uint64_t       lead; /* the tile's */
} TileRow;

typedef struct Tile {
    const uint8_t *bytes; /* borrowed */
    size_t         size;
    TileKey        key;
    uint32_t       row_count; /* number of rows in this band, <= TILE_BAND_ROWS; 0 in flow tiles */
    uint32_t       flow_count;
    /* from the begin of the grid to that of the trace; 0 from tile_open, set by the caller */
    uint64_t lead;
    uint64_t load; /* the number of these bytes in a tile cache; 0 from tile_open */
} Tile;

/* Return the first tick of the window and the first one after it, relative to the begin of the grid, saturated. */
uint64_t tile_window_begin(TileKey key);
uint64_t tile_window_end(TileKey key);
/* As tile_window_begin and tile_window_end, relative to the begin of the trace; 0 if the time is before it. */
uint64_t tile_begin(TileKey key, uint64_t lead);
uint64_t tile_end(TileKey key, uint64_t lead);
/* Returns the level at which a bucket is at most `ticks_per_px` wide (0 if that is below 2), at most TILE_MAX_LEVEL. */
uint32_t tile_level_for(double ticks_per_px);

/* Checks all of the bytes, so that tile_row and the walks below need no further checks. */
bool    tile_open(const void *bytes, size_t size, Tile *tile) WARN_UNUSED;
TileRow tile_row(const Tile *tile, uint32_t row); /* row < row_count */

/* Walks the entries in order: start with a zeroed TileCursor; false at the end. */
typedef struct TileCursor {
    uint32_t entry, aggregate;
} TileCursor;
bool tile_next(const TileRow *row, TileCursor *cursor, TileEntry *entry);
/* Returns instant i of the row, i < instant_count. */
TileInstant tile_instant(const TileRow *row, uint32_t i);
/* Returns sample entry i of the row, i < sample_count. */
TileSample tile_sample(const TileRow *row, uint32_t i);
/* Returns arrow i of a flow tile, i < flow_count. */
TileFlow tile_flow(const Tile *tile, uint32_t i);

#endif
