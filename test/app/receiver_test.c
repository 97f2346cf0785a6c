/* What is received, at moments that cannot be met from outside: in the middle of a turn. */
#define _GNU_SOURCE /* SOCK_NONBLOCK */
#include "app/live/receiver.h"
#include "app/live/socket.h"
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIVES = 20 };

typedef struct Writers {
    char      path[1024];
    Receiver *receiver;
    uint64_t  sizes[LIVES]; /* of the senders that have ended */
    unsigned  ended;
} Writers;

/* A writer comes; its size tells it from the others. */
static int writer_open(const Writers *writers, unsigned number)
{
    char      bytes[LIVES];
    const int fd = open(writers->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    CHECK(fd >= 0);
    memset(bytes, '[', sizeof bytes);
    CHECK(write(fd, bytes, number + 1) == (ssize_t)number + 1);
    return fd;
}

/* The receiver has seen the end of one writer and not yet looked for the next: that one comes now, and goes. */
static void ended(void *context, const SenderStatus *status)
{
    Writers *writers = context;
    CHECK(writers->ended < LIVES);
    writers->sizes[writers->ended++] = status->bytes;
    if (writers->ended == LIVES) {
        receiver_stop(writers->receiver);
    } else {
        CHECK(close(writer_open(writers, writers->ended)) == 0);
    }
}

TEST(a_writer_of_a_pipe_that_comes_and_goes_while_the_one_before_ends_is_a_sender)
{
    Err             err;
    char            address[1100];
    Writers         writers = { .ended = 0 };
    ReceiverOptions options = { .memory_limit = 1 << 20, .ended = ended, .context = &writers };
    test_scratch_path("pipe", writers.path, sizeof writers.path);
    (void)snprintf(address, sizeof address, "pipe:%s", writers.path);
    CHECK(mkfifo(writers.path, 0600) == 0);
    writers.receiver = receiver_create(&options, &err);
    CHECK_DONE(writers.receiver != NULL, err);
    CHECK_DONE(receiver_open(writers.receiver, address, &err), err);
    CHECK(close(writer_open(&writers, 0)) == 0);
    CHECK_DONE(receiver_run(writers.receiver, &err), err);
    for (unsigned i = 0; i < LIVES; i++)
        CHECK_UINT(writers.sizes[i], i + 1);
    receiver_destroy(writers.receiver);
}

/* As many as a socket has; each of another source. */
static unsigned count_datagrams(int fd)
{
    struct sockaddr_storage peer;
    socklen_t               peer_size;
    char                    byte;
    bool                    got_one = true;
    unsigned                count = 0;
    while (socket_receive(fd, &byte, 1, &peer, &peer_size, &got_one) > 0 && got_one)
        count++;
    return count;
}

TEST(what_comes_while_a_second_socket_is_made_is_for_the_first)
{
    enum { SOURCES = 64 };
    static const char *const ADDRESSES[] = { "udp:127.0.0.1:0", "udp:[::1]:0" };
    for (size_t i = 0; i < sizeof ADDRESSES / sizeof ADDRESSES[0]; i++) {
        LiveAddress address;
        Err         err;
        CHECK_DONE(live_address_parse(ADDRESSES[i], &address, &err), err);
        const int first = socket_listen(&address, &err);
        if (first < 0 && i > 0) continue; /* a machine without IPv6 */
        CHECK_DONE(first >= 0, err);
        const int second = socket(address.socket.ss_family, SOCK_DGRAM | SOCK_NONBLOCK, 0), yes = 1;
        const struct sockaddr *const to = (const struct sockaddr *)&address.socket;
        CHECK(bind(second, to, address.socket_size) != 0); /* the port is not shared with anybody */
        CHECK(setsockopt(first, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) == 0);
        CHECK(setsockopt(second, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) == 0);
        CHECK(bind(second, to, address.socket_size) == 0);
        for (unsigned k = 0; k < SOURCES; k++) {
            const int source = socket(address.socket.ss_family, SOCK_DGRAM, 0);
            CHECK(sendto(source, "x", 1, 0, to, address.socket_size) == 1);
            CHECK(close(source) == 0);
        }
        CHECK_UINT(count_datagrams(first), SOURCES);
        CHECK_UINT(count_datagrams(second), 0);
        CHECK(close(first) == 0 && close(second) == 0);
    }
}

TEST_MAIN("receiver", TEST_CASE(a_writer_of_a_pipe_that_comes_and_goes_while_the_one_before_ends_is_a_sender),
          TEST_CASE(what_comes_while_a_second_socket_is_made_is_for_the_first))
