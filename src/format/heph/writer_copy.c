/* Copies the packets of a Heph trace from its input. */
#include "format/heph/writer.h"
#include "format/heph/writer_packet.h"
#include "trace/make/window_observe.h"

typedef struct HephCopy {
    const HephLayout *layout; /* of the source */
    const OutputSink *sink;
    ObservedWindow    window; /* the packets to copy */
    Bytes             buffer;
    uint64_t          renewed_count, dropped_count;
    bool              failed; /* with err */
    Err              *err;
} HephCopy;

/* Writes an event of the layout before 0.1.0 in the present layout, with substream 0. */
static void renew(HephCopy *copy, const uint8_t *bytes, size_t size)
{
    HephEvent event;
    size_t    packet;
    if (!heph_event_decode(copy->layout, bytes, size, 0, &event)) return;
    if (size + HEPH_PRESENT.substream_bytes > HEPH_MOST_BYTES) {
        copy->dropped_count++;
        return;
    }
    (void)heph_event_begin(&copy->buffer, &event, &packet);
    size_t rest = cursor_left(&event.attributes);
    bytes_append(&copy->buffer, cursor_take(&event.attributes, rest), rest);
    heph_packet_end(&copy->buffer, packet);
    copy->renewed_count++;
}

static bool copy_packet(void *context, const ObservedRecord *record)
{
    HephCopy  *copy = context;
    ByteCursor cursor = cursor_over(record->bytes.bytes, record->bytes.size, 0);
    uint32_t   magic = cursor_u32be(&cursor), size = cursor_u32be(&cursor);
    if (!observed_window_has(&copy->window, record->builder, record->event)) return true;
    if (cursor.failed || size > record->bytes.size) return true; /* the input was changed after the load */
    if (magic == HEPH_EVENT_MAGIC && copy->layout == &HEPH_EARLY)
        renew(copy, record->bytes.bytes, size);
    else
        bytes_append(&copy->buffer, record->bytes.bytes, size);
    copy->failed = !writer_flush(copy->sink, &copy->buffer, WRITER_BLOCK_BYTES, copy->err);
    return !copy->failed;
}

bool heph_copy(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    HephCopy     copy = { .layout = heph_layout_named(loaded->trace->source.format_version),
                          .sink = sink,
                          .err = err };
    LoadObserver observer = { .event = copy_packet, .context = &copy };
    Arena        arena = arena_create(0);
    bool         done = observed_window_open(&copy.window, loaded->trace, &arena) ||
                err_set(err, ERR_MEMORY, "out of memory for the range");
    done = done && load_observe_again(loaded, &observer, err) && !copy.failed &&
           writer_flush(sink, &copy.buffer, 0, err);
    writer_report(report, copy.renewed_count,
                  "events in the layout of before 17 March 2021 are written in the present one");
    writer_report(report, copy.dropped_count, "events of more than 64 MiB are left out");
    bytes_release(&copy.buffer);
    arena_release(&arena);
    return done;
}
