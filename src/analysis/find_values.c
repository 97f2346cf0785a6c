#include "analysis/find_values.h"

#include "analysis/find.h"
#include "base/json_members.h"
#include "base/utf8.h"

#include <string.h>

/* What a stretch may cost before it stops, in looks at an event: some hundredths of a second. */
static const uint64_t WORK_MOST = 1 << 18;
enum { WORK_OF_READING = 6, WORK_OF_DETAILS = 42, BYTES_A_LOOK = 8 };
/* Of a value that is shown: so much before the match, so much in all. */
enum { EXCERPT_BEFORE = 40, EXCERPT_MOST = 160, KEY_MOST = 80 };
/* Keys of objects deeper than that are those of the deepest. */
enum { KEY_DEPTH = 32 };

typedef struct Search {
    const Trace       *trace;
    const FindStretch *stretch;
    FoundStretch      *found;
    uint8_t           *labels; /* by label: 0 not looked at yet, else 1 + whether it matches */
    FindWanted         wanted;
    Bytes              scratch; /* a value, its quotes and escapes taken off */
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

static bool look_through(Search *s, const OrderedEvent *event, StringView json, ValueRule rule)
{
    if (json.size == 0) return false;
    JsonWalk   walk = { .json = json };
    StringView key = { "", 0 }, token;
    while (walk_next(&walk, &key, &token)) {
        if (rule == TEXTS_ONLY && token.bytes[0] != '"') continue;
        StringView value = plain_of(token, &s->scratch);
        StringView name = key.size < 2 ? (StringView){ "", 0 } : (StringView){ key.bytes + 1, key.size - 2 };
        if (!find_wanted_is(&s->wanted, &name, value)) continue;
        note_match(s, event, key, value);
        return true;
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

static void look_into(Search *s, const OrderedEvent *event)
{
    StringView args = { "", 0 }, other = args;
    s->work += WORK_OF_READING;
    if (!s->stretch->source.read(s->stretch->source.context, event, &args, &other)) {
        s->work += WORK_OF_DETAILS;
        s->found->unread++;
        return;
    }
    size_t size = args.size + other.size;
    if (size > 0) s->work += WORK_OF_DETAILS + size / BYTES_A_LOOK;
    if (!look_through(s, event, args, ALL_VALUES)) (void)look_through(s, event, other, TEXTS_ONLY);
}

static void look_at(Search *s, const OrderedEvent *event)
{
    const StringView none = { "", 0 };
    uint32_t         label = label_of(s->trace, event);
    s->work++;
    if (filter_hides_label(s->stretch->filter, label)) return;
    bool by_name = label_matches(s, label);
    if (s->stretch->where == FIND_IN_VALUES) {
        if (!by_name) look_into(s, event);
    } else if (by_name && event->kind == ORDER_SLICE) { /* as find_text */
        note_match(s, event, none, none);
    }
}

static bool run(Search *s, EventOrder *order, Err *err)
{
    FoundStretch *found = s->found;
    bool          more = false;
    while (s->work < WORK_MOST && found->matches.size / sizeof(EventMatch) < s->stretch->most) {
        OrderedEvent event;
        more = event_order_next(order, &event);
        if (!more) break;
        look_at(s, &event);
        found->last = event;
        if (s->scratch.failed || found->matches.failed || found->texts.failed)
            return err_set(err, ERR_MEMORY, "out of memory for a search");
    }
    found->ended = !more;
    return true;
}

bool find_stretch(const Trace *trace, const FindStretch *stretch, FoundStretch *found, Err *err)
{
    Arena  arena = arena_create(0);
    Search search = {
        .trace = trace, .stretch = stretch, .found = found, .wanted = find_wanted(stretch->text)
    };
    search.labels = ARENA_ARRAY(&arena, uint8_t, (size_t)trace->label_count + 1);
    EventOrder *order = event_order_create_behind(trace, stretch->behind, &arena);
    bool        done = true;
    if (search.labels == NULL || order == NULL) {
        done = err_set(err, ERR_MEMORY, "out of memory for a search");
    } else if (stretch->text.size == 0) {
        found->ended = true;
    } else {
        done = run(&search, order, err);
    }
    bytes_release(&search.scratch);
    arena_release(&arena);
    return done;
}

void found_stretch_release(FoundStretch *found)
{
    bytes_release(&found->matches);
    bytes_release(&found->texts);
}
