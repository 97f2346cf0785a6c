#include "trace_event_support.h"

#include "base/json_writer.h"
#include "format/format.h"
#include "format/pieces.h"
#include "format/trace_event/trace_event.h"
#include "trace/store/flows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const FormatReader *tested_reader = &TRACE_EVENT_READER;

void trace_event_use_reader(const char *folder)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s", folder);
    for (char *at = name; *at != '\0'; at++)
        if (*at == '_') *at = '-';
    tested_reader = format_find(name);
    CHECK(tested_reader != NULL);
}

/* -- loading -- */

Trace *trace_event_load(const void *bytes, size_t size, Cuts cuts, Err *err)
{
    Pieces pieces = { .most = cuts.max_piece, .random = cuts.max_piece == 0 ? NULL : &cuts.random };
    Built  built = built_by(tested_reader, NULL, bytes, size, pieces);
    *err = built.err;
    return built.trace;
}

/* -- text -- */

typedef struct Printer {
    const Trace   *trace;
    const uint8_t *bytes;
    size_t         size;
    Bytes         *out;
} Printer;

static void print_text(const Printer *p, StringView text)
{
    JsonWriter writer = json_writer_to(p->out, 0);
    json_string_bytes(&writer, text);
}

static void print_thread(const Printer *p, const Track *track)
{
    if (track->kind == TRACK_GLOBAL_INSTANTS) {
        bytes_append_text(p->out, "global");
        return;
    }
    trace_ident_append(p->trace, p->trace->processes[track->process.index].pid, p->out);
    bytes_append_text(p->out, "/");
    trace_ident_append(p->trace, track_tid(track), p->out);
    if (track->kind == TRACK_PROCESS_INSTANTS)
        bytes_append_text(p->out, track->is_derived ? "marks" : "process");
    if (track->kind == TRACK_STATES) bytes_append_text(p->out, " states");
    if (track->kind == TRACK_OBJECTS) bytes_append_text(p->out, "objects");
    if (track->kind == TRACK_DUMPS) bytes_append_text(p->out, "dumps");
}

static void print_label(const Printer *p, uint32_t label)
{
    const Label *l = &p->trace->labels[label];
    bytes_append_text(p->out, " ");
    if (l->name.index == 0)
        bytes_append_text(p->out, "-");
    else
        print_text(p, trace_label_name(p->trace, label));
    if (l->category.index != 0) {
        bytes_append_text(p->out, " in ");
        print_text(p, trace_label_category(p->trace, label));
    }
    if (l->colour != 0) bytes_printf(p->out, " #%06x", l->colour >> 8);
}

static EventBytes event_bytes(const Printer *p, const uint64_t *offset)
{
    EventBytes event = { 0 };
    if (offset == NULL) return event;
    CHECK(*offset < p->size);
    return (EventBytes){ .bytes = p->bytes + *offset,
                         .size = p->size - (size_t)*offset,
                         .offset = *offset,
                         .lead = (size_t)*offset,
                         .ends_input = true };
}

static void print_details(const Printer *p, const uint64_t *begin_offset, const uint64_t *end_offset)
{
    EventBytes   begin = event_bytes(p, begin_offset), end = event_bytes(p, end_offset);
    EventDetails details = { 0 };
    Err          err = { 0 };
    CHECK_DONE(tested_reader->details(p->trace, &begin, &end, &details, &err), err);
    if (details.args.size > 0) bytes_append_text(p->out, " args ");
    bytes_append(p->out, details.args.data, details.args.size);
    if (details.other.size > 0) bytes_append_text(p->out, " other ");
    bytes_append(p->out, details.other.data, details.other.size);
    bytes_release(&details.args);
    bytes_release(&details.other);
}

/* Prints functions from the innermost outwards, with their other properties. */
static void print_stack(const Printer *p, const char *what, StackId stack)
{
    if (stack.index == 0) return;
    bytes_printf(p->out, " %s", what);
    for (; stack.index != 0; stack = trace_stack_parent(p->trace, stack)) {
        const StackFrame *frame = trace_stack_frame(p->trace, stack);
        bytes_append_text(p->out, " ");
        print_text(p, trace_string(p->trace, frame->function));
        if (frame->file.index != 0 || frame->line != 0) {
            bytes_append_text(p->out, " at ");
            print_text(p, trace_string(p->trace, frame->file));
            bytes_printf(p->out, ":%" PRIu32 ":%" PRIu32, frame->line, frame->column);
        }
        if (frame->module.index != 0) {
            bytes_append_text(p->out, " of ");
            print_text(p, trace_string(p->trace, frame->module));
        }
        if (frame->address != 0) bytes_printf(p->out, " 0x%" PRIx64, frame->address);
        if (frame->flags & FRAME_IDLE) bytes_append_text(p->out, " idle");
    }
}

