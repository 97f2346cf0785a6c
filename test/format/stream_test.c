/* Streams: any division gives the same trace; datagrams are independent; memory is limited. */
#include "format/heph_support.h"
#include "format/load.h"
#include "format/stream.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* ---- any division, the same trace ---- */

/* Returns the trace of a stream in pieces of `piece` bytes; NULL and err if it was refused. */
static Trace *streamed(const FormatReader *reader, const Bytes *bytes, size_t piece, Err *err)
{
    StreamOptions options = { .reader = reader, .transport = STREAM_PIECES };
    Stream       *stream = stream_create(&options, err);
    bool          done = stream != NULL;
    for (size_t at = 0; done && at < bytes->size; at += piece) {
        size_t size = bytes->size - at < piece ? bytes->size - at : piece;
        done = stream_push(stream, bytes->data + at, size, err);
    }
    done = done && stream_end(stream, err);
    if (done) CHECK_UINT(stream_bytes(stream), bytes->size);
    Trace *trace = done ? builder_finish(stream_builder(stream), 1, NULL, err) : NULL;
    stream_destroy(stream);
    return trace;
}

static void check_same(const Trace *a, const Trace *b)
{
    CHECK_UINT(a->slices.count, b->slices.count);
    CHECK_UINT(a->instants.count, b->instants.count);
    CHECK_UINT(a->records.other_count, b->records.other_count);
    CHECK_UINT(a->records.warning_count, b->records.warning_count);
    CHECK_INT(a->begin_tick, b->begin_tick);
    CHECK_INT(a->end_tick, b->end_tick);
    CHECK_INT(a->source.complete, b->source.complete);
    for (uint32_t i = 0; i < a->records.warning_count; i++) {
        CHECK_STRING(a->records.warnings[i].kind, b->records.warnings[i].kind);
        CHECK_UINT(a->records.warnings[i].count, b->records.warnings[i].count);
        CHECK_STRING(a->records.warnings[i].first.message, b->records.warnings[i].first.message);
    }
    for (uint64_t i = 0; i < a->slices.count; i++) {
        CHECK_INT(trace_slice_begin(a, i), trace_slice_begin(b, i));
        CHECK_UINT(trace_slice_label(a, i), trace_slice_label(b, i));
        CHECK_UINT(a->slices.flags[i], b->slices.flags[i]);
    }
}

static void check_file(const FormatReader *reader, const char *name)
{
    static const size_t PIECES[] = { 1, 7, 64, 4093, SIZE_MAX / 2 };
    Bytes               bytes = { 0 };
    LoadOptions         options = { .format_name = reader->name, .threads = 1 };
    Loaded              loaded;
    Err                 err;
    fixture_read(name, &bytes);
    bool whole = load_bytes(bytes.data, bytes.size, name, &options, &loaded, &err);
    for (size_t i = 0; i < sizeof PIECES / sizeof PIECES[0]; i++) {
        Trace *trace = streamed(reader, &bytes, PIECES[i], &err);
        if (!whole) CHECK(trace == NULL);
        if (whole) {
            CHECK_DONE(trace != NULL, err);
            check_same(loaded.trace, trace);
        }
        trace_release(trace);
    }
    if (whole) loaded_release(&loaded);
    bytes_release(&bytes);
}

static size_t check_folder(const FormatReader *reader, const char *folder, const char *suffix)
{
    char   path[1024];
    size_t count = 0;
    fixture_path(folder, path, sizeof path);
    DIR *directory = opendir(path);
    CHECK(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        size_t size = strlen(entry->d_name), tail = strlen(suffix);
        if (size <= tail || strcmp(entry->d_name + size - tail, suffix) != 0) continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_file(reader, path);
        count++;
    }
    (void)closedir(directory);
    return count;
}

TEST(heph_streams_are_as_their_files)
{
    CHECK(check_folder(format_find("heph"), "heph", ".bin") > 30);
}

