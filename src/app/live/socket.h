/* app/live/socket.h - the socket functions for receiving. All opened sockets are non-blocking. */
#ifndef APP_LIVE_SOCKET_H
#define APP_LIVE_SOCKET_H
#include "app/live/address.h"

/* Binds, and listens for connections. -1: err filled. *address gets the actual port. Replaces a unix socket
 * without a listener. */
int socket_listen(LiveAddress *address, Err *err) WARN_UNUSED;
/* Returns a second UDP socket on the same port, connected to `peer`: the kernel delivers that peer's datagrams to it, so
 * each sender has its own receive buffer. -1: the system has no such socket; the datagrams
 * continue to arrive on the first one. */
int socket_for_peer(int udp, const LiveAddress *address, const struct sockaddr_storage *peer,
                    socklen_t peer_size) WARN_UNUSED;
/* Accepts the next connection. -1: no connection waits. */
int socket_accept(int listener, struct sockaddr_storage *peer) WARN_UNUSED;
/* Returns the number of received bytes, 0 = none now (a datagram may be empty: *got_one), -1 = failure. */
int64_t socket_receive(int udp, void *buffer, size_t size, struct sockaddr_storage *peer,
                       socklen_t *peer_size, bool *got_one);
/* Returns the number of datagrams that the kernel dropped because the buffer was full; 0 if it is unknown. */
uint64_t socket_dropped(int udp);

/* Opens a named pipe for reading, with or without a writer. -1: err filled. */
int pipe_open(const char *path, Err *err) WARN_UNUSED;

typedef enum { READ_SOME, READ_NOTHING_NOW, READ_END, READ_FAILED } ReadOutcome;
/* Reads the available data, without waiting. */
ReadOutcome descriptor_read(int fd, void *buffer, size_t size, size_t *got);

#endif
