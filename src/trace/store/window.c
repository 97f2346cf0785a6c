#include "trace/store/window.h"

#include "base/compare.h"
#include "base/vec.h"
#include "trace/store/flows.h"

#include <stdlib.h>
#include <string.h>

/* ---- tracks ---- */

bool trace_window_choose(Trace *trace, const uint32_t *tracks, uint32_t count, Arena *arena)
{
    uint8_t *chosen = ARENA_ARRAY(arena, uint8_t, (size_t)trace->track_count + 1);
    if (chosen == NULL) return false;
    for (uint32_t i = 0; i < count; i++)
        chosen[tracks[i]] = 1;
    for (uint32_t track = 1; track <= trace->track_count; track++) {
        const uint32_t thread = track_thread(trace, track);
        if (thread != 0 && chosen[thread]) chosen[track] = 1;
    }
    for (uint32_t track = 1; trace->window.tracks != NULL && track <= trace->track_count; track++)
        chosen[track] &= trace->window.tracks[track];
    trace->window.tracks = chosen;
    return true;
}

/* ---- single events ---- */

void trace_window_range(const Trace *trace, int64_t *begin_tick, int64_t *end_tick)
{
    *begin_tick = trace->window.is_set ? trace->window.begin : INT64_MIN;
    *end_tick = trace->window.is_set && !trace->window.is_open ? trace->window.end : INT64_MAX;
}

/* Returns the range with both ends included; without a window all of time. */
static TickRange range_of(const Trace *trace)
{
    const bool is_set = trace->window.is_set;
    return (TickRange){ is_set ? trace->window.begin : INT64_MIN, is_set ? trace->window.end : INT64_MAX,
                        RANGE_CLOSED };
}

bool trace_window_has(const Trace *trace, int64_t tick)
{
    return trace_window_meets(trace, tick, tick);
}

bool trace_window_meets(const Trace *trace, int64_t begin, int64_t end)
{
    return !trace->window.is_set || (begin <= trace->window.end && end >= trace->window.begin);
}

bool trace_window_has_flow(const Trace *trace, uint64_t flow)
{
    if (!trace->window.is_set && trace->window.tracks == NULL) return true;
    const TickRange range = range_of(trace);
    const FlowEnd ends[2] = { trace_flow_end(trace, flow, FLOW_FROM), trace_flow_end(trace, flow, FLOW_TO) };
    return trace_window_has_track(trace, ends[0].track) && trace_window_has_track(trace, ends[1].track) &&
           range_has_flow(trace, &range, ends);
}

/* ---- ranges of columns ---- */

RowWindow row_whole(const Row *row)
{
    return (RowWindow){ .first_slice = row->first_slice,
                        .slice_end = row->first_slice + row->slice_count,
                        .first_instant = row_extras(row)->first_instant,
                        .instant_end = row_extras(row)->first_instant + row_extras(row)->instant_count,
                        .first_sample = row_extras(row)->first_sample,
                        .sample_end = row_extras(row)->first_sample + row_extras(row)->sample_count };
}

RowWindow row_window(const Trace *trace, const Row *row)
{
    RowWindow window = row_whole(row);
    if (!trace_window_has_track(trace, row->track)) {
        window.slice_end = window.first_slice;
        window.instant_end = window.first_instant;
        window.sample_end = window.first_sample;
    }
    if (!trace->window.is_set || !trace_window_has_track(trace, row->track)) return window;
    const TickRange range = range_of(trace);
    const ItemRange slices = range_slices(trace, &range, row), instants = range_instants(trace, &range, row),
                    values = range_values(trace, &range, row);
    return (RowWindow){ slices.first, slices.end, instants.first, instants.end, values.first, values.end };
}

ItemRange profile_window(const Trace *trace, const Track *track)
{
    const TickRange    range = range_of(trace);
    const TrackExtras *extras = track_extras(track);
    if (!trace_window_has_track(trace, (uint32_t)(track - trace->tracks)))
        return (ItemRange){ extras->first_profile, extras->first_profile };
    return range_samples(trace, &range, track);
}

