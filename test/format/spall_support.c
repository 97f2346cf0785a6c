#include "format/spall_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- making -- */

void put_u8(Bytes *out, unsigned value)
{
    uint8_t byte = (uint8_t)value;
    bytes_append(out, &byte, 1);
}

void put_u32(Bytes *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        put_u8(out, value >> (8 * i) & 0xFF);
}

void put_u64(Bytes *out, uint64_t value)
{
    put_u32(out, (uint32_t)value);
    put_u32(out, (uint32_t)(value >> 32));
}

void put_f64(Bytes *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(out, bits);
}

void put_hex(Bytes *out, const char *hex)
{
    while (*hex != '\0') {
        char *end;
        put_u8(out, (unsigned)strtoul(hex, &end, 16));
        hex = end + strspn(end, " \n");
    }
}

void put_header(Bytes *out, uint64_t version, double unit)
{
    put_u64(out, 0x0BADF00D);
    put_u64(out, version);
    put_f64(out, unit);
    put_u64(out, 0);
}

void put_begin1(Bytes *out, double time, const char *name, const char *args)
{
    put_u8(out, 3);
    put_u8(out, 0);
    put_u32(out, 1);
    put_u32(out, 2);
    put_f64(out, time);
    put_u8(out, (unsigned)strlen(name));
    put_u8(out, (unsigned)strlen(args));
    bytes_append_text(out, name);
    bytes_append_text(out, args);
}

void put_end1(Bytes *out, double time)
{
    put_u8(out, 4);
    put_u32(out, 1);
    put_u32(out, 2);
    put_f64(out, time);
}

size_t frame_begin(Bytes *out, uint32_t pid, uint32_t tid)
{
    size_t frame = out->size;
    put_u32(out, 0);
    put_u32(out, tid);
    put_u32(out, pid);
    put_u64(out, 77);
    return frame;
}

void frame_end(Bytes *out, size_t frame)
{
    uint32_t size = (uint32_t)(out->size - frame - 20);
    for (int i = 0; i < 4; i++)
        out->data[frame + (size_t)i] = (uint8_t)(size >> (8 * i));
}

void put_begin3(Bytes *out, uint64_t time, const char *name, const char *args)
{
    put_u8(out, 3);
    put_u64(out, time);
    put_u8(out, (unsigned)strlen(name));
    put_u8(out, (unsigned)strlen(args));
    bytes_append_text(out, name);
    bytes_append_text(out, args);
}

void put_end3(Bytes *out, uint64_t time)
{
    put_u8(out, 4);
    put_u64(out, time);
}

/* -- reading -- */

Built built_from(const void *bytes, size_t size, Pieces pieces)
{
    return built_by(&SPALL_READER, NULL, bytes, size, pieces);
}

Trace *built_whole(Bytes *bytes)
{
    return built_whole_by(&SPALL_READER, bytes);
}

void slice_details(const Trace *trace, uint64_t slice, const void *bytes, size_t size, Bytes *out)
{
    EventBytes   ends[2] = { { .bytes = NULL }, { .bytes = NULL } };
    EventDetails details = { 0 };
    Err          err;
    if (trace_slice_source(trace, slice, &ends[0].offset)) ends[0].bytes = bytes;
    if (trace_slice_end_source(trace, slice, &ends[1].offset)) ends[1].bytes = bytes;
    if (ends[0].bytes == NULL && ends[1].bytes == NULL) return;
    for (int i = 0; i < 2; i++) {
        if (ends[i].bytes == NULL) continue;
        ends[i].bytes += ends[i].offset;
        ends[i].size = size - (size_t)ends[i].offset;
        ends[i].lead = (size_t)ends[i].offset;
    }
    CHECK_DONE(SPALL_READER.details(trace, &ends[0], &ends[1], &details, &err), err);
    if (details.args.size > 0) bytes_append(out, details.args.data, details.args.size);
    if (details.other.size > 0) {
        bytes_append_text(out, " ");
        bytes_append(out, details.other.data, details.other.size);
    }
    bytes_release(&details.args);
    bytes_release(&details.other);
}

/* -- text -- */

