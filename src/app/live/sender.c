#include "app/live/sender.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    UNWRITTEN_MOST = 1 << 20,
    WAITING_MUCH = 1 << 20, /* processed at once */
    NEWS_MS = 50,           /* the time between two changes of the trace */
    QUIET_MS = 200,         /* a pause of this length allows expensive changes */
    RETRY_MS = 5,
    WATCHED_MS = 2000, /* since the last request about it: the page sends requests more often */
    PATIENCE_MS = 5,
    NAMES_TAKEN_MOST = 1000 /* limit on the existing recordings that are skipped for one sender */
};

/* Size of the temporary file for details without a recording; older bytes are discarded in steps. */
static const uint64_t TEMPORARY_MOST = UINT64_C(4) << 30, TEMPORARY_STEP = UINT64_C(64) << 20;

struct Sender {
    Arena               arena; /* the sender itself */
    SenderRules        *rules; /* borrowed */
    StreamTransport     transport;
    SenderState         state;
    SenderEnd           end;
    char                name[LIVE_NAME_BYTES];
    Bytes               head; /* until the format is known */
    const FormatReader *format;
    Stream             *stream; /* owned; from SENDER_RECEIVING until it has ended */
    Shown              *shown;  /* owned; NULL = there is no viewer */
    Bytes      waiting;    /* of a shown sender: received bytes; before each datagram its size (uint32_t) */
    size_t     pushed;     /* bytes of `waiting` that the stream has */
    uint64_t   changed_ms; /* when the trace changed last */
    uint64_t   retry_ms;   /* the time of the next attempt, after a request was reading the trace */
    bool       has_unsettled; /* since the last pause */
    unsigned   request_count; /* the last result of shown_request_count */
    uint64_t   requested_ms;  /* the time of its last change */
    FileSpool  record;
    uint64_t   forgotten;  /* bytes discarded at the begin of the temporary file */
    FileReader store;      /* the received bytes, for details of events */
    bool       owns_store; /* false: its descriptor is the recording's */
    char       file[FILE_PATH_BYTES];
    uint32_t   names_taken;
    Bytes      unwritten; /* of the recording */
    uint64_t   bytes, datagrams, events;
    ReadLosses losses;
    Err        fault, record_fault;
};

Sender *sender_create(SenderRules *rules, StreamTransport transport, const char *name, Err *err)
{
    Arena   arena = arena_create(0);
    Sender *sender = ARENA_NEW(&arena, Sender);
    if (sender == NULL) {
        err_set(err, ERR_MEMORY, "out of memory for a sender");
        return NULL;
    }
    sender->arena = arena;
    sender->rules = rules;
    sender->transport = transport;
    (void)snprintf(sender->name, sizeof sender->name, "%s", name);
    return sender;
}

/* ---- the recording ---- */

/* Opens a temporary file for the details of events if there is no recording. */
static void open_store(Sender *sender)
{
    Err ignored; /* without the file, requests for details report an error */
    if (sender->rules->show.session == NULL || sender->owns_store) return;
    if (!file_spool_open(&sender->record, &ignored)) file_spool_close(&sender->record);
}

/* Writes the file name of a recording. False: it is too long. */
static bool record_name(Sender *sender, uint32_t number)
{
    assert(number > 0);
    const char *path = sender->rules->record_path;
    const int   length = number == 1 ? snprintf(sender->file, sizeof sender->file, "%s", path)
                                     : snprintf(sender->file, sizeof sender->file, "%s.%" PRIu32, path, number);
    return (length >= 0 && (size_t)length < sizeof sender->file) ||
           err_set(&sender->record_fault, ERR_IO, "the file's name is too long");
}

/* Creates the recording: the first sender gets the file that the user named, each later one a new file with
 * the next number. Existing files are not overwritten. */
static bool record_create(Sender *sender)
{
    SenderRules *rules = sender->rules;
    if (rules->record_count == 0) {
        rules->record_count = 1;
        sender->record = rules->first_record;
        rules->first_record = (FileSpool){ 0 };
        return record_name(sender, 1);
    }
    for (; sender->names_taken <= NAMES_TAKEN_MOST; sender->names_taken++) {
        if (!record_name(sender, ++rules->record_count)) return false;
        switch (file_spool_create_new(&sender->record, sender->file, &sender->record_fault)) {
        case SPOOL_CREATED:
            return true;
        case SPOOL_EXISTS:
            break;
        case SPOOL_FAILED:
            return false;
        }
    }
    return err_set(&sender->record_fault, ERR_IO, "%d files of the numbers before exist already",
                   NAMES_TAKEN_MOST + 1);
}

