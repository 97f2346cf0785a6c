/* The receiver at times that cannot be reached from outside: in the middle of a round. */
#define _GNU_SOURCE /* SOCK_NONBLOCK */
#include "app/live/budget.h"
#include "app/live/history.h"
#include "app/live/receiver.h"
#include "app/live/socket.h"
#include "base/thread.h"
#include "support/test.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
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

/* Opens a writer; its size distinguishes it from the others. */
static int writer_open(const Writers *writers, unsigned number)
{
    char      bytes[LIVES];
    const int fd = open(writers->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    CHECK(fd >= 0);
    memset(bytes, '[', sizeof bytes);
    CHECK(write(fd, bytes, number + 1) == (ssize_t)number + 1);
    return fd;
}

/* Called when the receiver has noticed the end of one writer and not yet looked for the next: that one opens and closes
 * now. */
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

/* Reads all datagrams of a socket and returns their number; each is from another source. */
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
        if (first < 0 && i > 0) continue; /* IPv6 is not available on this machine */
        CHECK_DONE(first >= 0, err);
        const int second = socket(address.socket.ss_family, SOCK_DGRAM | SOCK_NONBLOCK, 0), yes = 1;
        const struct sockaddr *const to = (const struct sockaddr *)&address.socket;
        CHECK(bind(second, to, address.socket_size) != 0); /* the port is not shared with other sockets */
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

enum { PEERS = RECEIVER_SENDERS_AT_ONCE + 1 };

/* More sources of datagrams than places, on a clock that the test sets. */
typedef struct Crowd {
    Receiver   *receiver;
    atomic_uint now_ms, began, evicted;
    LiveAddress address; /* of the receiver */
    int         peers[PEERS];
    char        evicted_name[LIVE_NAME_BYTES];
    Err         err;
    bool        done;
} Crowd;

static uint64_t crowd_clock(void *context)
{
    return atomic_load(&((Crowd *)context)->now_ms);
}

static void crowd_began(void *context, const SenderStatus *status)
{
    (void)status;
    atomic_fetch_add(&((Crowd *)context)->began, 1);
}

static void crowd_ended(void *context, const SenderStatus *status)
{
    Crowd *crowd = context;
    if (status->end != SENDER_EVICTED) return;
    (void)snprintf(crowd->evicted_name, sizeof crowd->evicted_name, "%s", status->name);
    atomic_fetch_add(&crowd->evicted, 1);
}

static void crowd_receive(void *context)
{
    Crowd *crowd = context;
    crowd->done = receiver_run(crowd->receiver, &crowd->err);
}

static void crowd_send(const Crowd *crowd, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        CHECK(send(crowd->peers[i], "[", 1, 0) == 1);
}

/* Gives each peer up to `end` a place. The kernel may refuse a second socket for a moment: the peer then sends again.
 * Returns the number of rejected datagrams. */
static uint64_t crowd_fill(const Crowd *crowd, size_t end)
{
    ReceiverTotals totals = { .bytes = 0 };
    for (size_t i = 0; i<end; i += totals.bytes> i) {
        const uint64_t before = totals.bytes + totals.turned_away;
        crowd_send(crowd, i, i + 1);
        do {
            totals = receiver_totals(crowd->receiver);
        } while (totals.bytes + totals.turned_away == before);
    }
    return totals.turned_away;
}

/* Waits until this number of bytes was received, and this number of senders was rejected. */
static void crowd_wait(const Crowd *crowd, uint64_t bytes, uint64_t turned_away)
{
    ReceiverTotals totals;
    do {
        totals = receiver_totals(crowd->receiver);
    } while (totals.bytes < bytes || totals.turned_away < turned_away);
    CHECK_UINT(totals.bytes, bytes);
    CHECK_UINT(totals.turned_away, turned_away);
}

static void crowd_name(const Crowd *crowd, size_t peer, char *out, size_t size)
{
    struct sockaddr_storage address = { 0 };
    socklen_t               length = sizeof address;
    CHECK(getsockname(crowd->peers[peer], (struct sockaddr *)&address, &length) == 0);
    live_address_name(LIVE_UDP, &address, out, size);
}

TEST(only_a_source_silent_for_ten_seconds_gives_its_place_to_a_new_one)
{
    enum { PLACES = PEERS - 1 };
    Crowd           crowd = { 0 };
    Err             err;
    Arena           arena = arena_create(0);
    char            name[LIVE_NAME_BYTES];
    ReceiverOptions options = { .reader = format_find("heph"),
                                .memory_limit = 1 << 20,
                                .began = crowd_began,
                                .ended = crowd_ended,
                                .clock_ms = crowd_clock,
                                .context = &crowd };
    crowd.receiver = receiver_create(&options, &err);
    CHECK_DONE(crowd.receiver != NULL, err);
    CHECK_DONE(receiver_open(crowd.receiver, "udp:127.0.0.1:0", &err), err);
    CHECK_DONE(live_address_parse(receiver_address(crowd.receiver, 0), &crowd.address, &err), err);
    for (size_t i = 0; i < PEERS; i++) {
        const struct sockaddr *to = (const struct sockaddr *)&crowd.address.socket;
        crowd.peers[i] = socket(AF_INET, SOCK_DGRAM, 0);
        CHECK(crowd.peers[i] >= 0 && connect(crowd.peers[i], to, crowd.address.socket_size) == 0);
    }
    Thread *thread = thread_start(&arena, crowd_receive, &crowd);
    CHECK(thread != NULL);

    const uint64_t rejected = crowd_fill(&crowd, PLACES);
    crowd_send(&crowd, PLACES, PEERS);
    crowd_wait(&crowd, PLACES, rejected + 1); /* all places are taken */
    atomic_store(&crowd.now_ms, RECEIVER_SILENT_MS - 1);
    crowd_send(&crowd, 1, PLACES); /* all but the first continue to send */
    crowd_wait(&crowd, 2 * PLACES - 1, rejected + 1);
    crowd_send(&crowd, PLACES, PEERS);
    crowd_wait(&crowd, 2 * PLACES - 1, rejected + 2); /* the first was not silent for long enough */
    CHECK_UINT(atomic_load(&crowd.evicted), 0);
    atomic_store(&crowd.now_ms, RECEIVER_SILENT_MS);
    crowd_send(&crowd, PLACES, PEERS);
    crowd_wait(&crowd, 2 * PLACES, rejected + 2);
    crowd_send(&crowd, 0, 1);
    crowd_wait(&crowd, 2 * PLACES, rejected + 3); /* and no other was silent */

    receiver_stop(crowd.receiver);
    thread_join(thread);
    CHECK_DONE(crowd.done, crowd.err);
    CHECK_UINT(atomic_load(&crowd.began), PEERS);
    CHECK_UINT(atomic_load(&crowd.evicted), 1);
    crowd_name(&crowd, 0, name, sizeof name);
    CHECK_STRING(crowd.evicted_name, name);
    for (size_t i = 0; i < PEERS; i++)
        CHECK(close(crowd.peers[i]) == 0);
    receiver_destroy(crowd.receiver);
    arena_release(&arena);
}

/* Returns the present bytes of arenas and buffers. */
static uint64_t held_bytes(void)
{
    memory_watch();
    return memory_peak();
}

static int next_descriptor(void)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && close(fd) == 0);
    return fd;
}

