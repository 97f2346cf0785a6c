/* app/live/receiver.h - receives from many senders at once, on its own thread.
 *
 * Each connection, each source of datagrams, each writer of a pipe and each version of a file is a sender
 * (sender.h). Senders do not disturb each other: a limited amount of each is read in rotation, a connection
 * is read no faster than its data is processed, and each source of datagrams has its own socket, so that a
 * source that sends too fast loses only its own datagrams. */
#ifndef APP_LIVE_RECEIVER_H
#define APP_LIVE_RECEIVER_H
#include "app/live/sender.h"

enum {
    RECEIVER_SENDERS_AT_ONCE = 256,
    RECEIVER_SILENT_MS = 10000 /* a source of datagrams without data for this time can be evicted */
};

typedef enum { BIND_LOOPBACK, BIND_ANY } BindRule;
/* RECEIVE_ONCE: ends after a sender has sent data and all senders have ended; not for datagrams, which have no end. */
typedef enum { RECEIVE_ON, RECEIVE_ONCE } EndRule;

typedef struct ReceiverOptions {
    const FormatReader *reader;       /* NULL = recognise */
    const char         *record_path;  /* NULL = no recording */
    uint64_t            memory_limit; /* of all senders together (budget.h); 0 = no limit */
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
    uint64_t   senders, live; /* recognised senders; the number that has not ended */
    uint64_t   bytes, events;
    ReadLosses losses;
    uint64_t   dropped;                /* datagrams that the kernel dropped, of all sockets */
    uint64_t   unrecognised_datagrams; /* datagrams of sources that sent only unknown data */
    uint64_t   unrecognised_senders;   /* connections that sent only unknown data */
    uint64_t   turned_away;            /* connections, and datagrams of sources, above the limit on senders */
    uint64_t   unlisted;               /* senders that receiver_each no longer lists */
} ReceiverTotals;

typedef struct Receiver Receiver;

/* Copies `options` and borrows the memory they point to. NULL: err filled, ERR_IO also if record_path cannot be
 * written. */
Receiver *receiver_create(const ReceiverOptions *options, Err *err) WARN_UNUSED;
/* Opens an address (address.h); before receiver_run. ERR_USAGE: the bind rule does not allow it, or it is malformed. */
bool receiver_open(Receiver *receiver, const char *address, Err *err) WARN_UNUSED;
/* Returns an opened address with its actual port ("udp:127.0.0.1:4711"); NULL after the last one. */
const char *receiver_address(const Receiver *receiver, size_t i);
/* Receives until it is stopped or all inputs have ended; processes the data that has arrived until then, and
 * ends all senders. False: poll failed. */
bool receiver_run(Receiver *receiver, Err *err) WARN_UNUSED;
/* From any thread. */
void           receiver_stop(Receiver *receiver);
ReceiverTotals receiver_totals(Receiver *receiver);
/* Calls back for each sender with data: the latest HISTORY_SENDERS (history.h) that ended, in the order of their
 * ends, then the active ones. Any thread. */
void receiver_each(Receiver *receiver, void (*each)(void *context, const SenderStatus *status),
                   void     *context);
void receiver_destroy(Receiver *receiver); /* after receiver_run has returned; NULL is allowed */

#endif
