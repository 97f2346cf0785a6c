#include "trace_describe.h"

#include "support/test.h"
#include "trace/flows.h"
#include "trace/object_find.h"
#include "trace/outline_encode.h"
#include "trace_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FLOWS = 8000 };

static void describe_stack(const Trace *trace, StackId stack, Bytes *out)
{
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack)) {
        const StringView name = trace_string(trace, trace_stack_frame(trace, stack)->function);
        bytes_printf(out, "<%.*s", (int)name.size, name.bytes);
    }
}

static void describe_profile(const Trace *trace, const Track *track, Bytes *out)
{
    const ProfileColumns *profile = &trace->profile;
    bytes_printf(out, " of track %u:", track->thread);
    for (uint64_t i = track->first_profile; i < track->first_profile + track->profile_count; i++) {
        bytes_printf(out, " %lld*%g", (long long)profile->tick[i],
                     profile->weight == NULL ? 1 : profile->weight[i]);
        describe_stack(trace, (StackId){ profile->stack[i] }, out);
    }
}

static void describe_life(const Trace *trace, const ObjectLife *life, Bytes *out)
{
    bytes_printf(out, " %lld..%lld %.*s%s:", (long long)trace->slices.begin_tick[life->slice],
                 (long long)trace_slice_end(trace, life->slice),
                 (int)trace_string(trace, life->base_type).size, trace_string(trace, life->base_type).bytes,
                 life->is_created ? " created" : "");
    for (uint64_t i = 0; i < life->snapshot_count; i++) {
        const uint64_t instant = trace->objects.snapshots[life->first_snapshot + i];
        bytes_printf(out, " %lld@%llu", (long long)trace->instants.tick[instant],
                     (unsigned long long)trace->instants.source[instant]);
    }
}

static void describe_flow_end(const Trace *trace, uint64_t flow, FlowSide side, Bytes *out)
{
    const FlowEnd end = trace_flow_end(trace, flow, side);
    bytes_printf(out, " %u.%u@%lld", end.track, end.row, (long long)end.tick);
    if (end.slice != FLOW_NO_SLICE)
        bytes_printf(out, " of %lld", (long long)trace->slices.begin_tick[end.slice]);
}

static int compare_lines(const void *left, const void *right)
{
    const Bytes *a = (const Bytes *)left, *b = (const Bytes *)right;
    const size_t size = a->size < b->size ? a->size : b->size;
    const int    order = size == 0 ? 0 : memcmp(a->data, b->data, size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* In no order: that of arrows with the same begin goes by the numbers of the slices they lead to. */
static void describe_flows(const Trace *trace, Bytes *out)
{
    static Bytes lines[MOST_FLOWS];
    CHECK(trace->flows.count <= MOST_FLOWS);
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        lines[i] = (Bytes){ .data = NULL };
        describe_flow_end(trace, i, FLOW_FROM, &lines[i]);
        describe_flow_end(trace, i, FLOW_TO, &lines[i]);
        const StringView name = trace_label_name(trace, trace->flows.label[i]);
        bytes_printf(&lines[i], " %.*s %d\n", (int)name.size, name.bytes, trace->flows.flags[i]);
    }
    if (trace->flows.count > 1) qsort(lines, (size_t)trace->flows.count, sizeof *lines, compare_lines);
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        bytes_append_text(out, "arrow");
        bytes_append(out, lines[i].data, lines[i].size);
        bytes_release(&lines[i]);
    }
}

/* Objects by their ids: how they are numbered depends on when names were met. */
static void describe_objects(const Trace *trace, Bytes *out)
{
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        for (uint32_t id = 0; id < 64; id++) {
            char           key[16];
            const int      size = snprintf(key, sizeof key, "0x%x", id);
            const StringId name = string_table_find(trace->strings, key, (size_t)size);
            const Object  *object = name.index == 0 ? NULL : object_find(trace, p, STRING_NONE, name);
            if (object == NULL) continue;
            bytes_printf(out, "object %s of %u:", key, p);
            for (uint32_t i = 0; i < object->life_count; i++)
                describe_life(trace, &trace->objects.lives[object->first_life + i], out);
            bytes_append_text(out, "\n");
        }
    }
}

static void describe_contexts(const Trace *trace, Bytes *out)
{
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const ContextList list = trace_contexts(trace, t);
        for (uint32_t i = 0; i < list.count; i++) {
            const Context   *context = &list.contexts[i];
            const StringView name = trace_label_name(trace, context->label);
            bytes_printf(out, "context %.*s %s %s of %u: %lld..%lld\n", (int)name.size, name.bytes,
                         trace_string(trace, context->scope).bytes, trace_string(trace, context->id).bytes, t,
                         (long long)context->begin_tick, (long long)context->end_tick);
        }
    }
}