typedef struct Queue {
    Receiver   *receiver;
    atomic_uint ended;
    LiveAddress address;
    Err         err;
    bool        done;
} Queue;

static void queue_ended(void *context, const SenderStatus *status)
{
    (void)status;
    atomic_fetch_add(&((Queue *)context)->ended, 1);
}

static void queue_receive(void *context)
{
    Queue *queue = context;
    queue->done = receiver_run(queue->receiver, &queue->err);
}

/* Connects `count` times; every second connection sends a packet, the others nothing. Returns when all have ended. */
static void queue_connect(Queue *queue, unsigned count)
{
    static const unsigned char PACKET[] = "\xC1\xFC\x1F\xB7\0\0\0\x2B\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0"
                                          "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\1x";
    const unsigned             before = atomic_load(&queue->ended);
    for (unsigned i = 0; i < count; i++) {
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(fd >= 0);
        CHECK(connect(fd, (const struct sockaddr *)&queue->address.socket, queue->address.socket_size) == 0);
        if (i % 2 == 0) CHECK(write(fd, PACKET, sizeof PACKET - 1) == (ssize_t)sizeof PACKET - 1);
        CHECK(close(fd) == 0);
    }
    while (atomic_load(&queue->ended) != before + count)
        (void)poll(NULL, 0, 1);
}

