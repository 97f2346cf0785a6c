/* The answer "search": a stretch of a search through names or arguments. */
#include "analysis/find.h"
#include "analysis/find_values.h"
#include "app/session/event_reader.h"
#include "app/session/session_internal.h"
#include "base/thread.h"

#include <stdio.h>

static const uint64_t MOST_MATCHES = 5000, MOST_LABELS = 50000;

/* -- what is asked -- */

/* "s12" and "i12": a slice, an instant. */
static bool asked_behind(Asked *asked, OrderedEvent *behind, bool *is_there)
{
    const Trace      *trace = asked->trace;
    const StringView *text = request_param(asked->request, "behind");
    *is_there = text != NULL;
    if (text == NULL) return true;
    bool       is_slice = text->size > 0 && text->bytes[0] == 's';
    bool       is_instant = text->size > 0 && text->bytes[0] == 'i';
    StringView number = { text->bytes + 1, text->size - 1 };
    bool       is_known = (is_slice || is_instant) && text_to_u64(number, &behind->id) &&
                    (is_slice ? trace_has_slice(trace, behind->id) : trace_has_instant(trace, behind->id));
    if (!is_known)
        return answer_fail(asked->answer, SESSION_BAD_REQUEST,
                           "behind= must be what an answer says in \"next\"");
    behind->kind = is_slice ? ORDER_SLICE : ORDER_INSTANT;
    behind->row = is_slice ? trace_slice_row(trace, behind->id) : trace_instant_row(trace, behind->id);
    return true;
}

static bool asked_stretch(Asked *asked, FindStretch *stretch)
{
    const StringView *text = request_param(asked->request, "text");
    const StringView *in = request_param(asked->request, "in");
    if (text == NULL) return answer_fail(asked->answer, SESSION_BAD_REQUEST, "text= is missing");
    stretch->text = *text;
    stretch->most = MOST_MATCHES;
    if (in == NULL || string_equal(*in, STRING_LITERAL("values"))) {
        stretch->where = FIND_IN_VALUES;
    } else if (string_equal(*in, STRING_LITERAL("names"))) {
        stretch->where = FIND_IN_NAMES;
    } else {
        return answer_fail(asked->answer, SESSION_BAD_REQUEST, "in= must be names or values");
    }
    return asked_filter(asked, &stretch->filter);
}

/* -- reading events again -- */

/* Each reads by itself: several threads look at a time. */
enum { REREADERS_MOST = 16 };

typedef struct Rereaders {
    FindWanted  wanted;
    DetailTest  test; /* for them */
    EventReader items[REREADERS_MOST];
    EventSource sources[REREADERS_MOST];
    size_t      count;
} Rereaders;

static bool is_wanted(const void *context, const StringView *key, StringView value)
{
    return find_wanted_is(context, key, value);
}

static bool rereaders_open(Rereaders *all, const Loaded *loaded, StringView text)
{
    const unsigned threads = thread_count_default();
    all->wanted = find_wanted(text);
    all->test = (DetailTest){ is_wanted, &all->wanted };
    for (size_t count = threads < REREADERS_MOST ? threads : REREADERS_MOST; all->count < count;
         all->count++) {
        EventReader *reader = &all->items[all->count];
        if (!event_reader_open(reader, loaded, &all->test)) {
            event_reader_release(reader);
            return all->count > 0;
        }
        all->sources[all->count] = reader->source;
    }
    return true;
}

static void rereaders_release(Rereaders *all)
{
    for (size_t i = 0; i < all->count; i++)
        event_reader_release(&all->items[i]);
}

/* -- the answer -- */

static void put_text(JsonWriter *w, const char *key, const FoundStretch *found, uint32_t at, uint32_t size)
{
    json_key(w, key);
    if (size == 0) {
        json_null(w);
    } else {
        json_string_bytes(w, (StringView){ (const char *)found->texts.data + at, size });
    }
}

