#include "trace_support.h"

#include "support/test.h"
#include "trace/store/flows.h"
#include "trace/store/lod.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ---- */

EventFeed feed_create(MatchRule match, UnfinishedRule unfinished)
{
    EventFeed feed = { .builder = builder_create("test", 0) };
    CHECK(feed.builder != NULL);
    builder_set_rules(feed.builder, match, unfinished);
    return feed;
}

void feed_set_thread(EventFeed *feed, int64_t pid, int64_t tid)
{
    ProcessId process = builder_process(feed->builder, ident_int(pid));
    feed->thread = builder_thread(feed->builder, process, ident_int(tid));
}

LabelId feed_label(EventFeed *feed, const char *name, size_t size)
{
    const char *slash = size == 0 ? NULL : (const char *)memchr(name, '/', size);
    size_t      name_size = slash == NULL ? size : (size_t)(slash - name);
    StringId    category = STRING_NONE, id = STRING_NONE;
    if (size == 0) return LABEL_NONE;
    if (name_size > 0) id = builder_string(feed->builder, name, name_size);
    if (slash != NULL) category = builder_string(feed->builder, slash + 1, size - name_size - 1);
    return builder_label(feed->builder, id, category);
}

EventPos feed_next_pos(EventFeed *feed)
{
    EventPos pos = { .offset = 100 * feed->event, .event = feed->event };
    feed->event++;
    return pos;
}

static void add_event(EventFeed *feed, const char *word, size_t size)
{
    char         *after = NULL;
    const char   *end_of_word = word + size;
    TraceBuilder *b = feed->builder;
    int64_t       tick = strtoll(word + 1, &after, 10), end_tick = tick;
    unsigned      flags = feed->flags;
    if (strncmp(after, "..?", 3) == 0) {
        flags |= EVENT_NO_END;
        after += 3;
    } else if (strncmp(after, "..", 2) == 0) {
        end_tick = strtoll(after + 2, &after, 10);
    }
    const char *name = *after == ':' ? after + 1 : end_of_word;
    LabelId     label = feed_label(feed, name, (size_t)(end_of_word - name));
    EventPos    pos = feed_next_pos(feed);
    TrackId     on = feed->thread;
    switch (word[0]) {
    case 'B':
        builder_begin(b, on, tick, label, pos, flags);
        return;
    case 'E':
        builder_end(b, on, tick, label, pos, flags);
        return;
    case 'X':
        builder_complete(b, on, tick, end_tick, label, pos, flags);
        return;
    case 'i':
        builder_instant(b, on, tick, label, INSTANT_THREAD, pos, flags);
        return;
    case 'p':
        builder_instant(b, on, tick, label, INSTANT_PROCESS, pos, flags);
        return;
    case 'g':
        builder_instant(b, on, tick, label, INSTANT_GLOBAL, pos, flags);
        return;
    default:
        fail_msg("events with the unknown word %s", word);
    }
}

static void add_word(EventFeed *feed, const char *word, size_t size)
{
    if (word[0] == '@') {
        char   *after;
        int64_t pid = strtoll(word + 1, &after, 10);
        feed_set_thread(feed, pid, strtoll(after + 1, NULL, 10));
    } else if (word[0] == '+') {
        feed->flags |= word[1] == 'd' ? EVENT_DETAILS : EVENT_REPAIRED;
    } else if (word[0] == '-') {
        feed->flags = 0;
    } else {
        add_event(feed, word, size);
    }
}

void feed_events(EventFeed *feed, const char *events)
{
    if (feed->thread.index == 0) feed_set_thread(feed, 1, 2);
    for (;;) {
        events += strspn(events, " ");
        size_t size = strcspn(events, " ");
        if (size == 0) return;
        add_word(feed, events, size);
        events += size;
    }
}

Trace *feed_finish(EventFeed *feed, unsigned threads)
{
    Err    err = { 0 };
    Trace *trace = builder_finish(feed->builder, threads, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    builder_destroy(feed->builder);
    feed->builder = NULL;
    CHECK_DONE(trace_check(trace, &err), err);
    return trace;
}

Trace *trace_of_events(const char *events)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, events);
    return feed_finish(&feed, 1);
}

/* ---- showing ---- */

static void label_append(const Trace *trace, uint32_t label, Bytes *out)
{
    StringView name = trace_label_name(trace, label), category = trace_label_category(trace, label);
    bytes_append(out, name.bytes, name.size);
    if (category.size > 0) bytes_printf(out, "/%s", category.bytes);
}