/* ---- counts ---- */

static WindowCounts count_all(const Trace *trace)
{
    return (WindowCounts){ .slices = trace_thread_slice_count(trace),
                           .unfinished = trace->counts.unfinished,
                           .async_slices = trace->counts.async_slices,
                           .async_instants = trace->counts.async_instants,
                           .states = trace->counts.states,
                           .sample_slices = trace->counts.sample_slices,
                           .instants = trace_plain_instant_count(trace),
                           .flows = trace->flows.count,
                           .counters = trace->counts.counters,
                           .counter_samples = trace_sample_count(trace),
                           .objects = trace->objects.life_count,
                           .snapshots = trace->objects.snapshot_count,
                           .samples = trace_stack_sample_count(trace),
                           .dumps = trace->records.dump_count,
                           .stacks = trace->slices.stack.count - trace->counts.sample_slices +
                                     trace->slices.end_stack.count + trace->instants.stack.count,
                           .max_depth = trace->counts.max_depth };
}

static void count_thread_row(const Trace *trace, const Row *row, const RowWindow *window,
                             WindowCounts *counts)
{
    counts->slices += window->slice_end - window->first_slice;
    if (window->slice_end > window->first_slice && row->depth >= counts->max_depth)
        counts->max_depth = row->depth + 1;
    for (uint64_t i = window->first_slice; i < window->slice_end; i++)
        counts->unfinished += (trace->slices.flags[i] & SLICE_UNFINISHED) != 0;
}

static void count_async_row(const Trace *trace, const RowWindow *window, WindowCounts *counts)
{
    for (uint64_t i = window->first_slice; i < window->slice_end; i++)
        counts->async_slices += trace_repeats_slice(trace, i) ? 0 : 1;
    for (uint64_t i = window->first_instant; i < window->instant_end; i++)
        counts->async_instants += trace_repeats_instant(trace, i) ? 0 : 1;
}

static uint64_t count_stacks(const Trace *trace, const RowWindow *window)
{
    uint64_t count = 0;
    if (trace->slices.stack.count + trace->slices.end_stack.count > 0) {
        for (uint64_t i = window->first_slice; i < window->slice_end; i++) {
            count += trace_slice_stack(trace, i).index != 0;
            count += trace_slice_end_stack(trace, i).index != 0;
        }
    }
    if (trace->instants.stack.count > 0) {
        for (uint64_t i = window->first_instant; i < window->instant_end; i++)
            count += trace_instant_stack(trace, i).index != 0;
    }
    return count;
}

static void count_row(const Trace *trace, const Row *row, WindowCounts *counts)
{
    const Track *track = &trace->tracks[row->track];
    RowWindow    window = row_window(trace, row);
    uint64_t     slices = window.slice_end - window.first_slice;
    uint64_t     instants = window.instant_end - window.first_instant;
    switch (track->kind) {
    case TRACK_THREAD:
        count_thread_row(trace, row, &window, counts);
        break;
    case TRACK_ASYNC:
        count_async_row(trace, &window, counts);
        break;
    case TRACK_STATES:
        counts->states += slices;
        break;
    case TRACK_SAMPLES:
        counts->sample_slices += slices;
        break;
    case TRACK_OBJECTS:
        counts->objects += slices;
        counts->snapshots += instants;
        break;
    case TRACK_DUMPS:
        counts->dumps += instants;
        break;
    case TRACK_COUNTER:
        counts->counter_samples += window.sample_end - window.first_sample;
        break;
    case TRACK_PROCESS_INSTANTS:
    case TRACK_GLOBAL_INSTANTS:
        break;
    }
    if (track->kind != TRACK_ASYNC && !track->is_derived) counts->instants += instants;
    if (track->kind != TRACK_SAMPLES) counts->stacks += count_stacks(trace, &window);
}

