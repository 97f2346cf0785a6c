/* app/live/socket.h - the system's sockets, as far as receiving needs them. All that are opened do not block. */
#ifndef APP_LIVE_SOCKET_H
#define APP_LIVE_SOCKET_H
#include "app/live/address.h"

/* Binds, and for connections listens. -1: err filled. *address gets the port that was bound. A socket of
 * unix: that is left behind by somebody who is gone is replaced. */
int socket_listen(LiveAddress *address, Err *err) WARN_UNUSED;
/* A second socket of a UDP one that the system hands what comes from `peer` to, so that each sender
 * has a buffer of its own and one that floods costs the others nothing. -1: there is none, its
 * datagrams go on coming on the first. */
int socket_for_peer(int udp, const LiveAddress *address, const struct sockaddr_storage *peer,
                    socklen_t peer_size) WARN_UNUSED;
/* The next connection, -1 = there is none now. */
int socket_accept(int listener, struct sockaddr_storage *peer) WARN_UNUSED;
/* How many bytes came, 0 = none now (a datagram may be empty: *got_one), -1 = it failed. */
int64_t socket_receive(int udp, void *buffer, size_t size, struct sockaddr_storage *peer,
                       socklen_t *peer_size, bool *got_one);
/* Datagrams that the system threw away because the buffer was full; 0 also where it does not say. */
uint64_t socket_dropped(int udp);

/* Opens a named pipe for reading, whether somebody writes to it or not. -1: err filled. */
int pipe_open(const char *path, Err *err) WARN_UNUSED;

typedef enum { READ_SOME, READ_NOTHING_NOW, READ_END, READ_FAILED } ReadOutcome;
/* Reads what has come, without waiting. */
ReadOutcome descriptor_read(int fd, void *buffer, size_t size, size_t *got);

#endif
