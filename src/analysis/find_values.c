#include "analysis/find_values.h"

#include "base/json_members.h"
#include "base/search.h"
#include "base/thread.h"
#include "base/utf8.h"

#include <string.h>

/* Limit on the work of a stretch for each source, in visits of an event: some hundredths of a second. */
static const uint64_t WORK_MOST = 1 << 18;
enum { WORK_OF_READING = 6, WORK_OF_DETAILS = 42, BYTES_A_LOOK = 8 };
/* Sizes in bytes of an excerpt of a value: before the match, in all, and of the key. */
enum { EXCERPT_BEFORE = 40, EXCERPT_MOST = 160, KEY_MOST = 80 };
/* Deeper objects share the key of this depth. */
enum { KEY_DEPTH = 32 };

/* Events in a batch: their arguments are read by all sources at a time. */
enum { BATCH_MOST = 2048 };
typedef enum { EVENT_DIFFERS, EVENT_MATCHES, EVENT_UNREAD } EventFinding;

/* An event, and the terms that its arguments must match. 0 terms: the event matches. */
typedef struct Waiting {
    OrderedEvent event;
    uint32_t     missing;
} Waiting;

/* The state of a source. */
typedef struct Looker {
    Bytes    scratch; /* a value without its quotes and escapes */
    Bytes    shown;   /* the value of the hit: `scratch` goes on to the next value */
    uint64_t work;
    bool     gave_up; /* a regular expression did */
} Looker;