static void print_samples(const Printer *p)
{
    const Trace *trace = p->trace;
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        for (uint64_t i = track_extras(track)->first_profile;
             i < track_extras(track)->first_profile + track_extras(track)->profile_count; i++) {
            bytes_append_text(p->out, "sample ");
            print_thread(p, track);
            bytes_printf(p->out, " %" PRId64, trace->profile.tick[i]);
            if (trace->profile.weight != NULL) bytes_printf(p->out, " weight %g", trace->profile.weight[i]);
            print_stack(p, "stack", (StackId){ trace->profile.stack[i] });
            bytes_append_text(p->out, "\n");
        }
    }
}

static void print_slice(const Printer *p, const Row *row, uint64_t slice)
{
    const Trace *trace = p->trace;
    static const struct {
        uint8_t     bit;
        const char *text;
    } FLAGS[] = { { SLICE_UNFINISHED, " unfinished" },
                  { SLICE_NO_END, " no-end" },
                  { SLICE_REPAIRED, " repaired" } };
    bytes_append_text(p->out, "slice ");
    print_thread(p, &trace->tracks[row->track]);
    bytes_printf(p->out, " lane %u depth %u", row->lane, row->depth);
    print_label(p, trace_slice_label(trace, slice));
    bytes_printf(p->out, " %" PRId64 "..%" PRId64, trace_slice_begin(trace, slice),
                 trace_slice_end(trace, slice));
    for (size_t i = 0; i < sizeof FLAGS / sizeof FLAGS[0]; i++) {
        if (trace->slices.flags[slice] & FLAGS[i].bit) bytes_append_text(p->out, FLAGS[i].text);
    }
    uint64_t begin, end, cpu;
    if (trace_slice_cpu(trace, slice, &cpu)) bytes_printf(p->out, " cpu %" PRIu64, cpu);
    bool has_begin = trace_slice_source(trace, slice, &begin);
    bool has_end = trace_slice_end_source(trace, slice, &end);
    print_details(p, has_begin ? &begin : NULL, has_end ? &end : NULL);
    if (trace->tracks[row->track].kind !=
        TRACK_SAMPLES) /* those of samples are their frames and the enclosing slices */
        print_stack(p, "stack", trace_slice_stack(trace, slice));
    print_stack(p, "end stack", trace_slice_end_stack(trace, slice));
    bytes_append_text(p->out, "\n");
}

static void print_slices(const Printer *p)
{
    for (uint32_t r = 0; r < p->trace->row_count; r++) {
        const Row *row = &p->trace->rows[r];
        for (uint32_t i = 0; i < row->slice_count; i++)
            print_slice(p, row, row->first_slice + i);
    }
}

static void print_instants(const Printer *p)
{
    const InstantColumns *instants = &p->trace->instants;
    static const char    *SCOPES[] = { "thread", "process", "global" };
    for (uint64_t i = 0; i < instants->count; i++) {
        bytes_append_text(p->out, "instant ");
        print_thread(p, &p->trace->tracks[instants->thread[i]]);
        bytes_printf(p->out, " %s", SCOPES[instants->scope[i]]);
        print_label(p, instants->label[i]);
        bytes_printf(p->out, " %" PRId64, instants->tick[i]);
        uint64_t offset = instants->source[i] - 1;
        print_details(p, instants->source[i] == 0 ? NULL : &offset, NULL);
        print_stack(p, "stack", trace_instant_stack(p->trace, i));
        bytes_append_text(p->out, "\n");
    }
}

static void print_flow_end(const Printer *p, uint64_t flow, FlowSide side)
{
    FlowEnd end = trace_flow_end(p->trace, flow, side);
    bytes_append_text(p->out, " ");
    print_thread(p, &p->trace->tracks[end.track]);
    if (end.slice != FLOW_NO_SLICE) print_label(p, trace_slice_label(p->trace, end.slice));
    bytes_printf(p->out, " at %" PRId64, end.tick);
}