static void record_open(Sender *sender)
{
    if (sender->rules->record_path == NULL) {
        open_store(sender);
    } else if (!record_create(sender)) {
        sender->file[0] = '\0';
    }
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
    bool is_temporary = sender->file[0] == '\0';
    if (is_temporary && sender->record.size > sender->forgotten + TEMPORARY_MOST + TEMPORARY_STEP) {
        sender->forgotten = sender->record.size - TEMPORARY_MOST;
        file_spool_forget(&sender->record, sender->forgotten);
    }
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

static void push(Sender *sender, const void *bytes, size_t size)
{
    assert(sender->stream != NULL || sender->fault.code != ERR_NONE);
    bool done = sender->fault.code == ERR_NONE && stream_push(sender->stream, bytes, size, &sender->fault);
    if (done) sender->losses = stream_losses(sender->stream);
}

static void decode(Sender *sender, const void *bytes, size_t size)
{
    uint32_t size_ahead = (uint32_t)size;
    if (sender->shown == NULL) {
        push(sender, bytes, size);
    } else if (sender->fault.code == ERR_NONE) {
        if (sender->transport == STREAM_DATAGRAMS)
            bytes_append(&sender->waiting, &size_ahead, sizeof size_ahead);
        bytes_append(&sender->waiting, bytes, size);
        if (sender->waiting.failed) err_set(&sender->fault, ERR_MEMORY, "out of memory");
    }
}

/* ---- showing it ---- */

/* Reads received bytes for the session. Any thread. */
static size_t store_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    const Sender *sender = (const Sender *)context;
    int64_t       got = file_reader_read(&sender->store, offset, buffer, size);
    return got < 0 ? 0 : (size_t)got;
}

static void store_close(void *context)
{
    (void)context; /* owned by the sender, which outlives the session */
}

void sender_reread_from(Sender *sender, int fd)
{
    sender->store = (FileReader){ .size = UINT64_MAX, .handle_plus_one = dup(fd) + 1 };
    sender->owns_store = sender->store.handle_plus_one > 0;
}

/* Creates the trace of the first events and adds it to the session. */
static void show(Sender *sender)
{
    assert(sender->shown == NULL && sender->stream != NULL);
    InputStore store = { store_read, store_close, sender };
    if (!sender->owns_store)
        sender->store = (FileReader){ .size = UINT64_MAX, .handle_plus_one = sender->record.handle_plus_one };
    sender->shown = shown_create(&sender->rules->show, sender->stream, sender->name, &store, &sender->fault);
    if (sender->shown == NULL) return;
    shown_keep_columns(sender->shown, sender->rules->keep_bytes);
    shown_report(sender->shown, LIVE_RECEIVING, sender->bytes, &sender->losses);
}

static size_t waiting_bytes(const Sender *sender)
{
    return sender->waiting.size - sender->pushed;
}

static void drop_waiting(Sender *sender)
{
    bytes_release(&sender->waiting);
    sender->pushed = 0;
}

/* Moves the rest to the front once it is the smaller part, so that each byte moves once on average. */
static void drop_pushed(Sender *sender)
{
    Bytes       *waiting = &sender->waiting;
    const size_t left = waiting_bytes(sender);
    if (left > sender->pushed) return;
    if (left > 0) memmove(waiting->data, waiting->data + sender->pushed, left);
    waiting->size = left;
    sender->pushed = 0;
}

/* Passes waiting bytes to the stream: `most` of them, and at least one datagram. */
static void push_waiting(Sender *sender, uint64_t most)
{
    const size_t left = waiting_bytes(sender), end = sender->pushed + (left < most ? left : (size_t)most);
    while (sender->pushed < end) {
        uint32_t size = (uint32_t)(end - sender->pushed);
        if (sender->transport == STREAM_DATAGRAMS) {
            memcpy(&size, sender->waiting.data + sender->pushed, sizeof size);
            sender->pushed += sizeof size;
        }
        assert(sender->fault.code != ERR_NONE || size <= waiting_bytes(sender));
        push(sender, sender->waiting.data + sender->pushed, size);
        sender->pushed += size;
    }
    drop_pushed(sender);
}

/* Adds a piece of the waiting bytes to the trace. False: a request is reading it. */
static bool change_trace(Sender *sender, ShowRule rule)
{
    assert(sender->shown != NULL);
    Err err;
    sender_flush(sender); /* makes the shown data readable again */
    if (!shown_begin(sender->shown, PATIENCE_MS)) return false;
    push_waiting(sender, sender->rules->piece_bytes);
    if (!shown_end(sender->shown, rule, &err) && sender->fault.code == ERR_NONE) sender->fault = err;
    if (sender->fault.code != ERR_NONE) drop_waiting(sender);
    LiveState state = sender_takes_events(sender) ? LIVE_RECEIVING : LIVE_ENDED;
    shown_report(sender->shown, state, sender->bytes, &sender->losses);
    return true;
}

