#include "app/live/sender.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { UNWRITTEN_MOST = 1 << 20 };

struct Sender {
    Arena               arena; /* the sender itself */
    SenderRules        *rules; /* borrowed */
    StreamCarrier       carrier;
    SenderState         state;
    char                name[LIVE_NAME_BYTES];
    Bytes               head; /* until the format is known */
    const FormatReader *format;
    Stream             *stream; /* owned; from SENDER_RECEIVING until it has ended */
    FileSpool           record;
    char                file[FILE_PATH_BYTES];
    Bytes               unwritten; /* of the recording */
    uint64_t            bytes, datagrams, events;
    ReadLosses          losses;
    Err                 fault, record_fault;
};

Sender *sender_create(SenderRules *rules, StreamCarrier carrier, const char *name, Err *err)
{
    Arena   arena = arena_create(0);
    Sender *sender = ARENA_NEW(&arena, Sender);
    if (sender == NULL) {
        err_set(err, ERR_MEMORY, "out of memory for a sender");
        return NULL;
    }
    sender->arena = arena;
    sender->rules = rules;
    sender->carrier = carrier;
    (void)snprintf(sender->name, sizeof sender->name, "%s", name);
    return sender;
}

/* ---- the recording ---- */

static void record_open(Sender *sender)
{
    SenderRules *rules = sender->rules;
    if (rules->record_path == NULL) return;
    uint32_t number = ++rules->record_count;
    int      length = number == 1 ? snprintf(sender->file, sizeof sender->file, "%s", rules->record_path)
                                  : snprintf(sender->file, sizeof sender->file, "%s.%u", rules->record_path,
                                             (unsigned)number);
    if (length < 0 || (size_t)length >= sizeof sender->file) {
        err_set(&sender->record_fault, ERR_IO, "the file's name is too long");
        return;
    }
    if (!file_spool_create(&sender->record, sender->file, &sender->record_fault)) sender->file[0] = '\0';
}

static bool is_recorded(const Sender *sender)
{
    return sender->record.handle_plus_one > 0 && sender->record_fault.code == ERR_NONE;
}

void sender_flush(Sender *sender)
{
    Bytes *unwritten = &sender->unwritten;
    if (unwritten->size == 0 && !unwritten->failed) return;
    bool done = unwritten->failed ? err_set(&sender->record_fault, ERR_MEMORY, "out of memory")
                                  : file_spool_append(&sender->record, unwritten->data, unwritten->size,
                                                      &sender->record_fault);
    bytes_clear(unwritten);
    if (!done) bytes_release(unwritten);
}

static void record(Sender *sender, const void *bytes, size_t size)
{
    if (!is_recorded(sender)) return;
    bytes_append(&sender->unwritten, bytes, size);
    if (sender->unwritten.failed || sender->unwritten.size >= UNWRITTEN_MOST) sender_flush(sender);
}

/* ---- the stream ---- */

static void count_event(void *context, const ObservedEvent *event)
{
    Sender *sender = (Sender *)context;
    if (event->kind != OBSERVED_METADATA) sender->events++;
}

static void decode(Sender *sender, const void *bytes, size_t size)
{
    bool done = sender->fault.code == ERR_NONE && stream_push(sender->stream, bytes, size, &sender->fault);
    if (!done) return;
    sender->losses = stream_losses(sender->stream);
}

/* Its first bytes say what it sends. */
static void begin(Sender *sender, const FormatReader *reader)
{
    EventObserver observer = { count_event, sender };
    StreamOptions options = { .reader = reader,
                              .carrier = sender->carrier,
                              .memory_limit = sender->rules->memory_limit,
                              .observer = &observer };
    sender->format = reader;
    sender->state = SENDER_RECEIVING;
    record_open(sender);
    sender->stream = stream_create(&options, &sender->fault);
    if (sender->rules->began == NULL) return;
    SenderStatus status = sender_status(sender, NULL);
    sender->rules->began(sender->rules->context, &status);
}