static void print_flows(const Printer *p)
{
    for (uint64_t i = 0; i < p->trace->flows.count; i++) {
        bytes_append_text(p->out, "flow");
        print_label(p, p->trace->flows.label[i]);
        bytes_append_text(p->out, " from");
        print_flow_end(p, i, FLOW_FROM);
        bytes_append_text(p->out, " to");
        print_flow_end(p, i, FLOW_TO);
        if (p->trace->flows.flags[i] & FLOW_BACKWARDS) bytes_append_text(p->out, " backwards");
        bytes_append_text(p->out, "\n");
    }
}

static void print_others(const Printer *p)
{
    for (uint64_t i = 0; i < p->trace->records.other_count; i++) {
        const OtherEvent *other = &p->trace->records.others[i];
        bytes_append_text(p->out, "other ");
        print_text(p, trace_string(p->trace, p->trace->records.event_kinds[other->kind].name));
        bytes_append_text(p->out, " ");
        if (other->thread != 0)
            print_thread(p, &p->trace->tracks[other->thread]);
        else
            bytes_append_text(p->out, "-");
        print_label(p, other->label);
        if (other->has_tick) bytes_printf(p->out, " %" PRId64, other->tick);
        print_details(p, &other->offset, NULL);
        bytes_append_text(p->out, "\n");
    }
}

static void print_processes(const Printer *p)
{
    const Trace *trace = p->trace;
    for (uint32_t i = 1; i <= trace->process_count; i++) {
        const Process *process = &trace->processes[i];
        if (process->name.index == 0 && process->labels.index == 0 &&
            !(process->sort_index < 0 || process->sort_index > 0))
            continue;
        bytes_append_text(p->out, "process ");
        trace_ident_append(trace, process->pid, p->out);
        bytes_append_text(p->out, " ");
        print_text(p, trace_string(trace, process->name));
        bytes_append_text(p->out, " labels ");
        print_text(p, trace_string(trace, process->labels));
        bytes_printf(p->out, " sort %.17g\n", process->sort_index);
    }
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *track = &trace->tracks[i];
        bytes_append_text(p->out, "track ");
        print_thread(p, track);
        bytes_append_text(p->out, " ");
        print_text(p, trace_string(trace, track->name));
        bytes_printf(p->out, " sort %.17g%s\n", track_extras(track)->sort_index,
                     track->has_events ? "" : " no events");
    }
}

static void print_rest(const Printer *p)
{
    const Trace *trace = p->trace;
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++) {
        bytes_append_text(p->out, "count ");
        print_text(p, trace_string(trace, trace->records.event_kinds[i].name));
        bytes_printf(p->out, " %" PRIu64 "\n", trace->records.event_kinds[i].count);
    }
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        bytes_append_text(p->out, "property ");
        print_text(p, trace_string(trace, trace->records.properties[i].key));
        bytes_printf(p->out, " %.*s\n", (int)trace->records.properties[i].size,
                     trace->records.properties[i].json);
    }
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        char text[512];
        err_format(&trace->records.warnings[i].first, text, sizeof text);
        bytes_printf(p->out, "warning %s x%" PRIu64 ": %s\n", trace->records.warnings[i].kind,
                     trace->records.warnings[i].count, text);
    }
}

/* Prints each series of each counter: tick=value, a gap as "-". */
static void print_counters(const Printer *p)
{
    const Trace *trace = p->trace;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if (row_extras(row)->sample_count == 0) continue;
        const Track *track = &trace->tracks[row->track];
        StringView   title = trace_string(trace, track->name),
                   series = trace_string(trace, trace->series[row_extras(row)->series].name);
        bytes_printf(p->out, "counter \"%.*s\" \"%.*s\" %s%g..%g:", (int)title.size, title.bytes,
                     (int)series.size, series.bytes, track_extras(track)->is_stacked ? "stacked " : "",
                     track_extras(track)->least, track_extras(track)->greatest);
        if (trace->series[row_extras(row)->series].colour != 0)
            bytes_printf(p->out, " #%06x", trace->series[row_extras(row)->series].colour >> 8);
        for (uint64_t i = row_extras(row)->first_sample;
             i < row_extras(row)->first_sample + row_extras(row)->sample_count; i++) {
            bytes_printf(p->out, " %" PRId64 "=", trace->samples.tick[i]);
            if (isnan(trace->samples.value[i])) {
                bytes_append_text(p->out, "-");
            } else {
                bytes_printf(p->out, "%g", trace->samples.value[i]);
            }
        }
        bytes_append_text(p->out, "\n");
    }
}

