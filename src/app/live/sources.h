/* app/live/sources.h - the sources from which a receiver reads, and their senders. For receiver.c only.
 *
 * A source is a socket for new senders, a sender's own socket, a pipe or a file. At most
 * RECEIVER_SENDERS_AT_ONCE sources have a sender. Beyond this limit, a new sender replaces one that was
 * silent for RECEIVER_SILENT_MS. Ended senders leave their totals and a record in the history. */
#ifndef APP_LIVE_SOURCES_H
#define APP_LIVE_SOURCES_H
#include "app/live/history.h"
#include "app/live/receiver.h"

#include <sys/socket.h>

typedef enum {
    SOURCE_DATAGRAMS,   /* a socket for datagrams of new sources */
    SOURCE_CONNECTIONS, /* a socket that accepts connections */
    SOURCE_PEER,        /* a sender's own socket: a connection, or its datagrams */
    SOURCE_PIPE,
    SOURCE_FILE
} SourceKind;

typedef struct Source Source;
struct Source {
    SourceKind              kind;
    int                     fd; /* -1 = closed */
    LiveAddress             address;
    char                    name[LIVE_NAME_BYTES]; /* of the address, or the sender */
    Sender                 *sender;                /* owned; NULL = none yet, or many */
    struct sockaddr_storage peer;                  /* of datagrams */
    uint32_t                lives;                 /* of a file or pipe: number of senders so far */
    uint64_t                at;                    /* FILE: offset of the next byte to read */
    uint64_t                heard_ms; /* of datagrams: the time of the latest one; otherwise of the accept */
    bool                    more;     /* more data can be read at once */
    const Source           *listener; /* of a peer of datagrams: the shared socket; never closed */
};

typedef struct Sources {
    Arena       *arena;                       /* borrowed: holds the list, its items and the history */
    SenderRules *rules;                       /* borrowed */
    ARENA_LIST(Source *) list;                /* a closed one is reused */
    uint32_t       at_once;                   /* number of sources that have a sender */
    uint64_t       round_ms;                  /* set by the receiver: the begin of this round */
    Sender        *shown[SESSION_MAX_TRACES]; /* owned: senders that ended and that the session reads */
    size_t         shown_count;
    History        history;        /* of the senders that ended */
    ReceiverTotals ended;          /* totals of the ended senders */
    bool           had_sender;     /* a sender that sent data has ended */
    uint64_t       dropped_before; /* datagrams dropped by the kernel, of closed sockets */
} Sources;

Source *sources_at(const Sources *sources, size_t i);
/* Adds an open descriptor, which the source owns. NULL when out of memory. */
Source *sources_add(Sources *sources, SourceKind kind, int fd);
/* Ends the source's sender, and closes its descriptor. Does nothing to a closed source. */
void sources_close(Sources *sources, Source *source);

/* Returns true if there is a place for one more sender, after an eviction if necessary. */
bool sources_make_place(Sources *sources);
/* Gives a source a new sender. NULL if there is no place or memory for it. */
Sender *sources_add_sender(Sources *sources, Source *source, StreamTransport transport, const char *name);
/* Ends a source's sender, frees its place and its memory. Its status goes to the history unless it sent nothing. Does
 * nothing without a sender. */
void sources_end_sender(Sources *sources, Source *source, SenderEnd end);
/* Returns the source of this peer's datagrams, or NULL. */
Source *sources_find_peer(const Sources *sources, const struct sockaddr_storage *peer);

/* Returns the sums over all senders. The counts of the receiver itself are 0. */
ReceiverTotals sources_totals(const Sources *sources);
/* As receiver_each. */
void sources_each(const Sources *sources, void (*each)(void *context, const SenderStatus *status),
                  void          *context);

/* Closes all sources and destroys the senders that the session read. */
void sources_release(Sources *sources);

#endif