static void text_string(const Trace *trace, StringId id, Bytes *out)
{
    StringView view = trace_string(trace, id);
    bytes_append_text(out, id.index == 0 ? "(none)" : "'");
    bytes_append(out, view.bytes, view.size);
    if (id.index != 0) bytes_append_text(out, "'");
}

static void text_slices(const Trace *trace, const Row *row, const void *bytes, size_t size, Bytes *out)
{
    for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
        bytes_printf(out, "  %u.%u ", row->lane, row->depth);
        text_tick(trace, trace_slice_begin(trace, i), out);
        bytes_append_text(out, "..");
        text_tick(trace, trace_slice_end(trace, i), out);
        bytes_append_text(out, " ");
        text_string(trace, trace->labels[trace_slice_label(trace, i)].name, out);
        uint8_t flags = trace->slices.flags[i];
        if (flags & SLICE_UNFINISHED) bytes_append_text(out, " unfinished");
        if (flags & SLICE_NO_END) bytes_append_text(out, " no-end");
        if (flags & SLICE_REPAIRED) bytes_append_text(out, " repaired");
        if (flags & (SLICE_SOURCE | SLICE_END_SOURCE)) bytes_append_text(out, " ");
        slice_details(trace, i, bytes, size, out);
        bytes_append_text(out, "\n");
    }
}

static void text_tracks(const Trace *trace, const void *bytes, size_t size, Bytes *out)
{
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        bytes_printf(out, "track kind %d pid ", (int)track->kind);
        trace_ident_append(trace, trace->processes[track->process.index].pid, out);
        bytes_append_text(out, " ");
        text_string(trace, trace->processes[track->process.index].name, out);
        bytes_append_text(out, " tid ");
        trace_ident_append(trace, track_tid(track), out);
        bytes_append_text(out, " ");
        text_string(trace, track->name, out);
        bytes_append_text(out, track->has_events ? "\n" : " without events\n");
        for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
            text_slices(trace, &trace->rows[r], bytes, size, out);
        }
        const uint64_t first = track_first_instant(trace, track);
        for (uint64_t i = first; i < first + track_instant_count(trace, track); i++) {
            bytes_append_text(out, "  instant ");
            text_tick(trace, trace->instants.tick[i], out);
            bytes_append_text(out, " ");
            text_string(trace, trace->labels[trace->instants.label[i]].name, out);
            bytes_append_text(out, "\n");
        }
    }
}

static void text_others(const Trace *trace, const void *bytes, size_t size, Bytes *out)
{
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        EventBytes        event = { .bytes = (const uint8_t *)bytes + other->offset,
                                    .size = size - (size_t)other->offset,
                                    .offset = other->offset,
                                    .lead = (size_t)other->offset };
        EventBytes        none = { .bytes = NULL };
        EventDetails      details = { 0 };
        Err               err;
        CHECK_DONE(SPALL_READER.details(trace, &event, &none, &details, &err), err);
        bytes_append_text(out, "other ");
        text_string(trace, trace->labels[other->label].name, out);
        bytes_printf(out, " track %u ", other->thread);
        bytes_append(out, details.args.data, details.args.size);
        bytes_append_text(out, "\n");
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
}

static void text_trace(const Trace *trace, const void *bytes, size_t size, Bytes *out)
{
    bytes_printf(out, "spall %s%s, clock %s %" PRIu64 "/%" PRIu64 "%s, ", trace->source.format_version,
                 trace->source.complete ? "" : " incomplete", clock_kind_name(trace->clock.kind),
                 trace->clock.ns_num, trace->clock.ns_den, trace->clock.is_unsigned ? " unsigned" : "");
    text_tick(trace, trace->begin_tick, out);
    bytes_append_text(out, "..");
    text_tick(trace, trace->end_tick, out);
    bytes_append_text(out, trace->has_time ? "\n" : " (no time)\n");
    text_properties(trace, out);
    text_event_kinds(trace, out);
    text_warnings(trace, out);
    text_others(trace, bytes, size, out);
    text_tracks(trace, bytes, size, out);
}

void text_of(const Bytes *file, size_t size, Pieces pieces, Bytes *out)
{
    text_built(built_from(file->data, size, pieces), text_trace, file->data, size, out);
}

void check_text(Bytes *bytes, const char *expected)
{
    check_text_of(text_of, bytes, expected);
}