/* What dumps belong to, and where clocks were compared. */
static void describe_kept(const Trace *trace, Bytes *out)
{
    bytes_printf(out, "%u dumps:", trace->dump_count);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        for (uint32_t i = 0; trace->tracks[row->track].kind == TRACK_DUMPS && i < row->instant_count; i++) {
            const uint64_t source = trace->instants.source[row->first_instant + i];
            bytes_printf(out, " %s", trace_string(trace, dump_id_at(trace, source - 1)).bytes);
        }
    }
    bytes_append_text(out, "\nclocks compared:");
    for (uint32_t i = 0; i < trace->clock_sync_count; i++)
        bytes_printf(out, " %lld as %s", (long long)trace->clock_syncs[i].tick,
                     trace_string(trace, trace->clock_syncs[i].id).bytes);
    bytes_append_text(out, "\n");
}

/* What is left of each track when the slices and instants of one name are hidden. */
static void describe_visible(const Trace *trace, Bytes *out)
{
    Err      err;
    uint8_t *hidden = (uint8_t *)calloc(trace->label_count + 1u, 1);
    CHECK(hidden != NULL);
    for (uint32_t i = 1; i <= trace->label_count; i++)
        hidden[i] = string_equal(trace_label_name(trace, i), STRING_LITERAL("n2"));
    Filter *filter = filter_build(trace, hidden, NULL, 1, NULL, &err);
    CHECK(filter != NULL);
    visible_encode(trace, filter, 1, out);
    filter_release(filter);
    free(hidden);
}

void trace_describe(const Trace *trace, Bytes *out)
{
    bytes_printf(out, "%llu values of counters, %llu samples, %llu slices of theirs\n",
                 (unsigned long long)trace_sample_count(trace),
                 (unsigned long long)trace_stack_sample_count(trace),
                 (unsigned long long)trace->sample_slice_count);
    bytes_printf(out, "%llu asynchronous, %llu and %llu instants; %u objects, %u lives, %llu snapshots\n",
                 (unsigned long long)trace->async_slice_count, (unsigned long long)trace->async_instant_count,
                 (unsigned long long)trace->derived_instant_count, trace->objects.object_count,
                 trace->objects.life_count, (unsigned long long)trace->objects.snapshot_count);
    bytes_printf(out, "%lld..%lld, %llu slices, %llu instants, %u threads, %llu open, depth %u\n",
                 (long long)trace->begin_tick, (long long)trace->end_tick,
                 (unsigned long long)trace_slice_count(trace), (unsigned long long)trace_instant_count(trace),
                 trace->thread_count, (unsigned long long)trace->unfinished_count, trace->max_depth);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        trace_track_title(trace, t, out);
        bytes_printf(out, " of process %u, kind %d, %llu samples, %g to %g:\n  ", track->process.index,
                     (int)track->kind, (unsigned long long)track->sample_count, track->least,
                     track->greatest);
        rows_append(trace, t, out);
        for (uint32_t r = track->first_row; r < track->first_row + track->row_count; r++) {
            const Row *row = &trace->rows[r];
            for (uint32_t i = 0; i < row->slice_count; i++) {
                uint64_t begin = 0, end = 0;
                bool     has = trace_slice_source(trace, row->first_slice + i, &begin);
                bool     has_end = trace_slice_end_source(trace, row->first_slice + i, &end);
                bytes_append_text(out, "/");
                trace_track_title(trace, trace_slice_thread(trace, row->first_slice + i), out);
                describe_stack(trace, trace_slice_stack(trace, row->first_slice + i), out);
                describe_stack(trace, trace_slice_end_stack(trace, row->first_slice + i), out);
                if (has || has_end)
                    bytes_printf(out, " %llu-%llu", (unsigned long long)begin, (unsigned long long)end);
            }
            for (uint32_t i = 0; i < row->instant_count; i++) {
                StringView title;
                Bytes      text = { 0 };
                trace_track_title(trace, trace_instant_thread(trace, row->first_instant + i), &text);
                title = (StringView){ (const char *)text.data, text.size };
                bytes_printf(out, " by %.*s", (int)title.size, title.bytes);
                bytes_release(&text);
            }
            for (uint32_t i = 0; i < row->sample_count; i++)
                bytes_printf(out, " %lld=%g", (long long)trace->samples.tick[row->first_sample + i],
                             trace->samples.value[row->first_sample + i]);
        }
        if (track->kind == TRACK_SAMPLES) describe_profile(trace, track, out);
        bytes_append_text(out, "\n");
    }
    describe_objects(trace, out);
    describe_flows(trace, out);
    describe_contexts(trace, out);
    describe_kept(trace, out);
    describe_visible(trace, out);
}
