#include "export/report.h"

#include "base/digits.h"
#include "base/json_members.h"
#include "base/utf8.h"
#include "trace/store/wall_time.h"
#include "trace/store/window.h"

#include <string.h>

/* Longer lists are cut; `info --json` and the viewer have the whole lists. */
enum { MAX_LISTED = 40 };

typedef struct Report {
    const Loaded *loaded;
    const Trace  *trace;
    ReportStyle   style;
    Bytes        *out;
} Report;

static void heading(const Report *r, const char *text)
{
    bytes_append_text(r->out, r->style == REPORT_COLORED ? "\033[1m" : "");
    bytes_append_text(r->out, text);
    bytes_append_text(r->out, r->style == REPORT_COLORED ? "\033[0m\n" : "\n");
}

static void append_span(Bytes *out, const Clock *clock, uint64_t ticks)
{
    char text[CLOCK_SPAN_TEXT];
    bytes_append(out, text, clock_format_span(clock, ticks, text));
}

/* Appends a count, its digits grouped, between two texts. */
static void append_counted(Bytes *out, const char *before, uint64_t count, const char *after)
{
    char text[DIGITS_TEXT];
    (void)digits_put_whole(count, text);
    bytes_printf(out, "%s%s%s", before, text, after);
}

static void append_tick(Bytes *out, const Clock *clock, int64_t tick)
{
    char text[CLOCK_TICK_TEXT];
    bytes_append(out, text, clock_format_tick(clock, tick, text));
}

static void report_file(const Report *r)
{
    const Trace *t = r->trace;
    bytes_printf(r->out, "file      %s", r->loaded->name);
    append_counted(r->out, ", ", r->loaded->bytes, " bytes");
    if (r->loaded->codec != CODEC_NONE) bytes_printf(r->out, ", %s", codec_name(r->loaded->codec));
    const LoadedFrom *from = &r->loaded->from;
    if (from->name != NULL) /* a file that was cut short has no directory with the name */
        bytes_printf(r->out, "\nsource    %s, arguments %s", from->name[0] == '\0' ? "unknown" : from->name,
                     from->details);
    bytes_printf(r->out, "\nformat    %s%s%s\n", t->source.format_name,
                 t->source.format_version[0] == '\0' ? "" : ", version ", t->source.format_version);
    if (!t->source.complete)
        bytes_append_text(r->out, "          incomplete: it ended early, or a part could not be decoded\n");
}

/* Appends the value of a key in an object, without quotes; nothing if the key is missing. */
static void append_member(const Report *r, StringView object, const char *key)
{
    JsonMembers members;
    StringView  name, value;
    Bytes       text = { 0 };
    bool        open = json_members_open(object, &members);
    while (open && json_members_next(&members, &name, &value)) {
        if (name.size != strlen(key) + 2 || memcmp(name.bytes + 1, key, name.size - 2) != 0) continue;
        json_plain_append(value, &text);
    }
    text_append_plain(r->out, bytes_view(&text));
    bytes_release(&text);
}

/* Prints the executable from which the names of addresses were read, if there is one. */
static void report_executable(const Report *r)
{
    for (uint32_t i = 0; i < r->trace->records.property_count; i++) {
        const Property *property = &r->trace->records.properties[i];
        StringView      object = { property->json, property->size };
        if (!string_equal(trace_string(r->trace, property->key), STRING_LITERAL("executable"))) continue;
        if (object.size == 0 || object.bytes[0] != '{') continue;
        bytes_append_text(r->out, "symbols   ");
        append_member(r, object, "path");
        bytes_append_text(r->out, ": names for ");
        append_member(r, object, "named");
        bytes_append_text(r->out, " of ");
        append_member(r, object, "functions");
        bytes_append_text(r->out, " functions\n");
    }
}

/* Appends a value on one line, cut if it is long; nothing for objects and lists. */
static bool append_scalar(const Report *r, StringView value)
{
    enum { MOST_BYTES = 200 };
    Bytes text = { 0 };
    if (value.size == 0 || value.bytes[0] == '{' || value.bytes[0] == '[') return false;
    json_plain_append(value, &text);
    size_t whole = text.size;
    text.size = utf8_cut((const char *)text.data, text.size, MOST_BYTES);
    bytes_append_text(r->out, ": ");
    text_append_plain(r->out, bytes_view(&text));
    bytes_append_text(r->out, text.size < whole ? "...\n" : "\n");
    bytes_release(&text);
    return true;
}