static bool has_sample(const Trace *trace, const Track *track)
{
    for (uint32_t i = 0; i < track_row_count(track); i++) {
        RowWindow window = row_window(trace, &trace->rows[track->first_row + i]);
        if (window.sample_end > window.first_sample) return true;
    }
    return false;
}

WindowCounts trace_window_counts(const Trace *trace)
{
    WindowCounts counts = { 0 };
    if (!trace->window.is_set && trace->window.tracks == NULL && !trace_has_repeats(trace))
        return count_all(trace);
    for (uint32_t i = 0; i < trace->row_count; i++)
        count_row(trace, &trace->rows[i], &counts);
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *track = &trace->tracks[i];
        if (track->kind == TRACK_COUNTER) counts.counters += has_sample(trace, track);
        if (track->kind != TRACK_SAMPLES) continue;
        ItemRange samples = profile_window(trace, track);
        counts.samples += samples.end - samples.first;
    }
    for (uint64_t i = 0; i < trace->flows.count; i++)
        counts.flows += trace_window_has_flow(trace, i);
    return counts;
}

/* ---- events that begin before the range ---- */

static int compare_idents(Ident a, StringView a_text, Ident b, StringView b_text)
{
    if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
    if (a.kind == IDENT_TEXT) return string_compare(a_text, b_text);
    return (a.bits > b.bits) - (a.bits < b.bits);
}

static int compare_events(const void *left, const void *right)
{
    const WindowEvent *a = (const WindowEvent *)left, *b = (const WindowEvent *)right;
    if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
    int order = compare_idents(a->pid, a->pid_text, b->pid, b->pid_text);
    if (order == 0) order = compare_idents(a->tid, a->tid_text, b->tid, b->tid_text);
    return order != 0 ? order : string_compare(a->name, b->name);
}

static StringView text_of_ident(const Trace *trace, Ident ident)
{
    if (ident.kind != IDENT_TEXT) return (StringView){ "", 0 };
    return trace_string(trace, (StringId){ (uint32_t)ident.bits });
}

/* `thread` is a track; TRACK_NONE: the event has no thread. */
static WindowEvent event_of(const Trace *trace, int64_t tick, uint32_t thread, StringView name)
{
    WindowEvent event = { .tick = tick, .name = name };
    if (thread == TRACK_NONE.index) return event;
    event.pid = trace->processes[trace->tracks[thread].process.index].pid;
    event.tid = track_tid(&trace->tracks[thread]);
    event.pid_text = text_of_ident(trace, event.pid);
    event.tid_text = text_of_ident(trace, event.tid);
    return event;
}

typedef struct Collect {
    const Trace *trace;
    VEC(WindowEvent) events;
} Collect;

/* Adds an event of one thread, if it is before the range. */
static void add(Collect *c, int64_t tick, uint32_t thread, StringView name)
{
    WindowEvent event = event_of(c->trace, tick, thread, name);
    if (tick < c->trace->window.begin) vec_push(&c->events, event);
}

/* Adds an event that can be from any thread of the track's process. */
static void add_for_process(Collect *c, int64_t tick, uint32_t track, StringView name)
{
    WindowEvent event = event_of(c->trace, tick, track, name);
    event.tid = (Ident){ .kind = IDENT_NONE };
    if (tick < c->trace->window.begin) vec_push(&c->events, event);
}

static void add_slices(Collect *c, const Row *row, const RowWindow *window)
{
    const Trace *trace = c->trace;
    for (uint64_t i = window->first_slice; i < window->slice_end; i++) {
        int64_t tick = trace_slice_begin(trace, i);
        if (tick >= trace->window.begin) return;
        if (trace->tracks[row->track].kind == TRACK_OBJECTS) {
            add_for_process(c, tick, row->track, trace_string(trace, trace->tracks[row->track].name));
        } else {
            add(c, tick, trace_slice_thread(trace, i), trace_label_name(trace, trace_slice_label(trace, i)));
        }
    }
}