static void write_match(JsonWriter *w, const Asked *asked, const FoundStretch *found, const EventMatch *match)
{
    const Trace *trace = asked->trace;
    bool         is_slice = match->event.kind == ORDER_SLICE;
    uint64_t     id = match->event.id;
    uint32_t     label = is_slice ? trace->slices.label[id] : trace->instants.label[id];
    json_object_begin(w);
    json_key(w, "place");
    if (is_slice) {
        write_place(w, asked, id);
    } else {
        json_null(w);
    }
    json_key(w, "mark");
    if (is_slice) {
        json_null(w);
    } else {
        write_mark(w, asked, id);
    }
    json_key(w, "name");
    write_text_or_null(w, trace, trace->labels[label].name);
    put_moment(w, "at", trace, is_slice ? trace->slices.begin_tick[id] : trace->instants.tick[id]);
    put_text(w, "key", found, match->key_at, match->key_size);
    put_text(w, "value", found, match->value_at, match->value_size);
    json_object_end(w);
}

/* How much of the time has been looked through. */
static double share_of(const Trace *trace, const FoundStretch *found)
{
    double  span = (double)((uint64_t)trace->end_tick - (uint64_t)trace->begin_tick);
    int64_t tick;
    if (found->ended || span <= 0) return 1;
    tick = found->last.kind == ORDER_SLICE ? trace->slices.begin_tick[found->last.id]
                                           : trace->instants.tick[found->last.id];
    return (double)((uint64_t)tick - (uint64_t)trace->begin_tick) / span;
}

/* The labels of slices that are found by name, for who draws more of them than are listed. */
static void put_labels(JsonWriter *w, const Asked *asked, const FindStretch *stretch)
{
    uint64_t count = 0;
    json_key(w, "labels");
    json_array_begin(w);
    for (uint32_t label = 1; stretch->where == FIND_IN_NAMES && label <= asked->trace->label_count; label++) {
        if (count == MOST_LABELS) break;
        if (filter_hides_label(stretch->filter, label)) continue;
        if (!find_is_part(trace_label_name(asked->trace, label), stretch->text) &&
            !find_is_part(trace_label_category(asked->trace, label), stretch->text))
            continue;
        json_u64(w, label);
        count++;
    }
    json_array_end(w);
}

static void write_found(Asked *asked, const FindStretch *stretch, const FoundStretch *found)
{
    const EventMatch *matches = (const EventMatch *)(const void *)found->matches.data;
    JsonWriter        w = json_writer_to(&asked->answer->body, 0);
    json_object_begin(&w);
    json_key(&w, "matches");
    json_array_begin(&w);
    for (size_t i = 0; i < found->matches.size / sizeof *matches; i++)
        write_match(&w, asked, found, &matches[i]);
    json_array_end(&w);
    put_labels(&w, asked, stretch);
    json_key(&w, "next");
    if (found->ended) {
        json_null(&w);
    } else {
        char text[24];
        char kind = found->last.kind == ORDER_SLICE ? 's' : 'i';
        (void)snprintf(text, sizeof text, "%c%llu", kind, (unsigned long long)found->last.id);
        json_string(&w, text);
    }
    json_key(&w, "share");
    json_double(&w, share_of(asked->trace, found));
    json_put_u64(&w, "unread", found->unread);
    json_object_end(&w);
}

void answer_search(Asked *asked)
{
    FindStretch  stretch = { .behind = NULL };
    FoundStretch found = { .ended = false };
    OrderedEvent behind;
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool         goes_on;
    if (!asked_stretch(asked, &stretch) || !asked_behind(asked, &behind, &goes_on)) return;
    if (goes_on) stretch.behind = &behind;
    Rereaders *rereaders = ARENA_NEW(asked->arena, Rereaders);
    if (rereaders == NULL || !rereaders_open(rereaders, &asked->slot->loaded, stretch.text)) {
        (void)answer_fail(asked->answer, SESSION_FAILED, "out of memory for a search");
    } else {
        stretch.sources = rereaders->sources;
        stretch.source_count = rereaders->count;
        if (find_stretch(asked->trace, &stretch, &found, &err)) {
            write_found(asked, &stretch, &found);
        } else {
            (void)answer_fail_err(asked->answer, &err);
        }
    }
    found_stretch_release(&found);
    if (rereaders != NULL) rereaders_release(rereaders);
}
