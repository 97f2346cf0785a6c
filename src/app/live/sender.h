/* app/live/sender.h - one sender: a connection, a source of datagrams, a pipe or a growing file. Each is a separate
 * trace.
 *
 * Received bytes are written unchanged to the recording and pushed to a stream (format/stream.h). Any thread may call,
 * one at a time. A failure of either affects only this sender. */
#ifndef APP_LIVE_SENDER_H
#define APP_LIVE_SENDER_H
#include "app/live/address.h"
#include "app/live/shown.h"
#include "base/file.h"
#include "format/stream.h"

typedef enum {
    SENDER_NEW,       /* the format is unknown */
    SENDER_RECEIVING, /* its format is known */
    SENDER_ENDED
} SenderState;

typedef enum {
    SENDER_FINISHED, /* it closed its connection, its file was replaced, or receiving stops */
    SENDER_EVICTED   /* it was silent, or sent nothing recognised, and a new sender took its place */
} SenderEnd;

/* Public state of a sender. */
typedef struct SenderStatus {
    const char         *name;        /* "tcp:127.0.0.1:50123" */
    const FormatReader *format;      /* NULL = not recognised, or not yet */
    const char         *file;        /* its recording; "" = none */
    uint32_t            names_taken; /* the number of file names that existed already and were skipped */
    SenderState         state;
    SenderEnd           end; /* if SENDER_ENDED */
    uint64_t            bytes, datagrams, events;
    ReadLosses          losses;
    Err                 fault;        /* the reason for not processing more events; ERR_NONE: none */
    Err                 record_fault; /* the reason why its bytes are no longer recorded */
    const Trace        *so_far;       /* for warnings; NULL = unknown. A view of builder_view */
} SenderStatus;

typedef struct Sender Sender;

/* Options common to all senders. All borrowed. */
typedef struct SenderRules {
    const FormatReader *reader;       /* NULL = recognise */
    const char         *record_path;  /* NULL = no recording */
    FileSpool           first_record; /* record_path, open, for the first sender; then record_path.2 ... */
    uint32_t            record_count; /* the number of the latest recording */
    uint64_t            memory_limit; /* of one sender's stream; budget.h limits all together */
    ShowRules           show;
    uint64_t keep_bytes;  /* set by budget_keep: limit of the columns of a new trace; 0 = no limit */
    uint64_t piece_bytes; /* set by budget_keep: the received bytes that a shown trace processes at once */
    /* Each is called once, between calls of sender_take: when the format is known; when the sender has ended.
     * NULL = not needed. */
    void (*began)(void *context, const SenderStatus *status);
    void (*ended)(void *context, const SenderStatus *status);
    void *context;
} SenderRules;

/* NULL when out of memory. `rules` must outlive it. */
Sender *sender_create(SenderRules *rules, StreamTransport transport, const char *name, Err *err) WARN_UNUSED;
typedef enum {
    TAKEN,
    TAKEN_FOR_NOTHING /* neither recognised nor stored: the bytes are only counted */
} TakeOutcome;
/* Processes received bytes. */
TakeOutcome sender_take(Sender *sender, const void *bytes, size_t size);
/* Adds a piece of the received bytes of a shown sender to its trace if a change is due and no request reads the trace.
 * now_ms: of any clock. */
void sender_catch_up(Sender *sender, uint64_t now_ms);
/* Returns the ms after which to call sender_catch_up, -1 = not before the next sender_take. */
int sender_due_ms(const Sender *sender, uint64_t now_ms);
/* True if a page read the trace between the last two calls of sender_catch_up. */
bool sender_is_watched(const Sender *sender, uint64_t now_ms);
/* True if a whole piece of received bytes waits, so that reading from the sender should pause. */
bool sender_is_full(const Sender *sender);
/* True if its events are still processed: it has not ended and no error has occurred. */
bool sender_takes_events(const Sender *sender);
/* Return the bytes of memory for receiving from it, those of its shown columns, and those of the columns with free rooms. */
uint64_t sender_held_bytes(const Sender *sender);
uint64_t sender_column_bytes(const Sender *sender);
uint64_t sender_column_memory(const Sender *sender);
/* True if the columns exceed their limit and cannot be cut because their slices are open. */
bool sender_exceeds(const Sender *sender);
/* Limits its shown columns; 0 = no limit. */
void sender_keep_columns(Sender *sender, uint64_t bytes);
/* Stops reading events, because all senders together need too much memory, and releases as much as possible. The
 * recording continues. */
void sender_stop(Sender *sender);
/* Uses `fd` (duplicated) to read the bytes again, for a sender whose bytes are in a file. Before the first
 * sender_take. */
void sender_reread_from(Sender *sender, int fd);
/* Writes the buffered recording to the kernel, so that it survives the end of this process. */
void sender_flush(Sender *sender);
/* True if the session reads its trace, so that it must outlive the session. */
bool sender_is_shown(const Sender *sender);
/* True once the format of its bytes is known. */
bool sender_is_recognised(const Sender *sender);
/* Processes waiting data and calls `ended`. Keeps the status, releases the rest. Does nothing for an ended sender. */
void sender_end(Sender *sender, SenderEnd end);
void sender_destroy(Sender *sender); /* NULL is allowed */

/* If `so_far` is not NULL, it is filled and status->so_far points to it. Valid until the next sender_take. */
SenderStatus sender_status(const Sender *sender, Trace *so_far);
/* True if a source with this first datagram sends a trace. */
bool sender_would_take(const SenderRules *rules, const void *datagram, size_t size);

#endif