static void slice_append(const Trace *trace, uint64_t slice, Bytes *out)
{
    static const char FLAG_LETTERS[] = "unrsel";
    uint8_t           flags = trace->slices.flags[slice];
    label_append(trace, trace_slice_label(trace, slice), out);
    bytes_printf(out, " %" PRId64 "..%" PRId64, trace_slice_begin(trace, slice),
                 trace_slice_end(trace, slice));
    if (flags != 0) bytes_append_text(out, " ");
    for (unsigned bit = 0; bit < sizeof FLAG_LETTERS - 1; bit++) {
        if (flags >> bit & 1) bytes_append(out, &FLAG_LETTERS[bit], 1);
    }
}

static void row_append(const Trace *trace, const Row *row, Bytes *out)
{
    uint64_t slice = row->first_slice, slices_end = slice + row->slice_count;
    uint64_t instant = row_extras(row)->first_instant,
             instants_end = instant + row_extras(row)->instant_count;
    bytes_printf(out, "%" PRIu32 ".%" PRIu32 ":", row->lane, row->depth);
    const char *between = " ";
    while (slice < slices_end || instant < instants_end) {
        bytes_append_text(out, between);
        between = ", ";
        if (instant == instants_end ||
            (slice < slices_end && trace_slice_begin(trace, slice) <= trace->instants.tick[instant])) {
            slice_append(trace, slice++, out);
        } else {
            label_append(trace, trace->instants.label[instant], out);
            bytes_printf(out, "@%" PRId64, trace->instants.tick[instant++]);
        }
    }
}

void rows_append(const Trace *trace, uint32_t track, Bytes *out)
{
    const Track *t = &trace->tracks[track];
    for (uint32_t r = t->first_row; r < t->first_row + track_row_count(t); r++) {
        if (r > t->first_row) bytes_append_text(out, "; ");
        row_append(trace, &trace->rows[r], out);
    }
}

void warnings_append(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *w = &trace->records.warnings[i];
        bytes_printf(out, "%s%s %" PRIu64, i == 0 ? "" : ", ", w->kind, w->count);
        if (w->first.offset != ERR_NOWHERE) bytes_printf(out, " @%" PRIu64, w->first.offset);
        if (w->first.event != ERR_NOWHERE) bytes_printf(out, "#%" PRIu64, w->first.event);
    }
}

void test_check_text(Bytes *text, const char *expected, const char *file, int line)
{
    bytes_append(text, "", 1);
    CHECK(!text->failed);
    bool same = strcmp((const char *)text->data, expected) == 0;
    if (!same)
        print_error("%s:%d: actual:   %s\nexpected: %s\n", file, line, (const char *)text->data, expected);
    bytes_release(text);
    if (!same) fail();
}

static void tracks_append(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 1; i <= trace->process_count; i++) {
        const Process *p = &trace->processes[i];
        bytes_printf(out, "process %" PRIu32 " ", i);
        trace_process_title(trace, i, out);
        bytes_printf(out, " labels %" PRIu32 " sort %.17g tracks %" PRIu32 "+%" PRIu32 " events %d\n",
                     p->labels.index, p->sort_index, p->first_track, p->track_count, p->has_events);
    }
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *t = &trace->tracks[i];
        bytes_printf(out, "track %" PRIu32 " kind %d process %" PRIu32 " ", i, (int)t->kind,
                     t->process.index);
        trace_track_title(trace, i, out);
        bytes_printf(out, " sort %.17g rows %" PRIu32 "+%" PRIu32 " lanes %" PRIu32,
                     track_extras(t)->sort_index, t->first_row, track_row_count(t),
                     track_lane_count(trace, t));
        bytes_printf(out, " slices %" PRIu64 "+%" PRIu64 " instants %" PRIu64 "+%" PRIu64 " events %d\n",
                     track_first_slice(trace, t), track_slice_count(trace, t), track_first_instant(trace, t),
                     track_instant_count(trace, t), t->has_events);
        rows_append(trace, i, out);
        bytes_append_text(out, "\n");
    }
}

static void sources_append(const Trace *trace, Bytes *out)
{
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        uint64_t begin, end;
        bytes_printf(out, "%" PRIu64, i);
        if (trace_slice_source(trace, i, &begin)) bytes_printf(out, " begin @%" PRIu64, begin);
        if (trace_slice_end_source(trace, i, &end)) bytes_printf(out, " end @%" PRIu64, end);
        bytes_append_text(out, "\n");
    }
    for (uint64_t i = 0; i < trace->instants.count; i++) {
        bytes_printf(out, "instant %" PRIu64 " of %" PRIu32 " scope %d @%" PRIu64 "\n", i,
                     trace->instants.thread[i], trace->instants.scope[i], trace->instants.source[i]);
    }
}

