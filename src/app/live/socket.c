#define _GNU_SOURCE /* SO_MEMINFO, SO_RCVBUFFORCE */
#include "app/live/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { RECEIVE_BYTES = 16 << 20, BACKLOG = 128 };

static int close_failed(int fd, Err *err, const char *what)
{
    err_set(err, ERR_IO, "%s: %s", what, strerror(errno));
    if (fd >= 0) (void)close(fd);
    return -1;
}

static bool set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static bool set_flag(int fd, int option, int value)
{
    return setsockopt(fd, SOL_SOCKET, option, &value, sizeof value) == 0;
}

/* Makes the receive buffer as large as the system allows: datagrams beyond it are lost. */
static void widen_buffer(int udp)
{
    if (set_flag(udp, SO_RCVBUFFORCE, RECEIVE_BYTES)) return; /* needs privileges */
    (void)set_flag(udp, SO_RCVBUF, RECEIVE_BYTES);
}

/* True if a socket exists at this path without a listener: its creator did not remove it. */
static bool is_left_behind(const LiveAddress *address)
{
    struct stat info;
    if (lstat(address->path, &info) != 0 || !S_ISSOCK(info.st_mode)) return false;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return false;
    bool refused = connect(fd, (const struct sockaddr *)&address->socket, address->socket_size) != 0 &&
                   errno == ECONNREFUSED;
    (void)close(fd);
    return refused;
}

/* While the socket for one source is bound and not yet connected (socket_for_peer), the kernel would distribute the datagrams
 * of all sources between both sockets, and those in the new one would be read late. So all are directed to the first socket,
 * which is possible only for sockets that share a port. If it is not possible, late datagrams are counted. */
static void keep_to_first(int udp, const LiveAddress *address)
{
    struct sock_filter      to_first = BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog program = { 1, &to_first };
    const int               other = socket(address->socket.ss_family, SOCK_DGRAM, 0);
    if (other < 0) return;
    if (set_flag(other, SO_REUSEPORT, 1) && set_flag(udp, SO_REUSEPORT, 1) &&
        bind(other, (const struct sockaddr *)&address->socket, address->socket_size) == 0)
        (void)setsockopt(udp, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program);
    (void)set_flag(udp, SO_REUSEPORT, 0);
    (void)close(other);
}

int socket_listen(LiveAddress *address, Err *err)
{
    bool is_udp = address->kind == LIVE_UDP;
    int  fd = socket(address->socket.ss_family, is_udp ? SOCK_DGRAM : SOCK_STREAM, 0);
    if (fd < 0 || !set_nonblocking(fd)) return close_failed(fd, err, "no socket can be made");
    if (address->kind == LIVE_TCP) (void)set_flag(fd, SO_REUSEADDR, 1); /* reuse the port after a restart */
    if (address->kind == LIVE_UNIX && is_left_behind(address)) (void)unlink(address->path);
    if (is_udp) widen_buffer(fd);
    if (bind(fd, (const struct sockaddr *)&address->socket, address->socket_size) != 0)
        return close_failed(fd, err, "cannot be bound");
    if (!is_udp && listen(fd, BACKLOG) != 0) return close_failed(fd, err, "cannot be listened on");
    if (address->kind == LIVE_UNIX) return fd;
    address->socket_size = sizeof address->socket;
    if (getsockname(fd, (struct sockaddr *)&address->socket, &address->socket_size) != 0)
        return close_failed(fd, err, "has no name");
    if (is_udp) keep_to_first(fd, address);
    return fd;
}

/* The port is shared only while the second socket is bound, so that no other process can take a part of the datagrams. */
int socket_for_peer(int udp, const LiveAddress *address, const struct sockaddr_storage *peer,
                    socklen_t peer_size)
{
    int fd = socket(address->socket.ss_family, SOCK_DGRAM, 0);
    if (fd < 0) return -1;
    bool done = set_nonblocking(fd) && set_flag(fd, SO_REUSEPORT, 1) && set_flag(udp, SO_REUSEPORT, 1);
    widen_buffer(fd);
    done = done && bind(fd, (const struct sockaddr *)&address->socket, address->socket_size) == 0 &&
           connect(fd, (const struct sockaddr *)peer, peer_size) == 0;
    (void)set_flag(udp, SO_REUSEPORT, 0);
    if (done) return fd;
    (void)close(fd);
    return -1;
}

int socket_accept(int listener, struct sockaddr_storage *peer)
{
    socklen_t size = sizeof *peer;
    int       fd;
    do {
        fd = accept(listener, (struct sockaddr *)peer, &size);
    } while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (fd < 0) return -1;
    if (set_nonblocking(fd)) return fd;
    (void)close(fd);
    return -1;
}

int64_t socket_receive(int udp, void *buffer, size_t size, struct sockaddr_storage *peer,
                       socklen_t *peer_size, bool *got_one)
{
    ssize_t got;
    memset(peer, 0, sizeof *peer);
    do {
        *peer_size = sizeof *peer;
        got = recvfrom(udp, buffer, size, 0, (struct sockaddr *)peer, peer_size);
    } while (got < 0 && errno == EINTR);
    *got_one = got >= 0;
    if (got >= 0 || errno == EAGAIN || errno == EWOULDBLOCK) return got < 0 ? 0 : got;
    return -1;
}

uint64_t socket_dropped(int udp)
{
    uint32_t  info[SK_MEMINFO_VARS] = { 0 };
    socklen_t size = sizeof info;
    return getsockopt(udp, SOL_SOCKET, SO_MEMINFO, info, &size) == 0 ? info[SK_MEMINFO_DROPS] : 0;
}

int pipe_open(const char *path, Err *err)
{
    struct stat info;
    int         fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return close_failed(fd, err, "cannot be opened");
    if (fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode)) return fd;
    (void)close(fd);
    err_set(err, ERR_IO, "is not a named pipe (mkfifo creates one)");
    return -1;
}

ReadOutcome descriptor_read(int fd, void *buffer, size_t size, size_t *got)
{
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    *got = 0;
    if (poll(&ready, 1, 0) == 0)
        return READ_NOTHING_NOW; /* standard input may be shared: it stays blocking */
    ssize_t count;
    do {
        count = read(fd, buffer, size);
    } while (count < 0 && errno == EINTR);
    if (count > 0) {
        *got = (size_t)count;
        return READ_SOME;
    }
    if (count == 0) return READ_END;
    return errno == EAGAIN || errno == EWOULDBLOCK ? READ_NOTHING_NOW : READ_FAILED;
}
