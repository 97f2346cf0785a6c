#include "app/live/receiver.h"

#include "app/live/budget.h"
#include "app/live/socket.h"
#include "app/live/sources.h"
#include "base/checked.h"
#include "base/lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 256 << 10,   /* read from one sender in one round */
    DATAGRAMS_AT_ONCE = 256,    /* read from one sender in one round */
    DATAGRAM_BYTES = 64 << 10,  /* the maximum size of a datagram */
    FIRST_DATAGRAMS = 16 << 10, /* of new sources in one round: more than a buffer's content */
    CONNECTIONS_AT_ONCE = 64,
    LITTLE_BYTES = 64 << 10,
    LITTLE_REST_MS = 5,   /* after a round that received only a little data */
    DATAGRAM_REST_MS = 1, /* the same with datagrams, which are lost if they wait for long */
    WORK_MS = 10,         /* while a page is open, an equal pause follows; */
    LONG_REST_MS = 50,    /* the longest pause at once */
    BUDGET_MS = 50,       /* the time between two checks of the memory; */
    BUDGET_SHARE = 128,   /* memory is checked earlier if 1/BUDGET_SHARE of the limit was allocated */
    FILE_LOOK_MS = 100,   /* the time between two checks of a file */
    LAST_BYTES = 64 << 20 /* from each sender at the end, so that a sender that continues to send cannot
                           * prevent it */
};

struct Receiver {
    Arena           arena; /* the receiver itself, and lists */
    ReceiverOptions options;
    SenderRules     rules;
    Lock           *lock;    /* held during any change */
    int             wake[2]; /* a byte in it stops the receiver */
    atomic_bool     stopping;
    Sources         sources;
    ARENA_LIST(Source *) addresses; /* opened by receiver_open */
    struct pollfd *polled;          /* in arena */
    size_t         polled_capacity;
    uint8_t       *buffer; /* in arena, BUFFER_BYTES */
    uint64_t       unrecognised_datagrams, turned_away;
    Budget         budget;          /* of memory */
    uint64_t       budget_ms;       /* time of the latest budget_keep, */
    uint64_t       budget_next;     /* and the value of memory_held() for the next one */
    uint64_t       round_bytes;     /* read in this round */
    bool           round_datagrams; /* some of them in datagrams */
    uint64_t       worked_ns;       /* since the last pause */
};

/* ---- time ---- */

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t now_ms(const Receiver *receiver)
{
    const ReceiverOptions *options = &receiver->options;
    return options->clock_ms == NULL ? now_ns() / 1000000 : options->clock_ms(options->context);
}

/* ---- datagrams ---- */

/* Adds the source of a first datagram. It gets its own socket if possible. */
static Source *add_peer(Receiver *receiver, const Source *listener, const struct sockaddr_storage *peer,
                        socklen_t peer_size)
{
    assert(listener->kind == SOURCE_DATAGRAMS);
    int fd = socket_for_peer(listener->fd, &listener->address, peer, peer_size);
    if (fd < 0) return NULL;
    Source *source = sources_add(&receiver->sources, SOURCE_PEER, fd);
    if (source == NULL) {
        (void)close(fd);
        return NULL;
    }
    source->address.kind = LIVE_UDP;
    source->listener = listener;
    source->peer = *peer;
    live_address_name(LIVE_UDP, peer, source->name, sizeof source->name);
    if (sources_add_sender(&receiver->sources, source, STREAM_DATAGRAMS, source->name) != NULL) return source;
    sources_close(&receiver->sources, source);
    return NULL;
}

static void take_datagram(Receiver *receiver, const Source *listener, const void *bytes, size_t size,
                          const struct sockaddr_storage *peer, socklen_t peer_size)
{
    Source *source = sources_find_peer(&receiver->sources, peer);
    receiver->round_bytes += size;
    receiver->round_datagrams = true;
    if (size == 0) return;
    if (source == NULL && !sender_would_take(&receiver->rules, bytes, size)) {
        receiver->unrecognised_datagrams++;
        return;
    }
    if (source == NULL && sources_make_place(&receiver->sources))
        source = add_peer(receiver, listener, peer, peer_size);
    if (source == NULL) {
        receiver->turned_away++;
        return;
    }
    source->heard_ms = receiver->sources.round_ms;
    (void)sender_take(source->sender, bytes, size); /* its errors are reported at its end */
}

