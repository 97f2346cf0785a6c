/* trace/store/begins.h - the begins of slices in blocks. For src/trace only.
 *
 * A begin needs 64 bits, but the begins of adjacent slices of a row are near to each other: 32 bits are enough for the
 * distances from the earliest begin of their block. A wide block has the upper halves of its distances in
 * SliceColumns.begin_high. Blocks with slices of several rows are often wide, others seldom. */
#ifndef TRACE_STORE_BEGINS_H
#define TRACE_STORE_BEGINS_H
#include "trace/store/trace.h"

/* Moves the begins of a trace from begin_tick to blocks, in the same memory, and frees the rest of it. False when out of
 * memory. */
bool begins_pack(Trace *trace) WARN_UNUSED;
/* Checks the blocks of a file: the places of the upper halves, and that the base of a block is its earliest begin. */
bool begins_check(const Trace *trace, Err *err) WARN_UNUSED;
/* As trace_slice_begin, inline, for a trace with begin_blocks. */
static ALWAYS_INLINE int64_t begins_packed(const SliceColumns *slices, uint64_t slice)
{
    const BeginBlock *block = &slices->begin_blocks[slice / BEGIN_BLOCK_SLICES];
    uint64_t          distance = slices->begin_words[slice];
    if (UNLIKELY(block->high != 0))
        distance |= (uint64_t)slices->begin_high[block->high - 1 + slice % BEGIN_BLOCK_SLICES] << 32;
    return (int64_t)((uint64_t)block->base + distance);
}
static inline int64_t begins_at(const SliceColumns *slices, uint64_t slice)
{
    return UNLIKELY(slices->begin_blocks == NULL) ? slices->begin_tick[slice] : begins_packed(slices, slice);
}
/* Returns the first slice of [low, end), which are in one row, that begins at or after `tick`; `end` if none does. */
uint64_t begins_lower_bound(const SliceColumns *slices, uint64_t low, uint64_t end, int64_t tick);
/* As begins_lower_bound: fast if the result is a few blocks behind `low` or nearer. */
uint64_t begins_next_bound(const SliceColumns *slices, uint64_t low, uint64_t end, int64_t tick);
/* Slices [first, end). */
typedef struct SliceRange {
    uint64_t first, end;
} SliceRange;
/* Returns the slices of a row that begin in [from, to). Fast if the first one is `near` or a few slices behind it. */
SliceRange begins_range(const SliceColumns *slices, SliceRange row, uint64_t near, int64_t from, int64_t to);
/* Writes the begins of `count` adjacent slices from `first` on. */
void begins_read(const Trace *trace, uint64_t first, uint32_t count, int64_t *begins);
/* Writes the distances of the begins of `count` adjacent slices from `base`, modulo 2^32. */
void begins_read_near(const SliceColumns *slices, uint64_t first, uint32_t count, int64_t base,
                      int32_t *distances);
/* Prefetches the memory of a begin. Any number is accepted. */
static inline void begins_prefetch(const SliceColumns *slices, uint64_t slice)
{
    if (slice >= slices->count) return;
    if (slices->begin_blocks == NULL) {
        PREFETCH(&slices->begin_tick[slice]);
        return;
    }
    PREFETCH(&slices->begin_blocks[slice / BEGIN_BLOCK_SLICES]);
    PREFETCH(&slices->begin_words[slice]);
}

#endif
