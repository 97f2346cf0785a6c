#include "view/runs.h"

#include "base/hash.h"
#include "view/data.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MAX_WINDOWS = 256, FALLBACK_LEVELS_DOWN = 3 };

void runs_prepare(View *view)
{
    CameraPos pos = camera_now(&view->position.camera);
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        trace->scale = tick_scale(&trace->map, &pos, view->screen.scale);
    }
}

static TileSource *sources_of(const View *view, size_t *count)
{
    *count = vec_count(&view->picture.scratch.sources);
    return view->picture.scratch.sources.items;
}

/* Adds a source. Adjacent windows of the same tile are one source. */
static void add_source(View *view, const Tile *tile, uint64_t begin, uint64_t end)
{
    size_t      count;
    TileSource *sources = sources_of(view, &count);
    assert(begin <= end);
    if (count > 0 && sources[count - 1].tile.bytes == tile->bytes) {
        sources[count - 1].end = end;
        return;
    }
    TileSource source = { .tile = *tile, .begin = begin, .end = end };
    vec_push(&view->picture.scratch.sources, source);
}

/* Returns the level whose first window contains the whole trace. */
static uint32_t root_level(const Outline *outline)
{
    uint32_t level = 0;
    while (level < TILE_MAX_LEVEL && (outline->span + outline->lead) >> level >= TILE_BUCKETS)
        level++;
    return level;
}

bool view_find_tile(View *view, uint32_t trace, TileKey key, Tile *tile)
{
    if (!tile_cache_find(view->tiles, trace, key, tile)) return false;
    tile->lead += view_trace(view, trace)->outline.lead;
    return true;
}

/* Adds the loaded finer tiles of a window, left to right. */
static void add_descendants(View *view, uint32_t trace, TileKey key, int levels)
{
    const uint64_t lead = view_trace(view, trace)->outline.lead;
    if (levels == 0 || key.level == 0) return;
    for (uint64_t child = 0; child < 2; child++) {
        TileKey finer = { key.track, key.band, key.level - 1, key.index * 2 + child, key.filter };
        Tile    tile;
        if (view_find_tile(view, trace, finer, &tile))
            add_source(view, &tile, tile_begin(finer, lead), tile_end(finer, lead));
        else
            add_descendants(view, trace, finer, levels - 1);
    }
}

/* Adds the tile, or the finest loaded coarser one, as the source of its window. */
typedef enum { FOUND_NOTHING, FOUND_COARSER, FOUND_EXACT } Found;

static Found add_at_or_above(View *view, uint32_t trace, TileKey key, uint32_t root)
{
    Tile           tile;
    const uint64_t lead = view_trace(view, trace)->outline.lead;
    const uint64_t begin = tile_begin(key, lead), end = tile_end(key, lead);
    Found          found = FOUND_EXACT;
    while (!view_find_tile(view, trace, key, &tile)) {
        if (key.level >= root) return FOUND_NOTHING;
        key.level++;
        key.index >>= 1;
        found = FOUND_COARSER;
    }
    add_source(view, &tile, begin, end);
    return found;
}

static void add_window(View *view, uint32_t trace, TileKey key, uint32_t root)
{
    Found found = add_at_or_above(view, trace, key, root);
    if (found == FOUND_EXACT) {
        tile_cache_want(view->tiles, trace, key); /* if it is stale */
        return;
    }
    /* No coarser tile is loaded: request the root first, which serves every later view of this track. */
    TileKey whole = { key.track, key.band, root, 0, key.filter };
    if (found == FOUND_NOTHING) tile_cache_want(view->tiles, trace, whole);
    tile_cache_want(view->tiles, trace, key);
    if (found == FOUND_COARSER) return;
    TileKey before = key;
    before.filter = view_trace(view, trace)->drawn_filter;
    if (before.filter != key.filter && add_at_or_above(view, trace, before, root) != FOUND_NOTHING) return;
    add_descendants(view, trace, key, FALLBACK_LEVELS_DOWN);
}

