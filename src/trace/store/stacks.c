#include "trace/store/stacks.h"

#include "base/bits.h"
#include "trace/store/trace.h"

#include <assert.h>

StackId stack_column_get(const StackColumn *column, const StackRange *range, uint64_t item)
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

static const Track *track_of_slice(const Trace *trace, uint64_t slice)
{
    return &trace->tracks[trace->rows[trace_slice_row(trace, slice)].track];
}

StackId trace_slice_stack(const Trace *trace, uint64_t slice)
{
    if (trace->live != NULL) return settled(trace, trace->live->stack[slice]);
    if (trace->slices.stack.count == 0) return STACK_NONE;
    const Track *track = track_of_slice(trace, slice);
    return stack_column_get(&trace->slices.stack, track_stacks(track, STACKS_OF_BEGINS),
                            slice - track_first_slice(trace, track));
}

StackId trace_slice_end_stack(const Trace *trace, uint64_t slice)
{
    if (trace->live != NULL) return settled(trace, trace->live->end_stack[slice]);
    if (trace->slices.end_stack.count == 0) return STACK_NONE;
    const Track *track = track_of_slice(trace, slice);
    return stack_column_get(&trace->slices.end_stack, track_stacks(track, STACKS_OF_ENDS),
                            slice - track_first_slice(trace, track));
}

StackId trace_instant_stack(const Trace *trace, uint64_t instant)
{
    if (trace->live != NULL) return settled(trace, trace->live->instant_stack[instant]);
    if (trace->instants.stack.count == 0) return STACK_NONE;
    const Track *track = &trace->tracks[trace->rows[trace_instant_row(trace, instant)].track];
    return stack_column_get(&trace->instants.stack, track_stacks(track, STACKS_OF_INSTANTS),
                            instant - track_first_instant(trace, track));
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
