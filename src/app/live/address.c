#include "app/live/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static const struct {
    const char *prefix;
    LiveKind    kind;
} SCHEMES[] = { { "udp:", LIVE_UDP },
                { "tcp:", LIVE_TCP },
                { "unix:", LIVE_UNIX },
                { "pipe:", LIVE_PIPE },
                { "file:", LIVE_FILE } };

enum { SCHEME_COUNT = sizeof SCHEMES / sizeof SCHEMES[0], HOST_BYTES = 256 };

static bool is_local(const struct sockaddr_storage *socket)
{
    if (socket->ss_family == AF_INET) {
        struct in_addr address = ((const struct sockaddr_in *)(const void *)socket)->sin_addr;
        return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
    }
    if (socket->ss_family == AF_INET6) {
        struct in6_addr address = ((const struct sockaddr_in6 *)(const void *)socket)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(&address); /* musl's macro casts const away */
    }
    return true;
}

/* Splits HOST:PORT, [HOST]:PORT or PORT; `host` becomes "127.0.0.1" if it is missing. */
static const char *split_port(const char *text, char *host, size_t host_size)
{
    const char *colon = strrchr(text, ':');
    const char *begin = text;
    size_t      size = colon == NULL ? 0 : (size_t)(colon - text);
    if (size >= 2 && begin[0] == '[' && begin[size - 1] == ']') {
        begin++;
        size -= 2;
    }
    if (size == 0) {
        begin = "127.0.0.1";
        size = strlen(begin);
    }
    if (size >= host_size) return NULL;
    memcpy(host, begin, size);
    host[size] = '\0';
    return colon == NULL ? text : colon + 1;
}

static bool parse_internet(const char *text, LiveAddress *address, Err *err)
{
    char             host[HOST_BYTES];
    struct addrinfo  hints = { .ai_socktype = address->kind == LIVE_UDP ? SOCK_DGRAM : SOCK_STREAM,
                               .ai_flags = AI_NUMERICSERV };
    struct addrinfo *found = NULL;
    const char      *port = split_port(text, host, sizeof host);
    unsigned long    number = 0;
    if (port == NULL || port[0] == '\0' || strspn(port, "0123456789") != strlen(port) || strlen(port) > 5 ||
        sscanf(port, "%lu", &number) != 1 || number > UINT16_MAX)
        return err_set(err, ERR_USAGE, "expected HOST:PORT with a port from 0 to 65535");
    int status = getaddrinfo(host, port, &hints, &found);
    if (status != 0) return err_set(err, ERR_USAGE, "%.64s: %s", host, gai_strerror(status));
    memcpy(&address->socket, found->ai_addr, found->ai_addrlen);
    address->socket_size = found->ai_addrlen;
    address->is_local = is_local(&address->socket);
    freeaddrinfo(found);
    return true;
}

static bool parse_path(const char *text, LiveAddress *address, Err *err)
{
    struct sockaddr_un *local = (struct sockaddr_un *)(void *)&address->socket;
    if (text[0] == '\0') return err_set(err, ERR_USAGE, "expected a path");
    address->path = text;
    address->is_local = true;
    if (address->kind != LIVE_UNIX) return true;
    if (strlen(text) >= sizeof local->sun_path)
        return err_set(err, ERR_USAGE, "the path of a socket has at most %zu bytes",
                       sizeof local->sun_path - 1);
    local->sun_family = AF_UNIX;
    memcpy(local->sun_path, text, strlen(text) + 1);
    address->socket_size = sizeof *local;
    return true;
}

bool live_address_parse(const char *text, LiveAddress *address, Err *err)
{
    *address = (LiveAddress){ .kind = LIVE_STDIN, .is_local = true };
    if (strcmp(text, "-") == 0) return true;
    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        size_t size = strlen(SCHEMES[i].prefix);
        if (strncmp(text, SCHEMES[i].prefix, size) != 0) continue;
        address->kind = SCHEMES[i].kind;
        bool is_internet = address->kind == LIVE_UDP || address->kind == LIVE_TCP;
        return is_internet ? parse_internet(text + size, address, err)
                           : parse_path(text + size, address, err);
    }
    return err_set(err, ERR_USAGE,
                   "expected udp:HOST:PORT, tcp:HOST:PORT, unix:PATH, pipe:PATH, file:PATH or -");
}

void live_address_name(LiveKind kind, const struct sockaddr_storage *socket, char *out, size_t size)
{
    char        host[INET6_ADDRSTRLEN] = "";
    const char *scheme = kind == LIVE_UDP ? "udp" : "tcp";
    if (socket->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)socket;
        (void)inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        (void)snprintf(out, size, "%s:[%s]:%u", scheme, host, (unsigned)ntohs(six->sin6_port));
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)socket;
        (void)inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        (void)snprintf(out, size, "%s:%s:%u", scheme, host, (unsigned)ntohs(four->sin_port));
    }
}

bool live_address_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    if (a->ss_family != b->ss_family) return false;
    if (a->ss_family == AF_INET6) {
        const struct sockaddr_in6 *x = (const struct sockaddr_in6 *)(const void *)a;
        const struct sockaddr_in6 *y = (const struct sockaddr_in6 *)(const void *)b;
        return x->sin6_port == y->sin6_port && x->sin6_scope_id == y->sin6_scope_id &&
               memcmp(&x->sin6_addr, &y->sin6_addr, sizeof x->sin6_addr) == 0;
    }
    const struct sockaddr_in *x = (const struct sockaddr_in *)(const void *)a;
    const struct sockaddr_in *y = (const struct sockaddr_in *)(const void *)b;
    return x->sin_port == y->sin_port && x->sin_addr.s_addr == y->sin_addr.s_addr;
}
