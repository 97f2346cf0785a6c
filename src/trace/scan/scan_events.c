/* The instants and the values of counters of a scan. */
#include "trace/scan/scan_table.h"

#include <assert.h>

/* ---- instants ---- */

static void fill_instant_threads(const Trace *trace, const ScanPart *part, uint32_t *out)
{
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = trace_instant_thread(trace, part_item(part, i));
}

/* Subtracts 1 from the column, which contains offset + 1 or 0: 0 becomes UINT64_MAX. */
static void fill_instant_sources(const Trace *trace, const ScanPart *part, uint64_t *out)
{
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = trace->instants.source[part_item(part, i)] - 1;
}

static void fill_instant_stacks(const Trace *trace, const ScanPart *part, uint32_t *out)
{
    const Track *track = &trace->tracks[part->track];
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = track_stack(trace, track, STACKS_OF_INSTANTS, part_item(part, i)).index;
}

static void fill_instant_hidden(const ScanScope *scope, const ScanPart *part, uint8_t *out)
{
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = scan_hides_label(scope, scope->trace->instants.label[part_item(part, i)]) ? 1 : 0;
}

const void *scan_instants_column(const ScanScope *scope, unsigned column, uint64_t first)
{
    const InstantColumns *instants = &scope->trace->instants;
    return column == SCAN_INSTANT_TICK    ? (const void *)(instants->tick + first)
           : column == SCAN_INSTANT_LABEL ? (const void *)(instants->label + first)
           : column == SCAN_INSTANT_SCOPE ? (const void *)(instants->scope + first)
                                          : NULL;
}

void scan_fill_instants(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace *trace = scope->trace;
    switch (column) {
    case SCAN_INSTANT_ID:
        scan_fill_ids(part, out.u64);
        break;
    case SCAN_INSTANT_NAME:
    case SCAN_INSTANT_CATEGORY:
        for (uint32_t i = 0; i < part->count; i++)
            out.u32[i] = trace->instants.label[part_item(part, i)];
        scan_labels_to_texts(trace, column == SCAN_INSTANT_NAME, out.u32, part->count);
        break;
    case SCAN_INSTANT_THREAD:
        fill_instant_threads(trace, part, out.u32);
        break;
    case SCAN_INSTANT_SOURCE:
        fill_instant_sources(trace, part, out.u64);
        break;
    case SCAN_INSTANT_STACK:
        fill_instant_stacks(trace, part, out.u32);
        break;
    case SCAN_INSTANT_HIDDEN:
        fill_instant_hidden(scope, part, out.u8);
        break;
    default:
        assert(false);
    }
}

/* ---- values of counters ---- */

const void *scan_values_column(const ScanScope *scope, unsigned column, uint64_t first)
{
    const SampleColumns *samples = &scope->trace->samples;
    return column == SCAN_VALUE_TICK    ? (const void *)(samples->tick + first)
           : column == SCAN_VALUE_VALUE ? (const void *)(samples->value + first)
                                        : NULL;
}

void scan_fill_values(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace   *trace = scope->trace;
    const Row     *row = &trace->rows[part->row];
    const int64_t *ticks = trace->samples.tick;
    assert(column == SCAN_VALUE_DURATION || column == SCAN_VALUE_CLIPPED);
    for (uint32_t i = 0; i < part->count; i++) {
        const uint64_t value = part_item(part, i);
        const int64_t  begin = ticks[value], end = row_value_end(trace, row, value);
        out.u64[i] = column == SCAN_VALUE_CLIPPED ? scan_clip(&scope->query, begin, end)
                                                  : (uint64_t)end - (uint64_t)begin;
    }
}
