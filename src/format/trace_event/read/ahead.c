#include "format/trace_event/read/ahead.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(AheadEvent) == 32, "two in a cache line");

/* The end of a result, behind its AheadEvents, AheadThreads and AheadPlaces. */
typedef struct AheadTail {
    AheadState *state;
    uint32_t    event_count, thread_count, text_count;
} AheadTail;

enum { THREAD_SLOTS = 256, SLOT_SHIFT = 56 };

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at <= ' ')
        at++;
    return at;
}

/* Returns the opening brace after a comma and white space; NULL: another byte follows. */
static inline const uint8_t *next_event(const uint8_t *at, const uint8_t *end)
{
    if (UNLIKELY(at == end || *at != ',')) at = skip_blanks(at, end);
    if (at == end || *at != ',') return NULL;
    at++;
    if (UNLIKELY(at == end || *at != '{')) at = skip_blanks(at, end);
    return at == end || *at != '{' ? NULL : at;
}

/* True if a comma, with white space behind it, precedes the brace at `at`. */
static bool follows_comma(const uint8_t *begin, const uint8_t *at)
{
    while (at > begin && at[-1] <= ' ')
        at--;
    return at > begin && at[-1] == ',';
}

/* True if the value of the key is a string or missing. */
static inline bool is_text(const RawEvent *event, EventKey key)
{
    return !event_has(event, key) || event->value[key].kind == JSON_STRING;
}

/* A piece while it is decoded. */
typedef struct Piece {
    AheadState    *state;
    const uint8_t *begin, *end;
    Bytes         *out;
    /* by a hash of pid and tid: 1 + index of a thread; 0 = the slot is free */
    uint16_t    slots[THREAD_SLOTS];
    AheadThread recent; /* the thread of the latest event, and its index; UINT16_MAX = no thread yet */
    uint16_t    recent_index;
} Piece;

/* Returns the index of a thread of the piece, and adds it if it is not in its slot; UINT16_MAX = there is no room for it. */
static NOINLINE uint16_t find_thread(Piece *piece, AheadThread thread)
{
    const uint64_t  hash = ((uint64_t)thread.pid * 31 + (uint64_t)thread.tid) * HASH_ODD_1;
    uint16_t *const slot = &piece->slots[hash >> SLOT_SHIFT];
    AheadState     *state = piece->state;
    const size_t    count = vec_count(&state->threads);
    uint16_t        index = (uint16_t)(*slot - 1);
    if (*slot == 0 || state->threads.items[index].pid != thread.pid ||
        state->threads.items[index].tid != thread.tid) {
        if (count >= UINT16_MAX - 1) return UINT16_MAX;
        vec_push(&state->threads, thread);
        if (state->threads.bytes.failed) return UINT16_MAX;
        index = (uint16_t)count;
        *slot = (uint16_t)(count + 1);
    }
    piece->recent = thread;
    return piece->recent_index = index;
}

static inline uint16_t thread_index(Piece *piece, int64_t pid, int64_t tid)
{
    if (LIKELY(piece->recent.pid == pid && piece->recent.tid == tid && piece->recent_index != UINT16_MAX))
        return piece->recent_index;
    return find_thread(piece, (AheadThread){ pid, tid });
}

/* True for events that AheadEvent can hold. */
static inline bool is_small(const RawEvent *event)
{
    const uint32_t ids = 1u << KEY_PID | 1u << KEY_TID;
    return event_is_plain_and_quick(event) && (event->quick & ids) == ids && is_text(event, KEY_NAME) &&
           is_text(event, KEY_CAT);
}

/* Returns the place of a string in the piece. */
static AheadPlace place_of(const JsonValue *text, const uint8_t *piece)
{
    if (text->kind == JSON_NOTHING) return (AheadPlace){ .at = 0 };
    return (AheadPlace){ (uint32_t)(text->at - piece), (uint32_t)text->size, text->escaped };
}

