#include "app/live/sources.h"

#include "app/live/socket.h"

#include <assert.h>
#include <poll.h>
#include <unistd.h>

Source *sources_at(const Sources *sources, size_t i)
{
    assert(i < sources->list.count);
    return sources->list.items[i];
}

Source *sources_add(Sources *sources, SourceKind kind, int fd)
{
    Source *source = NULL;
    for (size_t i = 0; i < sources->list.count && source == NULL; i++) {
        Source *closed = sources_at(sources, i); /* an address keeps its place after it is closed */
        if (closed->fd < 0 && closed->kind == SOURCE_PEER) source = closed;
    }
    if (source == NULL) {
        Source **slot = ARENA_LIST_PUSH(&sources->list, sources->arena);
        source = slot == NULL ? NULL : ARENA_NEW(sources->arena, Source);
        if (slot != NULL && source == NULL) sources->list.count--;
        if (source == NULL) return NULL;
        *slot = source;
    }
    *source = (Source){ .kind = kind, .fd = fd, .heard_ms = sources->round_ms };
    return source;
}

static void add_sender(ReceiverTotals *totals, const SenderStatus *status)
{
    totals->bytes += status->bytes;
    if (status->format == NULL) {
        totals->unrecognised_senders += status->state == SENDER_ENDED && status->bytes > 0;
        return;
    }
    totals->senders++;
    totals->live += status->state == SENDER_RECEIVING;
    totals->events += status->events;
    totals->losses.missing += status->losses.missing;
    totals->losses.late += status->losses.late;
    totals->losses.twice += status->losses.twice;
    totals->losses.skipped_bytes += status->losses.skipped_bytes;
}

void sources_end_sender(Sources *sources, Source *source, SenderEnd end)
{
    Sender *sender = source->sender;
    if (sender == NULL) return;
    sender_end(sender, end);
    source->sender = NULL;
    assert(sources->at_once > 0);
    sources->at_once--;
    SenderStatus status = sender_status(sender, NULL);
    if (status.bytes > 0) {
        sources->had_sender = true;
        add_sender(&sources->ended, &status);
        history_add(&sources->history, sources->arena, &status);
    }
    if (sender_is_shown(sender)) {
        assert(sources->shown_count < SESSION_MAX_TRACES);
        sources->shown[sources->shown_count++] = sender;
    } else {
        sender_destroy(sender);
    }
}

void sources_close(Sources *sources, Source *source)
{
    if (source->fd < 0) return;
    sources_end_sender(sources, source, SENDER_FINISHED);
    if (source->address.kind == LIVE_UDP) sources->dropped_before += socket_dropped(source->fd);
    if (source->address.kind == LIVE_UNIX && source->kind == SOURCE_CONNECTIONS)
        (void)unlink(source->address.path);
    if (source->fd != STDIN_FILENO) (void)close(source->fd);
    source->fd = -1;
}

static bool has_place(const Sources *sources)
{
    return sources->at_once < RECEIVER_SENDERS_AT_ONCE;
}

/* True if a new sender may replace this one. Datagrams have no end mark, so their source counts as ended when
 * it is silent. A connection has the same time to send recognised data. */
static bool is_replaceable(const Sources *sources, const Source *source)
{
    if (source->fd < 0 || source->kind != SOURCE_PEER) return false;
    assert(source->sender != NULL);
    if (source->address.kind != LIVE_UDP && sender_is_recognised(source->sender)) return false;
    return sources->round_ms - source->heard_ms >= RECEIVER_SILENT_MS;
}

/* Frees the place of the replaceable sender with the longest silence. Returns false if every sender is
 * active. */
static bool evict_silent(Sources *sources)
{
    Source *oldest = NULL;
    for (size_t i = 0; i < sources->list.count; i++) {
        Source *source = sources_at(sources, i);
        if (is_replaceable(sources, source) && (oldest == NULL || source->heard_ms < oldest->heard_ms))
            oldest = source;
    }
    if (oldest == NULL) return false;
    struct pollfd unread = { .fd = oldest->fd, .events = POLLIN };
    if (oldest->address.kind == LIVE_UDP && poll(&unread, 1, 0) > 0) { /* its data is unread */
        oldest->heard_ms = sources->round_ms;
        return false;
    }
    sources_end_sender(sources, oldest, SENDER_EVICTED);
    sources_close(sources, oldest);
    return true;
}

bool sources_make_place(Sources *sources)
{
    return has_place(sources) || evict_silent(sources);
}

Sender *sources_add_sender(Sources *sources, Source *source, StreamTransport transport, const char *name)
{
    assert(source->sender == NULL);
    Err     err;
    Sender *sender = has_place(sources) ? sender_create(sources->rules, transport, name, &err) : NULL;
    if (sender == NULL) return NULL;
    source->sender = sender;
    sources->at_once++;
    return sender;
}

Source *sources_find_peer(const Sources *sources, const struct sockaddr_storage *peer)
{
    for (size_t i = 0; i < sources->list.count; i++) {
        Source *source = sources_at(sources, i);
        if (source->fd >= 0 && source->kind == SOURCE_PEER && source->address.kind == LIVE_UDP &&
            live_address_equal(&source->peer, peer))
            return source;
    }
    return NULL;
}

static uint64_t dropped_now(const Sources *sources)
{
    uint64_t dropped = sources->dropped_before;
    for (size_t i = 0; i < sources->list.count; i++) {
        const Source *source = sources_at(sources, i);
        if (source->fd >= 0 && source->address.kind == LIVE_UDP) dropped += socket_dropped(source->fd);
    }
    return dropped;
}

/* Calls back for each sender that has not ended. */
static void each_live(const Sources *sources, void (*each)(void *context, const SenderStatus *status),
                      void          *context)
{
    for (size_t i = 0; i < sources->list.count; i++) {
        const Sender *sender = sources_at(sources, i)->sender;
        if (sender == NULL) continue;
        SenderStatus status = sender_status(sender, NULL);
        if (status.bytes > 0) each(context, &status);
    }
}

static void add_live(void *context, const SenderStatus *status)
{
    add_sender(context, status);
}

ReceiverTotals sources_totals(const Sources *sources)
{
    ReceiverTotals totals = sources->ended;
    totals.dropped = dropped_now(sources);
    totals.unlisted = history_unlisted(&sources->history);
    each_live(sources, add_live, &totals);
    return totals;
}

void sources_each(const Sources *sources, void (*each)(void *context, const SenderStatus *status),
                  void          *context)
{
    history_each(&sources->history, each, context);
    each_live(sources, each, context);
}

void sources_release(Sources *sources)
{
    for (size_t i = 0; i < sources->list.count; i++)
        sources_close(sources, sources_at(sources, i));
    for (size_t i = 0; i < sources->shown_count; i++)
        sender_destroy(sources->shown[i]);
    history_release(&sources->history);
}