/* Reads all datagrams of the shared socket, so that the earlier datagrams of a new source are processed before those
 * of its own socket. */
static void read_datagrams(Receiver *receiver, Source *source)
{
    struct sockaddr_storage peer;
    socklen_t               peer_size;
    unsigned                most = source->kind == SOURCE_DATAGRAMS ? FIRST_DATAGRAMS : DATAGRAMS_AT_ONCE;
    bool                    got_one = true;
    source->more = false;
    for (unsigned i = 0; i < most && got_one; i++) {
        int64_t size =
            socket_receive(source->fd, receiver->buffer, DATAGRAM_BYTES, &peer, &peer_size, &got_one);
        if (size < 0) return; /* an error reported by the peer's machine */
        /* A new peer's socket may get datagrams of other peers until it is connected. */
        const Source *listener = source->kind == SOURCE_DATAGRAMS ? source : source->listener;
        assert(listener != NULL && size <= DATAGRAM_BYTES);
        if (got_one) take_datagram(receiver, listener, receiver->buffer, (size_t)size, &peer, peer_size);
    }
    source->more = got_one;
}

/* ---- connections ---- */

static void accept_all(Receiver *receiver, Source *listener)
{
    Sources                *sources = &receiver->sources;
    struct sockaddr_storage peer;
    int                     fd;
    for (unsigned i = 0; i < CONNECTIONS_AT_ONCE && (fd = socket_accept(listener->fd, &peer)) >= 0; i++) {
        Source *source = sources_make_place(sources) ? sources_add(sources, SOURCE_PEER, fd) : NULL;
        if (source == NULL) {
            (void)close(fd);
            receiver->turned_away++;
            continue;
        }
        source->address.kind = listener->address.kind;
        if (source->address.kind == LIVE_TCP) {
            live_address_name(LIVE_TCP, &peer, source->name, sizeof source->name);
        } else {
            (void)snprintf(source->name, sizeof source->name, "%.200s (%u)", listener->name,
                           ++listener->lives);
        }
        if (sources_add_sender(sources, source, STREAM_PIECES, source->name) == NULL)
            sources_close(sources, source);
    }
}

static void read_connection(Receiver *receiver, Source *source)
{
    assert(source->sender != NULL);
    size_t      size;
    ReadOutcome outcome = descriptor_read(source->fd, receiver->buffer, BUFFER_BYTES, &size);
    source->more = outcome == READ_SOME;
    receiver->round_bytes += size;
    if (outcome == READ_NOTHING_NOW) return;
    if (outcome != READ_SOME || sender_take(source->sender, receiver->buffer, size) == TAKEN_FOR_NOTHING)
        sources_close(&receiver->sources, source);
}

/* ---- pipes, and files that grow ---- */

/* Writes "PATH", then "PATH (2)" ... */
static Sender *next_life(Receiver *receiver, Source *source)
{
    char name[LIVE_NAME_BYTES + 16];
    source->lives++;
    (void)snprintf(name, sizeof name, source->lives == 1 ? "%s" : "%s (%u)", source->name,
                   (unsigned)source->lives);
    Sender *sender = sources_add_sender(&receiver->sources, source, STREAM_PIECES, name);
    if (sender == NULL) receiver->turned_away++;
    if (sender != NULL && source->kind == SOURCE_FILE) sender_reread_from(sender, source->fd);
    return sender;
}

static void feed_life(Receiver *receiver, Source *source, size_t size)
{
    if (source->sender == NULL && next_life(receiver, source) == NULL) return;
    assert(source->sender != NULL && size <= BUFFER_BYTES);
    (void)sender_take(source->sender, receiver->buffer, size);
}

/* Opens a pipe again, so that the end of the next writer is noticed: the kernel reports it only for writers
 * that came after this open. A writer that came and went before is noticed by its data; then the old
 * descriptor stays open and reports its end. Both descriptors are open in the meantime, because data of a
 * writer is lost when the last one is closed. */
static void pipe_open_again(Source *source)
{
    Err           err;
    struct pollfd left = { .fd = source->fd, .events = POLLIN };
    const int     again = pipe_open(source->address.path, &err);
    const bool    has_left = again >= 0 && poll(&left, 1, 0) > 0 && (left.revents & POLLIN) != 0;
    (void)close(has_left ? again : source->fd);
    if (!has_left) source->fd = again;
}

