#include "trace/store/stacks.h"

#include "base/bits.h"
#include "trace/store/trace.h"

#include <assert.h>

/* Returns the stack of the item-th item of a track. */
static StackId stack_column_get(const StackColumn *column, const StackRange *range, uint64_t item)
{
    if (range->count == 0) return STACK_NONE;
    uint64_t word = range->first_word + item / 64, bit = (uint64_t)1 << item % 64;
    assert(word < column->word_count);
    if (!(column->bits[word] & bit)) return STACK_NONE;
    uint64_t rank = column->ranks[word] + bits_count_u64(column->bits[word] & (bit - 1));
    return (StackId){ column->stacks[range->first + rank] };
}

/* Returns the definition of a stack of a growing trace, which may have arrived after its use. */
static StackId settled(const Trace *trace, uint32_t stack)
{
    const Stack *stacks = trace->stacks.stacks;
    return (StackId){ stack != 0 && stacks[stack].frame == STACK_PROMISED ? stacks[stack].parent : stack };
}

static inline const StackColumn *column_of(const Trace *trace, StackKind kind)
{
    return kind == STACKS_OF_BEGINS ? &trace->slices.stack
           : kind == STACKS_OF_ENDS ? &trace->slices.end_stack
                                    : &trace->instants.stack;
}

/* Inline, because callers know the kind. */
static inline StackId stack_of_item(const Trace *trace, const Track *track, StackKind kind, uint64_t item)
{
    if (trace->live != NULL) return settled(trace, trace->live->stacks[kind][item]);
    const StackRange *range = track_stacks(track, kind);
    if (range->count == 0) return STACK_NONE;
    const uint64_t first =
        kind == STACKS_OF_INSTANTS ? track_first_instant(trace, track) : track_first_slice(trace, track);
    return stack_column_get(column_of(trace, kind), range, item - first);
}

StackId track_stack(const Trace *trace, const Track *track, StackKind kind, uint64_t item)
{
    return stack_of_item(trace, track, kind, item);
}

static inline bool has_stacks(const Trace *trace, StackKind kind)
{
    return trace->live != NULL || column_of(trace, kind)->count > 0;
}

static const Track *track_of_row(const Trace *trace, uint32_t row)
{
    return &trace->tracks[trace->rows[row].track];
}

StackId trace_slice_stack(const Trace *trace, uint64_t slice)
{
    if (!has_stacks(trace, STACKS_OF_BEGINS)) return STACK_NONE;
    return stack_of_item(trace, track_of_row(trace, trace_slice_row(trace, slice)), STACKS_OF_BEGINS, slice);
}

StackId trace_slice_end_stack(const Trace *trace, uint64_t slice)
{
    if (!has_stacks(trace, STACKS_OF_ENDS)) return STACK_NONE;
    return stack_of_item(trace, track_of_row(trace, trace_slice_row(trace, slice)), STACKS_OF_ENDS, slice);
}

StackId trace_instant_stack(const Trace *trace, uint64_t instant)
{
    if (!has_stacks(trace, STACKS_OF_INSTANTS)) return STACK_NONE;
    return stack_of_item(trace, track_of_row(trace, trace_instant_row(trace, instant)), STACKS_OF_INSTANTS,
                         instant);
}

StackId trace_stack_parent(const Trace *trace, StackId stack)
{
    assert(stack.index <= trace->stacks.stack_count);
    return (StackId){ trace->stacks.stacks[stack.index].parent };
}

const StackFrame *trace_stack_frame(const Trace *trace, StackId stack)
{
    assert(stack.index != 0 && stack.index <= trace->stacks.stack_count);
    return &trace->stacks.frames[trace->stacks.stacks[stack.index].frame];
}

uint32_t trace_stack_depth(const Trace *trace, StackId stack)
{
    uint32_t depth = 0;
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack))
        depth++;
    return depth;
}