/* Prints one property: a scalar itself, otherwise its scalar members. */
static void report_property(const Report *r, StringView key, StringView value, int *listed)
{
    JsonMembers members;
    StringView  name, member;
    bool        is_object = json_members_open(value, &members);
    size_t      start = r->out->size;
    Bytes       text = { 0 };
    do {
        start = r->out->size;
        if (is_object && !json_members_next(&members, &name, &member)) break;
        bytes_append_text(r->out, *listed > 0 ? "          " : "says      ");
        bytes_clear(&text);
        bytes_append(&text, key.bytes, key.size);
        if (is_object) {
            bytes_append_text(&text, ".");
            json_text_append(name, &text);
        }
        text_append_plain(r->out, bytes_view(&text));
        if (append_scalar(r, is_object ? member : value)) {
            ++*listed;
        } else {
            r->out->size = start;
        }
    } while (is_object && *listed < MAX_LISTED);
    bytes_release(&text);
}

/* Prints the properties of the file that fit on a line. */
static void report_properties(const Report *r)
{
    int listed = 0;
    for (uint32_t i = 0; i < r->trace->records.property_count; i++) {
        const Property *property = &r->trace->records.properties[i];
        StringView      key = trace_string(r->trace, property->key);
        if (string_equal(key, STRING_LITERAL("executable"))) continue;
        report_property(r, key, (StringView){ property->json, property->size }, &listed);
        if (listed < MAX_LISTED) continue;
        bytes_append_text(r->out, "          ... (info --json has everything)\n");
        return;
    }
}

static void report_time(const Report *r)
{
    const Trace *t = r->trace;
    if (!t->has_time) {
        bytes_append_text(r->out, "time      no event has a time\n");
        return;
    }
    bytes_append_text(r->out, "time      ");
    append_span(r->out, &t->clock, (uint64_t)t->end_tick - (uint64_t)t->begin_tick);
    bytes_append_text(r->out, ", ticks ");
    append_tick(r->out, &t->clock, t->begin_tick);
    bytes_append_text(r->out, " to ");
    append_tick(r->out, &t->clock, t->end_tick);
    switch (t->clock.kind) {
    case CLOCK_NS:
        bytes_append_text(r->out, " of 1 ns\n");
        break;
    case CLOCK_TICKS:
        bytes_printf(r->out, " of %.6g ns\n", clock_ns_per_tick(&t->clock));
        break;
    case CLOCK_CALLS:
        bytes_append_text(r->out, ", one a call\n");
        break;
    case CLOCK_EVENTS:
        bytes_append_text(r->out, ", one an event\n");
        break;
    }
    char         utc[WALL_TIME_TEXT];
    const size_t size = wall_time_of_tick(&t->clock, t->begin_tick, utc);
    if (size > 0) bytes_printf(r->out, "begins    %s\n", utc);
}

static void report_window(const Report *r)
{
    const Trace *t = r->trace;
    if (!t->window.is_set) return;
    bytes_append_text(r->out, "range     ");
    append_span(r->out, &t->clock, (uint64_t)t->window.begin - (uint64_t)t->begin_tick);
    bytes_append_text(r->out, " to ");
    append_span(r->out, &t->clock, (uint64_t)t->window.end - (uint64_t)t->begin_tick);
    bytes_append_text(r->out, " of the trace, and everything open at its begin\n");
}

static void report_perspective(const Report *r)
{
    if (r->trace->perspectives.count == 0) return;
    bytes_append_text(r->out, "counts    by ");
    trace_perspectives_append(r->trace, r->out);
    bytes_append_text(r->out, " (--perspective)\n");
}

/* Prints "126 in 37 processes", or "4 processors, 113 goroutines in 37 groups" if the tracks are not threads. */
static void report_thread_count(const Report *r)
{
    enum { MOST_NOUNS = 8 };
    const Trace *t = r->trace;
    ThreadCount  counts[MOST_NOUNS];
    uint32_t     known = trace_count_threads(t, counts, MOST_NOUNS);
    bool         are_threads = known == 0 || (known == 1 && counts[0].noun.index == STRING_NONE.index);
    bytes_append_text(r->out, "threads   ");
    if (are_threads) append_counted(r->out, "", t->counts.threads, "");
    for (uint32_t i = 0; i < known && !are_threads; i++) {
        StringView noun = trace_string(t, counts[i].noun);
        if (noun.size == 0) noun = (StringView){ "thread", 6 };
        append_counted(r->out, i == 0 ? "" : ", ", counts[i].count, " ");
        bytes_append(r->out, noun.bytes, noun.size);
        bytes_append_text(r->out, counts[i].count == 1 ? "" : "s");
    }
    append_counted(r->out, " in ", t->counts.active_processes, are_threads ? " process" : " group");
    bytes_append_text(r->out, t->counts.active_processes == 1 ? "\n" : are_threads ? "es\n" : "s\n");
}

