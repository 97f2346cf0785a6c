#include "trace/store/begins.h"

#include "base/search.h"
#include "base/vec.h"

#include <string.h>

/* Returns the number of slices of block `b`. */
static uint32_t slices_of(const SliceColumns *slices, uint64_t b)
{
    const uint64_t left = slices->count - b * BEGIN_BLOCK_SLICES;
    return left < BEGIN_BLOCK_SLICES ? (uint32_t)left : BEGIN_BLOCK_SLICES;
}

static uint64_t block_count(const SliceColumns *slices)
{
    return (slices->count + BEGIN_BLOCK_SLICES - 1) / BEGIN_BLOCK_SLICES;
}

int64_t trace_slice_begin(const Trace *trace, uint64_t slice)
{
    return begins_at(&trace->slices, slice);
}

/* ---- look-up ---- */

/* As begins_lower_bound, for slices of one block. */
static inline uint64_t bound_in_block(const SliceColumns *slices, uint64_t low, uint64_t end, int64_t tick)
{
    const BeginBlock *block = &slices->begin_blocks[low / BEGIN_BLOCK_SLICES];
    const uint64_t    distance = (uint64_t)tick - (uint64_t)block->base;
    if (tick <= block->base) return low;
    if (UNLIKELY(block->high != 0)) {
        LOWER_BOUND(uint64_t, low, end, slice, begins_packed(slices, slice) < tick);
        return low;
    }
    if (UNLIKELY(distance > UINT32_MAX)) return end;
    const uint32_t *const words = slices->begin_words + low, *at = words;
    uint32_t left = (uint32_t)(end - low);        /* invariant: the result is at most this far from `at` */
    for (uint32_t half; left > 1; left -= half) { /* without other branches */
        half = left / 2;
        at += half & (0 - (uint32_t)(at[half - 1] < distance));
    }
    return low + (uint64_t)(at - words) + (left == 1 && *at < distance);
}

/* As begins_lower_bound, for begins in begin_tick. */
static uint64_t plain_bound(const SliceColumns *slices, uint64_t low, uint64_t end, int64_t tick)
{
    const int64_t *begins = slices->begin_tick;
    LOWER_BOUND(uint64_t, low, end, slice, begins[slice] < tick);
    return low;
}

static uint64_t block_end(uint64_t slice, uint64_t end)
{
    const uint64_t next = (slice / BEGIN_BLOCK_SLICES + 1) * BEGIN_BLOCK_SLICES;
    return next < end ? next : end;
}

uint64_t begins_lower_bound(const SliceColumns *slices, uint64_t low, uint64_t end, int64_t tick)
{
    if (slices->begin_blocks == NULL) return plain_bound(slices, low, end, tick);
    if (low >= end) return low;
    /* the base of a block between the first one and the last one is its first begin */
    const uint64_t first = low / BEGIN_BLOCK_SLICES, last = (end - 1) / BEGIN_BLOCK_SLICES;
    uint64_t       after = first + 1;
    LOWER_BOUND(uint64_t, after, last, block, slices->begin_blocks[block].base < tick);
    if (after == last && begins_packed(slices, last * BEGIN_BLOCK_SLICES) < tick) after++;
    if (after - 1 > first) low = (after - 1) * BEGIN_BLOCK_SLICES;
    return bound_in_block(slices, low, block_end(low, end), tick);
}

uint64_t begins_next_bound(const SliceColumns *slices, uint64_t low, uint64_t end, int64_t tick)
{
    enum { FEW = 4 };
    for (int i = 0; i < FEW && slices->begin_blocks != NULL && low < end; i++) {
        const uint64_t next = block_end(low, end);
        if (next == end || begins_packed(slices, next) >= tick)
            return bound_in_block(slices, low, next, tick);
        low = next;
    }
    return begins_lower_bound(slices, low, end, tick);
}

/* As begins_lower_bound: faster if the result is near `low`. */
static uint64_t bound_near(const SliceColumns *slices, uint64_t low, uint64_t end, int64_t tick)
{
    uint64_t step = 1;
    for (; step < end - low && begins_at(slices, low + step - 1) < tick; step *= 2)
        low += step;
    return begins_lower_bound(slices, low, step < end - low ? low + step : end, tick);
}

/* As begins_range, for any block and any distance. */
static NOINLINE SliceRange range_far(const SliceColumns *slices, SliceRange row, uint64_t near, int64_t from,
                                     int64_t to)
{
    SliceRange range;
    if (near <= row.first || near > row.end || begins_at(slices, near - 1) >= from) near = row.first;
    range.first = bound_near(slices, near, row.end, from);
    range.end = bound_near(slices, range.first, row.end, to);
    return range;
}