typedef struct Search {
    const Trace       *trace;
    const FindStretch *stretch;
    FoundStretch      *found;
    FindMatcher        matcher;
    Waiting           *batch;    /* BATCH_MOST */
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

/* Moves to the next value that is not a container. *key is empty outside objects. False at the end. */
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

/* Returns a string without its quotes and escapes, in `scratch` if it has escapes; returns any other value unchanged. */
static StringView plain_of(StringView token, Bytes *scratch)
{
    if (token.size < 2 || token.bytes[0] != '"') return token;
    StringView inner = { token.bytes + 1, token.size - 2 };
    if (memchr(inner.bytes, '\\', inner.size) == NULL) return inner;
    bytes_clear(scratch);
    json_text_append(token, scratch);
    return bytes_view(scratch);
}

/* Returns the text that the value of a match is looked for by. */
static const FindText *text_in(const FindTerm *term, StringView value)
{
    return term->field == FIND_BY_KEY && find_text_verdict(&term->plain, value) == FIND_MATCHES ? &term->plain
                                                                                                : &term->text;
}

/* Returns the place of the first match in a value; 0 where the term does not look for a text in it. */
static size_t match_at(const FindTerm *term, StringView value)
{
    const FindText *text = text_in(term, value);
    size_t          low = value.size > 0, at = 0;
    if (text->how == FIND_REGEX) return regex_find(text->regex, value, &at, NULL) == REGEX_FINDS ? at : 0;
    if (!find_is_part(value, text->text)) return 0;
    /* the size of the shortest prefix of the value that contains the text */
    LOWER_BOUND(size_t, low, value.size, i, !find_is_part((StringView){ value.bytes, i }, text->text));
    return low - text->text.size;
}

static void excerpt(Search *s, const FindTerm *term, StringView value)
{
    size_t at = term == NULL ? 0 : match_at(term, value),
           from = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0;
    while (from > 0 && from < value.size && ((uint8_t)value.bytes[from] & 0xc0) == 0x80)
        from--; /* to the begin of a character */
    size_t size = utf8_cut(value.bytes + from, value.size - from, EXCERPT_MOST);
    if (from > 0) bytes_append_text(&s->found->texts, "…");
    bytes_append(&s->found->texts, value.bytes + from, size);
    if (from + size < value.size) bytes_append_text(&s->found->texts, "…");
}

/* The first value that matches a term, and its key. */
typedef struct Hit {
    const FindTerm *term; /* NULL = no value matches yet */
    StringView      key, value;
} Hit;

static void note_match(Search *s, const OrderedEvent *event, const Hit *hit)
{
    const StringView key = hit->key;
    FoundStretch    *found = s->found;
    EventMatch       match = { .event = *event, .key_at = (uint32_t)found->texts.size };
    if (key.size > 2) {
        size_t from = found->texts.size;
        json_text_append(key, &found->texts);
        if (found->texts.size - from > KEY_MOST)
            found->texts.size =
                from + utf8_cut((const char *)found->texts.data + from, found->texts.size - from, KEY_MOST);
    }
    match.value_at = (uint32_t)found->texts.size;
    match.key_size = match.value_at - match.key_at;
    excerpt(s, hit->term, hit->value);
    match.value_size = (uint32_t)found->texts.size - match.value_at;
    vec_push(&found->matches, match);
}

typedef enum { ALL_VALUES, TEXTS_ONLY } ValueRule;

/* Compares each value with the terms in *missing, and removes a term from *missing when a value matches it. */
static void look_through(const Search *s, Looker *looker, StringView json, ValueRule rule, uint32_t *missing,
                         Hit *hit)
{
    const FindPattern *pattern = s->stretch->pattern;
    JsonWalk           walk = { .json = json };
    StringView         token, key;
    while (*missing != 0 && json.size > 0 && walk_next(&walk, &key, &token)) {
        if (rule == TEXTS_ONLY && token.bytes[0] != '"') continue;
        const StringView value = plain_of(token, &looker->scratch);
        const StringView name =
            key.size < 2 ? (StringView){ "", 0 } : (StringView){ key.bytes + 1, key.size - 2 };
        for (uint32_t i = 0; i < pattern->term_count; i++) {
            if ((*missing & (uint32_t)1 << i) == 0) continue;
            const FindVerdict verdict = find_term_verdict_value(&pattern->terms[i], &name, value);
            looker->gave_up |= verdict == FIND_FAILS;
            if (verdict != FIND_MATCHES) continue;
            *missing &= ~((uint32_t)1 << i);
            if (hit->term != NULL) continue;
            bytes_clear(&looker->shown);
            bytes_append(&looker->shown, value.bytes, value.size);
            const size_t size = looker->shown.size; /* 0 when out of memory */
            *hit =
                (Hit){ &pattern->terms[i], key, { size == 0 ? "" : (const char *)looker->shown.data, size } };
        }
    }
}

/* -- events -- */

static FindCandidate candidate_of(const Trace *trace, const OrderedEvent *event)
{
    return (FindCandidate){ event->kind, event->id, event_order_label(trace, event),
                            trace->rows[event->row].track };
}

static EventFinding look_into(const Search *s, size_t source, const Waiting *waiting, Hit *hit)
{
    const EventSource *reader = &s->stretch->sources[source];
    Looker            *looker = &s->lookers[source];
    StringView         args = { "", 0 }, other = args;
    uint32_t           missing = waiting->missing;
    *hit = (Hit){ .key = args, .value = args };
    looker->work += WORK_OF_READING;
    if (!reader->read(reader->context, &waiting->event, &args, &other)) {
        looker->work += WORK_OF_DETAILS;
        return EVENT_UNREAD;
    }
    size_t size = args.size + other.size;
    if (size > 0) looker->work += WORK_OF_DETAILS + size / BYTES_A_LOOK;
    look_through(s, looker, args, ALL_VALUES, &missing, hit);
    look_through(s, looker, other, TEXTS_ONLY, &missing, hit);
    return missing == 0 ? EVENT_MATCHES : EVENT_DIFFERS;
}

/* Reads and compares a source's share of the batch. */
static void look_job(void *context, size_t source)
{
    const Search *s = (const Search *)context;
    const size_t  count = s->stretch->source_count;
    const size_t  begin = s->batched * source / count, end = s->batched * (source + 1) / count;
    Hit           hit;
    for (size_t i = begin; i < end; i++) {
        const bool is_found = s->batch[i].missing == 0;
        s->findings[i] = (uint8_t)(is_found ? EVENT_MATCHES : look_into(s, source, &s->batch[i], &hit));
    }
}

/* Notes the matches of the batch, in its order. Few events match: their arguments are read once more. */
static void note_batch(Search *s)
{
    for (size_t i = 0; i < s->batched; i++) {
        Hit hit = { .key = { "", 0 }, .value = { "", 0 } };
        if (s->findings[i] == EVENT_UNREAD) s->found->unread++;
        if (s->findings[i] != EVENT_MATCHES) continue;
        if (s->batch[i].missing == 0 || look_into(s, 0, &s->batch[i], &hit) == EVENT_MATCHES)
            note_match(s, &s->batch[i].event, &hit);
    }
    s->batched = 0;
}

static bool look_into_batch(Search *s, Err *err)
{
    const size_t sources = s->stretch->source_count;
    bool         failed = false;
    if (s->stretch->where == FIND_IN_NAMES) {
        memset(s->findings, EVENT_MATCHES, s->batched);
    } else {
        thread_run((unsigned)sources, sources, look_job, s);
    }
    note_batch(s);
    for (size_t i = 0; i < sources; i++) {
        Looker *looker = &s->lookers[i];
        s->work += looker->work;
        looker->work = 0;
        s->matcher.gave_up |= looker->gave_up;
        failed |= looker->scratch.failed || looker->shown.failed;
    }
    if (failed || s->found->matches.bytes.failed || s->found->texts.failed)
        return err_set(err, ERR_MEMORY, "out of memory for a search");
    return find_matcher_check(&s->matcher, err);
}

static void look_at(Search *s, const OrderedEvent *event)
{
    const FindCandidate candidate = candidate_of(s->trace, event);
    const FindWhere     where = s->stretch->where;
    uint32_t            missing;
    s->work++;
    if (!find_matcher_takes(&s->matcher, &candidate, &missing)) return;
    /* the event itself has the arguments */
    if (missing != 0 && s->trace->tracks[candidate.track].is_derived) return;
    if (where == FIND_EVERYWHERE || (missing == 0) == (where == FIND_IN_NAMES))
        s->batch[s->batched++] = (Waiting){ *event, missing };
}

/* Returns the number of matches below the limit. A batch is not larger, because each of its events may match. */
static uint64_t matches_left(const Search *s)
{
    const uint64_t count = vec_count(&s->found->matches);
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
        while (s->batched < batch && s->work < work_most && (more = event_order_next(order, &event))) {
            look_at(s, &event);
            found->last = event;
        }
        if (!look_into_batch(s, err)) return false;
        if (!more) break;
    }
    found->ended = !more;
    return true;
}