static void read_pipe(Receiver *receiver, Source *source)
{
    size_t      size;
    ReadOutcome outcome = descriptor_read(source->fd, receiver->buffer, BUFFER_BYTES, &size);
    source->more = outcome == READ_SOME;
    receiver->round_bytes += size;
    if (outcome == READ_SOME) feed_life(receiver, source, size);
    if (outcome == READ_SOME || outcome == READ_NOTHING_NOW) return;
    if (source->address.kind == LIVE_STDIN || receiver->options.end == RECEIVE_ONCE) {
        sources_close(&receiver->sources, source);
        return;
    }
    sources_end_sender(&receiver->sources, source, SENDER_FINISHED); /* the next writer is another sender */
    pipe_open_again(source);
}

/* True if the name now belongs to another file. */
static bool is_replaced(const Source *source)
{
    struct stat there, open_one;
    return stat(source->address.path, &there) == 0 && fstat(source->fd, &open_one) == 0 &&
           (there.st_dev != open_one.st_dev || there.st_ino != open_one.st_ino);
}

static void reopen_file(Receiver *receiver, Source *source)
{
    int fd = open(source->address.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return; /* removed again: the next check looks once more */
    sources_end_sender(&receiver->sources, source, SENDER_FINISHED);
    (void)close(source->fd);
    source->fd = fd;
    source->at = 0;
}

static void read_file(Receiver *receiver, Source *source)
{
    struct stat info;
    source->more = false;
    if (fstat(source->fd, &info) == 0 && (uint64_t)info.st_size < source->at) { /* truncated */
        sources_end_sender(&receiver->sources, source, SENDER_FINISHED);
        source->at = 0;
    }
    ssize_t got = pread(source->fd, receiver->buffer, BUFFER_BYTES, (off_t)source->at);
    if (got > 0) {
        source->at += (uint64_t)got;
        source->more = true;
        feed_life(receiver, source, (size_t)got);
    } else if (is_replaced(source)) {
        reopen_file(receiver, source);
        source->more = source->at == 0;
    }
}

static void source_read(Receiver *receiver, Source *source)
{
    switch (source->kind) {
    case SOURCE_DATAGRAMS:
        read_datagrams(receiver, source);
        return;
    case SOURCE_CONNECTIONS:
        accept_all(receiver, source);
        return;
    case SOURCE_PEER:
        if (source->address.kind == LIVE_UDP) {
            read_datagrams(receiver, source);
        } else {
            read_connection(receiver, source);
        }
        return;
    case SOURCE_PIPE:
        read_pipe(receiver, source);
        return;
    case SOURCE_FILE:
        read_file(receiver, source);
        return;
    }
}

/* ---- opening ---- */

static bool keep_address(Receiver *receiver, SourceKind kind, int fd, const LiveAddress *address,
                         const char *name, Err *err)
{
    Source  *source = sources_add(&receiver->sources, kind, fd);
    Source **slot = source == NULL ? NULL : ARENA_LIST_PUSH(&receiver->addresses, &receiver->arena);
    if (slot == NULL) {
        (void)close(fd);
        if (source != NULL) source->fd = -1;
        return err_set(err, ERR_MEMORY, "out of memory");
    }
    source->address = *address;
    if (address->path != NULL)
        source->address.path = arena_push_copy(&receiver->arena, address->path, strlen(address->path));
    (void)snprintf(source->name, sizeof source->name, "%s", name);
    *slot = source;
    return source->address.path != NULL || address->path == NULL || err_set(err, ERR_MEMORY, "out of memory");
}

static int file_open(const char *path, Err *err)
{
    struct stat info;
    int         fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        err_set(err, ERR_IO, "%s", strerror(errno));
        return -1;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
    (void)close(fd);
    err_set(err, ERR_IO, "is not a regular file");
    return -1;
}

bool receiver_open(Receiver *receiver, const char *text, Err *err)
{
    LiveAddress address;
    char        name[LIVE_NAME_BYTES];
    SourceKind  kind = SOURCE_PIPE;
    int         fd = STDIN_FILENO;
    if (!live_address_parse(text, &address, err)) return false;
    if (!address.is_local && receiver->options.bind == BIND_LOOPBACK) {
        return err_set(err, ERR_USAGE,
                       "other machines could send to this address: allow it with --bind, or use 127.0.0.1");
    }
    if (address.kind == LIVE_UDP && receiver->options.end == RECEIVE_ONCE)
        return err_set(err, ERR_USAGE, "--once is for connections, pipes and files: datagrams have no end");
    (void)snprintf(name, sizeof name, "%s",
                   address.kind == LIVE_STDIN  ? "standard input"
                   : address.kind == LIVE_FILE ? address.path
                                               : text);
    switch (address.kind) {
    case LIVE_UDP:
    case LIVE_TCP:
    case LIVE_UNIX:
        kind = address.kind == LIVE_UDP ? SOURCE_DATAGRAMS : SOURCE_CONNECTIONS;
        fd = socket_listen(&address, err);
        if (fd >= 0 && address.kind != LIVE_UNIX)
            live_address_name(address.kind, &address.socket, name, sizeof name);
        break;
    case LIVE_PIPE:
        fd = pipe_open(address.path, err);
        break;
    case LIVE_FILE:
        kind = SOURCE_FILE;
        fd = file_open(address.path, err);
        break;
    case LIVE_STDIN:
        break;
    }
    return fd >= 0 && keep_address(receiver, kind, fd, &address, name, err);
}

const char *receiver_address(const Receiver *receiver, size_t i)
{
    return i < receiver->addresses.count ? receiver->addresses.items[i]->name : NULL;
}

/* ---- the loop ---- */

static bool is_file(const Source *source)
{
    return source->kind == SOURCE_FILE;
}

/* True if too much data of the source waits to be shown; reading it pauses. */
static bool is_held_back(const Source *source)
{
    return source->sender != NULL && sender_is_full(source->sender);
}

static void wait_less(int *timeout_ms, int ms)
{
    if (ms >= 0 && (*timeout_ms < 0 || ms < *timeout_ms)) *timeout_ms = ms;
}

/* Lists the descriptors to wait for. *timeout_ms: the longest wait, -1 = no limit. False: nothing is open, or out of memory. */
static bool gather(Receiver *receiver, nfds_t *count, int *timeout_ms, bool *any_open)
{
    size_t needed = receiver->sources.list.count + 1;
    if (needed > receiver->polled_capacity) {
        receiver->polled = ARENA_ARRAY(&receiver->arena, struct pollfd, needed * 2);
        receiver->polled_capacity = receiver->polled == NULL ? 0 : needed * 2;
        if (receiver->polled == NULL) return false;
    }
    *count = 1;
    *timeout_ms = -1;
    *any_open = false;
    receiver->polled[0] = (struct pollfd){ .fd = receiver->wake[0], .events = POLLIN };
    for (size_t i = 0; i < receiver->sources.list.count; i++) { /* polled[i + 1] is source i */
        const Source *source = sources_at(&receiver->sources, i);
        bool          waits = source->fd >= 0 && !is_file(source) && !is_held_back(source);
        receiver->polled[i + 1] = (struct pollfd){ .fd = waits ? source->fd : -1, .events = POLLIN };
        (*count)++;
        *any_open |= source->fd >= 0;
        if (source->fd >= 0 && is_file(source) && !is_held_back(source))
            wait_less(timeout_ms, source->more ? 0 : FILE_LOOK_MS);
    }
    assert(*count <= receiver->polled_capacity);
    return true;
}

/* Reduces all senders to their common memory limit. */
static void keep_to_budget(Receiver *receiver)
{
    static_assert(RECEIVER_SENDERS_AT_ONCE + SESSION_MAX_TRACES <= BUDGET_SENDERS, "a place for each");
    Sender    *senders[BUDGET_SENDERS];
    size_t     count = 0;
    const bool is_time = receiver->sources.round_ms - receiver->budget_ms >= BUDGET_MS;
    if (!is_time && memory_held() < receiver->budget_next) return;
    receiver->budget_ms = receiver->sources.round_ms;
    for (size_t i = 0; i < receiver->sources.list.count; i++) {
        Sender *sender = sources_at(&receiver->sources, i)->sender;
        if (sender != NULL) senders[count++] = sender;
    }
    for (size_t i = 0; i < receiver->sources.shown_count; i++)
        senders[count++] = receiver->sources.shown[i];
    assert(count <= BUDGET_SENDERS);
    budget_keep(&receiver->budget, &receiver->rules, senders, count);
    receiver->budget_next = u64_add_saturated(memory_held(), receiver->budget.total / BUDGET_SHARE);
}

/* Sockets for new sources are first; read_datagrams explains it. */
static void read_ready(Receiver *receiver, nfds_t polled)
{
    assert(polled > 0 && polled <= receiver->sources.list.count + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i + 1 < polled; i++) {
            Source *source = sources_at(&receiver->sources, i);
            bool    is_first = source->kind == SOURCE_DATAGRAMS;
            bool    is_ready = is_file(source) || receiver->polled[i + 1].revents != 0;
            if (source->fd < 0 || is_first != (pass == 0) || !is_ready || is_held_back(source)) continue;
            /* a source that replaced a closed one in this round is read in the next round */
            if (!is_file(source) && source->fd != receiver->polled[i + 1].fd) continue;
            source_read(receiver, source);
            keep_to_budget(receiver);
        }
    }
}

