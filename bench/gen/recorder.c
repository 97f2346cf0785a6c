#include "recorder.h"

#include <inttypes.h>

static void write_bytes(Recorder *recorder, const uint8_t *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, recorder->file) != size) recorder->failed = true;
    recorder->facts.file_bytes += size;
}

static void flush_buffer(Recorder *recorder, RecorderBuffer *buffer)
{
    size_t header_size = recorder->format->header_size;
    if (buffer->used == header_size) return;
    if (header_size > 0) {
        recorder->format->put_buffer_header(buffer->bytes, buffer->used - header_size, buffer->tid,
                                            buffer->first_ns);
    }
    write_bytes(recorder, buffer->bytes, buffer->used);
    buffer->used = header_size;
    buffer->first_ns = 0;
    buffer->has_time = false;
}

/* Room for one record in the thread's buffer. */
static uint8_t *begin_record(Recorder *recorder, RecorderBuffer *buffer)
{
    if (buffer->used + RECORD_MAX > recorder->buffer_size) flush_buffer(recorder, buffer);
    return buffer->bytes + buffer->used;
}

static void end_record(RecorderBuffer *buffer, const uint8_t *end)
{
    buffer->used = (size_t)(end - buffer->bytes);
}

static void end_timed_record(RecorderBuffer *buffer, const uint8_t *end, uint64_t ns)
{
    end_record(buffer, end);
    if (!buffer->has_time) buffer->first_ns = ns;
    buffer->has_time = true;
}

static void name_thread(Recorder *recorder, uint32_t thread_index)
{
    const RecordFormat *format = recorder->format;
    RecorderBuffer     *buffer = &recorder->buffers[thread_index];
    if (thread_index == 0 && format->put_process_name != NULL) {
        end_record(buffer, format->put_process_name(begin_record(recorder, buffer), "varve-gen"));
        recorder->facts.name_count++;
    }
    if (format->put_thread_name != NULL) {
        char name[32];
        snprintf(name, sizeof name, "worker %" PRIu32, thread_index);
        end_record(buffer, format->put_thread_name(begin_record(recorder, buffer), buffer->tid, name));
        recorder->facts.name_count++;
    }
    /* The first event of a JSON file is the one that brings no comma: out with it before any other. */
    if (format->header_size == 0) flush_buffer(recorder, buffer);
}

bool recorder_start(Recorder *recorder, const RecordFormat *format, FILE *file, uint32_t thread_count,
                    size_t buffer_size, Arena *arena)
{
    *recorder = (Recorder){ .format = format,
                            .file = file,
                            .buffers = ARENA_ARRAY(arena, RecorderBuffer, thread_count),
                            .thread_count = thread_count,
                            .buffer_size = buffer_size };
    if (recorder->buffers == NULL) return false;

    uint8_t head[RECORD_MAX];
    write_bytes(recorder, head, (size_t)(format->put_file_head(head) - head));
    for (uint32_t i = 0; i < thread_count; i++) {
        RecorderBuffer *buffer = &recorder->buffers[i];
        buffer->tid = PROGRAM_FIRST_TID + i;
        buffer->used = format->header_size;
        buffer->bytes = ARENA_ARRAY(arena, uint8_t, buffer_size);
        if (buffer->bytes == NULL) return false;
        name_thread(recorder, i);
    }
    return true;
}

static bool is_recorded_complete(const Recorder *recorder, const Call *call)
{
    return call->function->is_complete && recorder->format->put_complete != NULL;
}

void recorder_on_begin(void *context, uint32_t thread_index, const Call *call)
{
    Recorder       *recorder = context;
    RecorderBuffer *buffer = &recorder->buffers[thread_index];
    if (is_recorded_complete(recorder, call)) return;
    end_timed_record(buffer, recorder->format->put_begin(begin_record(recorder, buffer), call),
                     call->begin_ns);
    recorder->facts.begin_count++;
}

void recorder_on_end(void *context, uint32_t thread_index, const Call *call)
{
    Recorder       *recorder = context;
    RecorderBuffer *buffer = &recorder->buffers[thread_index];
    uint8_t        *at = begin_record(recorder, buffer);
    if (is_recorded_complete(recorder, call)) {
        end_timed_record(buffer, recorder->format->put_complete(at, call), call->begin_ns);
        recorder->facts.complete_count++;
    } else {
        end_timed_record(buffer, recorder->format->put_end(at, call), call->end_ns);
        recorder->facts.end_count++;
    }
}

bool recorder_finish(Recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->thread_count; i++)
        flush_buffer(recorder, &recorder->buffers[i]);
    uint8_t tail[RECORD_MAX];
    write_bytes(recorder, tail, (size_t)(recorder->format->put_file_tail(tail) - tail));
    if (fflush(recorder->file) != 0) recorder->failed = true;
    return !recorder->failed;
}
