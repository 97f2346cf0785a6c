#include "format/trace_event/read/document.h"

#include "format/trace_event/read/property.h"

#include <assert.h>
#include <string.h>

/* The bytes of a call of document_read. */
typedef struct Chunk {
    const uint8_t *begin, *at, *end;
    bool           is_last;
} Chunk;

typedef enum { STEP_DONE, STEP_MORE } StepResult;

static EventPos pos_of(const Document *document, const Chunk *chunk, const uint8_t *at)
{
    return (EventPos){ document->base + (uint64_t)(at - chunk->begin), document->event_count };
}

static EventPos pos_outside(const Document *document, const Chunk *chunk, const uint8_t *at)
{
    return (EventPos){ document->base + (uint64_t)(at - chunk->begin), ERR_NOWHERE };
}

bool document_open(Document *document, Arena *arena, TraceBuilder *builder)
{
    builder_set_version(builder, "array");
    builder_set_rules(builder, MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    builder_set_end_kind(builder, "E");
    builder_end_counters(builder);
    document->shapes = ARENA_NEW(arena, EventShapes);
    document->ahead.first = UINT64_MAX;
    return document->shapes != NULL && emitter_open(&document->emitter, arena, builder);
}

static TraceBuilder *builder_of(Document *document)
{
    return document->emitter.builder;
}

/* -- broken and missing parts -- */

enum { RESYNC_NEAR = 4096 }; /* if an error is this close to the event's start, the search restarts there */

static void resync_begin(Document *document, Chunk *chunk, const uint8_t *from)
{
    if (document->place != PLACE_RESYNC)
        document->resync_to = document->place == PLACE_LINES ? PLACE_LINES : PLACE_LIST;
    document->place = PLACE_RESYNC;
    document->line_start = document->after_brace = document->after_comma = false;
    chunk->at = from;
}

/* Warns of invalid JSON at `stop`, in the event or other value that begins at chunk->at. */
static void report_broken(Document *document, Chunk *chunk, const uint8_t *stop)
{
    const uint8_t *start = chunk->at;
    builder_warn(builder_of(document), "broken-event", pos_of(document, chunk, start),
                 "cannot be read: not JSON at byte %llu; the next event is looked for",
                 (unsigned long long)(document->base + (uint64_t)(stop - chunk->begin)));
    builder_set_incomplete(builder_of(document));
    bool near = stop - start < RESYNC_NEAR;
    assert(start < chunk->end && stop >= start && stop <= chunk->end);
    resync_begin(document, chunk, near || stop == start ? start + 1 : stop);
}

static void report_truncated(Document *document, EventPos pos, const char *what)
{
    builder_warn(builder_of(document), "truncated", pos, "the input ends inside %s", what);
    builder_set_incomplete(builder_of(document));
}

/* -- events -- */

static StepResult take_event(Document *document, Chunk *chunk)
{
    RawEvent       event;
    const uint8_t *stop;
    const JsonScan result = LIKELY(document->shapes != NULL)
                                ? event_parse_shaped(document->shapes, chunk->at, chunk->end, &event, &stop)
                                : event_parse(chunk->at, chunk->end, &event, &stop);
    if (UNLIKELY(result == JSON_SCAN_MORE)) return STEP_MORE;
    if (UNLIKELY(result == JSON_SCAN_BROKEN)) {
        report_broken(document, chunk, stop);
        document->event_count++;
        return STEP_DONE;
    }
    emitter_event(&document->emitter, &event, pos_of(document, chunk, chunk->at));
    document->event_count++;
    document->has_item = document->has_any = true;
    assert(stop > chunk->at && stop <= chunk->end);
    chunk->at = stop;
    return STEP_DONE;
}

/* -- lists -- */

static void list_begin(Document *document)
{
    document->place = PLACE_LIST;
    document->nested = document->has_item = document->has_any = false;
    document->facts.has_list = true;
}

static void take_list_end(Document *document, Chunk *chunk)
{
    assert(chunk->at < chunk->end && *chunk->at == ']');
    chunk->at++;
    if (document->nested) {
        document->nested = false;
        document->has_item = document->has_any = true;
    } else {
        document->place = document->in_object ? PLACE_OBJECT : PLACE_BETWEEN;
    }
}

static void take_comma(Document *document, Chunk *chunk)
{
    if (!document->has_item) {
        builder_warn(builder_of(document), "extra-comma", pos_outside(document, chunk, chunk->at),
                     "a comma with no event before it: skipped");
    }
    document->has_item = false;
    chunk->at++;
}

/* Reads a list item that is not an event. */
static StepResult take_other_item(Document *document, Chunk *chunk)
{
    JsonValue      value;
    const uint8_t *stop = chunk->at;
    EventPos       pos = pos_outside(document, chunk, chunk->at);
    bool           opens_list = *chunk->at == '[' && !document->nested;
    JsonScan result = opens_list ? JSON_SCAN_DONE : json_scan_value(chunk->at, chunk->end, &value, &stop);
    if (result == JSON_SCAN_MORE) return STEP_MORE;
    bool is_null = result == JSON_SCAN_DONE && !opens_list && json_is(&value, JSON_WORD, "null");
    document->facts.has_other_items |= !opens_list && !is_null && !document->in_object;
    if (result == JSON_SCAN_BROKEN) {
        report_broken(document, chunk, stop);
        return STEP_DONE;
    }
    if (!is_null) { /* producers write null for an omitted event */
        builder_warn(builder_of(document), "not-an-event", pos, "an item of the list is not an object%s",
                     opens_list ? ", but a list: the events in it are read" : "");
    }
    if (opens_list) {
        document->nested = true;
        document->has_item = document->has_any = false;
        chunk->at++;
        return STEP_DONE;
    }
    document->has_item = document->has_any = true;
    chunk->at = stop;
    return STEP_DONE;
}

void document_give_ahead(Document *document, uint64_t offset, const Bytes *decoded)
{
    document->ahead = ahead_list(offset, decoded);
}

/* Reads the events that were parsed ahead, of which the first begins at chunk->at. False: the first one does not end in the
 * chunk, because records are limited. */
static bool take_ahead(Document *document, Chunk *chunk)
{
    const AheadList      list = document->ahead;
    const uint8_t *const piece = chunk->at - list.events[0].at;
    document->ahead.first = UINT64_MAX;
    const size_t size = (size_t)(chunk->end - piece);
    size_t       taken = 0;
    while (taken < list.count) {
        const AheadEvent *event = &list.events[taken];
        const size_t      from = taken;
        if ((size_t)event->at + event->size > size) break;
        if (event->phase == 0) {
            chunk->at = piece + event->at;
            const StepResult result = take_event(document, chunk);
            assert(result == STEP_DONE && chunk->at == piece + event->at + event->size);
            (void)result;
            taken++;
            continue;
        }
        taken = emitter_ahead(&document->emitter, &list, from, piece, size, document->event_count);
        assert(taken > from);
        document->event_count += taken - from;
        document->has_item = document->has_any = true;
        chunk->at = piece + list.events[taken - 1].at + list.events[taken - 1].size;
    }
    return taken > 0;
}

static void emit(void *emitter, const RawEvent *event, EventPos pos, const uint8_t *stop)
{
    (void)stop;
    emitter_event((Emitter *)emitter, event, pos);
}

/* Reads the events from chunk->at on in the usual form "{...},\n{...}", up to an event that was parsed ahead. */
static StepResult take_run(Document *document, Chunk *chunk)
{
    const EventPos pos = pos_of(document, chunk, chunk->at);
    const uint64_t before_ahead = document->ahead.first - pos.offset;
    EventRun       run = { .at = chunk->at, .end = chunk->end, .pos = pos };
    const uint8_t *stop;
    run.take = emit;
    run.context = &document->emitter;
    if (before_ahead < (uint64_t)(chunk->end - chunk->at)) run.limit = chunk->at + before_ahead;
    const JsonScan result = event_parse_run(document->shapes, &run, &stop);
    document->has_any |= run.pos.event != pos.event;
    document->has_item = result == JSON_SCAN_DONE;
    document->event_count = run.pos.event;
    chunk->at = run.at;
    if (result == JSON_SCAN_MORE) return STEP_MORE;
    if (UNLIKELY(result == JSON_SCAN_BROKEN)) {
        report_broken(document, chunk, stop);
        document->event_count++;
    }
    return STEP_DONE;
}

/* Fast path: reads consecutive events in the usual form "{...},\n{...},\n". Stops at any other form. */
static StepResult take_events(Document *document, Chunk *chunk)
{
    for (;;) {
        const bool is_ahead = pos_of(document, chunk, chunk->at).offset == document->ahead.first;
        if (!is_ahead || !take_ahead(document, chunk)) {
            const StepResult result =
                LIKELY(document->shapes != NULL) ? take_run(document, chunk) : take_event(document, chunk);
            if (result == STEP_MORE || document->place != PLACE_LIST) return result;
        }
        if (chunk->end - chunk->at < 3 || chunk->at[0] != ',') return STEP_DONE;
        const uint8_t *next = chunk->at + (chunk->at[1] == '\n' ? 2 : 1);
        if (*next != '{') return STEP_DONE;
        document->has_item = false;
        chunk->at = next;
    }
}

static StepResult step_list(Document *document, Chunk *chunk)
{
    switch (*chunk->at) {
    case '{': {
        const uint8_t *start = chunk->at;
        bool           comma_missing = document->has_item;
        EventPos       pos = pos_of(document, chunk, start);
        if (LIKELY(!comma_missing)) return take_events(document, chunk);
        StepResult result = take_event(document, chunk);
        if (result == STEP_DONE)
            builder_warn(builder_of(document), "missing-comma", pos, "no comma between two events");
        return result;
    }
    case ',':
        take_comma(document, chunk);
        return STEP_DONE;
    case ']':
        take_list_end(document, chunk);
        return STEP_DONE;
    default:
        return take_other_item(document, chunk);
    }
}

/* -- lines of events -- */

static StepResult step_lines(Document *document, Chunk *chunk)
{
    if (*chunk->at == '{') return take_event(document, chunk);
    if (*chunk->at == ',') {
        chunk->at++;
        return STEP_DONE;
    }
    document->place = PLACE_BETWEEN;
    return STEP_DONE;
}

/* -- the object around a list -- */

/* Enters the list of `traceEvents`, whose value begins at `value` and whose key begins at chunk->at. Warns only once the value is
 * complete: a step that needs more bytes is repeated. */
static StepResult take_trace_events(Document *document, Chunk *chunk, const uint8_t *value)
{
    assert(value > chunk->at && value < chunk->end);
    JsonValue      ignored;
    const uint8_t *stop = value;
    const bool     is_list = *value == '[';
    if (!is_list && json_scan_value(value, chunk->end, &ignored, &stop) == JSON_SCAN_MORE) return STEP_MORE;
    if (document->facts.has_trace_events) {
        builder_warn(builder_of(document), "duplicate-key", pos_outside(document, chunk, chunk->at),
                     "another \"traceEvents\": the events of both are read");
    }
    if (is_list) {
        document->facts.has_trace_events = true;
        list_begin(document);
        chunk->at = value + 1;
        return STEP_DONE;
    }
    document->facts.has_known_key = true;
    builder_warn(builder_of(document), "no-event-list", pos_outside(document, chunk, chunk->at),
                 "\"traceEvents\" is not a list");
    chunk->at = stop;
    return STEP_DONE;
}

static StepResult take_member(Document *document, Chunk *chunk)
{
    JsonValue      key, value;
    const uint8_t *stop = chunk->at;
    JsonScan       result = json_scan_key(chunk->at, chunk->end, &key, &stop);
    if (result == JSON_SCAN_DONE && event_key(&key) == KEY_TRACE_EVENTS)
        return take_trace_events(document, chunk, stop);
    if (result == JSON_SCAN_DONE) result = json_scan_value(stop, chunk->end, &value, &stop);
    if (result == JSON_SCAN_MORE) return STEP_MORE;
    if (result == JSON_SCAN_BROKEN) {
        report_broken(document, chunk, stop);
        return STEP_DONE;
    }
    assert(stop > chunk->at && stop <= chunk->end);
    property_take(&document->emitter, &document->facts, &key, &value,
                  pos_outside(document, chunk, chunk->at));
    chunk->at = stop;
    return STEP_DONE;
}

static StepResult step_object(Document *document, Chunk *chunk)
{
    switch (*chunk->at) {
    case '}':
        document->place = PLACE_BETWEEN;
        chunk->at++;
        return STEP_DONE;
    case ',':
        chunk->at++;
        return STEP_DONE;
    case '"':
        document->facts.has_object_keys = true;
        return take_member(document, chunk);
    default:
        report_broken(document, chunk, chunk->at);
        return STEP_DONE;
    }
}

/* -- documents -- */

/* The most bytes of the first object that are examined to decide if it is an event or contains the events. */
enum { PEEK_BYTES = 65536 };

static StepResult take_first_object(Document *document, Chunk *chunk)
{
    RawEvent       event;
    const uint8_t *stop;
    const uint8_t *peek_end = chunk->end - chunk->at > PEEK_BYTES ? chunk->at + PEEK_BYTES : chunk->end;
    bool           is_whole = peek_end - chunk->at == PEEK_BYTES || chunk->is_last;
    JsonScan       result = event_parse(chunk->at, peek_end, &event, &stop);
    if (result == JSON_SCAN_MORE && !is_whole && !event.trace_events) return STEP_MORE;
    /* An object with invalid JSON is taken for an event if it had keys of one before the error. */
    bool is_event = !event.trace_events && event_has(&event, KEY_PH);
    if (result == JSON_SCAN_BROKEN) is_event = !event.trace_events && event.seen != 0;
    if (is_event) {
        document->place = PLACE_LINES;
        document->facts.has_list = true;
        return STEP_DONE;
    }
    document->place = PLACE_OBJECT;
    document->in_object = true;
    document->facts.has_trace_events = false;
    builder_set_version(builder_of(document), "object");
    chunk->at++;
    return STEP_DONE;
}

static StepResult step_start(Document *document, Chunk *chunk)
{
    if (*chunk->at == '{') return take_first_object(document, chunk);
    document->in_object = false;
    list_begin(document);
    chunk->at++;
    return STEP_DONE;
}

static StepResult step_between(Document *document, Chunk *chunk)
{
    if (!document->told_trailing) {
        document->told_trailing = true;
        builder_warn(builder_of(document), "text-after-end", pos_outside(document, chunk, chunk->at),
                     "text after the end of the trace; further traces in it are read");
    }
    if (*chunk->at == '{' || *chunk->at == '[') return step_start(document, chunk);
    const uint8_t *line_end = (const uint8_t *)memchr(chunk->at, '\n', (size_t)(chunk->end - chunk->at));
    if (line_end == NULL) {
        if (!chunk->is_last) return STEP_MORE;
        line_end = chunk->end;
    }
    chunk->at = line_end;
    return STEP_DONE;
}

/* -- resync -- */

/* Guesses if the bracket at `at`, the first byte of a line, ends the list: then the end of its object, another key or
 * the end of the input follows. */
typedef enum { ENDS_NOT, ENDS_LIST, ENDS_MAYBE } EndGuess;

static EndGuess guess_list_end(const Chunk *chunk, const uint8_t *at)
{
    for (at++; at < chunk->end; at++) {
        if (*at > ' ') return *at == '}' || *at == ',' ? ENDS_LIST : ENDS_NOT;
    }
    return chunk->is_last ? ENDS_LIST : ENDS_MAYBE;
}

/* Skips one byte. True if an event or the end of the list begins at chunk->at. */
static bool resync_byte(Document *document, Chunk *chunk)
{
    assert(chunk->at < chunk->end);
    uint8_t c = *chunk->at;
    if (c == '{' && (document->line_start || document->after_comma)) return true;
    if (c == '\n') document->line_start = true;
    if (c > ' ') {
        document->line_start = false;
        document->after_comma = c == ',' && document->after_brace;
        document->after_brace = c == '}';
    }
    chunk->at++;
    return false;
}

static StepResult step_resync(Document *document, Chunk *chunk)
{
    while (chunk->at < chunk->end) {
        EndGuess guess = ENDS_NOT;
        if (*chunk->at == ']' && document->line_start) guess = guess_list_end(chunk, chunk->at);
        if (guess == ENDS_MAYBE) return STEP_MORE;
        if (guess == ENDS_NOT && !resync_byte(document, chunk)) continue;
        document->place = document->resync_to;
        document->has_item = false;
        document->has_any = true;
        document->facts.has_list = true;
        return STEP_DONE;
    }
    return STEP_DONE;
}

/* -- values that are too long -- */

bool document_skip(Document *document)
{
    if (document->place == PLACE_START) return false;
    document->skipped = (SkippedValue){ .is_on = true };
    if (document->place == PLACE_LIST || document->place == PLACE_LINES) document->event_count++;
    document->has_item = document->has_any = true;
    builder_set_incomplete(builder_of(document));
    return true;
}

/* Skips the bytes of a string after its opening quote. */
static void skip_string(SkippedValue *skipped, Chunk *chunk)
{
    if (skipped->escaped && chunk->at < chunk->end) {
        skipped->escaped = false;
        chunk->at++;
    }
    const uint8_t *stop;
    bool           escaped;
    skipped->in_string = json_scan_string(chunk->at, chunk->end, &stop, &escaped) != JSON_SCAN_DONE;
    if (!skipped->in_string) {
        chunk->at = stop + 1;
        return;
    }
    for (const uint8_t *last = chunk->end; last > chunk->at && last[-1] == '\\'; last--)
        skipped->escaped = !skipped->escaped;
    chunk->at = chunk->end;
}

/* Skips the bytes of a long value or member. It ends after its closing bracket, or before the next comma or bracket. */
static void skip_bytes(Document *document, Chunk *chunk)
{
    SkippedValue *skipped = &document->skipped;
    while (chunk->at < chunk->end && skipped->is_on) {
        if (skipped->in_string) {
            skip_string(skipped, chunk);
            continue;
        }
        const uint8_t c = *chunk->at;
        const bool    closes = c == '}' || c == ']';
        if (skipped->depth == 0 && (closes || c == ',')) {
            skipped->is_on = false;
            return;
        }
        chunk->at++;
        skipped->in_string = c == '"';
        if (c == '{' || c == '[') skipped->depth++;
        if (closes && --skipped->depth == 0) skipped->is_on = false;
    }
}

/* -- steps -- */

static StepResult step(Document *document, Chunk *chunk)
{
    switch (document->place) {
    case PLACE_START:
        return step_start(document, chunk);
    case PLACE_LIST:
        return step_list(document, chunk);
    case PLACE_OBJECT:
        return step_object(document, chunk);
    case PLACE_LINES:
        return step_lines(document, chunk);
    case PLACE_BETWEEN:
        return step_between(document, chunk);
    case PLACE_RESYNC:
        return step_resync(document, chunk);
    }
    return STEP_MORE;
}

/* Skips white space and at most one comment, so that each comment is reported with its offset. STEP_MORE: a comment is
 * incomplete. */
static StepResult skip_space(Document *document, Chunk *chunk)
{
    for (;;) {
        while (chunk->at < chunk->end && *chunk->at <= ' ')
            chunk->at++;
        if (chunk->at == chunk->end || *chunk->at != '/') return STEP_DONE;
        const uint8_t *stop;
        JsonScan       result = json_scan_comment(chunk->at, chunk->end, &stop);
        if (result == JSON_SCAN_MORE) return STEP_MORE;
        if (result == JSON_SCAN_BROKEN) return STEP_DONE;
        builder_warn(builder_of(document), "comment", pos_outside(document, chunk, chunk->at),
                     "a comment, which JSON does not have: skipped");
        chunk->at = stop;
    }
}

/* Reads all complete items. Leaves chunk->at at the incomplete rest. */
static void take_whole(Document *document, Chunk *chunk)
{
    while (chunk->at < chunk->end) {
        if (UNLIKELY(document->skipped.is_on)) {
            skip_bytes(document, chunk);
            continue;
        }
        if (document->place != PLACE_RESYNC) {
            if (skip_space(document, chunk) == STEP_MORE) return;
            if (chunk->at == chunk->end) return;
        }
        if (step(document, chunk) == STEP_MORE) return;
    }
}

/* Searches a complete event after the start of the rest. Sets `tail` to it. */
static bool find_whole_event(const Document *document, const Chunk *chunk, Chunk *tail)
{
    enum { MOST_TRIES = 16 };
    Document search = { .place = document->place };
    *tail = *chunk;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        RawEvent       event;
        const uint8_t *stop;
        resync_begin(&search, tail, tail->at + 1);
        (void)step_resync(&search, tail);
        if (tail->at == tail->end || *tail->at != '{') return false;
        if (event_parse(tail->at, tail->end, &event, &stop) == JSON_SCAN_DONE && event.phase != 0)
            return true;
    }
    return false;
}

