/* app/live/address.h - the addresses of live streams, as users write them:
 *
 *   udp:HOST:PORT   datagrams             unix:PATH   connections to a socket that is created there
 *   tcp:HOST:PORT   connections           pipe:PATH   an existing named pipe
 *   file:PATH       a growing file        -           standard input
 *
 * HOST: an address, [IPv6] in brackets, or localhost; without it (udp:PORT) it is 127.0.0.1. Port 0 is any
 * free port. */
#ifndef APP_LIVE_ADDRESS_H
#define APP_LIVE_ADDRESS_H
#include "base/err.h"

#include <sys/socket.h>

typedef enum { LIVE_UDP, LIVE_TCP, LIVE_UNIX, LIVE_PIPE, LIVE_FILE, LIVE_STDIN } LiveKind;

typedef struct LiveAddress {
    LiveKind                kind;
    const char             *path;   /* UNIX, PIPE, FILE: within the text that was parsed */
    struct sockaddr_storage socket; /* UDP, TCP, UNIX */
    socklen_t               socket_size;
    bool                    is_local; /* other machines cannot reach it */
} LiveAddress;

bool live_address_parse(const char *text, LiveAddress *address, Err *err) WARN_UNUSED;

enum { LIVE_NAME_BYTES = 256 };
/* Writes "udp:127.0.0.1:4711", "tcp:[::1]:80". For UDP and TCP only. */
void live_address_name(LiveKind kind, const struct sockaddr_storage *socket, char *out, size_t size);
/* True if two senders have the same address and port. */
bool live_address_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

#endif
