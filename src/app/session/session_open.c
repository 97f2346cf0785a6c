#include "app/session/session_open.h"

#include "app/session/slot.h"
#include "base/file.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { KEEP_AFTER_MS = 1000 /* the page requests the first picture meanwhile */, POLL_MS = 20 };

/* Waits some time. False: the session ends. */
static bool wait_ms(const Progress *progress, unsigned ms)
{
    for (unsigned waited = 0; waited < ms && !progress_cancelled(progress); waited += POLL_MS)
        (void)nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000 }, NULL);
    return !progress_cancelled(progress);
}

/* True if a `.varve` file at this address is read by ranges. */
static bool is_for_ranges(const SessionSlot *slot)
{
    const LoadOptions *options = &slot->options;
    return load_is_address(slot->path) && options->address_use == READ_BY_RANGES &&
           options->format_name == NULL && options->range == NULL && options->tracks == NULL;
}

static void *load_thread(void *context)
{
    SessionSlot *slot = context;
    Loaded       loaded = { 0 };
    CacheLoad    load;
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (is_for_ranges(slot)) {
        RemoteFile *remote = remote_open_address(slot->path, &slot->progress, &err);
        if (remote != NULL)
            session_slot_remote(slot, remote);
        else if (err.code != ERR_UNKNOWN)
            session_slot_failed(slot, &err);
        if (remote != NULL || err.code != ERR_UNKNOWN) return NULL;
    }
    if (!cache_load_file(slot->cache, slot->path, &slot->options, &loaded, &load, &err)) {
        session_slot_failed(slot, &err);
        return NULL;
    }
    session_slot_ready(slot, &loaded);
    if (cache_is_worth_keeping(slot->cache, &slot->loaded, &load) && wait_ms(&slot->progress, KEEP_AFTER_MS))
        (void)cache_keep(slot->cache, &slot->loaded, &slot->options, &load, &slot->progress.cancelled);
    return NULL;
}

static void load_join(SessionSlot *slot)
{
    pthread_t *thread = slot->job;
    assert(thread != NULL);
    (void)pthread_join(*thread, NULL);
}

/* Starts loading a file into a new slot; NULL: err filled. */
static SessionSlot *start(Session *session, const char *path, const LoadOptions *options, const Cache *cache,
                          Err *err)
{
    if (atomic_load(&session->slot_count) == SESSION_MAX_TRACES) {
        err_set(err, ERR_LIMIT, "more than %d traces at once", SESSION_MAX_TRACES);
        return NULL;
    }
    SessionSlot *slot = session_slot_create(session, path);
    pthread_t   *thread = slot == NULL ? NULL : ARENA_NEW(&session->arena, pthread_t);
    if (thread == NULL) {
        session_slot_discard(slot);
        err_set(err, ERR_MEMORY, "out of memory for another trace");
        return NULL;
    }
    slot->options = *options;
    slot->cache = cache;
    slot->options.progress = &slot->progress;
    slot->job = thread;
    if (pthread_create(thread, NULL, load_thread, slot) != 0) {
        session_slot_discard(slot);
        err_set(err, ERR_MEMORY, "the system gives no more threads");
        return NULL;
    }
    slot->join = load_join;
    return slot;
}

static bool open_copy(Session *session, const SessionSlot *slot, const LoadOptions *options, uint32_t *copy,
                      Err *err)
{
    if (slot->remote == NULL && (strcmp(slot->path, "-") == 0 || !file_is_regular(slot->path)))
        return err_set(err, ERR_IO, "only a file can be read once more");
    SessionSlot *made = start(session, slot->path, options, slot->cache, err);
    if (made == NULL) return false;
    made->is_copy = true;
    made->of = slot->index;
    *copy = made->index;
    session_slot_publish(session, made);
    return true;
}

bool session_open(Session *session, const char *path, const LoadOptions *options, const Cache *cache,
                  Err *err)
{
    SessionSlot *slot = start(session, path, options, cache, err);
    if (slot == NULL) return false;
    session->open_copy = open_copy;
    session_slot_publish(session, slot);
    return true;
}

bool session_open_by_page(Session *session, const char *path, uint32_t *trace, Err *err)
{
    if (!file_is_regular(path)) return err_set(err, ERR_IO, "the file does not exist any more");
    if (session->open_copy == NULL) return err_set(err, ERR_USAGE, "files cannot be opened from here");
    lock_take(session->opening);
    const SessionSlot *first = session->slots[0];
    LoadOptions        options = first->options;
    options.format_name = options.range = options.tracks = NULL; /* they were given for other files */
    options.most_bytes = 0;
    if (options.perspective == NULL) options.perspective = "";
    SessionSlot *slot = start(session, path, &options, first->cache, err);
    if (slot != NULL) {
        slot->is_by_page = true;
        *trace = slot->index;
        session_slot_publish(session, slot);
    }
    lock_give(session->opening);
    return slot != NULL;
}

const char *session_path(Session *session, uint64_t index)
{
    if (index >= atomic_load(&session->slot_count)) return NULL;
    const SessionSlot *slot = session->slots[index];
    const bool         is_file = atomic_load(&slot->state) == SLOT_READY && slot->live == NULL &&
                         slot->remote == NULL && !slot->is_copy;
    return is_file && strcmp(slot->path, "-") != 0 ? slot->path : NULL;
}

bool session_loads_file(Session *session)
{
    if (atomic_load(&session->slot_count) == 0) return false;
    const SessionSlot *slot = session->slots[0];
    return atomic_load(&slot->state) == SLOT_LOADING && strcmp(slot->path, "-") != 0 &&
           !load_is_address(slot->path);
}

static SessionSlot *slot_at(Session *session, uint32_t index)
{
    assert(index < atomic_load(&session->slot_count));
    return session->slots[index];
}

LoadState session_load_state(Session *session, uint32_t index, const Loaded **loaded, Err *err)
{
    SessionSlot *slot = slot_at(session, index);
    switch ((SlotState)atomic_load(&slot->state)) {
    case SLOT_LOADING:
        break;
    case SLOT_READY:
        *loaded = slot->remote == NULL ? &slot->loaded : NULL;
        return LOAD_DONE;
    case SLOT_FAILED:
    case SLOT_CANCELLED:
        *err = slot->error;
        return LOAD_FAILED;
    }
    return LOAD_RUNNING;
}

Progress *session_load_progress(Session *session, uint32_t index)
{
    return &slot_at(session, index)->progress;
}