/* Handles the rest at the end of the input. It is a truncated item, or, if a complete event follows its start, an
 * item with an unclosed quote or bracket. */
static void take_rest(Document *document, Chunk *chunk)
{
    while (chunk->at < chunk->end && document->place != PLACE_BETWEEN && document->place != PLACE_START) {
        DocumentPlace place = document->place;
        EventPos      pos = pos_of(document, chunk, chunk->at);
        bool          in_events = place == PLACE_LIST || place == PLACE_LINES;
        Chunk         tail;
        if (!in_events || !find_whole_event(document, chunk, &tail)) {
            report_truncated(document, pos, in_events ? "an event" : "a value");
            document->place = PLACE_BETWEEN;
            break;
        }
        report_broken(document, chunk, chunk->end);
        document->event_count++;
        document->place = place;
        document->has_item = false;
        chunk->at = tail.at;
        take_whole(document, chunk);
    }
    chunk->at = chunk->end;
}

static void report_missing_end(Document *document, Chunk *chunk)
{
    EventPos pos = pos_outside(document, chunk, chunk->end);
    bool     is_list = document->place == PLACE_LIST;
    /* The closing bracket of a top-level list is optional. A list without any item is truncated. */
    if (is_list && !document->in_object && !document->nested && document->has_any) return;
    if (is_list) report_truncated(document, pos, "the list of events");
    if (document->place == PLACE_OBJECT) report_truncated(document, pos, "the object around the events");
}