static void summaries_append(const Trace *trace, Bytes *out)
{
    for (uint32_t r = 0; r < trace->row_count; r++) {
        LodSummary s = lod_summarise(trace, &trace->rows[r], 0, trace->rows[r].slice_count, NULL);
        bytes_printf(out, "row %" PRIu32 " covered %" PRIu64 " longest %" PRIu32 " flags %" PRIu32, r,
                     s.covered, s.longest, s.flags);
        for (int i = 0; i < LOD_CANDIDATES; i++)
            bytes_printf(out, " %" PRIu32 "*%" PRIu64, s.label[i], s.weight[i]);
        bytes_append_text(out, "\n");
    }
}

static void stack_append(const Trace *trace, const char *what, uint64_t index, StackId stack, Bytes *out)
{
    if (stack.index == 0) return;
    bytes_printf(out, "%s %" PRIu64 ":", what, index);
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack)) {
        const StackFrame *f = trace_stack_frame(trace, stack);
        bytes_printf(out, " %s (%s %s %" PRIu32 ":%" PRIu32 " %" PRIx64 " %" PRIu32 ")",
                     trace_string(trace, f->function).bytes, trace_string(trace, f->file).bytes,
                     trace_string(trace, f->module).bytes, f->line, f->column, f->address, f->flags);
    }
    bytes_append_text(out, "\n");
}

static void stacks_append(const Trace *trace, Bytes *out)
{
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        stack_append(trace, "stack of slice", i, trace_slice_stack(trace, i), out);
        stack_append(trace, "end stack of slice", i, trace_slice_end_stack(trace, i), out);
    }
    for (uint64_t i = 0; i < trace->instants.count; i++)
        stack_append(trace, "stack of instant", i, trace_instant_stack(trace, i), out);
}

static void flow_end_append(const Trace *trace, uint64_t flow, FlowSide side, Bytes *out)
{
    FlowEnd end = trace_flow_end(trace, flow, side);
    if (end.slice == FLOW_NO_SLICE) {
        bytes_printf(out, "#%" PRIu32, end.track);
    } else {
        label_append(trace, trace_slice_label(trace, end.slice), out);
    }
    bytes_printf(out, "@%" PRId64, end.tick);
}

void flows_append(const Trace *trace, Bytes *out)
{
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        bytes_append_text(out, i == 0 ? "" : ", ");
        flow_end_append(trace, i, FLOW_FROM, out);
        bytes_append_text(out, " > ");
        flow_end_append(trace, i, FLOW_TO, out);
        if (trace->flows.label[i] != 0) bytes_append_text(out, " ");
        label_append(trace, trace->flows.label[i], out);
        if (trace->flows.flags[i] & FLOW_BACKWARDS) bytes_append_text(out, " backwards");
    }
}

void trace_append(const Trace *trace, Bytes *out)
{
    bytes_printf(out, "%s %s complete %d time %d %" PRId64 "..%" PRId64 " unfinished %" PRIu64,
                 trace->source.format_name, trace->source.format_version, trace->source.complete,
                 trace->has_time, trace->begin_tick, trace->end_tick, trace->counts.unfinished);
    bytes_printf(out, " threads %" PRIu32 " processes %" PRIu32 " depth %" PRIu32 "\n", trace->counts.threads,
                 trace->counts.active_processes, trace->counts.max_depth);
    tracks_append(trace, out);
    sources_append(trace, out);
    summaries_append(trace, out);
    stacks_append(trace, out);
    flows_append(trace, out);
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *o = &trace->records.others[i];
        bytes_printf(out, "other %" PRId64 " @%" PRIu64 " of %" PRIu32 " label %" PRIu32 " kind %d %d%d\n",
                     o->tick, o->offset, o->thread, o->label, o->kind, o->has_tick, o->is_metadata);
    }
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++) {
        bytes_printf(out, "kind %s %" PRIu64 "\n",
                     trace_string(trace, trace->records.event_kinds[i].name).bytes,
                     trace->records.event_kinds[i].count);
    }
    warnings_append(trace, out);
    bytes_append_text(out, "\n");
}
