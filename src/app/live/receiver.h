/* app/live/receiver.h - receives from many senders at once, on one thread of its own.
 *
 * Each connection, each source of datagrams, each writer of a pipe and each life of a file is a sender
 * (sender.h). What one does costs the others nothing: of each only so much is read in turn, a connection is
 * read no faster than it can be taken in, and each source of datagrams gets a socket of its own, so that only
 * its own are lost when it sends too fast. */
#ifndef APP_LIVE_RECEIVER_H
#define APP_LIVE_RECEIVER_H
#include "app/live/sender.h"

enum {
    RECEIVER_SENDERS_AT_ONCE = 256,
    RECEIVER_SILENT_MS = 10000 /* a source of datagrams that was silent so long may be evicted */
};

typedef enum { BIND_LOOPBACK, BIND_ANY } BindRule;
/* RECEIVE_ONCE: ends when a sender has sent something and none is left; for what can end, not for datagrams. */
typedef enum { RECEIVE_ON, RECEIVE_ONCE } EndRule;

typedef struct ReceiverOptions {
    const FormatReader *reader;      /* NULL = recognise */
    const char         *record_path; /* NULL = nothing is kept */
    uint64_t            memory_limit; /* of all senders together (budget.h); 0 = none */
    ShowRules           show;
    BindRule            bind;
    EndRule             end;
    /* As SenderRules; called on the receiver's thread. */
    void (*began)(void *context, const SenderStatus *status);
    void (*ended)(void *context, const SenderStatus *status);
    uint64_t (*clock_ms)(void *context); /* NULL = the system's monotonic clock */
    void *context;
} ReceiverOptions;

typedef struct ReceiverTotals {
    uint64_t   senders, live; /* recognised; of which have not ended */
    uint64_t   bytes, events;
    ReadLosses losses;
    uint64_t   dropped;           /* datagrams that the system threw away, of all sockets */
    uint64_t   strange_datagrams; /* of sources that send nothing that is known, */
    uint64_t   strange_senders;   /* connections likewise */
    uint64_t   turned_away;       /* connections, and datagrams of sources, for which there was no place */
    uint64_t   unlisted;          /* senders that receiver_each no longer gives */
} ReceiverTotals;

typedef struct Receiver Receiver;

/* `options` is copied, what it points to is borrowed. NULL: err filled, ERR_IO also when
 * record_path cannot be written. */
Receiver *receiver_create(const ReceiverOptions *options, Err *err) WARN_UNUSED;
/* Opens what an address (address.h) names; before receiver_run. Not allowed by the bind rule, or
 * not an address: ERR_USAGE. */
bool receiver_open(Receiver *receiver, const char *address, Err *err) WARN_UNUSED;
/* The addresses that were opened, as they came out ("udp:127.0.0.1:4711"); NULL behind the last. */
const char *receiver_address(const Receiver *receiver, size_t i);
/* Receives until it is stopped or nothing more can come; takes in what has arrived by then, and ends all
 * senders. False: nothing can be waited for. */
bool receiver_run(Receiver *receiver, Err *err) WARN_UNUSED;
/* From any thread. */
void           receiver_stop(Receiver *receiver);
ReceiverTotals receiver_totals(Receiver *receiver);
/* Calls back for each sender that sent anything: the latest HISTORY_SENDERS (history.h) that ended, in the order of their
 * ends, then those that have not ended. Any thread. */
void receiver_each(Receiver *receiver, void (*each)(void *context, const SenderStatus *status),
                   void     *context);
void receiver_destroy(Receiver *receiver); /* after receiver_run has come back; NULL is allowed */

#endif