/* Reports that the part is JSON without events. */
static bool no_events(const DocumentFacts *facts, Err *err)
{
    if (facts->other == NULL)
        return err_set(err, ERR_UNKNOWN, "JSON, but no trace: expected a list of events or \"traceEvents\"");
    return err_set(err, ERR_UNKNOWN,
                   "JSON, but no trace: perhaps %s; expected a list of events or \"traceEvents\"",
                   facts->other);
}

/* True if the part is a trace. */
static bool judge(Document *document, bool is_empty, Err *err)
{
    const DocumentFacts *facts = &document->facts;
    const uint64_t       event_count = document->event_count - document->part_event,
                   without_phase = document->emitter.without_phase;
    if (document->place == PLACE_START)
        return err_set(err, ERR_UNKNOWN, is_empty ? "it is empty" : "nothing in it but white space");
    if (facts->has_other_items && event_count == 0)
        return err_set(err, ERR_UNKNOWN, "a JSON list, but no trace: it has no events");
    if (facts->has_list && !facts->has_trace_events && without_phase > 0 && without_phase == event_count)
        return err_set(err, ERR_UNKNOWN, "a JSON list, but no trace: its objects have no \"ph\"");
    if (facts->has_list) return true;
    if (facts->has_profile_nodes && facts->has_profile_deltas) {
        return err_set(err, ERR_UNKNOWN,
                       "a V8 CPU profile (nodes, timeDeltas), not trace events: expected \"traceEvents\"");
    }
    if (facts->has_object_keys && !facts->has_known_key) return no_events(facts, err);
    if (facts->has_samples || facts->has_ftrace) return true; /* a profile or ftrace alone */
    builder_warn(builder_of(document), "no-events", (EventPos){ document->part_base, ERR_NOWHERE },
                 "no trace events: the object has no list \"traceEvents\"");
    return true;
}