/* True if a page reads a trace of any sender. */
static bool is_watched(const Receiver *receiver)
{
    for (size_t i = 0; i < receiver->sources.list.count; i++) {
        const Source *source = sources_at(&receiver->sources, i);
        if (source->fd >= 0 && source->sender != NULL &&
            sender_is_watched(source->sender, receiver->sources.round_ms))
            return true;
    }
    return false;
}

/* Sleeps between rounds. Otherwise many senders of small amounts, ten thousand messages a second in all,
 * would wake the thread for each, and take a processor from a sender or from the browser. Data waits in the
 * sockets in the meantime. During heavy traffic the page also needs the processors: connections can wait,
 * datagrams cannot. */
static void rest(Receiver *receiver, uint64_t round_ns, int due_ms)
{
    static const uint64_t NS = 1000000;
    int                   ms = 0;
    receiver->worked_ns += round_ns;
    if (receiver->round_bytes > 0 && receiver->round_bytes < LITTLE_BYTES && due_ms != 0) {
        ms = receiver->round_datagrams ? DATAGRAM_REST_MS : LITTLE_REST_MS;
    } else if (receiver->worked_ns >= WORK_MS * NS) {
        const uint64_t worked_ms = receiver->worked_ns / NS;
        if (!receiver->round_datagrams && is_watched(receiver))
            ms = worked_ms < LONG_REST_MS ? (int)worked_ms : LONG_REST_MS;
        receiver->worked_ns = 0;
    }
    if (ms > 0) (void)poll(receiver->polled, 1, ms); /* receiver_stop wakes it */
}