static bool search_prepare(Search *s, Arena *arena)
{
    s->batch = ARENA_ARRAY(arena, Waiting, BATCH_MOST);
    s->findings = ARENA_ARRAY(arena, uint8_t, BATCH_MOST);
    s->lookers = ARENA_ARRAY(arena, Looker, s->stretch->source_count + 1);
    return s->batch != NULL && s->findings != NULL && s->lookers != NULL;
}

static bool search(Search *s, Arena *arena, Err *err)
{
    const FindStretch *stretch = s->stretch;
    const DerivedRule  derived = stretch->where == FIND_IN_VALUES ? DERIVED_LEFT_OUT : DERIVED_TOO;
    EventOrder        *order = event_order_create_behind(s->trace, stretch->behind, derived, arena);
    if (order == NULL || !search_prepare(s, arena))
        return err_set(err, ERR_MEMORY, "out of memory for a search");
    if (!find_matcher_open(&s->matcher, s->trace, stretch->pattern, &stretch->scope, arena, err))
        return false;
    s->found->ended = stretch->pattern->is_empty;
    return s->found->ended || run(s, order, err);
}

bool find_stretch(const Trace *trace, const FindStretch *stretch, FoundStretch *found, Err *err)
{
    Arena      arena = arena_create(0);
    Search     s = { .trace = trace, .stretch = stretch, .found = found };
    const bool done = search(&s, &arena, err);
    for (size_t i = 0; s.lookers != NULL && i < stretch->source_count; i++) {
        bytes_release(&s.lookers[i].scratch);
        bytes_release(&s.lookers[i].shown);
    }
    find_matcher_release(&s.matcher);
    arena_release(&arena);
    return done;
}

void found_stretch_release(FoundStretch *found)
{
    vec_release(&found->matches);
    bytes_release(&found->texts);
}

double find_share(const Trace *trace, const FoundStretch *found)
{
    const double span = (double)trace_span(trace);
    if (found->ended || span <= 0) return 1;
    return (double)trace_since_begin(trace, found->last.tick) / span;
}