SliceRange begins_range(const SliceColumns *slices, SliceRange row, uint64_t near, int64_t from, int64_t to)
{
    enum { FEW = 8 };
    if (UNLIKELY(slices->begin_blocks == NULL) || near <= row.first || near >= row.end ||
        near % BEGIN_BLOCK_SLICES == 0 || slices->begin_blocks[near / BEGIN_BLOCK_SLICES].high != 0)
        return range_far(slices, row, near, from, to);
    const int64_t         base = slices->begin_blocks[near / BEGIN_BLOCK_SLICES].base;
    const uint32_t *const words = slices->begin_words;
    const uint64_t        from_distance = from <= base ? 0 : (uint64_t)from - (uint64_t)base;
    const uint64_t        to_distance = to <= base ? 0 : (uint64_t)to - (uint64_t)base;
    const uint64_t        behind = block_end(near, row.end), most = behind - near < FEW ? behind : near + FEW;
    uint64_t              at = near;
    if (words[near - 1] < from_distance) {
        while (at < most && words[at] < from_distance)
            at++;
        const uint64_t first = at;
        while (at < most && words[at] < to_distance)
            at++;
        if (at < most) return (SliceRange){ first, at };
    }
    return range_far(slices, row, near, from, to);
}

/* ---- packing ---- */

typedef VEC(uint32_t) HighHalves;

/* As pack_block, for any block. */
static NOINLINE void pack_any_block(const int64_t *ticks, uint32_t count, BeginBlock *block, uint32_t *words,
                                    HighHalves *high)
{
    uint64_t distances[BEGIN_BLOCK_SLICES]; /* the words may be in the place of the ticks */
    int64_t  least = ticks[0], greatest = ticks[0];
    for (uint32_t i = 1; i < count; i++) {
        least = ticks[i] < least ? ticks[i] : least;
        greatest = ticks[i] > greatest ? ticks[i] : greatest;
    }
    const bool is_wide = (uint64_t)greatest - (uint64_t)least > UINT32_MAX;
    block->base = least;
    if (is_wide) block->high = vec_count(high) + 1;
    for (uint32_t i = 0; i < count; i++)
        distances[i] = (uint64_t)ticks[i] - (uint64_t)least;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = (uint32_t)distances[i];
        if (is_wide) vec_push(high, (uint32_t)(distances[i] >> 32));
    }
}

/* Makes a block of `count` begins. Fast for a block of one row, whose first begin is the earliest one: without branches. */
static void pack_block(const int64_t *ticks, uint32_t count, BeginBlock *block, uint32_t *words,
                       HighHalves *high)
{
    uint32_t low[BEGIN_BLOCK_SLICES];
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t distance = (uint64_t)ticks[i] - (uint64_t)ticks[0];
        all |= distance;
        low[i] = (uint32_t)distance;
    }
    /* the distance of an earlier begin wraps around: it is short if the block has both ends of the time */
    if (UNLIKELY(all > UINT32_MAX || ticks[0] > INT64_MAX - (int64_t)all)) {
        pack_any_block(ticks, count, block, words, high);
        return;
    }
    block->base = ticks[0];
    memcpy(words, low, count * sizeof low[0]);
}

/* Makes the blocks `made`. The words replace the ticks. */
static void pack_blocks(const SliceColumns *slices, BeginBlock *made, uint32_t *words, HighHalves *high)
{
    for (uint64_t b = 0; b * BEGIN_BLOCK_SLICES < slices->count; b++) {
        const uint64_t first = b * BEGIN_BLOCK_SLICES;
        pack_block(slices->begin_tick + first, slices_of(slices, b), &made[b], words + first, high);
    }
}

/* Returns a column of the upper halves. NULL when out of memory. */
static uint32_t *high_column(const HighHalves *high)
{
    const size_t size = high->bytes.size;
    uint32_t    *column = high->bytes.failed ? NULL : (uint32_t *)memory_map(size);
    if (column != NULL) memcpy(column, high->items, size);
    return column;
}

bool begins_pack(Trace *trace)
{
    SliceColumns  *slices = &trace->slices;
    const uint64_t blocks = block_count(slices);
    const size_t   count = (size_t)slices->count, blocks_size = (size_t)blocks * sizeof(BeginBlock);
    if (count == 0) return true;
    BeginBlock *made = (BeginBlock *)memory_map(blocks_size);
    if (made == NULL) return false;
    uint32_t  *words = (uint32_t *)(void *)slices->begin_tick, *column = NULL;
    HighHalves high = VEC_EMPTY;
    pack_blocks(slices, made, words, &high);
    const size_t high_count = vec_count(&high);
    const bool   has_high = high_count > 0 || high.bytes.failed;
    if (has_high) column = high_column(&high);
    vec_release(&high);
    const bool done = !has_high || column != NULL;
    words = done ? (uint32_t *)memory_shrink(words, count * sizeof(int64_t), count * sizeof *words) : NULL;
    if (words == NULL) {
        memory_unmap(column, high_count * sizeof *column);
        memory_unmap(made, blocks_size);
        return false;
    }
    slices->begin_tick = NULL;
    slices->begin_blocks = made;
    slices->begin_block_count = blocks;
    slices->begin_words = words;
    slices->begin_word_count = count;
    slices->begin_high = column;
    slices->begin_high_count = high_count;
    return true;
}