static void count_sender(void *context, const SenderStatus *status)
{
    CHECK(status->state == SENDER_ENDED && status->events == 1 && strchr(status->name, '(') != NULL);
    ++*(unsigned *)context;
}

TEST(a_hundred_thousand_connections_leave_no_memory_behind)
{
    enum { FIRST = 2 * HISTORY_SENDERS, MANY = 100000 };
    Queue           queue = { .ended = 0 };
    Err             err;
    Arena           arena = arena_create(0);
    char            path[1024], address[1100];
    unsigned        listed = 0;
    ReceiverOptions options = { .memory_limit = 1 << 20, .ended = queue_ended, .context = &queue };
    test_scratch_path("queue", path, sizeof path);
    (void)snprintf(address, sizeof address, "unix:%s", path);
    CHECK_DONE(live_address_parse(address, &queue.address, &err), err);
    queue.receiver = receiver_create(&options, &err);
    CHECK_DONE(queue.receiver != NULL, err);
    CHECK_DONE(receiver_open(queue.receiver, address, &err), err);
    Thread *thread = thread_start(&arena, queue_receive, &queue);
    CHECK(thread != NULL);

    queue_connect(&queue, FIRST);
    ReceiverTotals totals = receiver_totals(queue.receiver);
    const uint64_t held = held_bytes();
    const int      descriptor = next_descriptor();
    queue_connect(&queue, MANY);
    totals = receiver_totals(queue.receiver);
    CHECK_UINT(totals.senders, (FIRST + MANY) / 2);
    CHECK_UINT(totals.events, (FIRST + MANY) / 2);
    CHECK_UINT(totals.turned_away, 0);
    CHECK_UINT(totals.unlisted, (FIRST + MANY) / 2 - HISTORY_SENDERS);
    CHECK(held_bytes() <= held + 4096);
    CHECK_INT(next_descriptor(), descriptor);
    receiver_each(queue.receiver, count_sender, &listed);
    CHECK_UINT(listed, HISTORY_SENDERS);

    receiver_stop(queue.receiver);
    thread_join(thread);
    CHECK_DONE(queue.done, queue.err);
    receiver_destroy(queue.receiver);
    arena_release(&arena);
}

/* Checks the level to which sizes are cut. */
static void check_level(const uint64_t *sizes, size_t count, uint64_t most, uint64_t level)
{
    uint64_t copy[8];
    memcpy(copy, sizes, count * sizeof sizes[0]);
    CHECK_UINT(budget_level(copy, count, most), level);
}

TEST(a_level_of_memory_cuts_the_largest_and_leaves_the_small_ones_whole)
{
    static const uint64_t SIZES[] = { 50, 10, 40, 0 };
    check_level(SIZES, 0, 0, UINT64_MAX);
    check_level(SIZES, 4, 100, UINT64_MAX);
    check_level(SIZES, 4, 99, 49);
    check_level(SIZES, 4, 60, 25);
    check_level(SIZES, 4, 20, 6);
    check_level(SIZES, 4, 0, 0);
    check_level((const uint64_t[]){ UINT64_MAX, UINT64_MAX, 7 }, 3, UINT64_MAX, (UINT64_MAX - 7) / 2);
}

TEST_MAIN("receiver", TEST_CASE(a_writer_of_a_pipe_that_comes_and_goes_while_the_one_before_ends_is_a_sender),
          TEST_CASE(what_comes_while_a_second_socket_is_made_is_for_the_first),
          TEST_CASE(only_a_source_silent_for_ten_seconds_gives_its_place_to_a_new_one),
          TEST_CASE(a_level_of_memory_cuts_the_largest_and_leaves_the_small_ones_whole),
          TEST_CASE(a_hundred_thousand_connections_leave_no_memory_behind))