int sender_due_ms(const Sender *sender, uint64_t now_ms)
{
    const bool has_news = waiting_bytes(sender) > 0;
    if (sender->shown == NULL || sender->state != SENDER_RECEIVING) return -1;
    if (!has_news && !sender->has_unsettled) return -1;
    const bool     has_much = sender_is_full(sender) || waiting_bytes(sender) >= WAITING_MUCH;
    const uint64_t due_ms = sender->changed_ms + (has_much ? 0 : has_news ? NEWS_MS : QUIET_MS);
    const uint64_t at_ms = due_ms > sender->retry_ms ? due_ms : sender->retry_ms;
    return at_ms > now_ms ? (int)(at_ms - now_ms) : 0;
}

void sender_catch_up(Sender *sender, uint64_t now_ms)
{
    if (sender->shown == NULL || sender->state != SENDER_RECEIVING) return;
    const unsigned request_count = shown_request_count(sender->shown);
    if (request_count != sender->request_count) sender->requested_ms = now_ms;
    sender->request_count = request_count;
    if (sender_due_ms(sender, now_ms) != 0) return;
    const bool has_news = waiting_bytes(sender) > 0;
    if (!change_trace(sender, has_news ? SHOW_NEWS : SHOW_ALL)) {
        sender->retry_ms = now_ms + RETRY_MS;
        return;
    }
    sender->changed_ms = now_ms;
    sender->has_unsettled = has_news;
}

bool sender_is_watched(const Sender *sender, uint64_t now_ms)
{
    return sender->request_count != 0 && now_ms - sender->requested_ms < WATCHED_MS;
}

bool sender_is_full(const Sender *sender)
{
    return waiting_bytes(sender) >= sender->rules->piece_bytes;
}

/* ---- the memory it takes ---- */

bool sender_takes_events(const Sender *sender)
{
    return sender->state != SENDER_ENDED && sender->fault.code == ERR_NONE;
}

uint64_t sender_held_bytes(const Sender *sender)
{
    uint64_t held = sender->waiting.capacity + sender->head.capacity + sender->unwritten.capacity;
    if (sender->stream != NULL)
        held += stream_held_bytes(sender->stream);
    else if (sender->shown != NULL)
        held += shown_held_bytes(sender->shown);
    if (sender->shown != NULL) held += shown_table_bytes(sender->shown);
    return held;
}

bool sender_exceeds(const Sender *sender)
{
    return sender->shown != NULL && shown_exceeds(sender->shown);
}

uint64_t sender_column_bytes(const Sender *sender)
{
    return sender->shown == NULL ? 0 : shown_column_bytes(sender->shown);
}

uint64_t sender_column_memory(const Sender *sender)
{
    return sender->shown == NULL ? 0 : shown_column_memory(sender->shown);
}

void sender_keep_columns(Sender *sender, uint64_t bytes)
{
    if (sender->shown == NULL) return;
    shown_keep_columns(sender->shown, bytes);
    if (bytes == 0 || shown_column_bytes(sender->shown) <= bytes) return;
    sender->has_unsettled = true;
    if (sender->state == SENDER_ENDED) (void)change_trace(sender, SHOW_NEWS); /* otherwise later */
}

void sender_stop(Sender *sender)
{
    (void)err_set(
        &sender->fault, ERR_MEMORY,
        "the memory for all senders is used up, and this one has the largest part: its later events "
        "are not shown");
    drop_waiting(sender);
    if (sender->shown != NULL) {
        shown_report(sender->shown, LIVE_ENDED, sender->bytes, &sender->losses);
    } else {
        stream_destroy(sender->stream);
        sender->stream = NULL;
    }
}

/* ---- received data ---- */

/* Opens a stream for the received bytes, for a trace or only for counting. */
static void open_stream(Sender *sender, const EventObserver *observer)
{
    StreamOptions options = { .reader = sender->format,
                              .transport = sender->transport,
                              .memory_limit = sender->rules->memory_limit,
                              .observer = observer };
    sender->fault = (Err){ .code = ERR_NONE };
    sender->stream = stream_create(&options, &sender->fault);
    push(sender, sender->head.data, sender->head.size);
}