/* Returns the size of the name in the title of a counter, which is "name" or "name [id]". */
static size_t counter_name_size(StringView title)
{
    for (size_t i = 0; i + 1 < title.size; i++) {
        if (title.bytes[i] == ' ' && title.bytes[i + 1] == '[') return i;
    }
    return title.size;
}

/* Adds the value that is valid at the begin of the range. A counter's title is its name, or "name [id]". */
static void add_value(Collect *c, const Row *row, const RowWindow *window)
{
    const Trace *trace = c->trace;
    StringView   title = trace_string(trace, trace->tracks[row->track].name);
    if (window->sample_end == window->first_sample) return;
    add_for_process(c, trace->samples.tick[window->first_sample], row->track, title);
    StringView name = { title.bytes, counter_name_size(title) };
    if (name.size < title.size)
        add_for_process(c, trace->samples.tick[window->first_sample], row->track, name);
}

static void add_contexts(Collect *c)
{
    const Trace *trace = c->trace;
    for (uint32_t i = 0; i < trace->records.context_count; i++) {
        const Context *context = &trace->records.contexts[i];
        if (trace_window_meets(trace, context->begin_tick, context->end_tick))
            add(c, context->begin_tick, context->thread, trace_label_name(trace, context->label));
    }
}

static void add_flows(Collect *c)
{
    const Trace *trace = c->trace;
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        if (!trace_window_has_flow(trace, i)) continue;
        StringView name = trace_label_name(trace, trace->flows.label[i]);
        for (FlowSide side = FLOW_FROM; side <= FLOW_TO; side++) {
            FlowEnd  end = trace_flow_end(trace, i, side);
            uint32_t thread = end.slice == FLOW_NO_SLICE ? end.track : trace_slice_thread(trace, end.slice);
            add(c, end.tick, thread, name);
        }
    }
}

/* Copies the collected events to the arena, sorted. */
static bool take_events(Collect *c, Arena *arena, WindowBegins *begins)
{
    begins->count = vec_count(&c->events);
    begins->events = ARENA_ARRAY(arena, WindowEvent, begins->count + 1);
    const bool done = begins->events != NULL && !c->events.bytes.failed;
    if (done && begins->count > 0) {
        memcpy(begins->events, c->events.items, c->events.bytes.size);
        qsort(begins->events, begins->count, sizeof(WindowEvent), compare_events);
    }
    vec_release(&c->events);
    return done;
}

static int compare_titles(const void *left, const void *right)
{
    const WindowTitle *a = (const WindowTitle *)left, *b = (const WindowTitle *)right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return string_compare(a->name, b->name);
}

/* The memory dumps of a process have no name among the titles. */
static const StringView OF_DUMPS = { "", 0 };

/* Collects the names of counters, with and without their ids, and of types of objects; and the tracks of memory dumps. */
static bool collect_titles(const Trace *trace, Arena *arena, WindowBegins *begins)
{
    size_t count = 0;
    begins->titles = ARENA_ARRAY(arena, WindowTitle, 2 * (size_t)trace->track_count + 1);
    if (begins->titles == NULL) return false;
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *track = &trace->tracks[i];
        if (track->kind != TRACK_COUNTER && track->kind != TRACK_OBJECTS && track->kind != TRACK_DUMPS)
            continue;
        const StringView name = track->kind == TRACK_DUMPS ? OF_DUMPS : trace_string(trace, track->name);
        WindowTitle      title = { track->process.index, name, trace_window_has_track(trace, i) };
        begins->titles[count++] = title;
        if (track->kind != TRACK_COUNTER) continue;
        const size_t size = counter_name_size(title.name);
        if (size == title.name.size) continue;
        title.name.size = size;
        begins->titles[count++] = title;
    }
    if (count > 0) qsort(begins->titles, count, sizeof *begins->titles, compare_titles);
    for (size_t i = 0; i < count; i++) {
        WindowTitle *last = begins->title_count == 0 ? NULL : &begins->titles[begins->title_count - 1];
        if (last != NULL && compare_titles(last, &begins->titles[i]) == 0)
            last->is_chosen |= begins->titles[i].is_chosen;
        else
            begins->titles[begins->title_count++] = begins->titles[i];
    }
    return true;
}

