#include "format/heph_support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- making -- */

void put_uint(Bytes *out, uint64_t value, unsigned size)
{
    for (unsigned i = size; i-- > 0;) {
        uint8_t byte = (uint8_t)(i < 8 ? value >> (8 * i) : 0);
        bytes_append(out, &byte, 1);
    }
}

void put_hex(Bytes *out, const char *hex)
{
    while (*hex != '\0') {
        char *end;
        put_uint(out, strtoul(hex, &end, 16), 1);
        hex = end + strspn(end, " \n");
    }
}

void put_text(Bytes *out, const char *text)
{
    put_uint(out, strlen(text), 2);
    bytes_append_text(out, text);
}

void put_option(Bytes *out, const char *name, const void *value, size_t size)
{
    size_t packet = out->size;
    put_uint(out, 0x75D11D4D, 4);
    put_uint(out, 0, 4);
    put_text(out, name);
    bytes_append(out, value, size);
    packet_end(out, packet);
}

void put_epoch(Bytes *out, uint64_t epoch_ns)
{
    Bytes value = { 0 };
    put_uint(&value, epoch_ns, 8);
    put_option(out, "epoch", value.data, value.size);
    bytes_release(&value);
}

size_t packet_begin(Bytes *out, uint32_t stream, uint32_t counter, uint64_t substream, uint64_t start,
                    uint64_t end, const char *description)
{
    size_t packet = out->size;
    put_uint(out, 0xC1FC1FB7, 4);
    put_uint(out, 0, 4);
    put_uint(out, stream, 4);
    put_uint(out, counter, 4);
    put_uint(out, substream, 8);
    put_uint(out, start, 8);
    put_uint(out, end, 8);
    put_text(out, description);
    return packet;
}

void packet_end(Bytes *out, size_t packet)
{
    CHECK(!out->failed);
    for (unsigned i = 0; i < 4; i++)
        out->data[packet + 4 + i] = (uint8_t)((out->size - packet) >> (24 - 8 * i));
}

void put_event(Bytes *out, uint32_t counter, uint64_t start, uint64_t end, const char *description)
{
    packet_end(out, packet_begin(out, 1, counter, 0, start, end, description));
}

void put_attribute(Bytes *out, const char *name, unsigned type)
{
    put_text(out, name);
    put_uint(out, type, 1);
}

/* -- reading -- */

Built built_from(const void *bytes, size_t size, Pieces pieces)
{
    return built_by(&HEPH_READER, NULL, bytes, size, pieces);
}

Trace *built_whole(Bytes *bytes)
{
    return built_whole_by(&HEPH_READER, bytes);
}

/* -- text -- */

static void text_details(const Trace *trace, uint64_t offset, const void *bytes, size_t size, Bytes *out)
{
    EventBytes   event = { .bytes = (const uint8_t *)bytes + offset,
                           .size = size - (size_t)offset,
                           .offset = offset };
    EventBytes   none = { .bytes = NULL };
    EventDetails details = { 0 };
    Err          err;
    CHECK_DONE(HEPH_READER.details(trace, &event, &none, &details, &err), err);
    bytes_append(out, details.args.data, details.args.size);
    if (details.args.size > 0 && details.other.size > 0) bytes_append_text(out, " ");
    bytes_append(out, details.other.data, details.other.size);
    bytes_release(&details.args);
    bytes_release(&details.other);
}

static void text_string(const Trace *trace, StringId id, Bytes *out)
{
    StringView view = trace_string(trace, id);
    bytes_append_text(out, "'");
    bytes_append(out, view.bytes, view.size);
    bytes_append_text(out, "'");
}

static void text_slices(const Trace *trace, const Row *row, const void *bytes, size_t size, Bytes *out)
{
    for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
        uint64_t offset;
        bytes_printf(out, "  %u.%u ", row->lane, row->depth);
        text_tick(trace, trace_slice_begin(trace, i), out);
        bytes_append_text(out, "..");
        text_tick(trace, trace_slice_end(trace, i), out);
        bytes_append_text(out, " ");
        text_string(trace, trace->labels[trace_slice_label(trace, i)].name, out);
        if (trace->slices.flags[i] & SLICE_REPAIRED) bytes_append_text(out, " repaired");
        bytes_append_text(out, " ");
        CHECK(trace_slice_source(trace, i, &offset));
        text_details(trace, offset, bytes, size, out);
        bytes_append_text(out, "\n");
    }
}

static void text_head(const Trace *trace, Bytes *out)
{
    const Clock *clock = &trace->clock;
    bytes_printf(out, "heph %s%s, %s", trace->source.format_version,
                 trace->source.complete ? "" : " incomplete", clock->is_unsigned ? "unsigned " : "");
    text_tick(trace, trace->begin_tick, out);
    bytes_append_text(out, "..");
    text_tick(trace, trace->end_tick, out);
    if (clock->has_epoch) bytes_printf(out, ", epoch %" PRId64, clock->epoch_unix_ns);
    bytes_append_text(out, "\n");
    text_properties(trace, out);
    text_event_kinds(trace, out);
    text_warnings(trace, out);
}

static void text_trace(const Trace *trace, const void *bytes, size_t size, Bytes *out)
{
    text_head(trace, out);
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        text_string(trace, trace->labels[trace->records.others[i].label].name, out);
        bytes_append_text(out, " metadata ");
        text_details(trace, trace->records.others[i].offset, bytes, size, out);
        bytes_append_text(out, "\n");
    }
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        bytes_append_text(out, "stream ");
        trace_ident_append(trace, trace->processes[track->process.index].pid, out);
        bytes_append_text(out, " substream ");
        trace_ident_append(trace, track_tid(track), out);
        bytes_append_text(out, "\n");
        for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++)
            text_slices(trace, &trace->rows[r], bytes, size, out);
    }
}

void text_of(const Bytes *file, size_t size, Pieces pieces, Bytes *out)
{
    text_built(built_from(file->data, size, pieces), text_trace, file->data, size, out);
}

void check_text(Bytes *bytes, const char *expected)
{
    check_text_of(text_of, bytes, expected);
}

void check_property(const Trace *trace, const char *key, const char *expected)
{
    StringView wanted = { key, strlen(key) };
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        const Property *property = &trace->records.properties[i];
        if (!string_equal(trace_string(trace, property->key), wanted)) continue;
        CHECK_STRING(property->json, expected); /* a zero byte follows it in the trace's arena */
        CHECK_UINT(property->size, strlen(expected));
        return;
    }
    CHECK_STRING(NULL, expected);
}
