/* The instants and the values of counters of a scan. */
#include "trace/scan/scan_table.h"

#include <assert.h>

/* ---- instants ---- */

static void fill_instant_texts(const Trace *trace, unsigned column, const ScanPart *part, uint32_t *out)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const Label *label = &trace->labels[trace->instants.label[part_item(part, i)]];
        out[i] = column == SCAN_INSTANT_NAME ? label->name.index : label->category.index;
    }
}

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
        for (uint32_t i = 0; i < part->count; i++)
            out.u64[i] = part_item(part, i);
        break;
    case SCAN_INSTANT_NAME:
    case SCAN_INSTANT_CATEGORY:
        fill_instant_texts(trace, column, part, out.u32);
        break;
    case SCAN_INSTANT_TRACK:
        scan_fill_u32(out, part, part->track);
        break;
    case SCAN_INSTANT_PROCESS:
        scan_fill_u32(out, part, trace->tracks[part->track].process.index);
        break;
    case SCAN_INSTANT_THREAD:
        fill_instant_threads(trace, part, out.u32);
        break;
    case SCAN_INSTANT_LANE:
        scan_fill_u32(out, part, trace->rows[part->row].lane);
        break;
    case SCAN_INSTANT_DEPTH:
        scan_fill_u32(out, part, trace->rows[part->row].depth);
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

static void fill_value_durations(const ScanScope *scope, unsigned column, const ScanPart *part, uint64_t *out)
{
    const Trace   *trace = scope->trace;
    const Row     *row = &trace->rows[part->row];
    const int64_t *ticks = trace->samples.tick;
    for (uint32_t i = 0; i < part->count; i++) {
        const uint64_t value = part_item(part, i);
        const int64_t  begin = ticks[value], end = row_value_end(trace, row, value);
        out[i] = column == SCAN_VALUE_CLIPPED ? scan_clip(&scope->query, begin, end)
                                              : (uint64_t)end - (uint64_t)begin;
    }
}

const void *scan_values_column(const ScanScope *scope, unsigned column, uint64_t first)
{
    const SampleColumns *samples = &scope->trace->samples;
    return column == SCAN_VALUE_TICK    ? (const void *)(samples->tick + first)
           : column == SCAN_VALUE_VALUE ? (const void *)(samples->value + first)
                                        : NULL;
}

void scan_fill_values(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace *trace = scope->trace;
    const Track *track = &trace->tracks[part->track];
    switch (column) {
    case SCAN_VALUE_DURATION:
    case SCAN_VALUE_CLIPPED:
        fill_value_durations(scope, column, part, out.u64);
        break;
    case SCAN_VALUE_NAME:
        scan_fill_u32(out, part, track->name.index);
        break;
    case SCAN_VALUE_CATEGORY:
        scan_fill_u32(out, part, track_extras(track)->category.index);
        break;
    case SCAN_VALUE_SERIES:
        scan_fill_u32(out, part, trace->series[row_extras(&trace->rows[part->row])->series].name.index);
        break;
    case SCAN_VALUE_TRACK:
        scan_fill_u32(out, part, part->track);
        break;
    case SCAN_VALUE_PROCESS:
        scan_fill_u32(out, part, track->process.index);
        break;
    default:
        assert(false);
    }
}