static void add_windows(View *view, uint32_t trace_index, const OutlineTrack *track, uint32_t band)
{
    TraceView *trace = view_trace(view, trace_index);
    uint32_t   root = root_level(&trace->outline);
    assert(trace->scale.px_per_tick > 0);
    uint32_t level = tile_level_for(1 / trace->scale.px_per_tick);
    if (level > root) level = root;
    uint64_t first = tick_scale_offset(&trace->scale, 0);
    uint64_t last = tick_scale_offset(&trace->scale, view->screen.geometry.plot_w);
    if (tick_scale_x(&trace->scale, 0) >= view->screen.geometry.plot_w) return;
    if (last > trace->outline.span) last = trace->outline.span;
    if (first > trace->outline.span) first = trace->outline.span;
    uint32_t shift = level + TILE_BUCKET_BITS;
    uint64_t end = ((last + trace->outline.lead) >> shift) + 1;
    uint64_t begin = (first + trace->outline.lead) >> shift;
    if (end > begin + MAX_WINDOWS) end = begin + MAX_WINDOWS;
    for (uint64_t index = begin; index < end; index++)
        add_window(view, trace_index, (TileKey){ track->id, band, level, index, trace->filter }, root);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns a hash of the sources and of their place on the screen, not 0. */
static uint64_t state_of_sources(const View *view, const TickScale *scale)
{
    size_t            count;
    const TileSource *sources = sources_of(view, &count);
    uint64_t state = hash_pair(scale->base, bits_of(scale->base_px), (uint64_t)view->screen.geometry.plot_w);
    state = hash_pair(bits_of(scale->px_per_tick), count, state);
    for (size_t i = 0; i < count; i++) {
        state = hash_pair(sources[i].tile.load, sources[i].tile.lead, state);
        state = hash_pair(sources[i].begin, sources[i].end, state);
    }
    return state | 1;
}

void runs_find_sources(View *view, uint32_t trace, const OutlineTrack *track, uint32_t band)
{
    RowScratch *scratch = &view->picture.scratch;
    vec_clear(&scratch->sources);
    add_windows(view, trace, track, band);
    scratch->name = (RowName){ .trace = trace, .track = track->id, .band = band };
    scratch->state = state_of_sources(view, &view_trace(view, trace)->scale);
}

/* The `wanted` greatest values so far, sorted. */
enum { LONGEST_MAX = 64, COMMON_FACTOR = 4 };
typedef struct Longest {
    uint64_t values[LONGEST_MAX];
    uint32_t count, wanted;
} Longest;

static void keep_longest(Longest *longest, uint64_t value)
{
    uint32_t at;
    if (longest->count < longest->wanted) {
        at = longest->count++;
    } else {
        if (value <= longest->values[0]) return;
        at = 0;
        while (at + 1 < longest->count && longest->values[at + 1] < value) { /* sorted, the smallest first */
            longest->values[at] = longest->values[at + 1];
            at++;
        }
        longest->values[at] = value;
        return;
    }
    while (at > 0 && longest->values[at - 1] > value) {
        longest->values[at] = longest->values[at - 1];
        at--;
    }
    longest->values[at] = value;
}

/* Returns the number of entries with several slices whose longest has at least `ticks`. */
static uint64_t entries_as_long(const Tile *tile, uint64_t ticks)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < tile->row_count; r++) {
        TileRow    row = tile_row(tile, r);
        TileCursor cursor = { 0 };
        TileEntry  entry;
        while (tile_next(&row, &cursor, &entry))
            count += entry.count > 1 && entry.longest_ticks >= ticks;
    }
    return count;
}

void runs_learn_lengths(TraceView *trace, const Tile *tile)
{
    uint32_t index = view_track_index(trace, tile->key.track);
    if (index == UINT32_MAX || tile->key.band != 0 || tile->key.level != root_level(&trace->outline)) return;
    if (tile->key.index != 0 || trace->long_ticks[index] != 0) return;
    uint64_t wanted = trace->outline.tracks[index].slice_count / 1000;
    Longest  longest = { .wanted = wanted < 1 ? 1 : wanted > LONGEST_MAX ? LONGEST_MAX : (uint32_t)wanted };
    for (uint32_t r = 0; r < tile->row_count; r++) {
        TileRow    row = tile_row(tile, r);
        TileCursor cursor = { 0 };
        TileEntry  entry;
        while (tile_next(&row, &cursor, &entry))
            if (entry.count > 1) keep_longest(&longest, entry.longest_ticks);
    }
    assert(longest.count <= longest.wanted && longest.wanted <= LONGEST_MAX);
    if (longest.count < longest.wanted) return;
    /* If very many slices are as long as the shortest of these, this length is not rare. */
    bool is_common = entries_as_long(tile, longest.values[0]) > COMMON_FACTOR * (uint64_t)longest.wanted;
    trace->long_ticks[index] = longest.values[0] + (is_common ? 1 : 0);
}

/* ---- from entries to pixel columns ---- */

typedef struct RunBuilder {
    Runs            *runs;
    const TickScale *scale;
    int32_t          width;
    uint64_t         until; /* ticks before it are drawn */
    bool             any;
} RunBuilder;

static Run *last_run(const RunBuilder *b)
{
    return vec_count(b->runs) == 0 ? NULL : vec_last(b->runs);
}

static int32_t column(double x, int32_t width)
{
    if (!(x >= 0)) return -1;
    return x >= width ? width : (int32_t)x;
}

static void merge_run(Run *into, const Run *run)
{
    assert(run->count > 0 && into->begin <= run->begin);
    into->count += run->count;
    into->covered += run->covered;
    into->flags |= run->flags;
    if (run->weight > into->weight) {
        into->weight = run->weight;
        into->label = run->label;
    }
    if (run->longest_ticks > into->longest_ticks) {
        into->longest_ticks = run->longest_ticks;
        into->longest = run->longest;
    }
    uint64_t end = run->begin + run->extent;
    if (end > into->begin + into->extent) into->extent = end - into->begin;
}