TEST(spall_streams_are_as_their_files)
{
    CHECK(check_folder(format_find("spall"), "spall", ".spall") > 30);
}

TEST(a_spall_stream_reports_room_that_is_filled_later)
{
    static const uint8_t BEGIN[] = {
        0x0d, 0xf0, 0xad, 0x0b, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,    0,    0,    0,    0, 0, 0,
        0,    0xf0, 0x3f, 0,    0, 0, 0, 0, 0, 0, 0,                                             /* header */
        3,    0,    1,    0,    0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0,    0x40, 0x8f, 0x40, 1, 0, 'f', /* Begin */
        4,    1,    0,    0,    0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0x58, 0xab, 0x40,                  /* End */
        7,    0,    0x20, 0,    0 /* Pad_Skip */
    };
    static const uint8_t ROOM[0x2000];
    Bytes                bytes = { 0 };
    LoadOptions          options = { .format_name = "spall", .threads = 1 };
    Loaded               loaded;
    Err                  err;
    bytes_append(&bytes, BEGIN, sizeof BEGIN);
    bytes_append(&bytes, ROOM, sizeof ROOM);
    Trace *trace = streamed(format_find("spall"), &bytes, 4093, &err);
    CHECK(trace != NULL && trace->slices.count == 1);
    CHECK_UINT(trace->records.warning_count, 1);
    CHECK_STRING(trace->records.warnings[0].kind, "unread-room");
    trace_release(trace);
    CHECK_DONE(load_bytes(bytes.data, bytes.size, "room.spall", &options, &loaded, &err), err);
    CHECK_UINT(loaded.trace->records.warning_count, 0);
    loaded_release(&loaded);
    bytes_release(&bytes);
}

TEST(json_streams_are_as_their_files)
{
    CHECK(check_folder(format_find("trace-event"), "cli", ".json") > 1);
}

