#include "format/trace_event/write/head.h"

#include "format/linux/sched.h"

#include <assert.h>
#include <string.h>

/* Begins a metadata event with the only argument `key`; the caller writes its value. */
static void metadata_begin(JsonOut *out, JsonWriter *json, const char *name, uint32_t process, uint32_t track,
                           const char *key)
{
    assert(process <= out->trace->process_count && track <= out->trace->track_count);
    bytes_append(&out->buffer, ",\n", out->has_lines ? 2 : 0);
    out->has_lines = true;
    *json = json_writer_to(&out->buffer, 0);
    json_object_begin(json);
    json_put_string(json, "name", name);
    json_put_string(json, "ph", "M");
    line_put_pid(&out->plan->places, json, process);
    if (track != 0) line_put_tid(&out->plan->places, json, track);
    json_put_object(json, "args");
    json_key(json, key);
}

static void metadata_text(JsonOut *out, const char *name, uint32_t process, uint32_t track, const char *key,
                          StringView view)
{
    JsonWriter json;
    if (view.size == 0) return; /* Perfetto counts an empty name as an error */
    metadata_begin(out, &json, name, process, track, key);
    json_string_bytes(&json, view);
    json_object_end(&json);
    json_object_end(&json);
}

static void metadata_index(JsonOut *out, const char *name, uint32_t process, uint32_t track, double index)
{
    JsonWriter json;
    metadata_begin(out, &json, name, process, track, "sort_index");
    json_double(&json, index);
    json_object_end(&json);
    json_object_end(&json);
}

/* Returns the first thread of a process; 0 = it has no thread. Readers take a missing tid for the thread with the
 * number of the process. */
static uint32_t first_thread(const Trace *trace, const Process *process)
{
    for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
        if (trace->tracks[t].kind == TRACK_THREAD) return t;
    }
    return 0;
}

/* True if a process or thread without a name gets its title as a name, because viewers would show less. If its id is
 * replaced, put_source_id has written a name. */
static bool needs_title(const char *word, const char *usual_word, Ident ident)
{
    return strcmp(word, usual_word) != 0 && !writer_replaces_id(ident);
}

static StringView title(const Bytes *text)
{
    return bytes_view(text);
}

static StringView process_name(JsonOut *out, uint32_t process)
{
    const Trace   *trace = out->trace;
    const Process *p = &trace->processes[process];
    StringView     name = trace_string(trace, p->name);
    if (name.size > 0 || !needs_title(trace->source.process_word, TITLE_PROCESS, p->pid)) return name;
    bytes_clear(&out->title);
    trace_process_title(trace, process, &out->title);
    return title(&out->title);
}

static StringView thread_name(JsonOut *out, uint32_t track)
{
    const Trace *trace = out->trace;
    const Track *t = &trace->tracks[track];
    StringView   name = trace_string(trace, t->name);
    if (t->kind == TRACK_THREAD &&
        (name.size > 0 || !needs_title(trace->source.thread_word, TITLE_THREAD, track_tid(t))))
        return name;
    bytes_clear(&out->title);
    trace_track_title(trace, track, &out->title);
    return title(&out->title);
}

/* Writes the original id of a replaced number. Spall rejects a file with an end event on an unknown thread, so a
 * thread that begins with an end gets this event even if its id is not replaced. */
static void put_source_id(JsonOut *out, uint32_t process, uint32_t track)
{
    const Trace *trace = out->trace;
    bool         is_thread = track != 0;
    Ident        ident = is_thread ? track_tid(&trace->tracks[track]) : trace->processes[process].pid;
    StringId     name = is_thread ? trace->tracks[track].name : trace->processes[process].name;
    JsonWriter   json;
    if (ident.kind == IDENT_NONE || !(writer_replaces_id(ident) || (is_thread && out->ends_first[track])))
        return;
    bytes_clear(&out->title);
    if (is_thread)
        trace_track_title(trace, track, &out->title);
    else
        trace_process_title(trace, process, &out->title);
    metadata_begin(out, &json, is_thread ? "thread_name" : "process_name", process,
                   is_thread ? track : first_thread(trace, &trace->processes[process]), "name");
    json_string_bytes(&json, title(&out->title));
    line_put_source_id(&json, trace, ident, name);
    json_object_end(&json);
    json_object_end(&json);
}

