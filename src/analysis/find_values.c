#include "analysis/find_values.h"

#include "analysis/find.h"
#include "base/json_members.h"
#include "base/thread.h"
#include "base/utf8.h"

#include <string.h>

/* What a stretch may cost before it stops, in looks at an event, for each who looks: some hundredths of a second. */
static const uint64_t WORK_MOST = 1 << 18;
enum { WORK_OF_READING = 6, WORK_OF_DETAILS = 42, BYTES_A_LOOK = 8 };
/* Of a value that is shown: so much before the match, so much in all. */
enum { EXCERPT_BEFORE = 40, EXCERPT_MOST = 160, KEY_MOST = 80 };
/* Keys of objects deeper than that are those of the deepest. */
enum { KEY_DEPTH = 32 };

/* Events that are looked into together, in order. */
enum { BATCH_MOST = 2048 };
typedef enum { EVENT_HOLDS_NOTHING, EVENT_HOLDS_TEXT, EVENT_UNREAD } EventFinding;

/* One of those who look at a time. */
typedef struct Looker {
    Bytes    scratch; /* a value, its quotes and escapes taken off */
    uint64_t work;
} Looker;

typedef struct Search {
    const Trace       *trace;
    const FindStretch *stretch;
    FoundStretch      *found;
    uint8_t           *labels; /* by label: 0 not looked at yet, else 1 + whether it matches */
    FindWanted         wanted;
    OrderedEvent      *batch;    /* BATCH_MOST */
    uint8_t           *findings; /* EventFinding[], of the batch */
    size_t             batched;
    Looker            *lookers; /* by source */
    uint64_t           work;
} Search;

/* -- JSON as a row of keys and values -- */

typedef struct JsonWalk {
    StringView json; /* valid */
    size_t     at;
    unsigned   depth;
    StringView keys[KEY_DEPTH]; /* of the values at each depth, with quotes */
} JsonWalk;

static size_t string_end(StringView json, size_t at)
{
    for (at++; at < json.size && json.bytes[at] != '"'; at++) {
        if (json.bytes[at] == '\\') at++;
    }
    return at < json.size ? at + 1 : json.size;
}

static size_t scalar_end(StringView json, size_t at)
{
    while (at < json.size && strchr(",]} \t\r\n", json.bytes[at]) == NULL)
        at++;
    return at;
}

static void walk_enter(JsonWalk *walk)
{
    walk->depth++;
    /* Elements of an array are values of its key; the members of an object have keys of their own. */
    if (walk->depth < KEY_DEPTH) walk->keys[walk->depth] = walk->keys[walk->depth - 1];
}

/* The next value that is no container, and its key ("" = none). False at the end. */
static bool walk_next(JsonWalk *walk, StringView *key, StringView *value)
{
    StringView json = walk->json;
    while (walk->at < json.size) {
        size_t begin = walk->at;
        char   c = json.bytes[begin];
        if (c == '{' || c == '[') walk_enter(walk);
        if ((c == '}' || c == ']') && walk->depth > 0) walk->depth--;
        if (strchr("{}[],: \t\r\n", c) != NULL) {
            walk->at++;
            continue;
        }
        walk->at = c == '"' ? string_end(json, begin) : scalar_end(json, begin);
        StringView  token = { json.bytes + begin, walk->at - begin };
        size_t      behind = walk->at;
        StringView *slot = &walk->keys[walk->depth < KEY_DEPTH ? walk->depth : KEY_DEPTH - 1];
        while (behind < json.size && strchr(" \t\r\n", json.bytes[behind]) != NULL)
            behind++;
        if (c == '"' && behind < json.size && json.bytes[behind] == ':') {
            *slot = token;
            continue;
        }
        *key = *slot;
        *value = token;
        return true;
    }
    return false;
}

/* -- one value -- */

/* Whether all of it is made of what numbers, pointers and bytes are printed with. */
static bool is_number_like(StringView text)
{
    static const char *const WORDS[] = { "true", "false", "null", "-Infinity", "NaN" };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (find_is_part((StringView){ WORDS[i], strlen(WORDS[i]) }, text)) return true;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\0' || strchr("0123456789abcdefABCDEFxX+-. ", text.bytes[i]) == NULL)
            return false;
    }
    return true;
}

FindWanted find_wanted(StringView text)
{
    FindWanted  wanted = { .text = text, .text_is_number = is_number_like(text) };
    const char *sign = text.size == 0 ? NULL : memchr(text.bytes, '=', text.size);
    if (sign == NULL) return wanted;
    size_t key_end = (size_t)(sign - text.bytes), from = key_end + 1;
    while (key_end > 0 && text.bytes[key_end - 1] == ' ')
        key_end--;
    while (from < text.size && text.bytes[from] == ' ')
        from++;
    wanted.has_key = key_end > 0;
    wanted.key = (StringView){ text.bytes, key_end };
    wanted.part = (StringView){ text.bytes + from, text.size - from };
    wanted.part_is_number = is_number_like(wanted.part);
    return wanted;
}