/* ---- reading ---- */

/* True if no begin of block `b` is before its base: their sum does not wrap around. */
static bool is_base_least(const SliceColumns *slices, uint64_t b)
{
    const BeginBlock *block = &slices->begin_blocks[b];
    const uint64_t    first = b * BEGIN_BLOCK_SLICES;
    if (block->high == 0 && block->base <= INT64_MAX - (int64_t)UINT32_MAX) return true;
    for (uint32_t i = 0; i < slices_of(slices, b); i++)
        if (begins_packed(slices, first + i) < block->base) return false;
    return true;
}

bool begins_check(const Trace *trace, Err *err)
{
    const SliceColumns *slices = &trace->slices;
    uint64_t            used = 0; /* upper halves */
    if (slices->begin_block_count != block_count(slices))
        return err_set(err, ERR_CORRUPT, "slice.begin_block: %llu blocks, expected %llu",
                       (unsigned long long)slices->begin_block_count,
                       (unsigned long long)block_count(slices));
    if (slices->begin_word_count != slices->count)
        return err_set(err, ERR_CORRUPT, "slice.begin: %llu items, expected %llu",
                       (unsigned long long)slices->begin_word_count, (unsigned long long)slices->count);
    for (uint64_t b = 0; b < slices->begin_block_count; b++) {
        const uint64_t high = slices->begin_blocks[b].high;
        if (high == 0) continue;
        if (high != used + 1)
            return err_set(err, ERR_CORRUPT, "slice.begin_block: wrong upper halves in block %llu",
                           (unsigned long long)b);
        used += slices_of(slices, b);
    }
    if (used != slices->begin_high_count)
        return err_set(err, ERR_CORRUPT, "slice.begin_high: %llu items, expected %llu",
                       (unsigned long long)slices->begin_high_count, (unsigned long long)used);
    for (uint64_t b = 0; b < slices->begin_block_count; b++)
        if (!is_base_least(slices, b))
            return err_set(err, ERR_CORRUPT, "slice.begin_block: a begin before the base of block %llu",
                           (unsigned long long)b);
    return true;
}

void begins_read(const Trace *trace, uint64_t first, uint32_t count, int64_t *begins)
{
    const SliceColumns *slices = &trace->slices;
    if (slices->begin_blocks == NULL) {
        if (count > 0) memcpy(begins, slices->begin_tick + first, count * sizeof begins[0]);
        return;
    }
    for (uint32_t done = 0; done < count;) {
        const BeginBlock *block = &slices->begin_blocks[(first + done) / BEGIN_BLOCK_SLICES];
        const uint32_t    at = (uint32_t)((first + done) % BEGIN_BLOCK_SLICES);
        const uint32_t    room = BEGIN_BLOCK_SLICES - at, part = count - done < room ? count - done : room;
        int64_t *const    out = begins + done;
        if (UNLIKELY(block->high != 0)) {
            for (uint32_t i = 0; i < part; i++)
                out[i] = begins_packed(slices, first + done + i);
        } else {
            const uint64_t  base = (uint64_t)block->base;
            const uint32_t *words = slices->begin_words + first + done;
            for (uint32_t i = 0; i < part; i++)
                out[i] = (int64_t)(base + words[i]);
        }
        done += part;
    }
}

/* Adds a number to each word. */
static void add_to_words(const uint32_t *restrict words, uint32_t count, uint32_t added,
                         int32_t *restrict sums)
{
    for (uint32_t i = 0; i < count; i++)
        sums[i] = (int32_t)(words[i] + added);
}

/* The upper halves of a wide block do not change the distances modulo 2^32. */
void begins_read_near(const SliceColumns *slices, uint64_t first, uint32_t count, int64_t base,
                      int32_t *distances)
{
    if (slices->begin_blocks == NULL) {
        for (uint32_t i = 0; i < count; i++)
            distances[i] = (int32_t)(uint32_t)((uint64_t)slices->begin_tick[first + i] - (uint64_t)base);
        return;
    }
    for (uint32_t done = 0; done < count;) {
        const uint64_t slice = first + done, end = block_end(slice, first + count);
        const uint64_t block_base = (uint64_t)slices->begin_blocks[slice / BEGIN_BLOCK_SLICES].base;
        add_to_words(slices->begin_words + slice, (uint32_t)(end - slice),
                     (uint32_t)(block_base - (uint64_t)base), distances + done);
        done += (uint32_t)(end - slice);
    }
}
