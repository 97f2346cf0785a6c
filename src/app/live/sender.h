/* app/live/sender.h - one sender: a connection, the source of datagrams, a pipe, a file that grows.
 * Each is a trace of its own.
 *
 * What comes is written to the recording as it is and goes to a stream (format/stream.h), whichever thread
 * calls: one at a time. What goes wrong with either is the sender's alone. */
#ifndef APP_LIVE_SENDER_H
#define APP_LIVE_SENDER_H
#include "app/live/address.h"
#include "app/live/shown.h"
#include "base/file.h"
#include "format/stream.h"

typedef enum {
    SENDER_NEW,       /* nothing is known of what it sends */
    SENDER_RECEIVING, /* its format is known */
    SENDER_ENDED
} SenderState;

typedef enum {
    SENDER_FINISHED, /* it closed its connection, its file was replaced, or receiving stops */
    SENDER_EVICTED   /* it was silent, or sent nothing recognised, and a new sender took its place */
} SenderEnd;

/* What of a sender anybody may see. */
typedef struct SenderStatus {
    const char         *name;   /* "tcp:127.0.0.1:50123" */
    const FormatReader *format; /* NULL = not recognised, or not yet */
    const char         *file;   /* its recording; "" = none */
    uint32_t            names_taken; /* file names with lower numbers that existed already and were passed over */
    SenderState         state;
    SenderEnd           end; /* if SENDER_ENDED */
    uint64_t            bytes, datagrams, events;
    ReadLosses          losses;
    Err                 fault;        /* why events of it are no longer taken in; code ERR_NONE = they are */
    Err                 record_fault; /* why its bytes are no longer kept */
    const Trace        *so_far;       /* for warnings; NULL = nothing is known. As builder_view gives it */
} SenderStatus;

typedef struct Sender Sender;

/* What is the same for all senders. All borrowed. */
typedef struct SenderRules {
    const FormatReader *reader;      /* NULL = recognise */
    const char         *record_path; /* NULL = nothing is kept */
    FileSpool first_record; /* record_path itself, open, for the first sender; the next has record_path.2 ... */
    uint32_t  record_count; /* the number of the latest recording */
    uint64_t  memory_limit; /* of one sender's stream; budget.h bounds all together */
    ShowRules show;
    /* Told once each, between calls: its format is known; nothing more will come. NULL = nobody asks. */
    void (*began)(void *context, const SenderStatus *status);
    void (*ended)(void *context, const SenderStatus *status);
    void *context;
} SenderRules;

/* NULL when out of memory. `rules` must outlive it. */
Sender *sender_create(SenderRules *rules, StreamCarrier carrier, const char *name, Err *err) WARN_UNUSED;
typedef enum {
    TAKEN,
    TAKEN_FOR_NOTHING /* it is neither understood nor kept: counted, and that is all that will come of it */
} TakeOutcome;
/* Takes in what it sent. */
TakeOutcome sender_take(Sender *sender, const void *bytes, size_t size);
/* Of one that is shown, what was taken waits until it is time to change the trace, and readers leave it
 * alone. now_ms: of any clock. Gives the ms after which to call again, -1 = no need until more was taken. */
int sender_catch_up(Sender *sender, uint64_t now_ms);
/* Whether somebody looked at it of late; known from one sender_catch_up to the next. */
bool sender_is_watched(const Sender *sender, uint64_t now_ms);
/* Whether so much waits that no more should be read of it for now. */
bool sender_is_full(const Sender *sender);
/* True if its events are still taken in: it has not ended and nothing went wrong. */
bool sender_takes_events(const Sender *sender);
/* Bytes of memory that receiving from it holds, and those of the columns that are shown of it. */
uint64_t sender_held_bytes(const Sender *sender);
uint64_t sender_column_bytes(const Sender *sender);
/* True if the columns are larger than their bound, and cannot be cut because their slices are open. */
bool sender_exceeds(const Sender *sender);
/* Bounds the columns that are shown of it; 0 = no bound. */
void sender_keep_columns(Sender *sender, uint64_t bytes);
/* Takes in no more events of it, because all senders together need too much memory, and gives back what it can. Its bytes
 * are kept on. */
void sender_stop(Sender *sender);
/* For a sender whose bytes stand in a file anyway: they are read again from there (a duplicate of fd is
 * made). Before the first sender_take. */
void sender_stands_in(Sender *sender, int fd);
/* Hands what was kept back to the system, so that it is in the file whatever becomes of this process. */
void sender_flush(Sender *sender);
/* True if the session reads its trace: it must then outlive the session. */
bool sender_is_shown(const Sender *sender);
/* True once the format of its bytes is known. */
bool sender_is_recognised(const Sender *sender);
/* Takes in what still waits and calls `ended`. Its status stays, the rest is released. Does nothing to an ended sender. */
void sender_end(Sender *sender, SenderEnd end);
void sender_destroy(Sender *sender); /* NULL is allowed */

/* `so_far` is written when it is not NULL and lends status->so_far its place. Valid until the sender is fed again. */
SenderStatus sender_status(const Sender *sender, Trace *so_far);
/* Whether a source whose first datagram this is sends a trace. */
bool sender_would_take(const SenderRules *rules, const void *datagram, size_t size);

#endif