/* Returns copies in the arena; NULL when out of memory. */
static const AheadTexts *copy_texts(Arena *arena, const JsonValue *name, const JsonValue *category)
{
    AheadTexts *copy = ARENA_NEW(arena, AheadTexts);
    char       *name_bytes = arena_push_copy(arena, name->at, name->size);
    char       *category_bytes = arena_push_copy(arena, category->at, category->size);
    if (copy == NULL || name_bytes == NULL || category_bytes == NULL) return NULL;
    *copy = (AheadTexts){ *name, *category };
    copy->name.at = (const uint8_t *)name_bytes;
    copy->category.at = (const uint8_t *)category_bytes;
    return copy;
}

/* Returns the spelling of new texts: their number, or their index among those of the piece. */
static NOINLINE uint32_t new_spelling(Piece *piece, const JsonValue *name, const JsonValue *category)
{
    AheadState *const state = piece->state;
    const LabelId     next = { state->spelling_count + 1 };
    state->text_bytes += name->size + category->size;
    if (next.index <= AHEAD_SPELLINGS && state->text_bytes <= AHEAD_TEXT_BYTES &&
        (state->numbered[next.index] = copy_texts(&state->arena, name, category)) != NULL &&
        label_cache_put(state->spellings, (const char *)name->at, name->size, (const char *)category->at,
                        category->size, next))
        return state->spelling_count = next.index;
    vec_push(&state->texts, (AheadPlaces){ place_of(name, piece->begin), place_of(category, piece->begin) });
    return AHEAD_SPELLINGS + (uint32_t)vec_count(&state->texts);
}

/* Returns the spelling of an event that is small: see AheadEvent. */
static inline uint32_t spelling_of(Piece *piece, const RawEvent *event)
{
    static const JsonValue NOTHING = { .kind = JSON_NOTHING };
    const JsonValue       *name = event_has(event, KEY_NAME) ? &event->value[KEY_NAME] : &NOTHING,
                    *category = &NOTHING;
    if (event_has(event, KEY_CAT) && event->value[KEY_CAT].size > 0) category = &event->value[KEY_CAT];
    if (name == &NOTHING && (event->phase == 'E' || category == &NOTHING)) return 0;
    const LabelId *found = label_cache_find(piece->state->spellings, (const char *)name->at, name->size,
                                            (const char *)category->at, category->size);
    return LIKELY(found != NULL) ? found->index : new_spelling(piece, name, category);
}

/* True if an event with a phase begins at `at`. */
static bool is_event(const Piece *piece, const uint8_t *at)
{
    RawEvent       event;
    const uint8_t *stop;
    return event_parse_shaped(&piece->state->shapes, at, piece->end, &event, &stop) == JSON_SCAN_DONE &&
           event.phase != 0;
}

static void store(void *context, const RawEvent *event, EventPos pos, const uint8_t *stop)
{
    Piece *const      piece = (Piece *)context;
    AheadEvent *const made = (AheadEvent *)(void *)bytes_reserve(piece->out, sizeof *made);
    if (made == NULL) return;
    *made = (AheadEvent){ .at = (uint32_t)pos.offset,
                          .size = (uint32_t)((uint64_t)(stop - piece->begin) - pos.offset) };
    if (is_small(event)) {
        made->ts = event->number[KEY_TS];
        made->dur = event->phase == 'X' ? event->number[KEY_DUR] : 0;
        made->thread = thread_index(piece, event->number[KEY_PID], event->number[KEY_TID]);
        made->phase = made->thread == UINT16_MAX ? 0 : event->phase;
        made->has_details = event_has_extra_args(event);
        made->spelling = spelling_of(piece, event);
    }
    bytes_grow(piece->out, sizeof *made);
}

/* Stores the consecutive events from `at` on. Returns the end of the last one. */
static const uint8_t *take_run(Piece *piece, const uint8_t *at)
{
    EventRun run = { .end = piece->end, .take = store, .context = piece };
    do {
        const uint8_t *stop;
        run.at = at;
        run.pos.offset = (uint64_t)(at - piece->begin);
        if (event_parse_run(&piece->state->shapes, &run, &stop) != JSON_SCAN_DONE) break;
    } while ((at = next_event(run.at, piece->end)) != NULL);
    return run.at;
}

