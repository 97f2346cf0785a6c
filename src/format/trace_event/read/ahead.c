#include "format/trace_event/read/ahead.h"

#include <string.h>

static_assert(sizeof(AheadEvent) == 64, "a cache line");

/* A result: AheadEvents, and behind them the pointer to AheadState.labels. */
enum { LABELS_BYTES = sizeof(LabelId *) };

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

static inline AheadText text_at(const RawEvent *event, EventKey key, const uint8_t *piece)
{
    const JsonValue *value = &event->value[key];
    if (!event_has(event, key)) return (AheadText){ 0, 0 };
    return (AheadText){ (uint32_t)(value->at - piece), (uint32_t)value->size };
}

static inline void put_event(AheadEvent *made, const RawEvent *event, const uint8_t *piece)
{
    const uint32_t ids = 1u << KEY_PID | 1u << KEY_TID;
    made->phase = 0;
    if (!event_is_plain_and_quick(event) || (event->quick & ids) != ids || !is_text(event, KEY_NAME) ||
        !is_text(event, KEY_CAT))
        return;
    made->ts = event->number[KEY_TS];
    made->dur = event->phase == 'X' ? event->number[KEY_DUR] : 0;
    made->pid = event->number[KEY_PID];
    made->tid = event->number[KEY_TID];
    made->name = text_at(event, KEY_NAME, piece);
    made->category = text_at(event, KEY_CAT, piece);
    if (made->category.size == 0) made->category.at = 0;
    made->name_escaped = made->name.at != 0 && event->value[KEY_NAME].escaped;
    made->category_escaped = made->category.at != 0 && event->value[KEY_CAT].escaped;
    made->has_details = event_has_extra_args(event);
    made->phase = event->phase;
}

/* Returns the number of the bytes of a name and a category. 0: the event has no phase or name, or there is no room for more. */
static uint32_t spelling_of(AheadState *state, const AheadEvent *event, const uint8_t *piece)
{
    const size_t      size = event->name.size, category_size = event->category.size;
    const char *const name = (const char *)piece + event->name.at,
                      *category = event->category.at == 0 ? NULL : (const char *)piece + event->category.at;
    if (event->phase == 0 || event->name.at == 0 || state->spellings == NULL) return 0;
    const LabelId *found = label_cache_find(state->spellings, name, size, category, category_size);
    if (found != NULL) return found->index;
    const LabelId next = { state->spelling_count + 1 };
    state->text_bytes += size + category_size;
    if (next.index > AHEAD_SPELLINGS || state->text_bytes > AHEAD_TEXT_BYTES ||
        !label_cache_put(state->spellings, name, size, category, category_size, next))
        return 0;
    return state->spelling_count = next.index;
}

/* A piece while it is decoded. */
typedef struct Piece {
    EventShapes   *shapes;
    const uint8_t *begin, *end;
    Bytes         *out;
} Piece;

/* True if an event with a phase begins at `at`. */
static bool is_event(const Piece *piece, const uint8_t *at)
{
    RawEvent       event;
    const uint8_t *stop;
    return event_parse_shaped(piece->shapes, at, piece->end, &event, &stop) == JSON_SCAN_DONE &&
           event.phase != 0;
}

static void store(void *context, const RawEvent *event, EventPos pos, const uint8_t *stop)
{
    Piece *const piece = (Piece *)context;
    AheadEvent  *made = (AheadEvent *)(void *)bytes_reserve(piece->out, sizeof *made);
    if (made == NULL) return;
    put_event(made, event, piece->begin);
    made->at = (uint32_t)pos.offset;
    made->end = (uint32_t)(stop - piece->begin);
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
        if (event_parse_run(piece->shapes, &run, &stop) != JSON_SCAN_DONE) break;
    } while ((at = next_event(run.at, piece->end)) != NULL);
    return run.at;
}

/* Stores the events of a piece, without the numbers of their spellings. */
static void decode_events(EventShapes *shapes, const uint8_t *bytes, size_t size, Bytes *out)
{
    /* each try may read the whole piece; a run of few events is probably in a list inside an event */
    enum { MOST_TRIES = 16, FEW_BYTES = 8 * sizeof(AheadEvent) };
    Piece          piece = { .shapes = shapes, .begin = bytes, .end = bytes + size, .out = out };
    const uint8_t *at = bytes;
    if (size > UINT32_MAX) return;
    for (int tries = 0; tries < MOST_TRIES && out->size <= FEW_BYTES; at++) {
        at = (const uint8_t *)memchr(at, '{', (size_t)(piece.end - at));
        if (at == NULL) return;
        if (!follows_comma(bytes, at)) continue;
        tries++;
        if (!is_event(&piece, at)) continue;
        bytes_clear(out);
        at = take_run(&piece, at) - 1;
    }
}

void ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out)
{
    AheadState *const    ahead = (AheadState *)state;
    const LabelId *const labels = ahead->labels;
    if (ahead->spellings == NULL) ahead->spellings = label_cache_create(&ahead->arena);
    bytes_clear(out);
    decode_events(&ahead->shapes, bytes, size, out);
    /* all at once: the look-ups wait for memory, and do not depend on each other */
    AheadEvent *events = (AheadEvent *)(void *)out->data;
    for (size_t i = 0; i < out->size / sizeof *events; i++)
        events[i].spelling = spelling_of(ahead, &events[i], bytes);
    bytes_append(out, (const void *)&labels, LABELS_BYTES);
}

void ahead_release(void *state)
{
    arena_release(&((AheadState *)state)->arena);
}

AheadList ahead_list(uint64_t offset, const Bytes *decoded)
{
    AheadList list = { .events = (const AheadEvent *)(const void *)decoded->data,
                       .begin = offset,
                       .first = UINT64_MAX };
    if (decoded->failed || decoded->size < LABELS_BYTES) return list;
    list.count = decoded->size / sizeof(AheadEvent);
    memcpy((void *)&list.labels, decoded->data + decoded->size - LABELS_BYTES, LABELS_BYTES);
    if (list.count > 0) list.first = offset + list.events[0].at;
    return list;
}