static bool put_source_ids(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        put_source_id(out, p, 0);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            if (trace->tracks[t].kind == TRACK_THREAD) put_source_id(out, p, t);
        }
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* Writes the sort index of a thread or its states. Threads with samples always get one, because chrome://tracing does
 * not create a thread for samples alone. */
static void put_thread_index(JsonOut *out, uint32_t process, uint32_t track)
{
    const double index = track_extras(&out->trace->tracks[track])->sort_index;
    if (index < 0 || index > 0 || out->plan->places.tracks[track].has_samples)
        metadata_index(out, "thread_sort_index", process, track, index);
}

/* Writes names and sort indices of processes and threads, for a trace whose source has no metadata events of this
 * kind. */
static bool put_names(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        uint32_t       main = first_thread(trace, process);
        metadata_text(out, "process_name", p, main, "name", process_name(out, p));
        metadata_text(out, "process_labels", p, main, "labels", trace_string(trace, process->labels));
        if (process->sort_index < 0 || process->sort_index > 0)
            metadata_index(out, "process_sort_index", p, main, process->sort_index);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            const Track *track = &trace->tracks[t];
            if (track->kind != TRACK_THREAD && track->kind != TRACK_STATES) continue;
            metadata_text(out, "thread_name", p, t, "name", thread_name(out, t));
            put_thread_index(out, p, t);
        }
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* Marks the processes and tracks that have a metadata event for their name. */
static void find_named(const Trace *trace, bool *processes, bool *tracks)
{
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        if (!other->is_metadata) continue;
        StringView name = trace_label_name(trace, other->label);
        if (string_equal(name, STRING_LITERAL("thread_name"))) tracks[other->thread] = true;
        if (string_equal(name, STRING_LITERAL("process_name")))
            processes[trace->tracks[other->thread].process.index] = true;
    }
}

/* Returns the process of the CPUs in ftrace's text (format/linux/sched.h); 0 = the trace has no such process. */
static uint32_t find_cpus(const Trace *trace)
{
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Ident pid = trace->processes[p].pid;
        if (pid.kind == IDENT_TEXT && string_equal(trace_string(trace, (StringId){ (uint32_t)pid.bits }),
                                                   STRING_LITERAL(SCHED_PROCESS)))
            return p;
    }
    return 0;
}

/* Writes names that come from ftrace's text, of CPUs and tasks, which have no metadata event. */
static bool put_ftrace_names(JsonOut *out, Err *err)
{
    const Trace   *trace = out->trace;
    const uint32_t cpus = find_cpus(trace);
    bool          *processes = ARENA_ARRAY(&out->arena, bool, (size_t)trace->process_count + 1);
    bool          *tracks = ARENA_ARRAY(&out->arena, bool, (size_t)trace->track_count + 1);
    uint64_t       count = 0;
    if (processes == NULL || tracks == NULL) return err_set(err, ERR_MEMORY, "out of memory for the output");
    if (cpus == 0) return true;
    find_named(trace, processes, tracks);
    if (!processes[cpus]) {
        const Process *process = &trace->processes[cpus];
        metadata_text(out, "process_name", cpus, first_thread(trace, process), "name",
                      trace_string(trace, process->name));
        count++;
    }
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        if (track->kind != TRACK_THREAD || tracks[t] || track->name.index == 0 ||
            writer_replaces_id(track_tid(track)))
            continue;
        metadata_text(out, "thread_name", track->process.index, t, "name", trace_string(trace, track->name));
        count++;
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    writer_report(out->report, count, "names from ftrace's text become metadata events");
    return true;
}

bool writer_head_put(JsonOut *out, Err *err)
{
    bytes_append_text(&out->buffer, "{\"traceEvents\":[\n");
    return put_source_ids(out, err) && (out->own_format ? put_ftrace_names(out, err) : put_names(out, err));
}
