/* app/live/address.h - where a live stream comes from, as people write it:
 *
 *   udp:HOST:PORT   datagrams             unix:PATH   connections to a socket that is made there
 *   tcp:HOST:PORT   connections           pipe:PATH   a named pipe that is there
 *   file:PATH       a file that grows     -           standard input
 *
 * HOST: an address, [IPv6] in brackets, or localhost; without it (udp:PORT) it is 127.0.0.1. Port 0 is any free one. */
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
/* "udp:127.0.0.1:4711", "tcp:[::1]:80": UDP and TCP alone. */
void live_address_name(LiveKind kind, const struct sockaddr_storage *socket, char *out, size_t size);
/* Whether two senders are the same. */
bool live_address_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

#endif