/* Starts reading after the format is known. */
static void begin(Sender *sender, const FormatReader *reader)
{
    assert(sender->state == SENDER_NEW && sender->format == NULL);
    EventObserver observer = { count_event, sender };
    sender->format = reader;
    sender->state = SENDER_RECEIVING;
    record_open(sender);
    if (sender->rules->began != NULL) {
        SenderStatus status = sender_status(sender, NULL);
        sender->rules->began(sender->rules->context, &status);
    }
    record(sender, sender->head.data, sender->head.size);
    sender_flush(sender);
    if (session_has_room(sender->rules->show.session)) {
        open_stream(sender, NULL);
        if (sender->fault.code == ERR_NONE) show(sender);
        if (sender->shown != NULL) return;
        stream_destroy(sender->stream); /* the trace cannot be shown; its data is still received */
    }
    open_stream(sender, &observer);
}

/* True if the format is known, or the data is not recognised. */
static bool recognise(Sender *sender, StreamState state)
{
    const FormatReader *reader = sender->rules->reader;
    StreamGuess         guess = STREAM_KNOWN;
    if (reader == NULL)
        guess = stream_guess(sender->head.data, sender->head.size, sender->transport, state, &reader,
                             &sender->fault);
    else if (!stream_can_be(reader, sender->transport, &sender->fault))
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

/* Collects bytes until the format is known. */
static void take_head(Sender *sender, const void *bytes, size_t size)
{
    if (sender->fault.code != ERR_NONE) return;
    bytes_append(&sender->head, bytes, size);
    if (sender->head.failed) {
        err_set(&sender->fault, ERR_MEMORY, "out of memory");
    } else if (recognise(sender, STREAM_GOES_ON)) {
        bytes_release(&sender->head);
    }
}

TakeOutcome sender_take(Sender *sender, const void *bytes, size_t size)
{
    assert(sender->state != SENDER_ENDED);
    sender->bytes += size;
    if (sender->transport == STREAM_DATAGRAMS) sender->datagrams++;
    if (sender->state == SENDER_NEW) {
        take_head(sender, bytes, size);
    } else {
        record(sender, bytes, size);
        decode(sender, bytes, size);
    }
    bool is_kept = is_recorded(sender) && sender->file[0] != '\0';
    return sender->fault.code == ERR_NONE || is_kept ? TAKEN : TAKEN_FOR_NOTHING;
}

/* ---- the end ---- */

static void end_stream(Sender *sender)
{
    Err err;
    while (sender->shown != NULL && !shown_begin(sender->shown, QUIET_MS)) {
    } /* requests are finite */
    push_waiting(sender, UINT64_MAX); /* less than a piece */
    if (sender->fault.code == ERR_NONE && stream_end(sender->stream, &sender->fault))
        sender->losses = stream_losses(sender->stream);
    if (sender->shown == NULL) return;
    if (!shown_end(sender->shown, SHOW_ALL, &err) && sender->fault.code == ERR_NONE) sender->fault = err;
    shown_report(sender->shown, LIVE_ENDED, sender->bytes, &sender->losses);
}

/* Releases all memory except the shown trace and the file of its details. */
static void release(Sender *sender)
{
    stream_destroy(sender->stream);
    sender->stream = NULL;
    if (sender->shown == NULL) file_spool_close(&sender->record);
    bytes_release(&sender->unwritten);
    drop_waiting(sender);
    bytes_release(&sender->head);
}

bool sender_is_shown(const Sender *sender)
{
    return sender->shown != NULL;
}

bool sender_is_recognised(const Sender *sender)
{
    return sender->format != NULL;
}

void sender_end(Sender *sender, SenderEnd end)
{
    Trace so_far;
    if (sender->state == SENDER_ENDED) return;
    if (sender->state == SENDER_NEW && sender->fault.code == ERR_NONE && sender->head.size > 0)
        (void)recognise(sender, STREAM_ENDED);
    sender_flush(sender);
    if (sender->state == SENDER_RECEIVING) end_stream(sender);
    sender->state = SENDER_ENDED;
    sender->end = end;
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
    shown_destroy(sender->shown);
    file_spool_close(&sender->record);
    if (sender->owns_store) file_reader_close(&sender->store);
    Arena arena = sender->arena; /* the sender lives in it */
    arena_release(&arena);
}

SenderStatus sender_status(const Sender *sender, Trace *so_far)
{
    SenderStatus status = { .name = sender->name,
                            .format = sender->format,
                            .file = sender->file,
                            .names_taken = sender->names_taken,
                            .state = sender->state,
                            .end = sender->end,
                            .bytes = sender->bytes,
                            .datagrams = sender->datagrams,
                            .events = sender->shown == NULL ? sender->events : shown_events(sender->shown),
                            .losses = sender->losses,
                            .fault = sender->fault,
                            .record_fault = sender->record_fault };
    if (sender->shown != NULL) {
        status.so_far = shown_trace(sender->shown);
    } else if (so_far != NULL && sender->stream != NULL) {
        builder_view(stream_builder(sender->stream), so_far);
        status.so_far = so_far;
    }
    return status;
}
