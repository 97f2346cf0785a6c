/* The instants and the values of counters of a scan. */
#include "trace/scan/scan_table.h"

#include <assert.h>

/* ---- instants ---- */

ScanRun scan_instants_of_row(const ScanScope *scope, const Row *row)
{
    const Trace     *trace = scope->trace;
    const ScanQuery *query = &scope->query;
    const bool       closed = query->edges == SCAN_CLOSED;
    const uint32_t   first = row_instant_bound(trace, row, query->begin_tick);
    const uint32_t   end = closed && query->end_tick == INT64_MAX
                               ? row_extras(row)->instant_count
                               : row_instant_bound(trace, row, query->end_tick + (closed ? 1 : 0));
    return (ScanRun){ .first = row_extras(row)->first_instant + first,
                      .end = row_extras(row)->first_instant + end };
}

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
    case SCAN_INSTANT_TICK:
        scan_gather(out, part, trace->instants.tick, SCAN_I64);
        break;
    case SCAN_INSTANT_LABEL:
        scan_gather(out, part, trace->instants.label, SCAN_U32);
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
    case SCAN_INSTANT_SCOPE:
        scan_gather(out, part, trace->instants.scope, SCAN_U8);
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

/* Returns the tick until which a value of a row is valid. */
static int64_t value_end(const Trace *trace, const Row *row, uint64_t value)
{
    const int64_t *ticks = trace->samples.tick;
    if (value + 1 < row_extras(row)->first_sample + row_extras(row)->sample_count) return ticks[value + 1];
    const int64_t held_to = track_extras(&trace->tracks[row->track])->held_to;
    const int64_t end = held_to < trace->end_tick ? held_to : trace->end_tick;
    return end > ticks[value] ? end : ticks[value];
}

/* Returns the values in the range, including the value that is valid at its begin, as with --range. */
ScanRun scan_values_of_row(const ScanScope *scope, const Row *row)
{
    const Trace     *trace = scope->trace;
    const ScanQuery *query = &scope->query;
    const bool       closed = query->edges == SCAN_CLOSED;
    if (row_extras(row)->sample_count == 0 ||
        (scope->track_counts != NULL && scope->track_counts[row->track] == 0))
        return (ScanRun){ .first = 0 };
    uint32_t       first = row_sample_bound(trace, row, query->begin_tick);
    const uint32_t end = closed && query->end_tick == INT64_MAX
                             ? row_extras(row)->sample_count
                             : row_sample_bound(trace, row, query->end_tick + (closed ? 1 : 0));
    const int64_t *ticks = trace->samples.tick + row_extras(row)->first_sample;
    const bool     is_set = first < row_extras(row)->sample_count && ticks[first] == query->begin_tick;
    if (first > 0 && !is_set) {
        const uint64_t before = row_extras(row)->first_sample + first - 1;
        if (closed || value_end(trace, row, before) > query->begin_tick) first--;
    }
    return (ScanRun){ .first = row_extras(row)->first_sample + first,
                      .end = row_extras(row)->first_sample + end };
}

static void fill_value_durations(const ScanScope *scope, unsigned column, const ScanPart *part, uint64_t *out)
{
    const Trace   *trace = scope->trace;
    const Row     *row = &trace->rows[part->row];
    const int64_t *ticks = trace->samples.tick;
    for (uint32_t i = 0; i < part->count; i++) {
        const uint64_t value = part_item(part, i);
        const int64_t  begin = ticks[value], end = value_end(trace, row, value);
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
    case SCAN_VALUE_TICK:
        scan_gather(out, part, trace->samples.tick, SCAN_I64);
        break;
    case SCAN_VALUE_DURATION:
    case SCAN_VALUE_CLIPPED:
        fill_value_durations(scope, column, part, out.u64);
        break;
    case SCAN_VALUE_VALUE:
        scan_gather(out, part, trace->samples.value, SCAN_F64);
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
