#include "app/session/session_open.h"

#include "app/session/range_answers.h"
#include "app/session/slot.h"
#include "base/file.h"
#include "trace/wire/outline_encode.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum {
    KEEP_AFTER_MS = 1000, /* the page requests the first picture meanwhile */
    CHECK_AFTER_MS = 500, /* and the browser, which starts, has the processor */
    POLL_MS = 20,
    STEP_MS = 2, /* between two looks at the state of a slot */
    AWAIT_MS = 20
};

static void sleep_ms(long ms)
{
    (void)nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* Waits some time. False: the session ends. */
static bool wait_ms(const Progress *progress, unsigned ms)
{
    for (unsigned waited = 0; waited < ms && !progress_cancelled(progress); waited += POLL_MS)
        sleep_ms(POLL_MS);
    return !progress_cancelled(progress);
}

/* True if a `.varve` file at this address is read by ranges. */
static bool is_for_ranges(const SessionSlot *slot)
{
    const LoadOptions *options = &slot->options;
    return load_is_address(slot->path) && options->address_use == READ_BY_RANGES &&
           options->format_name == NULL && options->range == NULL && options->tracks == NULL;
}

/* ---- a trace of the cache ---- */

/* As ShownTiles.await. */
static void await_trace(const SessionSlot *slot)
{
    for (unsigned waited = 0; waited < AWAIT_MS && atomic_load(&slot->state) == SLOT_SHOWN; waited += STEP_MS)
        sleep_ms(STEP_MS);
}

/* Shows the tiles of the trace in the cache, if it is there, and waits until a request needs more, or the page had time for its
 * first picture. False: the session ends. */
static bool show_tiles(SessionSlot *slot)
{
    const Progress *progress = &slot->progress;
    RemoteFile     *tiles =
        slot->title != NULL ? NULL : cache_open_tiles(slot->cache, slot->path, &slot->options);
    if (tiles == NULL) return true; /* with a title: the tiles have the name */
    session_slot_shown(slot, tiles);
    for (unsigned waited = 0;
         waited < CHECK_AFTER_MS && !progress_cancelled(progress) && !atomic_load(&slot->shown.is_short);
         waited += STEP_MS)
        sleep_ms(STEP_MS);
    return !progress_cancelled(progress);
}

/* True if the loaded trace is the one that the tiles show. */
static bool is_shown(const SessionSlot *slot, const Loaded *loaded)
{
    Bytes shown = { 0 }, outline = { 0 };
    bool  found = false;
    Err   err;
    outline_encode(loaded->trace, c_string_view(slot->name), &outline);
    const bool is_read = remote_answer(slot->shown.file, STRING_LITERAL("outline"), &shown, &found, &err);
    const bool is_same = is_read && found && !outline.failed && shown.size == outline.size &&
                         memcmp(shown.data, outline.data, shown.size) == 0;
    bytes_release(&shown);
    bytes_release(&outline);
    return is_same;
}

static void release_tiles(SessionSlot *slot)
{
    lock_take(slot->shown.lock);
    remote_close(slot->shown.file);
    slot->shown.file = NULL;
    lock_give(slot->shown.lock);
}

/* Stores the result of a load in a slot that may show tiles. */
static void finish_load(SessionSlot *slot, Loaded *loaded, Err *err)
{
    if (loaded->trace != NULL && slot->shown.file != NULL && !is_shown(slot, loaded)) {
        loaded_release(loaded);
        *loaded = (Loaded){ .trace = NULL };
        (void)err_set(err, ERR_CORRUPT,
                      "the cache has another picture of the file than its trace: open it again");
    }
    if (loaded->trace != NULL)
        session_slot_ready(slot, loaded);
    else
        session_slot_failed(slot, err);
    if (slot->shown.file != NULL) release_tiles(slot);
}

/* Writes the trace of the slot to the cache, with tiles. */
static void keep(SessionSlot *slot, const CacheLoad *load)
{
    RangeAnswers answers;
    Err          err;
    if (!range_answers_create(slot->session, slot->index, VARVE_COARSE_LEVELS, &answers, &err)) return;
    (void)cache_keep(slot->cache, &slot->loaded, &slot->options, load, &answers.tiles,
                     &slot->progress.cancelled);
    range_answers_release(&answers);
}

/* ---- loads ---- */

static void *load_thread(void *context)
{
    SessionSlot *slot = context;
    Loaded       loaded = { 0 };
    CacheLoad    load = { .key = 0 };
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (is_for_ranges(slot)) {
        RemoteFile *remote = remote_open_address(slot->path, &slot->progress, &err);
        if (remote != NULL)
            session_slot_remote(slot, remote);
        else if (err.code != ERR_UNKNOWN)
            session_slot_failed(slot, &err);
        if (remote != NULL || err.code != ERR_UNKNOWN) return NULL;
    }
    if (!show_tiles(slot))
        (void)err_set(&err, ERR_CANCELLED, "cancelled");
    else if (!cache_load_file(slot->cache, slot->path, &slot->options, &loaded, &load, &err))
        loaded = (Loaded){ .trace = NULL };
    finish_load(slot, &loaded, &err);
    if (atomic_load(&slot->state) == SLOT_READY &&
        cache_is_worth_keeping(slot->cache, &slot->loaded, &load) && wait_ms(&slot->progress, KEEP_AFTER_MS))
        keep(slot, &load);
    return NULL;
}

static void load_join(SessionSlot *slot)
{
    pthread_t *thread = slot->job;
    assert(thread != NULL);
    (void)pthread_join(*thread, NULL);
}

/* Starts loading a file into a new slot; NULL: err filled. `name` as in session_open. */
static SessionSlot *start(Session *session, const char *path, const char *name, const LoadOptions *options,
                          const Cache *cache, Err *err)
{
    if (atomic_load(&session->slot_count) == SESSION_MAX_TRACES) {
        err_set(err, ERR_LIMIT, "more than %d traces at once", SESSION_MAX_TRACES);
        return NULL;
    }
    SessionSlot *slot = session_slot_create(session, path);
    pthread_t   *thread = slot == NULL ? NULL : ARENA_NEW(&session->arena, pthread_t);
    if (thread != NULL) slot->shown.lock = lock_create(&session->arena);
    if (thread == NULL || slot->shown.lock == NULL) {
        session_slot_discard(slot);
        err_set(err, ERR_MEMORY, "out of memory for another trace");
        return NULL;
    }
    slot->title = name;
    slot->options = *options;
    slot->cache = cache;
    slot->session = session;
    slot->shown.await = await_trace;
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
    SessionSlot *made = start(session, slot->path, slot->title, options, slot->cache, err);
    if (made == NULL) return false;
    made->is_copy = true;
    made->of = slot->index;
    *copy = made->index;
    session_slot_publish(session, made);
    return true;
}

bool session_open(Session *session, const char *path, const char *name, const LoadOptions *options,
                  const Cache *cache, Err *err)
{
    SessionSlot *slot = start(session, path, name, options, cache, err);
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
    SessionSlot *slot = start(session, path, NULL, &options, first->cache, err);
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
    const int          state = atomic_load(&slot->state);
    const bool         is_file = (state == SLOT_READY || state == SLOT_SHOWN) && slot->live == NULL &&
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
    case SLOT_SHOWN:
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