bool find_wanted_is(const FindWanted *wanted, const StringView *key, StringView value)
{
    const bool any_number = value.bytes == NULL;
    if (any_number ? wanted->text_is_number : find_is_part(value, wanted->text)) return true;
    if (!wanted->has_key) return false;
    if (key != NULL && (key->size != wanted->key.size || !find_is_part(*key, wanted->key))) return false;
    if (wanted->part.size == 0) return true;
    return any_number ? wanted->part_is_number : find_is_part(value, wanted->part);
}

/* A string without quotes and escapes, in `scratch` where there are any; anything else as it stands. */
static StringView plain_of(StringView token, Bytes *scratch)
{
    if (token.size < 2 || token.bytes[0] != '"') return token;
    StringView inner = { token.bytes + 1, token.size - 2 };
    if (memchr(inner.bytes, '\\', inner.size) == NULL) return inner;
    bytes_clear(scratch);
    json_text_append(token, scratch);
    return (StringView){ scratch->size == 0 ? "" : (const char *)scratch->data, scratch->size };
}

/* Where the first match begins; 0 when all of the value is meant. */
static size_t match_at(const FindWanted *wanted, StringView value)
{
    StringView part = find_is_part(value, wanted->text) ? wanted->text : wanted->part;
    size_t     low = 0, high = value.size;
    if (!find_is_part(value, part)) return 0;
    while (low + 1 < high) { /* the last begin behind which the part still stands whole */
        size_t middle = low + (high - low) / 2;
        if (find_is_part((StringView){ value.bytes, middle }, part)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high - part.size;
}

static void excerpt(Search *s, StringView value)
{
    size_t at = match_at(&s->wanted, value), from = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0;
    while (from > 0 && from < value.size && ((uint8_t)value.bytes[from] & 0xc0) == 0x80)
        from--; /* to the begin of a character */
    size_t size = utf8_cut(value.bytes + from, value.size - from, EXCERPT_MOST);
    if (from > 0) bytes_append_text(&s->found->texts, "…");
    bytes_append(&s->found->texts, value.bytes + from, size);
    if (from + size < value.size) bytes_append_text(&s->found->texts, "…");
}

static void note_match(Search *s, const OrderedEvent *event, StringView key, StringView value)
{
    FoundStretch *found = s->found;
    EventMatch    match = { .event = *event, .key_at = (uint32_t)found->texts.size };
    if (key.size > 2) {
        size_t from = found->texts.size;
        json_text_append(key, &found->texts);
        if (found->texts.size - from > KEY_MOST)
            found->texts.size =
                from + utf8_cut((const char *)found->texts.data + from, found->texts.size - from, KEY_MOST);
    }
    match.value_at = (uint32_t)found->texts.size;
    match.key_size = match.value_at - match.key_at;
    excerpt(s, value);
    match.value_size = (uint32_t)found->texts.size - match.value_at;
    bytes_append(&found->matches, &match, sizeof match);
}

typedef enum { ALL_VALUES, TEXTS_ONLY } ValueRule;

/* The first value that is looked for, and its key; good until the next call. */
static bool look_through(const Search *s, Looker *looker, StringView json, ValueRule rule, StringView *key,
                         StringView *value)
{
    if (json.size == 0) return false;
    JsonWalk   walk = { .json = json };
    StringView token;
    while (walk_next(&walk, key, &token)) {
        if (rule == TEXTS_ONLY && token.bytes[0] != '"') continue;
        *value = plain_of(token, &looker->scratch);
        StringView name =
            key->size < 2 ? (StringView){ "", 0 } : (StringView){ key->bytes + 1, key->size - 2 };
        if (find_wanted_is(&s->wanted, &name, *value)) return true;
    }
    return false;
}

/* -- events -- */

static uint32_t label_of(const Trace *trace, const OrderedEvent *event)
{
    return event->kind == ORDER_SLICE ? trace->slices.label[event->id] : trace->instants.label[event->id];
}

static bool label_matches(Search *s, uint32_t label)
{
    if (s->labels[label] == 0) {
        bool is = find_is_part(trace_label_name(s->trace, label), s->stretch->text) ||
                  find_is_part(trace_label_category(s->trace, label), s->stretch->text);
        s->labels[label] = is ? 2 : 1;
    }
    return s->labels[label] == 2;
}

static EventFinding look_into(const Search *s, size_t source, const OrderedEvent *event, StringView *key,
                              StringView *value)
{
    const EventSource *reader = &s->stretch->sources[source];
    Looker            *looker = &s->lookers[source];
    StringView         args = { "", 0 }, other = args;
    looker->work += WORK_OF_READING;
    if (!reader->read(reader->context, event, &args, &other)) {
        looker->work += WORK_OF_DETAILS;
        return EVENT_UNREAD;
    }
    size_t size = args.size + other.size;
    if (size > 0) looker->work += WORK_OF_DETAILS + size / BYTES_A_LOOK;
    bool holds = look_through(s, looker, args, ALL_VALUES, key, value) ||
                 look_through(s, looker, other, TEXTS_ONLY, key, value);
    return holds ? EVENT_HOLDS_TEXT : EVENT_HOLDS_NOTHING;
}

/* A part of the batch, for each source one. */
static void look_job(void *context, size_t source)
{
    const Search *s = (const Search *)context;
    const size_t  count = s->stretch->source_count;
    const size_t  begin = s->batched * source / count, end = s->batched * (source + 1) / count;
    StringView    key, value;
    for (size_t i = begin; i < end; i++)
        s->findings[i] = (uint8_t)look_into(s, source, &s->batch[i], &key, &value);
}

/* What was gathered: most of it holds nothing, so what does is simply read once more. */
static bool look_into_batch(Search *s)
{
    const size_t sources = s->stretch->source_count;
    StringView   key = { "", 0 }, value = key;
    bool         failed = false;
    thread_run((unsigned)sources, sources, look_job, s);
    for (size_t i = 0; i < s->batched; i++) {
        if (s->findings[i] == EVENT_UNREAD) s->found->unread++;
        if (s->findings[i] != EVENT_HOLDS_TEXT) continue;
        if (look_into(s, 0, &s->batch[i], &key, &value) == EVENT_HOLDS_TEXT)
            note_match(s, &s->batch[i], key, value);
    }
    for (size_t i = 0; i < sources; i++) {
        s->work += s->lookers[i].work;
        s->lookers[i].work = 0;
        failed |= s->lookers[i].scratch.failed;
    }
    s->batched = 0;
    return !failed;
}

static void look_at(Search *s, const OrderedEvent *event)
{
    const StringView none = { "", 0 };
    uint32_t         label = label_of(s->trace, event);
    s->work++;
    if (filter_hides_label(s->stretch->filter, label)) return;
    bool by_name = label_matches(s, label);
    if (s->stretch->where == FIND_IN_VALUES) {
        if (!by_name) s->batch[s->batched++] = *event;
    } else if (by_name) {
        note_match(s, event, none, none);
    }
}

/* So many matches can still be taken: a batch is no larger, for it may hold nothing else. */
static uint64_t matches_left(const Search *s)
{
    const uint64_t count = s->found->matches.size / sizeof(EventMatch);
    return s->stretch->most > count ? s->stretch->most - count : 0;
}

static bool run(Search *s, EventOrder *order, Err *err)
{
    FoundStretch  *found = s->found;
    bool           more = false;
    const uint64_t work_most = WORK_MOST * (s->stretch->source_count < 2 ? 1 : s->stretch->source_count);
    while (s->work < work_most && matches_left(s) > 0) {
        const uint64_t batch = matches_left(s) < BATCH_MOST ? matches_left(s) : BATCH_MOST;
        OrderedEvent   event;
        more = true;
        while (s->batched < batch && s->work < work_most && matches_left(s) > 0 && more) {
            more = event_order_next(order, &event);
            if (!more) break;
            look_at(s, &event);
            found->last = event;
        }
        if (!look_into_batch(s) || found->matches.failed || found->texts.failed)
            return err_set(err, ERR_MEMORY, "out of memory for a search");
        if (!more) break;
    }
    found->ended = !more;
    return true;
}

static bool search_prepare(Search *s, Arena *arena)
{
    s->labels = ARENA_ARRAY(arena, uint8_t, (size_t)s->trace->label_count + 1);
    s->batch = ARENA_ARRAY(arena, OrderedEvent, BATCH_MOST);
    s->findings = ARENA_ARRAY(arena, uint8_t, BATCH_MOST);
    s->lookers = ARENA_ARRAY(arena, Looker, s->stretch->source_count);
    return s->labels != NULL && s->batch != NULL && s->findings != NULL && s->lookers != NULL;
}

bool find_stretch(const Trace *trace, const FindStretch *stretch, FoundStretch *found, Err *err)
{
    Arena  arena = arena_create(0);
    Search search = {
        .trace = trace, .stretch = stretch, .found = found, .wanted = find_wanted(stretch->text)
    };
    DerivedRule derived = stretch->where == FIND_IN_NAMES ? DERIVED_TOO : DERIVED_LEFT_OUT;
    EventOrder *order = event_order_create_behind(trace, stretch->behind, derived, &arena);
    bool        is_ready = search_prepare(&search, &arena) && order != NULL;
    bool        done = true;
    if (!is_ready) {
        done = err_set(err, ERR_MEMORY, "out of memory for a search");
    } else if (stretch->text.size == 0) {
        found->ended = true;
    } else {
        done = run(&search, order, err);
    }
    for (size_t i = 0; is_ready && i < stretch->source_count; i++)
        bytes_release(&search.lookers[i].scratch);
    arena_release(&arena);
    return done;
}

void found_stretch_release(FoundStretch *found)
{
    bytes_release(&found->matches);
    bytes_release(&found->texts);
}