/* Removes the events of the piece. */
static void clear(Piece *piece)
{
    bytes_clear(piece->out);
    vec_clear(&piece->state->texts);
    vec_clear(&piece->state->threads);
    piece->recent_index = UINT16_MAX;
    memset(piece->slots, 0, sizeof piece->slots);
}

/* Stores the events of a piece, without their spellings. */
static void decode_events(Piece *piece)
{
    /* each try may read the whole piece; a run of few events is probably in a list inside an event */
    enum { MOST_TRIES = 16, FEW_BYTES = 8 * sizeof(AheadEvent) };
    const uint8_t *at = piece->begin;
    for (int tries = 0; tries < MOST_TRIES && piece->out->size <= FEW_BYTES; at++) {
        at = (const uint8_t *)memchr(at, '{', (size_t)(piece->end - at));
        if (at == NULL) return;
        if (!follows_comma(piece->begin, at)) continue;
        tries++;
        if (!is_event(piece, at)) continue;
        clear(piece);
        at = take_run(piece, at) - 1;
    }
}

void ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out)
{
    AheadState *const ahead = (AheadState *)state;
    Piece             piece = { .state = ahead, .begin = bytes, .end = bytes + size, .out = out };
    clear(&piece);
    if (ahead->spellings == NULL) ahead->spellings = label_cache_create(&ahead->arena);
    if (ahead->spellings == NULL || size > UINT32_MAX) return;
    decode_events(&piece);
    if (ahead->texts.bytes.failed || ahead->threads.bytes.failed) bytes_clear(out); /* out of memory */
    if (out->size == 0) return;
    const AheadTail tail = { .state = ahead,
                             .event_count = (uint32_t)(out->size / sizeof(AheadEvent)),
                             .thread_count = (uint32_t)vec_count(&ahead->threads),
                             .text_count = (uint32_t)vec_count(&ahead->texts) };
    bytes_append(out, ahead->threads.items, tail.thread_count * sizeof(AheadThread));
    bytes_append(out, ahead->texts.items, tail.text_count * sizeof(AheadPlaces));
    bytes_append(out, &tail, sizeof tail);
}

void ahead_release(void *state)
{
    AheadState *const ahead = (AheadState *)state;
    vec_release(&ahead->texts);
    vec_release(&ahead->threads);
    arena_release(&ahead->arena);
}

AheadList ahead_list(uint64_t offset, const Bytes *decoded)
{
    AheadList list = { .begin = offset, .first = UINT64_MAX };
    AheadTail tail;
    if (decoded->failed || decoded->size < sizeof tail) return list;
    memcpy(&tail, decoded->data + decoded->size - sizeof tail, sizeof tail);
    list.events = (const AheadEvent *)(const void *)decoded->data;
    list.threads = (const AheadThread *)(const void *)(list.events + tail.event_count);
    list.texts = (const AheadPlaces *)(const void *)(list.threads + tail.thread_count);
    list.state = tail.state;
    list.count = tail.event_count;
    if (list.count > 0) list.first = offset + list.events[0].at;
    return list;
}

static JsonValue text_at(AheadPlace place, const uint8_t *piece)
{
    if (place.at == 0) return (JsonValue){ .kind = JSON_NOTHING };
    return (JsonValue){ piece + place.at, place.size, JSON_STRING, place.escaped };
}

AheadTexts ahead_texts(const AheadList *list, const AheadEvent *event, const uint8_t *piece)
{
    assert(event->spelling != 0);
    if (event->spelling <= AHEAD_SPELLINGS) return *list->state->numbered[event->spelling];
    const AheadPlaces *places = &list->texts[event->spelling - AHEAD_SPELLINGS - 1];
    return (AheadTexts){ text_at(places->name, piece), text_at(places->category, piece) };
}