/* Updates the shown traces. */
static void catch_up_all(Receiver *receiver)
{
    for (size_t i = 0; i < receiver->sources.list.count; i++) {
        const Source *source = sources_at(&receiver->sources, i);
        if (source->fd < 0 || source->sender == NULL) continue;
        sender_catch_up(source->sender, now_ms(receiver));
        keep_to_budget(receiver);
    }
}

/* Returns the ms after which to call catch_up_all, -1 = when new data arrives. */
static int next_due_ms(const Receiver *receiver)
{
    int due_ms = -1;
    for (size_t i = 0; i < receiver->sources.list.count; i++) {
        const Source *source = sources_at(&receiver->sources, i);
        if (source->fd >= 0 && source->sender != NULL)
            wait_less(&due_ms, sender_due_ms(source->sender, now_ms(receiver)));
    }
    return due_ms;
}

static void flush_all(Receiver *receiver)
{
    for (size_t i = 0; i < receiver->sources.list.count; i++) {
        Source *source = sources_at(&receiver->sources, i);
        if (source->fd >= 0 && source->sender != NULL) sender_flush(source->sender);
    }
}

static bool takes_new_senders(const Source *source)
{
    return source->kind == SOURCE_DATAGRAMS || source->kind == SOURCE_CONNECTIONS;
}

/* After a stop: reads the data that has already arrived, waiting connections first. */
static void read_last(Receiver *receiver)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < receiver->sources.list.count; i++) {
            Source  *source = sources_at(&receiver->sources, i);
            uint64_t taken = 0;
            if (takes_new_senders(source) != (pass == 0)) continue;
            do {
                if (source->fd < 0) break;
                source_read(receiver, source);
                taken += BUFFER_BYTES;
                while (is_held_back(source))
                    catch_up_all(receiver);
            } while (source->more && taken < LAST_BYTES);
        }
    }
}

static bool is_over(const Receiver *receiver, bool any_open)
{
    if (!any_open) return true;
    return receiver->options.end == RECEIVE_ONCE && receiver->sources.had_sender &&
           receiver->sources.at_once == 0;
}