/* A record in very many pieces is not read again for each of them. */
TEST(a_large_record_in_small_pieces_costs_what_it_is_long)
{
    enum { LENGTH = 8 << 20, PIECE = 512 };
    Bytes bytes = { 0 };
    Err   err;
    bytes_append_text(
        &bytes, "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"a\",\"args\":{\"b\":\"");
    for (size_t i = 0; i < LENGTH / 8; i++)
        bytes_append(&bytes, "12345678", 8);
    bytes_append_text(&bytes, "\"}}]");
    Trace *trace = streamed(format_find("trace-event"), &bytes, PIECE, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_UINT(trace->slices.count, 1);
    trace_release(trace);
    bytes_release(&bytes);
}

/* ---- limits ---- */

TEST(a_record_without_end_is_refused)
{
    static const char BEGIN[] = "[{\"name\":\"";
    char              block[65536];
    Err               err = { .code = ERR_NONE };
    StreamOptions     options = { .reader = format_find("trace-event"), .transport = STREAM_PIECES };
    Stream           *stream = stream_create(&options, &err);
    CHECK_DONE(stream != NULL, err);
    memset(block, 'x', sizeof block);
    CHECK_DONE(stream_push(stream, BEGIN, sizeof BEGIN - 1, &err), err);
    uint64_t pushed = 0;
    while (stream_push(stream, block, sizeof block, &err))
        CHECK((pushed += sizeof block) < 2 * (uint64_t)STREAM_RECORD_BYTES);
    CHECK_INT(err.code, ERR_LIMIT);
    CHECK(pushed >= STREAM_RECORD_BYTES / 2);
    stream_destroy(stream);
}

/* A record that claims a size above the limit of live records is not waited for. */
TEST(a_packet_that_claims_too_much_is_skipped_at_once)
{
    Bytes bytes = { 0 };
    Err   err;
    put_event(&bytes, 0, 1, 2, "a");
    put_hex(&bytes, "c1 fc 1f b7 01 00 00 01");
    put_event(&bytes, 1, 3, 4, "b");
    StreamOptions options = { .reader = format_find("heph"), .transport = STREAM_PIECES };
    Stream       *stream = stream_create(&options, &err);
    CHECK_DONE(stream != NULL, err);
    CHECK_DONE(stream_push(stream, bytes.data, bytes.size, &err), err);
    CHECK_UINT(stream_losses(stream).skipped_bytes, 8);
    stream_destroy(stream);
    bytes_release(&bytes);
}

static void count_event(void *context, const ObservedEvent *event)
{
    *(uint64_t *)context += event->kind == OBSERVED_COMPLETE;
}

/* A day of events, a hundred a second, fed faster. */
TEST(a_day_of_events_takes_no_memory)
{
    enum { PER_PUSH = 1000, PUSHES = 24 * 3600 * 100 / PER_PUSH };
    uint64_t      events = 0, peak_early = 0;
    EventObserver observer = { count_event, &events };
    StreamOptions options = { .reader = format_find("heph"),
                              .transport = STREAM_PIECES,
                              .observer = &observer };
    Err           err;
    Bytes         bytes = { 0 };
    memory_watch();
    Stream *stream = stream_create(&options, &err);
    CHECK_DONE(stream != NULL, err);
    for (uint32_t push = 0; push < PUSHES; push++) {
        bytes_clear(&bytes);
        put_epoch(&bytes, 1);
        for (uint32_t i = 0; i < PER_PUSH; i++) {
            uint32_t number = push * PER_PUSH + i;
            put_event(&bytes, number, number * UINT64_C(10000000), number * UINT64_C(10000000) + 1000,
                      i % 2 ? "a" : "b");
        }
        CHECK_DONE(stream_push(stream, bytes.data, bytes.size, &err), err);
        if (push == PUSHES / 100) peak_early = memory_peak();
    }
    CHECK_UINT(events, (uint64_t)PER_PUSH * PUSHES);
    CHECK_UINT(stream_losses(stream).missing, 0);
    CHECK_UINT(memory_peak(), peak_early);
    stream_destroy(stream);
    bytes_release(&bytes);
}

/* ---- datagrams ---- */

/* One datagram in each line, in hexadecimal: test/data/heph/syn_udp_datagrams.txt. */
static void push_datagrams(Stream *stream, const char *name)
{
    Bytes text = { 0 };
    fixture_read(name, &text);
    bytes_append(&text, "", 1);
    for (char *line = strtok((char *)text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        Bytes    datagram = { 0 };
        unsigned byte;
        Err      err;
        if (line[0] == '#') continue;
        for (; sscanf(line, "%2x", &byte) == 1; line += 2)
            put_uint(&datagram, byte, 1);
        CHECK_DONE(stream_push(stream, datagram.data, datagram.size, &err), err);
        bytes_release(&datagram);
    }
    bytes_release(&text);
}

TEST(datagrams_stand_each_for_itself)
{
    StreamOptions  options = { .reader = format_find("heph"), .transport = STREAM_DATAGRAMS };
    Err            err;
    const Warning *warning;
    Stream        *stream = stream_create(&options, &err);
    CHECK_DONE(stream != NULL, err);
    push_datagrams(stream, "heph/syn_udp_datagrams.txt");
    ReadLosses losses = stream_losses(stream);
    CHECK_UINT(losses.missing, 0);
    CHECK_UINT(losses.late, 3);
    CHECK_UINT(losses.twice, 1);
    CHECK_UINT(losses.skipped_bytes, 34);
    CHECK_DONE(stream_end(stream, &err), err);
    Trace *trace = builder_finish(stream_builder(stream), 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_UINT(trace->slices.count, 8);
    CHECK_UINT(warning_count(trace, "truncated-packet", &warning), 1);
    CHECK_STRING(warning->first.message, "a datagram's last packet is cut short: 30 of 44 bytes");
    trace_release(trace);
    stream_destroy(stream);
}

/* The bytes of the next datagram would complete the packet. */
TEST(a_cut_packet_is_not_joined_with_the_next_datagram)
{
    StreamOptions options = { .reader = format_find("heph"), .transport = STREAM_DATAGRAMS };
    Bytes         bytes = { 0 };
    Err           err;
    put_event(&bytes, 0, 1, 2, "whole");
    Stream *stream = stream_create(&options, &err);
    CHECK_DONE(stream != NULL, err);
    for (size_t at = 1; at < bytes.size; at++) {
        CHECK_DONE(stream_push(stream, bytes.data, at, &err), err);
        CHECK_DONE(stream_push(stream, bytes.data + at, bytes.size - at, &err), err);
    }
    CHECK_UINT(stream_losses(stream).skipped_bytes, bytes.size * (bytes.size - 1));
    CHECK_DONE(stream_push(stream, bytes.data, bytes.size, &err), err);
    CHECK_DONE(stream_end(stream, &err), err);
    Trace *trace = builder_finish(stream_builder(stream), 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_UINT(trace->slices.count, 1);
    trace_release(trace);
    stream_destroy(stream);
    bytes_release(&bytes);
}

/* ---- losses are known at once ---- */

TEST(losses_are_known_while_it_goes_on)
{
    StreamOptions options = { .reader = format_find("heph"), .transport = STREAM_DATAGRAMS };
    Err           err;
    Stream       *stream = stream_create(&options, &err);
    static const struct {
        uint32_t counter;
        uint64_t missing, late, twice;
    } STEPS[] = { { 5, 0, 0, 0 },  { 6, 0, 0, 0 },  { 10, 3, 0, 0 }, { 8, 2, 1, 0 },
                  { 10, 2, 1, 1 }, { 11, 2, 1, 1 }, { 7, 1, 2, 1 },  { 9, 0, 3, 1 } };
    CHECK_DONE(stream != NULL, err);
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        Bytes bytes = { 0 };
        put_event(&bytes, STEPS[i].counter, 1, 2, "a");
        CHECK_DONE(stream_push(stream, bytes.data, bytes.size, &err), err);
        bytes_release(&bytes);
        CHECK_UINT(stream_losses(stream).missing, STEPS[i].missing);
        CHECK_UINT(stream_losses(stream).late, STEPS[i].late);
        CHECK_UINT(stream_losses(stream).twice, STEPS[i].twice);
    }
    stream_destroy(stream);
}

/* ---- recognising the format ---- */

TEST(a_format_is_guessed_as_soon_as_it_is_sure)
{
    static const uint8_t METADATA[] = { 0x75, 0xd1, 0x1d, 0x4d, 0, 0, 0, 23 };
    static const struct {
        const char     *head;
        size_t          size;
        StreamTransport transport;
        StreamState     state;
        StreamGuess     guess;
        const char     *name;
    } CASES[] = {
        { "", 0, STREAM_PIECES, STREAM_GOES_ON, STREAM_UNSURE, NULL },
        { "", 0, STREAM_PIECES, STREAM_ENDED, STREAM_UNKNOWN, NULL },
        { "[", 1, STREAM_PIECES, STREAM_GOES_ON, STREAM_UNSURE, NULL },
        { "[", 1, STREAM_PIECES, STREAM_ENDED, STREAM_KNOWN, "trace-event" },
        { "[{", 2, STREAM_PIECES, STREAM_GOES_ON, STREAM_KNOWN, "trace-event" },
        { "[{", 2, STREAM_DATAGRAMS, STREAM_GOES_ON, STREAM_UNKNOWN, NULL },
        { "{\"nodes\":", 9, STREAM_PIECES, STREAM_GOES_ON, STREAM_UNKNOWN, NULL },
        { "hello", 5, STREAM_PIECES, STREAM_GOES_ON, STREAM_UNSURE, NULL },
        { "hello", 5, STREAM_PIECES, STREAM_ENDED, STREAM_UNKNOWN, NULL },
        { "hello", 5, STREAM_DATAGRAMS, STREAM_GOES_ON, STREAM_UNKNOWN, NULL },
        { (const char *)METADATA, 8, STREAM_PIECES, STREAM_GOES_ON, STREAM_KNOWN, "heph" },
        { (const char *)METADATA, 8, STREAM_DATAGRAMS, STREAM_GOES_ON, STREAM_KNOWN, "heph" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const FormatReader *reader = NULL;
        Err                 err = { .code = ERR_NONE };
        StreamGuess         guess =
            stream_guess(CASES[i].head, CASES[i].size, CASES[i].transport, CASES[i].state, &reader, &err);
        CHECK_INT(guess, CASES[i].guess);
        if (guess == STREAM_UNKNOWN) CHECK_INT(err.code, ERR_UNKNOWN);
        if (CASES[i].name != NULL) CHECK_STRING(reader->name, CASES[i].name);
    }
}

TEST(enough_bytes_decide_even_if_they_are_odd)
{
    const FormatReader *reader = NULL;
    Err                 err;
    Bytes               bytes = { 0 };
    for (size_t i = 0; i < 1000; i++)
        bytes_append_text(&bytes, "noise ");
    put_event(&bytes, 0, 1, 2, "a");
    CHECK_INT(stream_guess(bytes.data, bytes.size, STREAM_PIECES, STREAM_GOES_ON, &reader, &err),
              STREAM_UNSURE);
    CHECK_INT(stream_guess(bytes.data, bytes.size, STREAM_PIECES, STREAM_ENDED, &reader, &err), STREAM_KNOWN);
    while (bytes.size < STREAM_HEAD_BYTES)
        put_event(&bytes, 0, 1, 2, "a");
    CHECK_INT(stream_guess(bytes.data, bytes.size, STREAM_PIECES, STREAM_GOES_ON, &reader, &err),
              STREAM_KNOWN);
    CHECK_STRING(reader->name, "heph");
    bytes_release(&bytes);
}

/* ---- failed allocations ---- */

TEST(without_memory_it_fails_and_leaks_nothing)
{
    Bytes bytes = { 0 };
    for (uint32_t i = 0; i < 300; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "event %u", (unsigned)i);
        put_event(&bytes, i, i, i + 1, name);
    }
    put_hex(&bytes, "c1 fc 1f b7 00 00 01 00");
    bool done = false;
    for (uint64_t n = 0; !done; n++) {
        Err err = { .code = ERR_NONE };
        CHECK(n < 10000);
        memory_fail_after(n);
        Trace *trace = streamed(format_find("heph"), &bytes, 1000, &err);
        memory_fail_after(UINT64_MAX);
        done = trace != NULL;
        if (!done) CHECK_INT(err.code, ERR_MEMORY);
        trace_release(trace);
    }
    bytes_release(&bytes);
}

TEST_MAIN("stream", TEST_CASE(heph_streams_are_as_their_files), TEST_CASE(spall_streams_are_as_their_files),
          TEST_CASE(a_spall_stream_reports_room_that_is_filled_later),
          TEST_CASE(json_streams_are_as_their_files),
          TEST_CASE(a_large_record_in_small_pieces_costs_what_it_is_long),
          TEST_CASE(a_record_without_end_is_refused),
          TEST_CASE(a_packet_that_claims_too_much_is_skipped_at_once),
          TEST_CASE(a_day_of_events_takes_no_memory), TEST_CASE(datagrams_stand_each_for_itself),
          TEST_CASE(a_cut_packet_is_not_joined_with_the_next_datagram),
          TEST_CASE(losses_are_known_while_it_goes_on), TEST_CASE(a_format_is_guessed_as_soon_as_it_is_sure),
          TEST_CASE(enough_bytes_decide_even_if_they_are_odd),
          TEST_CASE(without_memory_it_fails_and_leaks_nothing))