static void report_samples(const Report *r, uint64_t count)
{
    const Trace *t = r->trace;
    uint64_t     idle = 0;
    for (uint32_t track = 1; track <= t->track_count; track++) {
        ItemRange samples = profile_window(t, &t->tracks[track]);
        for (uint64_t i = samples.first; i < samples.end; i++) {
            StackId stack = { t->profile.stack[i] };
            idle += stack.index != 0 && (trace_stack_frame(t, stack)->flags & FRAME_IDLE) != 0;
        }
    }
    if (count == 0) return;
    append_counted(r->out, "samples   ", count, " of threads");
    if (idle > 0) append_counted(r->out, ", ", idle, " of them idle");
    bytes_append_text(r->out, "\n");
}

static void report_counts(const Report *r)
{
    const Trace       *t = r->trace;
    const WindowCounts n = trace_window_counts(t);
    append_counted(r->out, "slices    ", n.slices, "");
    if (n.unfinished > 0) append_counted(r->out, ", ", n.unfinished, " of them unfinished");
    append_counted(r->out, ", up to ", n.max_depth, " deep\n");
    if (n.instants > 0) append_counted(r->out, "instants  ", n.instants, "\n");
    if (n.async_slices + n.async_instants > 0) {
        append_counted(r->out, "async     ", n.async_slices, " slices");
        append_counted(r->out, ", ", n.async_instants, " instants\n");
    }
    if (n.flows > 0) append_counted(r->out, "flows     ", n.flows, " arrows\n");
    if (n.states > 0) append_counted(r->out, "states    ", n.states, "\n");
    report_samples(r, n.samples);
    if (n.objects > 0) {
        append_counted(r->out, "objects   ", n.objects, "");
        append_counted(r->out, ", ", n.snapshots, " snapshots\n");
    }
    if (n.dumps > 0) append_counted(r->out, "dumps     ", n.dumps, " of memory\n");
    report_thread_count(r);
    bytes_append_text(r->out, "events    ");
    bool any = false;
    for (uint32_t i = 0; i < t->records.event_kind_count; i++) {
        StringView name = trace_string(t, t->records.event_kinds[i].name);
        Bytes      text = { .data = NULL };
        if (t->records.event_kinds[i].count == 0) continue;
        bytes_append(&text, name.bytes, name.size);
        if (any) bytes_append_text(r->out, ", ");
        any = true;
        text_append_plain(r->out, bytes_view(&text));
        append_counted(r->out, " ", t->records.event_kinds[i].count, "");
        bytes_release(&text);
    }
    bytes_append_text(r->out, any ? "\n" : "none\n");
}

/* Prints the clock synchronisations, which map another trace to the axis of this one. */
static void report_clocks(const Report *r)
{
    const Trace *t = r->trace;
    for (uint32_t i = 0; i < t->records.clock_sync_count && i < MAX_LISTED; i++) {
        const ClockSync *sync = &t->records.clock_syncs[i];
        StringView       id = trace_string(t, sync->id), issued = trace_string(t, sync->issue_time);
        Bytes            text = { 0 };
        bytes_append_text(r->out, "clocks    compared at tick ");
        append_tick(r->out, &t->clock, sync->tick);
        if (id.size > 0) bytes_append_text(&text, ", as ");
        bytes_append(&text, id.bytes, id.size);
        if (issued.size > 0) bytes_append_text(&text, ", asked for at ");
        bytes_append(&text, issued.bytes, issued.size);
        text_append_plain(r->out, bytes_view(&text));
        bytes_append_text(r->out, "\n");
        bytes_release(&text);
    }
    if (t->records.clock_sync_count > MAX_LISTED)
        append_counted(r->out, "          and ", t->records.clock_sync_count - MAX_LISTED, " times more\n");
}