/* True once it is known what is sent, or that it is nothing. */
static bool recognise(Sender *sender, const void *head, size_t size, StreamState state)
{
    const FormatReader *reader = sender->rules->reader;
    StreamGuess         guess = STREAM_KNOWN;
    if (reader == NULL)
        guess = stream_guess(head, size, sender->carrier, state, &reader, &sender->fault);
    else if (!stream_can_be(reader, sender->carrier, &sender->fault))
        guess = STREAM_UNKNOWN;
    if (guess == STREAM_UNSURE) sender->fault = (Err){ .code = ERR_NONE };
    if (guess == STREAM_KNOWN) {
        sender->fault = (Err){ .code = ERR_NONE };
        begin(sender, reader);
    }
    return guess != STREAM_UNSURE;
}

bool sender_would_take(const SenderRules *rules, const void *datagram, size_t size)
{
    const FormatReader *reader;
    Err                 ignored;
    if (rules->reader != NULL) return stream_can_be(rules->reader, STREAM_DATAGRAMS, &ignored);
    return stream_guess(datagram, size, STREAM_DATAGRAMS, STREAM_GOES_ON, &reader, &ignored) == STREAM_KNOWN;
}

/* What came before the format was known. */
static void take_recognised(Sender *sender)
{
    if (sender->state == SENDER_RECEIVING) {
        record(sender, sender->head.data, sender->head.size);
        decode(sender, sender->head.data, sender->head.size);
    }
    bytes_release(&sender->head);
}

/* Before the format is known. */
static void take_head(Sender *sender, const void *bytes, size_t size)
{
    if (sender->fault.code != ERR_NONE) return;
    bytes_append(&sender->head, bytes, size);
    if (sender->head.failed) {
        err_set(&sender->fault, ERR_MEMORY, "out of memory");
    } else if (recognise(sender, sender->head.data, sender->head.size, STREAM_GOES_ON)) {
        take_recognised(sender);
    }
}

TakeOutcome sender_take(Sender *sender, const void *bytes, size_t size)
{
    assert(sender->state != SENDER_ENDED);
    sender->bytes += size;
    if (sender->carrier == STREAM_DATAGRAMS) sender->datagrams++;
    if (sender->state == SENDER_NEW) {
        take_head(sender, bytes, size);
    } else {
        record(sender, bytes, size);
        decode(sender, bytes, size);
    }
    return sender->fault.code == ERR_NONE || is_recorded(sender) ? TAKEN : TAKEN_FOR_NOTHING;
}

/* ---- the end ---- */

static void end_stream(Sender *sender)
{
    if (sender->fault.code != ERR_NONE || !stream_end(sender->stream, &sender->fault)) return;
    sender->losses = stream_losses(sender->stream);
}

static void release(Sender *sender)
{
    stream_destroy(sender->stream);
    sender->stream = NULL;
    file_spool_close(&sender->record);
    bytes_release(&sender->unwritten);
    bytes_release(&sender->head);
}

void sender_end(Sender *sender)
{
    Trace so_far;
    if (sender->state == SENDER_ENDED) return;
    if (sender->state == SENDER_NEW && sender->fault.code == ERR_NONE && sender->head.size > 0 &&
        recognise(sender, sender->head.data, sender->head.size, STREAM_ENDED))
        take_recognised(sender);
    if (sender->state == SENDER_RECEIVING) end_stream(sender);
    sender_flush(sender);
    sender->state = SENDER_ENDED;
    if (sender->rules->ended != NULL) {
        SenderStatus status = sender_status(sender, &so_far);
        sender->rules->ended(sender->rules->context, &status);
    }
    release(sender);
}

void sender_destroy(Sender *sender)
{
    if (sender == NULL) return;
    release(sender);
    Arena arena = sender->arena; /* the sender lives in it */
    arena_release(&arena);
}

SenderStatus sender_status(const Sender *sender, Trace *so_far)
{
    SenderStatus status = { .name = sender->name,
                            .format = sender->format,
                            .file = sender->file,
                            .state = sender->state,
                            .bytes = sender->bytes,
                            .datagrams = sender->datagrams,
                            .events = sender->events,
                            .losses = sender->losses,
                            .fault = sender->fault,
                            .record_fault = sender->record_fault };
    if (so_far == NULL || sender->stream == NULL) return status;
    builder_view(stream_builder(sender->stream), so_far);
    status.so_far = so_far;
    return status;
}
