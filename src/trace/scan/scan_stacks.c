/* The samples and stacks of a scan. */
#include "trace/scan/scan_table.h"

#include <assert.h>

const void *scan_samples_column(const ScanScope *scope, unsigned column, uint64_t first)
{
    const ProfileColumns *profile = &scope->trace->profile;
    return column == SCAN_SAMPLE_TICK                                ? (const void *)(profile->tick + first)
           : column == SCAN_SAMPLE_STACK                             ? (const void *)(profile->stack + first)
           : column == SCAN_SAMPLE_WEIGHT && profile->weight != NULL ? (const void *)(profile->weight + first)
                                                                     : NULL;
}

/* Fills the weights of a trace without weights. */
void scan_fill_samples(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    (void)scope;
    (void)column; /* the only one of items */
    for (uint32_t i = 0; i < part->count; i++)
        out.f64[i] = 1;
}

/* A growing trace has stacks that are not yet defined. */
bool scan_keeps_stack(const ScanScope *scope, uint64_t stack)
{
    return scope->trace->stacks.stacks[stack].frame != STACK_PROMISED;
}

static void put_stack(const Trace *trace, StackId stack, unsigned column, ScanOut out, uint32_t i)
{
    const StackFrame *frame = trace_stack_frame(trace, stack);
    switch (column) {
    case SCAN_STACK_ID:
        out.u32[i] = stack.index;
        break;
    case SCAN_STACK_PARENT:
        out.u32[i] = trace_stack_parent(trace, stack).index;
        break;
    case SCAN_STACK_FUNCTION:
        out.u32[i] = frame->function.index;
        break;
    case SCAN_STACK_FILE:
        out.u32[i] = frame->file.index;
        break;
    case SCAN_STACK_MODULE:
        out.u32[i] = frame->module.index;
        break;
    case SCAN_STACK_LINE:
        out.u32[i] = frame->line;
        break;
    case SCAN_STACK_COLUMN:
        out.u32[i] = frame->column;
        break;
    case SCAN_STACK_ADDRESS:
        out.u64[i] = frame->address;
        break;
    default:
        assert(false);
    }
}

void scan_fill_stacks(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    for (uint32_t i = 0; i < part->count; i++)
        put_stack(scope->trace, (StackId){ (uint32_t)part_item(part, i) }, column, out, i);
}