/* Appends ", 2 slices"; nothing for 0. */
static void append_count(Bytes *out, const char *before, uint64_t count, const char *what)
{
    if (count == 0) return;
    append_counted(out, before, count, " ");
    bytes_printf(out, "%s%s", what, count == 1 ? "" : "s");
}

/* The words for the items of a track, by its kind. */
typedef struct TrackWords {
    const char *slice, *instant;
} TrackWords;

static const TrackWords *track_words(TrackKind kind)
{
    static const TrackWords PLAIN = { "slice", "instant" }, STATES = { "state", "instant" },
                            OBJECTS = { "object", "snapshot" }, SAMPLES = { "frame", "instant" },
                            DUMPS = { "slice", "dump" };
    if (kind == TRACK_STATES) return &STATES;
    if (kind == TRACK_SAMPLES) return &SAMPLES;
    if (kind == TRACK_OBJECTS) return &OBJECTS;
    return kind == TRACK_DUMPS ? &DUMPS : &PLAIN;
}

/* The parts of a track that are in the range. */
typedef struct TrackCount {
    uint64_t slices, instants, samples;
} TrackCount;

static TrackCount track_count(const Trace *trace, const Track *track)
{
    TrackCount count = { 0 };
    for (uint32_t i = 0; i < track_row_count(track); i++) {
        RowWindow window = row_window(trace, &trace->rows[track->first_row + i]);
        count.slices += window.slice_end - window.first_slice;
        count.instants += window.instant_end - window.first_instant;
        count.samples += window.sample_end - window.first_sample;
    }
    return count;
}

static void report_track(const Report *r, uint32_t track, const TrackCount *count)
{
    const TrackWords *words = track_words(r->trace->tracks[track].kind);
    Bytes             title = { 0 };
    trace_track_title(r->trace, track, &title);
    bytes_append_text(r->out, "    ");
    text_append_plain(r->out, bytes_view(&title));
    append_count(r->out, ": ", count->slices, words->slice);
    append_count(r->out, count->slices > 0 ? ", " : ": ", count->instants, words->instant);
    bytes_append_text(r->out, "\n");
    bytes_release(&title);
}

static void report_threads(const Report *r)
{
    uint32_t process = PROCESS_NONE.index, listed = 0, left = 0;
    heading(r, "\nprocesses and threads");
    for (uint32_t i = 1; i <= r->trace->track_count; i++) {
        const Track     *track = &r->trace->tracks[i];
        const TrackCount count = track_count(r->trace, track);
        const bool       is_empty = count.slices + count.instants + count.samples == 0;
        if (is_empty && (r->trace->window.is_set || !track->has_events)) continue;
        if (listed == MAX_LISTED) {
            left++;
            continue;
        }
        if (track->process.index != process) {
            Bytes title = { 0 };
            process = track->process.index;
            trace_process_title(r->trace, process, &title);
            bytes_append_text(r->out, "  ");
            text_append_plain(r->out, bytes_view(&title));
            bytes_append_text(r->out, "\n");
            bytes_release(&title);
        }
        report_track(r, i, &count);
        listed++;
    }
    if (left > 0) append_counted(r->out, "    and ", left, " more\n");
}

static void report_warnings(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        char           text[320];
        (void)err_format(&warning->first, text, sizeof text);
        bytes_printf(out, "  %s", warning->kind);
        append_counted(out, ", ", warning->count, warning->count == 1 ? " time" : " times");
        bytes_printf(out, "; the first: %s\n", text);
    }
}

void report_info(const Loaded *loaded, ReportStyle style, Bytes *out)
{
    Report r = { .loaded = loaded, .trace = loaded->trace, .style = style, .out = out };
    report_file(&r);
    report_executable(&r);
    report_time(&r);
    report_window(&r);
    report_perspective(&r);
    report_counts(&r);
    report_clocks(&r);
    report_properties(&r);
    report_threads(&r);
    if (r.trace->records.warning_count > 0) {
        heading(&r, "\nwarnings");
        report_warnings(r.trace, out);
    }
}

void report_check(const Loaded *loaded, Bytes *out)
{
    const Trace *trace = loaded->trace;
    bool         sound = trace->records.warning_count == 0 && trace->source.complete;
    bytes_printf(out, "%s: %s%s\n", loaded->name, sound ? "no anomalies" : "anomalies",
                 trace->source.complete ? "" : ", incomplete");
    report_warnings(trace, out);
}