static void add_run(RunBuilder *b, Run run, uint64_t visible_begin)
{
    double  x_begin = tick_scale_x(b->scale, visible_begin);
    double  x_end = tick_scale_x(b->scale, run.begin + run.extent);
    int32_t x0 = column(x_begin, b->width), x1 = column(x_end, b->width);
    /* In a bucket across two columns, the position of the last of several slices is unknown, except for its end. */
    if (run.count > 1 && x1 < b->width) x1++;
    if (x1 <= x0) x1 = x0 + 1;
    if (x1 <= 0 || x0 >= b->width) return;
    if (x0 < 0) x0 = 0;
    Run *before = last_run(b);
    if (before != NULL && x0 < before->x1) {
        if (x1 <= before->x1) {
            if (before->x1 - before->x0 == 1 || before->count > 1) merge_run(before, &run);
            return;
        }
        x0 = before->x1;
    }
    assert(x0 >= 0 && x0 < x1 && (before == NULL || before->x1 <= x0)); /* runs never overlap */
    run.x0 = x0;
    run.x1 = x1;
    vec_push(b->runs, run);
}

static void add_entry(RunBuilder *b, const TileEntry *entry, uint64_t clip_begin)
{
    uint64_t end = entry->begin + entry->extent;
    if (end < entry->begin) end = UINT64_MAX;
    uint64_t visible = entry->begin > clip_begin ? entry->begin : clip_begin;
    if (b->any && visible < b->until) {
        if (end <= b->until) return; /* the same slice, continued in the next tile */
        visible = b->until;
    }
    Run run = { .slice = entry->slice,
                .begin = entry->begin,
                .extent = end - entry->begin,
                .longest = entry->longest,
                .longest_ticks = entry->longest_ticks,
                .covered = (double)entry->covered,
                .count = entry->count,
                .label = entry->label,
                .flags = entry->flags,
                .weight = (double)entry->covered };
    add_run(b, run, visible);
    if (!b->any || end > b->until) b->until = end;
    b->any = true;
}

static void add_marks(View *view, Marks *marks, const TileSource *source, const TileRow *row,
                      const TickScale *scale)
{
    int32_t width = view->screen.geometry.plot_w;
    for (uint32_t i = 0; i < row->instant_count; i++) {
        TileInstant instant = tile_instant(row, i);
        view->picture.entries_drawn++;
        if (instant.tick < source->begin || instant.tick >= source->end) continue;
        int32_t x = column(tick_scale_x(scale, instant.tick), width);
        if (x < 0 || x >= width) continue;
        Mark *before = vec_count(marks) == 0 ? NULL : vec_last(marks);
        if (before != NULL && before->x == x) {
            before->count += instant.count;
            continue;
        }
        Mark mark = { .x = x,
                      .instant = instant.instant,
                      .tick = instant.tick,
                      .count = instant.count,
                      .label = instant.label };
        vec_push(marks, mark);
    }
}

static void build_marks(View *view, Marks *marks, uint32_t trace_index, uint32_t row_of_band)
{
    const TickScale *scale = &view_trace(view, trace_index)->scale;
    size_t           count;
    TileSource      *sources = sources_of(view, &count);
    vec_clear(marks);
    for (size_t s = 0; s < count; s++) {
        if (row_of_band >= sources[s].tile.row_count) continue;
        TileRow row = tile_row(&sources[s].tile, row_of_band);
        add_marks(view, marks, &sources[s], &row, scale);
    }
}

void runs_build_marks(View *view, uint32_t trace, uint32_t row_of_band)
{
    RowScratch *scratch = &view->picture.scratch;
    scratch->row = built_rows_other(&view->picture.built);
    build_marks(view, &scratch->row->marks, trace, row_of_band);
}

static void build_runs(View *view, Runs *runs, uint32_t trace_index, uint32_t row_of_band)
{
    TraceView *trace = view_trace(view, trace_index);
    vec_clear(runs);
    RunBuilder  builder = { .runs = runs, .scale = &trace->scale, .width = view->screen.geometry.plot_w };
    size_t      count;
    TileSource *sources = sources_of(view, &count);
    for (size_t s = 0; s < count; s++) {
        const TileSource *source = &sources[s];
        if (row_of_band >= source->tile.row_count) continue;
        TileRow    row = tile_row(&source->tile, row_of_band);
        TileCursor cursor = { 0 };
        TileEntry  entry;
        while (tile_next(&row, &cursor, &entry)) {
            view->picture.entries_drawn++;
            if (entry.begin >= source->end) break;
            uint64_t end = entry.begin + entry.extent;
            if (end < source->begin || (end == source->begin && entry.begin < end)) continue;
            add_entry(&builder, &entry, source->begin);
        }
    }
}

void runs_build(View *view, uint32_t trace, uint32_t row_of_band)
{
    RowScratch *scratch = &view->picture.scratch;
    RowName     name = scratch->name;
    assert(name.trace == trace);
    name.row = row_of_band;
    scratch->row = (view->screen.options & VIEW_STATIC) ? built_rows_other(&view->picture.built)
                                                        : built_rows_find(&view->picture.built, name);
    if (scratch->row->state == scratch->state) return;
    build_runs(view, &scratch->row->runs, trace, row_of_band);
    build_marks(view, &scratch->row->marks, trace, row_of_band);
    built_rows_keep(&view->picture.built, scratch->row, scratch->state);
}