/* Prints each life with the times of its snapshots. */
static void print_objects(const Printer *p)
{
    const ObjectColumns *objects = &p->trace->objects;
    for (uint32_t i = 0; i < objects->life_count; i++) {
        const ObjectLife *life = &objects->lives[i];
        const Object     *object = &objects->objects[life->object];
        bytes_append_text(p->out, "object ");
        if (object->process != 0)
            trace_ident_append(p->trace, p->trace->processes[object->process].pid, p->out);
        else
            bytes_append_text(p->out, "all");
        bytes_append_text(p->out, " ");
        print_text(p, trace_string(p->trace, object->scope));
        bytes_append_text(p->out, " ");
        print_text(p, trace_string(p->trace, object->id));
        bytes_printf(p->out, " %" PRId64 "..%" PRId64, trace_slice_begin(p->trace, life->slice),
                     trace_slice_end(p->trace, life->slice));
        if (life->is_created) bytes_append_text(p->out, " created");
        if (life->base_type.index != 0) bytes_append_text(p->out, " base ");
        if (life->base_type.index != 0) print_text(p, trace_string(p->trace, life->base_type));
        for (uint64_t s = life->first_snapshot; s < life->first_snapshot + life->snapshot_count; s++)
            bytes_printf(p->out, " @%" PRId64, p->trace->instants.tick[objects->snapshots[s]]);
        bytes_append_text(p->out, "\n");
    }
}

static void print_contexts(const Printer *p)
{
    for (uint32_t i = 0; i < p->trace->records.context_count; i++) {
        const Context *context = &p->trace->records.contexts[i];
        bytes_append_text(p->out, "context ");
        print_thread(p, &p->trace->tracks[context->thread]);
        print_label(p, context->label);
        bytes_append_text(p->out, " ");
        print_text(p, trace_string(p->trace, context->id));
        bytes_printf(p->out, " %" PRId64 "..", context->begin_tick);
        if (context->end_tick != INT64_MAX) bytes_printf(p->out, "%" PRId64, context->end_tick);
        bytes_append_text(p->out, "\n");
    }
    for (uint32_t i = 0; i < p->trace->records.clock_sync_count; i++) {
        const ClockSync *sync = &p->trace->records.clock_syncs[i];
        bytes_printf(p->out, "clock-sync %" PRId64 " ", sync->tick);
        print_text(p, trace_string(p->trace, sync->id));
        bytes_append_text(p->out, " asked for at ");
        print_text(p, trace_string(p->trace, sync->issue_time));
        bytes_append_text(p->out, "\n");
    }
}

void trace_event_print(const Trace *trace, const void *bytes, size_t size, Bytes *out)
{
    Printer p = { trace, (const uint8_t *)bytes, size, out };
    bytes_printf(out, "%s %s", trace->source.format_version,
                 trace->source.complete ? "complete" : "incomplete");
    if (trace->has_time) bytes_printf(out, " %" PRId64 "..%" PRId64, trace->begin_tick, trace->end_tick);
    if (trace->clock.kind != CLOCK_NS || trace->clock.origin_ns != 0) {
        bytes_printf(out, " clock %" PRIu64 "/%" PRIu64 " ns from %" PRId64, trace->clock.ns_num,
                     trace->clock.ns_den, trace->clock.origin_ns);
    }
    if (trace->clock.has_epoch) bytes_printf(out, " epoch %" PRId64, trace->clock.epoch_unix_ns);
    bytes_printf(out, " threads %u\n", trace->counts.threads);
    print_processes(&p);
    print_slices(&p);
    print_instants(&p);
    print_samples(&p);
    print_counters(&p);
    print_flows(&p);
    print_objects(&p);
    print_contexts(&p);
    print_others(&p);
    print_rest(&p);
}

void trace_event_print_input(const void *bytes, size_t size, Cuts cuts, Bytes *out)
{
    Err    err = { 0 };
    Trace *trace = trace_event_load(bytes, size, cuts, &err);
    if (trace == NULL) {
        char text[512];
        err_format(&err, text, sizeof text);
        bytes_printf(out, "error %s: %s\n", err_code_name(err.code), text);
        return;
    }
    Err broken = { 0 };
    CHECK_DONE(trace_check(trace, &broken), broken);
    trace_event_print(trace, bytes, size, out);
    trace_release(trace);
}

/* -- facts -- */

static bool view_is(StringView view, const char *text)
{
    return string_equal(view, (StringView){ text, strlen(text) });
}

uint64_t trace_event_count_named(const Trace *trace, const char *name)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < trace->slices.count; i++)
        count += view_is(trace_label_name(trace, trace_slice_label(trace, i)), name);
    return count;
}