bool window_threads_collect(const Trace *trace, Arena *arena, WindowBegins *threads)
{
    Collect c = { .trace = trace };
    *threads = (WindowBegins){ .count = 0 };
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        if (trace->tracks[i].kind != TRACK_THREAD || !trace_window_has_track(trace, i)) continue;
        const WindowEvent thread = event_of(trace, 0, i, STRING_LITERAL(""));
        vec_push(&c.events, thread);
    }
    return take_events(&c, arena, threads);
}

bool window_begins_collect(const Trace *trace, Arena *arena, WindowBegins *begins)
{
    Collect c = { .trace = trace };
    *begins = (WindowBegins){ .count = 0 };
    if (trace->window.tracks != NULL && !collect_titles(trace, arena, begins)) return false;
    if (!trace->window.is_set) return true;
    for (uint32_t i = 0; i < trace->row_count; i++) {
        const Row *row = &trace->rows[i];
        RowWindow  window = row_window(trace, row);
        add_slices(&c, row, &window);
        add_value(&c, row, &window);
    }
    add_contexts(&c);
    add_flows(&c);
    return take_events(&c, arena, begins);
}

static bool holds(const WindowBegins *begins, const WindowEvent *event)
{
    return begins->count > 0 &&
           bsearch(event, begins->events, begins->count, sizeof *event, compare_events) != NULL;
}

bool window_begins_have(const WindowBegins *begins, const WindowEvent *event)
{
    WindowEvent of_process = *event;
    of_process.tid = (Ident){ .kind = IDENT_NONE };
    return holds(begins, event) || holds(begins, &of_process);
}

static const WindowTitle *find_title(const Trace *trace, const WindowBegins *begins, const OtherEvent *other,
                                     StringView name)
{
    const uint32_t    thread = trace_other_thread(trace, other);
    const WindowTitle key = { trace->tracks[thread].process.index, name, false };
    if (begins->title_count == 0) return NULL;
    return bsearch(&key, begins->titles, begins->title_count, sizeof key, compare_titles);
}

bool window_has_counter(const Trace *trace, const WindowBegins *begins, const OtherEvent *other,
                        StringView title)
{
    const WindowTitle *found = trace->window.tracks == NULL ? NULL : find_title(trace, begins, other, title);
    return found == NULL || found->is_chosen;
}

static bool is_dump(const Trace *trace, const OtherEvent *other)
{
    const DumpPart key = { .offset = other->offset };
    return trace->records.dump_count > 0 &&
           bsearch(&key, trace->records.dump_parts, trace->records.dump_count, sizeof key,
                   compare_first_u64) != NULL;
}

/* True if a raw event is on a chosen track. */
static bool is_on_track(const Trace *trace, const WindowBegins *begins, const OtherEvent *other)
{
    if (trace->window.tracks == NULL) return true;
    const StringView   name = is_dump(trace, other) ? OF_DUMPS : trace_label_name(trace, other->label);
    const WindowTitle *title = find_title(trace, begins, other, name);
    if (title != NULL) return title->is_chosen;
    const uint32_t thread = trace_other_thread(trace, other);
    return thread == TRACK_NONE.index || trace_window_has_track(trace, thread);
}

bool window_has_other(const Trace *trace, const WindowBegins *begins, const OtherEvent *other)
{
    if (other->is_metadata || other->is_part) return true;
    if (!is_on_track(trace, begins, other)) return false;
    if (!other->has_tick || trace_window_has(trace, other->tick)) return true;
    if (other->tick > trace->window.end) return false;
    WindowEvent event =
        event_of(trace, other->tick, trace_other_thread(trace, other), trace_label_name(trace, other->label));
    return window_begins_have(begins, &event);
}