/* Ends a part of the input: resets the state of parsing. False if neither this part nor an earlier one is a trace. */
static bool finish_part(Document *document, Chunk *chunk, InputState input, Err *err)
{
    EventPos pos = { document->part_base, ERR_NOWHERE };
    Err      cause;
    take_rest(document, chunk);
    report_missing_end(document, chunk);
    emitter_finish(&document->emitter);
    uint64_t end = document->base + (uint64_t)(chunk->end - chunk->begin);
    bool     is_trace = judge(document, end == document->part_base, &cause);
    if (!is_trace && !document->has_trace && input == INPUT_ENDS) {
        *err = cause;
        return false;
    }
    if (!is_trace)
        builder_warn(builder_of(document), "no-events", pos, "a file of the archive: %s", cause.message);
    document->has_trace |= is_trace;
    document->facts = (DocumentFacts){ .has_list = false };
    document->place = PLACE_START;
    document->in_object = document->nested = document->has_item = document->told_trailing = false;
    document->part_base = end;
    document->part_event = document->event_count;
    document->emitter.without_phase = 0;
    return true;
}

/* -- the start -- */

/* Skips a byte order mark and white space. False: not JSON, or too few bytes to decide (*more). */
static bool skip_to_start(Document *document, Chunk *chunk, bool *more, Err *err)
{
    static const uint8_t UTF8_MARK[3] = { 0xef, 0xbb, 0xbf };
    size_t               size = (size_t)(chunk->end - chunk->at);
    *more = false;
    if (document->base == document->part_base) {
        size_t same = size < sizeof UTF8_MARK ? size : sizeof UTF8_MARK;
        bool   is_mark = size > 0 && memcmp(chunk->at, UTF8_MARK, same) == 0;
        if (size < sizeof UTF8_MARK && !chunk->is_last) return !(*more = true);
        if (is_mark && same == sizeof UTF8_MARK) chunk->at += sizeof UTF8_MARK;
    }
    if (skip_space(document, chunk) == STEP_MORE) return !(*more = true);
    if (chunk->at == chunk->end || *chunk->at == '[' || *chunk->at == '{') return true;
    return err_set_at(err, ERR_UNKNOWN, document->base + (uint64_t)(chunk->at - chunk->begin), ERR_NOWHERE,
                      "not JSON: expected '[' or '{'");
}

bool document_read(Document *document, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                   Err *err)
{
    static const uint8_t EMPTY[1] = { 0 };
    if (size == 0) bytes = EMPTY; /* pointer arithmetic on NULL is undefined */
    Chunk chunk = { bytes, bytes, bytes + size, input != INPUT_CONTINUES };
    bool  more = false, done = true;
    *used = 0;
    if (document->place == PLACE_START && !skip_to_start(document, &chunk, &more, err) && !more) return false;
    if (!more) take_whole(document, &chunk);
    if (chunk.is_last) done = finish_part(document, &chunk, input, err);
    if (input == INPUT_ENDS) times_finish(&document->emitter.times, builder_of(document));
    emitter_flush(&document->emitter);
    *used = (size_t)(chunk.at - chunk.begin);
    document->base += *used;
    if (document->emitter.failed) return err_set(err, ERR_MEMORY, "out of memory");
    return done;
}
