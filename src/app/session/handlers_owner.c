/* The answers about a process or a thread, with all of its metadata. */
#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/params.h"

#include <inttypes.h>

enum { MOST_METADATA = 1000 };

static void write_metadata_event(JsonWriter *w, const RequestContext *ctx, uint64_t index)
{
    const Trace      *trace = ctx->trace;
    const OtherEvent *other = &trace->records.others[index];
    EventDetails      details = { 0 };
    Err               err;
    const bool        read = request_details(ctx, detail_reader_other, index, &details, &err);
    json_object_begin(w);
    put_text(w, "name", trace, trace->labels[other->label].name);
    put_thread(w, "thread", trace, trace_other_thread(trace, other));
    put_details(w, &details, read ? NULL : &err);
    json_object_end(w);
}

static bool is_of(const Trace *trace, const OtherEvent *other, uint32_t process, uint32_t thread)
{
    const uint32_t owner = trace_other_thread(trace, other);
    if (!other->is_metadata || owner == 0) return false;
    return thread == 0 ? trace->tracks[owner].process.index == process : owner == thread;
}

/* Writes the metadata of a thread or, with thread 0, of the whole process, in file order. */
static void put_metadata(JsonWriter *w, const RequestContext *ctx, uint32_t process, uint32_t thread)
{
    const Trace *trace = ctx->trace;
    uint64_t     count = 0;
    json_put_array(w, "metadata");
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        if (is_of(trace, &trace->records.others[i], process, thread) && count++ < MOST_METADATA)
            write_metadata_event(w, ctx, i);
    }
    json_array_end(w);
    json_put_u64(w, "metadata_count", count);
}

static void put_range(JsonWriter *w, const Trace *trace, uint32_t first, uint32_t count)
{
    uint64_t slices = 0, instants = 0;
    for (uint32_t t = first; t < first + count; t++) {
        slices += track_slice_count(trace, &trace->tracks[t]);
        instants += track_instant_count(trace, &trace->tracks[t]);
    }
    json_put_u64(w, "slices", slices);
    json_put_u64(w, "instants", instants);
}

void handle_process(RequestContext *ctx)
{
    const Trace *trace = ctx->trace;
    uint64_t     index;
    if (!param_u64(ctx, "id", UINT64_MAX, &index)) return;
    if (index >= trace->process_count) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "there is no process %" PRIu64 ": the trace has %" PRIu32,
                    index, trace->process_count);
        return;
    }
    const Process *process = &trace->processes[index + 1];
    uint64_t       threads = process->sharing_threads;
    for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++)
        threads +=
            trace->tracks[t].kind == TRACK_THREAD && trace->tracks[t].has_events && !trace->tracks[t].divides;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_process(&w, "process", trace, (uint32_t)index + 1);
    json_put_null(&w, "thread");
    put_text(&w, "labels", trace, process->labels);
    json_put_double(&w, "sort_index", process->sort_index);
    json_put_u64(&w, "threads", threads);
    put_text(&w, "thread_noun", trace, process->thread_noun);
    put_range(&w, trace, process->first_track, process->track_count);
    put_metadata(&w, ctx, (uint32_t)index + 1, 0);
    json_object_end(&w);
}

void handle_thread(RequestContext *ctx)
{
    const Trace *trace = ctx->trace;
    uint64_t     track;
    if (!param_u64(ctx, "id", UINT64_MAX, &track)) return;
    if (track == 0 || track > trace->track_count) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "there is no track %" PRIu64 ": the trace has %" PRIu32,
                    track, trace->track_count);
        return;
    }
    const Track *shown = &trace->tracks[track];
    uint32_t     thread = track_thread(trace, (uint32_t)track);
    JsonWriter   w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_process(&w, "process", trace, shown->process.index);
    put_thread(&w, "thread", trace, (uint32_t)track);
    json_put_null(&w, "labels");
    json_put_double(&w, "sort_index", track_extras(shown)->sort_index);
    json_put_u64(&w, "threads", thread != 0);
    put_text(&w, "thread_noun", trace, trace->processes[shown->process.index].thread_noun);
    put_range(&w, trace, (uint32_t)track, 1);
    if (thread != 0) {
        put_metadata(&w, ctx, 0, thread);
    } else {
        json_put_array(&w, "metadata");
        json_array_end(&w);
        json_put_u64(&w, "metadata_count", 0);
    }
    json_object_end(&w);
}