bool receiver_run(Receiver *receiver, Err *err)
{
    bool done = true;
    int  due_ms = -1;
    while (!atomic_load(&receiver->stopping)) {
        nfds_t count;
        int    timeout_ms;
        bool   any_open;
        if (!gather(receiver, &count, &timeout_ms, &any_open)) {
            done = err_set(err, ERR_MEMORY, "out of memory");
            break;
        }
        if (is_over(receiver, any_open)) break;
        wait_less(&timeout_ms, due_ms);
        if (poll(receiver->polled, count, timeout_ms) < 0 && errno != EINTR) {
            done = err_set(err, ERR_IO, "cannot wait for senders: %s", strerror(errno));
            break;
        }
        const uint64_t began_ns = now_ns();
        receiver->sources.round_ms = now_ms(receiver);
        receiver->round_bytes = 0;
        receiver->round_datagrams = false;
        lock_take(receiver->lock);
        read_ready(receiver, count);
        flush_all(receiver);
        catch_up_all(receiver);
        keep_to_budget(receiver);
        due_ms = next_due_ms(receiver);
        lock_give(receiver->lock);
        rest(receiver, now_ns() - began_ns, due_ms);
    }
    lock_take(receiver->lock);
    receiver->sources.round_ms = now_ms(receiver);
    read_last(receiver);
    for (size_t i = 0; i < receiver->sources.list.count; i++)
        sources_close(&receiver->sources, sources_at(&receiver->sources, i));
    lock_give(receiver->lock);
    return done;
}

void receiver_stop(Receiver *receiver)
{
    atomic_store(&receiver->stopping, true);
    while (write(receiver->wake[1], "", 1) < 0 && errno == EINTR) {
    }
}

/* ---- functions for any thread ---- */

ReceiverTotals receiver_totals(Receiver *receiver)
{
    lock_take(receiver->lock);
    ReceiverTotals totals = sources_totals(&receiver->sources);
    totals.unrecognised_datagrams = receiver->unrecognised_datagrams;
    totals.turned_away = receiver->turned_away;
    lock_give(receiver->lock);
    return totals;
}

void receiver_each(Receiver *receiver, void (*each)(void *context, const SenderStatus *status), void *context)
{
    lock_take(receiver->lock);
    sources_each(&receiver->sources, each, context);
    lock_give(receiver->lock);
}

/* ---- life ---- */

Receiver *receiver_create(const ReceiverOptions *options, Err *err)
{
    Arena     arena = arena_create(0);
    Receiver *receiver = ARENA_NEW(&arena, Receiver);
    uint8_t  *buffer = receiver == NULL ? NULL : arena_push_raw(&arena, 1, BUFFER_BYTES);
    Lock     *lock = buffer == NULL ? NULL : lock_create(&arena);
    bool      done = lock != NULL || err_set(err, ERR_MEMORY, "out of memory");
    FileSpool record = { 0 }; /* opened now, so that an error is reported before any data arrives */
    if (done && options->record_path != NULL) done = file_spool_create(&record, options->record_path, err);
    if (done && pipe(receiver->wake) != 0) done = err_set(err, ERR_IO, "no pipe: %s", strerror(errno));
    if (!done) {
        file_spool_close(&record);
        lock_destroy(lock);
        arena_release(&arena);
        return NULL;
    }
    receiver->buffer = buffer;
    receiver->lock = lock;
    receiver->options = *options;
    receiver->rules = (SenderRules){ .reader = options->reader,
                                     .record_path = options->record_path,
                                     .first_record = record,
                                     .memory_limit = options->memory_limit / 2,
                                     .show = options->show,
                                     .began = options->began,
                                     .ended = options->ended,
                                     .context = options->context };
    receiver->budget = budget_of(options->memory_limit);
    budget_keep(&receiver->budget, &receiver->rules, NULL, 0);
    receiver->arena = arena;
    receiver->sources = (Sources){ .arena = &receiver->arena, .rules = &receiver->rules };
    return receiver;
}

void receiver_destroy(Receiver *receiver)
{
    if (receiver == NULL) return;
    sources_release(&receiver->sources);
    file_spool_close(&receiver->rules.first_record);
    (void)close(receiver->wake[0]);
    (void)close(receiver->wake[1]);
    lock_destroy(receiver->lock);
    Arena arena = receiver->arena; /* the receiver lives in it */
    arena_release(&arena);
}
