/* A stream of every kind of event, once shown during reception and once opened as a whole: at the end a viewer gets the
 * same answers. Ids may differ (of slices, labels, arrows, categories): they are removed, or sorted. */
#include "app/live/shown.h"
#include "support/test.h"
#include "trace/wire/outline.h"
#include "trace/wire/tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static TestRandom dice;

static uint64_t random_below(uint64_t bound)
{
    return test_random_below(&dice, bound);
}

static unsigned any(unsigned bound)
{
    return (unsigned)random_below(bound);
}

/* ---- Trace Event JSON ---- */

enum { THREADS = 4, MOST_DEPTH = 6 };

typedef struct Writer {
    Bytes    out;
    uint64_t tick; /* in tenths of a microsecond */
    uint64_t cpu;
    unsigned depth[THREADS];
    unsigned names[THREADS][MOST_DEPTH];
} Writer;

static void put_head(Writer *w, const char *phase, unsigned t, uint64_t tick)
{
    bytes_printf(&w->out, ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ".%u", phase, 1 + t % 2,
                 10 + t, tick / 10, (unsigned)(tick % 10));
}

static void put_name(Writer *w, unsigned name)
{
    bytes_printf(&w->out, ",\"name\":\"n%u\",\"cat\":\"c%u\"", name, name % 3);
}

static void put_extras(Writer *w)
{
    w->cpu += any(30);
    if (any(3) == 0) bytes_printf(&w->out, ",\"args\":{\"v\":\"x%u\",\"w\":[%u,null]}", any(9), any(99));
    if (any(4) == 0) bytes_printf(&w->out, ",\"tts\":%" PRIu64, w->cpu);
    if (any(5) == 0) bytes_printf(&w->out, ",\"stack\":[\"f%u\",\"f%u\"]", any(3), any(3));
    if (any(6) == 0) bytes_append_text(&w->out, ",\"cname\":\"good\"");
}

static void put_end(Writer *w)
{
    bytes_append_text(&w->out, "}");
}

static void put_mark(Writer *w, unsigned t)
{
    if (w->depth[t] > 0 && any(2) == 0) {
        put_head(w, "E", t, w->tick);
        if (any(2) == 0) put_name(w, w->names[t][w->depth[t] - 1]);
        w->depth[t]--;
    } else if (w->depth[t] < MOST_DEPTH) {
        const unsigned name = any(7);
        put_head(w, "B", t, w->tick);
        put_name(w, name);
        w->names[t][w->depth[t]++] = name;
    } else {
        return;
    }
    put_extras(w);
    put_end(w);
}

/* Written at its end. */
static void put_complete(Writer *w, unsigned t)
{
    const uint64_t length = any(60);
    put_head(w, "X", t, w->tick > length ? w->tick - length : 0);
    put_name(w, any(7));
    bytes_printf(&w->out, ",\"dur\":%" PRIu64 ".%u", length / 10, (unsigned)(length % 10));
    if (any(4) == 0) bytes_printf(&w->out, ",\"tdur\":%u", any(5));
    if (any(4) == 0)
        bytes_printf(&w->out, ",\"bind_id\":\"0x%x\",\"flow_%s\":true", any(20), any(2) ? "in" : "out");
    put_extras(w);
    put_end(w);
}

static void put_instant(Writer *w, unsigned t)
{
    static const char *const SCOPES[] = { "t", "p", "g" };
    put_head(w, "i", t, w->tick);
    put_name(w, any(7));
    bytes_printf(&w->out, ",\"s\":\"%s\"", SCOPES[any(3)]);
    put_extras(w);
    put_end(w);
}

static void put_async(Writer *w, unsigned t)
{
    static const char *const PHASES[] = { "b", "e", "n", "S", "T", "F" };
    const unsigned           late = any(4) == 0 ? any(40) : 0;
    put_head(w, PHASES[any(6)], t, w->tick > late ? w->tick - late : 0);
    const unsigned id = any(12);
    put_name(w, id % 5);
    if (any(3) == 0)
        bytes_printf(&w->out, ",\"id2\":{\"local\":\"0x%x\"}", id);
    else
        bytes_printf(&w->out, ",\"id\":\"0x%x\"", id);
    put_extras(w);
    put_end(w);
}

static void put_object(Writer *w, unsigned t)
{
    static const char *const PHASES[] = { "N", "O", "D" };
    const unsigned           kind = any(3);
    put_head(w, PHASES[kind], t, w->tick);
    const unsigned id = any(8);
    bytes_printf(&w->out, ",\"name\":\"type%u\",\"cat\":\"o\",\"id\":\"0x%x\"", id % 2, 0x1000 + id);
    if (kind == 1) bytes_printf(&w->out, ",\"args\":{\"snapshot\":{\"size\":%u}}", any(100));
    put_end(w);
}

static void put_sample(Writer *w, unsigned t)
{
    put_head(w, "P", t, w->tick);
    bytes_printf(&w->out, ",\"name\":\"sampler\",\"cat\":\"p\",\"stack\":[\"f%u\",\"f%u\",\"f%u\"]}", any(2),
                 any(3), any(3));
}

static void put_flow(Writer *w, unsigned t)
{
    static const char *const PHASES[] = { "s", "t", "f" };
    const unsigned           kind = any(3);
    put_head(w, PHASES[kind], t, w->tick);
    bytes_printf(&w->out, ",\"name\":\"arrow\",\"cat\":\"c1\",\"id\":\"flow %u\"", any(6));
    if (kind == 2 && any(2) == 0) bytes_append_text(&w->out, ",\"bp\":\"e\"");
    put_end(w);
}

static void put_rest(Writer *w, unsigned t)
{
    const unsigned kind = any(6);
    if (kind == 3) {
        put_head(w, any(2) ? "(" : ")", t, w->tick);
        bytes_printf(&w->out, ",\"name\":\"context\",\"cat\":\"x\",\"id\":\"0x%x\"}", any(3));
    } else if (kind == 4) {
        put_head(w, "v", t, w->tick);
        bytes_printf(
            &w->out,
            ",\"name\":\"periodic_interval\",\"cat\":\"m\",\"id\":\"0x%x\",\"args\":{\"dumps\":{\"a\":%u}}}",
            any(9), any(9));
    } else if (kind == 5) {
        put_head(w, "R", t, w->tick);
        bytes_append_text(&w->out, ",\"name\":\"navigationStart\",\"cat\":\"blink.user_timing\"}");
    } else if (kind == 0) {
        put_head(w, "C", t, w->tick);
        bytes_printf(&w->out, ",\"name\":\"memory%u\",\"cat\":\"c%u\",\"args\":{\"used\":%u,\"free\":%u}}",
                     t % 2, t % 2, any(100), any(100));
    } else if (kind == 1) {
        bytes_printf(
            &w->out,
            ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"t%u\"}}",
            1 + t % 2, 10 + t, any(3));
    } else {
        put_head(w, "E", 5, w->tick); /* an end on a thread without begins */
        put_end(w);
    }
}

static Bytes random_json(unsigned events)
{
    Writer w = { .tick = 1000 };
    bytes_append_text(&w.out,
                      "[{\"ph\":\"i\",\"s\":\"g\",\"name\":\"first\",\"pid\":1,\"tid\":10,\"ts\":0.5}");
    for (unsigned i = 0; i < events; i++) {
        static void (*const PUTS[])(Writer *w, unsigned t) = { put_mark,     put_mark,   put_complete,
                                                               put_complete, put_async,  put_async,
                                                               put_instant,  put_object, put_sample,
                                                               put_flow,     put_rest };
        w.tick += any(8);
        PUTS[random_below(sizeof PUTS / sizeof PUTS[0])](&w, any(THREADS));
    }
    bytes_append_text(&w.out, "\n]\n");
    return w.out;
}

/* ---- Heph ---- */

static void put_number(Bytes *out, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes_append(out, &(uint8_t){ (uint8_t)(value >> (8 * (size - 1 - i))) }, 1);
}

/* Events in the order of their ends, of some streams with sub-streams. */
static Bytes random_heph(unsigned events)
{
    Bytes    out = { 0 };
    uint32_t counters[3] = { 0 };
    uint64_t tick = 100000;
    for (unsigned i = 0; i < events; i++) {
        const unsigned stream = any(3);
        /* the first begins earliest */
        const uint64_t length = i == 0 ? 6000 : random_below(any(5) == 0 ? 5000 : 60);
        char           name[3] = { 'n', (char)('a' + any(6)), 0 };
        tick += random_below(40);
        put_number(&out, 0xC1FC1FB7, 4);
        put_number(&out, 44, 4);
        put_number(&out, stream, 4);
        put_number(&out, counters[stream]++, 4);
        put_number(&out, any(3), 8);
        put_number(&out, tick - length, 8);
        put_number(&out, tick, 8);
        put_number(&out, 2, 2);
        bytes_append(&out, name, 2);
    }
    return out;
}

/* ---- shown during reception, and opened ---- */

typedef struct Watched {
    Session *session;
    Stream  *stream;
    Shown   *shown;
    Bytes    received;
} Watched;

static size_t read_received(void *context, uint64_t offset, void *buffer, size_t size)
{
    const Bytes *received = (const Bytes *)context;
    if (offset >= received->size) return 0;
    const size_t left = received->size - (size_t)offset, count = size < left ? size : left;
    memcpy(buffer, received->data + offset, count);
    return count;
}

static void close_received(void *context)
{
    (void)context;
}

static void look(const Watched *watched)
{
    static const char *const REQUESTS[] = { "outline?trace=0", "stats?trace=0", "stats?trace=0&hide=1",
                                            "visible?trace=0&hide=0,2&filter=1",
                                            "tiles?trace=0&keys=1.0.4.0&hide=1" };
    Answer                   answer = session_answer(watched->session, REQUESTS[random_below(5)]);
    CHECK_INT(answer.status, SESSION_OK);
    bytes_release(&answer.body);
}

/* Pushes the bytes in pieces of any size, and sends requests from time to time. */
static void watch(Watched *watched, const char *format, const Bytes *bytes)
{
    Err           err;
    StreamOptions options = { .reader = format_find(format), .transport = STREAM_PIECES };
    *watched = (Watched){ .session = session_create(), .stream = stream_create(&options, &err) };
    const InputStore store = { read_received, close_received, &watched->received };
    CHECK(watched->session != NULL && watched->stream != NULL);
    watched->shown =
        shown_create(&(ShowRules){ .session = watched->session }, watched->stream, "it", &store, &err);
    CHECK_DONE(watched->shown != NULL, err);
    const uint64_t most = 1 + random_below(1 + bytes->size / 4);
    for (size_t at = 0; at < bytes->size;) {
        size_t piece = 1 + (size_t)random_below(most);
        if (piece > bytes->size - at) piece = bytes->size - at;
        bytes_append(&watched->received, bytes->data + at, piece);
        CHECK(shown_begin(watched->shown, 0));
        CHECK_DONE(stream_push(watched->stream, bytes->data + at, piece, &err), err);
        CHECK_DONE(shown_end(watched->shown, any(4) == 0 ? SHOW_ALL : SHOW_NEWS, &err), err);
        at += piece;
        if (shown_trace(watched->shown)->track_count > 0 &&
            track_row_count(&shown_trace(watched->shown)->tracks[1]) > 0)
            look(watched);
    }
    CHECK(shown_begin(watched->shown, 0));
    CHECK_DONE(stream_end(watched->stream, &err), err);
    CHECK_DONE(shown_end(watched->shown, SHOW_ALL, &err), err);
    CHECK_DONE(trace_check(shown_trace(watched->shown), &err), err);
}

static void watched_release(Watched *watched)
{
    stream_destroy(watched->stream);
    session_destroy(watched->session);
    shown_destroy(watched->shown);
    bytes_release(&watched->received);
}

/* One of both sessions. */
typedef struct Side {
    Session     *session;
    const Trace *trace;
} Side;

/* ---- answers as text ---- */

static Bytes ask(const Side *side, const char *request)
{
    Answer answer = session_answer(side->session, request);
    if (answer.status != SESSION_OK) fail_msg("%s: %d", request, (int)answer.status);
    return answer.body;
}

/* Replaces numbers that are ids by "#". */
static Bytes without_ids(const Bytes *json)
{
    static const char *const IDS[] = { "\"slice\":", "\"label\":", "\"instant\":", "\"id\":",
                                       "\"snapshot\":" };
    Bytes                    out = { 0 };
    for (size_t at = 0; at < json->size;) {
        size_t key = 0;
        for (int i = 0; i < 5 && key == 0; i++) {
            const size_t size = strlen(IDS[i]);
            if (json->size - at > size && memcmp(json->data + at, IDS[i], size) == 0) key = size;
        }
        bytes_append(&out, json->data + at, key == 0 ? 1 : key);
        at += key == 0 ? 1 : key;
        const size_t digits = at;
        while (key > 0 && at < json->size && json->data[at] >= '0' && json->data[at] <= '9')
            at++;
        if (at > digits) bytes_append_text(&out, "#");
        static const char LABELS[] = "\"labels\":[";
        if (json->size - at > sizeof LABELS && memcmp(json->data + at, LABELS, sizeof LABELS - 1) == 0)
            while (json->data[at] != ']' && at + 1 < json->size)
                at++;
    }
    return out;
}

static int compare_views(const void *left, const void *right)
{
    const StringView *a = (const StringView *)left, *b = (const StringView *)right;
    const size_t      size = a->size < b->size ? a->size : b->size;
    const int         order = memcmp(a->bytes, b->bytes, size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* Returns the end of the object that begins here, or the end of the text. Texts in these answers have no braces. */
static size_t object_end(const char *text, size_t at, size_t size)
{
    size_t depth = 0;
    for (; text[at] == '{' || depth > 0; at++) {
        CHECK(at < size);
        depth += text[at] == '{';
        if (text[at] == '}' && --depth == 0) return at + 1;
    }
    return at + 1;
}

/* Sorts the parts that begin with `mark`, objects as a whole, by their text; the text between them is unchanged. */
static Bytes sorted(const Bytes *text, const char *mark)
{
    enum { MOST = 8000 };
    static StringView pieces[MOST];
    size_t            count = 0, last = 0;
    Bytes             out = { 0 };
    const char       *begin = (const char *)text->data;
    for (size_t at = 0; at <= text->size;) {
        const bool is_mark = text->size - at >= strlen(mark) && memcmp(begin + at, mark, strlen(mark)) == 0;
        if (!is_mark && at < text->size) {
            at++;
            continue;
        }
        CHECK(count + 2 < MOST);
        if (at > last) pieces[count++] = (StringView){ begin + last, at - last };
        last = at;
        at = at == text->size ? at + 1 : object_end(begin, at, text->size);
        if (is_mark && mark[0] == '{') {
            pieces[count++] = (StringView){ begin + last, at - last };
            last = at;
        }
    }
    if (count > 1) qsort(pieces, count, sizeof *pieces, compare_views);
    for (size_t i = 0; i < count; i++) {
        bytes_append(&out, pieces[i].bytes, pieces[i].size);
        bytes_append_text(&out, "\n");
    }
    return out;
}

static void check_same(const char *what, Bytes *watched, Bytes *opened)
{
    size_t same = 0;
    bytes_append(watched, "", 1);
    bytes_append(opened, "", 1);
    while (same < watched->size && same < opened->size && watched->data[same] == opened->data[same])
        same++;
    if (same < watched->size || same < opened->size) {
        const size_t from = same < 200 ? 0 : same - 200;
        fail_msg("%s\nwatched: %.500s\nopened:  %.500s", what, (const char *)watched->data + from,
                 (const char *)opened->data + from);
    }
    bytes_release(watched);
    bytes_release(opened);
}

static void check_json(const Side sides[2], const char *requests[2], const char *mark)
{
    Bytes texts[2];
    for (int s = 0; s < 2; s++) {
        Bytes answer = ask(&sides[s], requests[s]), plain = without_ids(&answer);
        texts[s] = mark == NULL ? plain : sorted(&plain, mark);
        bytes_release(&answer);
        if (mark != NULL) bytes_release(&plain);
    }
    check_same(requests[0], &texts[0], &texts[1]);
}

static void check_request(const Side sides[2], const char *request, const char *mark)
{
    check_json(sides, (const char *[]){ request, request }, mark);
}

/* Sends the same request about an item with different ids on both sides. */
static void check_ids(const Side sides[2], const char *request, uint64_t watched, uint64_t opened,
                      const char *mark)
{
    char texts[2][80];
    (void)snprintf(texts[0], sizeof texts[0], "%s%" PRIu64, request, watched);
    (void)snprintf(texts[1], sizeof texts[1], "%s%" PRIu64, request, opened);
    check_json(sides, (const char *[]){ texts[0], texts[1] }, mark);
}

/* ---- outlines and tiles ---- */

static void describe_outline(const Side *side, Bytes *out)
{
    Arena   arena = arena_create(0);
    Outline o;
    Err     err;
    Bytes   bytes = ask(side, "outline?trace=0");
    CHECK(outline_open(bytes.data, bytes.size, &arena, &o, &err));
    bytes_printf(out, "%" PRId64 "+%" PRIu64 " %" PRIu64 " slices %" PRIu64 " arrows, hidden %.*s\n",
                 o.begin_tick, o.span, o.slice_count, o.flow_count, (int)o.hidden.size, o.hidden.bytes);
    for (uint32_t i = 0; i < o.process_count; i++)
        bytes_printf(out, "%.*s %u+%u %" PRIx64 "\n", (int)o.processes[i].title.size,
                     o.processes[i].title.bytes, o.processes[i].first_track, o.processes[i].track_count,
                     o.processes[i].key);
    for (uint32_t i = 0; i < o.track_count; i++) {
        const OutlineTrack *t = &o.tracks[i];
        bytes_printf(out,
                     "%.*s kind %u of %u: %u rows, %" PRIu64 " %" PRIu64 " %" PRIu64 " %g..%g %d %" PRIx64,
                     (int)t->title.size, t->title.bytes, t->kind, t->process, t->row_count, t->slice_count,
                     t->instant_count, t->sample_count, t->least, t->greatest, t->is_stacked, t->key);
        for (uint32_t r = t->first_row; r < t->first_row + t->row_count; r++)
            bytes_printf(out, " %u.%u:%" PRIu64 ",%" PRIu64 " %.*s", o.rows[r].lane, o.rows[r].depth,
                         o.rows[r].slice_count, o.rows[r].sample_count, (int)o.rows[r].series.size,
                         o.rows[r].series.bytes);
        bytes_append_text(out, "\n");
    }
    bytes_release(&bytes);
    arena_release(&arena);
}

static void describe_label(const Trace *trace, uint32_t label, Bytes *out)
{
    const StringView name = trace_label_name(trace, label), category = trace_label_category(trace, label);
    bytes_printf(out, " %.*s/%.*s#%x", (int)name.size, name.bytes, (int)category.size, category.bytes,
                 (unsigned)trace->labels[label].colour);
}

static void describe_row(const Trace *trace, const TileRow *row, Bytes *out)
{
    TileCursor cursor = { 0 };
    TileEntry  e;
    while (tile_next(row, &cursor, &e)) {
        bytes_printf(out, "\n %" PRIu64 ":%" PRIu64 "+%" PRIu64 "*%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %x",
                     e.slice - row->first_slice, e.begin, e.extent, e.count, e.covered, e.longest_ticks,
                     e.longest - row->first_slice, e.flags);
        /* The dominant one of several names with the same weight depends on their numbers. */
        if (e.count == 1) describe_label(trace, e.label, out);
    }
    for (uint32_t i = 0; i < row->instant_count; i++) {
        const TileInstant t = tile_instant(row, i);
        bytes_printf(out, "\n i%" PRIu64 ":%" PRIu64 "*%u", t.instant - row->first_instant, t.tick, t.count);
        describe_label(trace, t.label, out);
    }
    for (uint32_t i = 0; i < row->sample_count; i++) {
        const TileSample v = tile_sample(row, i);
        bytes_printf(out, "\n v%" PRIu64 ":%" PRIu64 "*%u %g %g %g", v.sample - row->first_sample, v.tick,
                     v.count, v.least, v.greatest, v.last);
    }
}

static void describe_flows(const Trace *trace, const Tile *tile, Bytes *out)
{
    Bytes lines = { 0 };
    for (uint32_t i = 0; i < tile->flow_count; i++) {
        const TileFlow f = tile_flow(tile, i);
        bytes_printf(&lines, "\n*%u %" PRIu64 "@%u.%u > %" PRIu64 "@%u.%u %x", f.count, f.from.tick,
                     f.from.track, f.from.row, f.to.tick, f.to.track, f.to.row, f.flags);
        describe_label(trace, f.label, &lines);
    }
    Bytes in_order = sorted(&lines, "\n*");
    bytes_append(out, in_order.data, in_order.size);
    bytes_release(&in_order);
    bytes_release(&lines);
}

/* Describes all tiles of a track at a level, with hidden categories ("" or "&hide=1"). */
static void describe_tiles(const Side *side, uint32_t track, uint32_t band, uint32_t level, const char *hide,
                           Bytes *out)
{
    const Trace   *trace = side->trace;
    const uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
    CHECK(trace->lead == 0);
    for (uint64_t index = 0; index <= span >> (level + TILE_BUCKET_BITS); index++) {
        char request[120];
        Tile tile;
        (void)snprintf(request, sizeof request, "tiles?trace=0&keys=%u.%u.%u.%" PRIu64 "%s", track, band,
                       level, index, hide);
        Bytes bytes = ask(side, request);
        CHECK(bytes.size > 4 && tile_open(bytes.data + 4, bytes.size - 4, &tile));
        bytes_printf(out, "%u.%u.%u.%" PRIu64 ":", track, band, level, index);
        for (uint32_t r = 0; r < tile.row_count; r++) {
            const TileRow row = tile_row(&tile, r);
            bytes_printf(out, "\nrow %u", r);
            describe_row(trace, &row, out);
        }
        describe_flows(trace, &tile, out);
        bytes_append_text(out, "\n");
        bytes_release(&bytes);
    }
}

static void check_tiles(const Side sides[2], const char *const hide[2])
{
    const Trace *trace = sides[1].trace;
    uint32_t     root = 0;
    while (((uint64_t)trace->end_tick - (uint64_t)trace->begin_tick) >> (root + TILE_BUCKET_BITS) > 0)
        root++;
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        for (uint32_t level = root > 5 ? root - 5 : 0; level <= root; level++) {
            for (uint32_t band = 0; band * TILE_BAND_ROWS < track_row_count(&trace->tracks[t]); band++) {
                Bytes texts[4] = { { 0 }, { 0 }, { 0 }, { 0 } };
                for (int s = 0; s < 2; s++) {
                    describe_tiles(&sides[s], t, band, level, hide[s], &texts[s]);
                    describe_tiles(&sides[s], t, TILE_FLOWS | band, level, hide[s], &texts[2 + s]);
                }
                check_same("tiles", &texts[0], &texts[1]);
                check_same("tiles of arrows", &texts[2], &texts[3]);
            }
        }
    }
}

/* ---- everything ---- */

static void check_details(const Side sides[2])
{
    const Trace *watched = sides[0].trace, *opened = sides[1].trace;
    for (uint32_t r = 0; r < opened->row_count; r++) {
        const Row *a = &watched->rows[r], *b = &opened->rows[r];
        for (uint32_t n = 0; n < 6 && b->slice_count > 0; n++) {
            const uint32_t i = (uint32_t)random_below(b->slice_count);
            /* Arrows at the same time are ordered by the slices at their ends. */
            check_ids(sides, "slice?trace=0&id=", a->first_slice + i, b->first_slice + i, "{\"name\":");
            check_ids(sides, "tooltip?trace=0&id=", a->first_slice + i, b->first_slice + i, NULL);
        }
        for (uint32_t i = 0; i < row_extras(b)->instant_count; i++)
            check_ids(sides, "instant?trace=0&id=", row_extras(a)->first_instant + i,
                      row_extras(b)->first_instant + i, NULL);
    }
    for (uint32_t t = 1; t <= opened->track_count; t++)
        check_ids(sides, "thread?trace=0&id=", t, t, NULL);
    for (uint32_t p = 0; p < opened->process_count; p++)
        check_ids(sides, "process?trace=0&id=", p, p, NULL);
}

/* Checks every arrow's tooltip, in order of their texts: with the ids of the input. */
static void check_arrows(const Side sides[2])
{
    Bytes texts[2] = { { 0 }, { 0 } };
    for (int s = 0; s < 2; s++) {
        Bytes all = { 0 };
        for (uint64_t i = 0; i < sides[s].trace->flows.count; i++) {
            char request[64];
            (void)snprintf(request, sizeof request, "tooltip?trace=0&flow=%" PRIu64, i);
            Bytes answer = ask(&sides[s], request);
            bytes_append_text(&all, "\narrow ");
            bytes_append(&all, answer.data, answer.size);
            bytes_release(&answer);
        }
        texts[s] = sorted(&all, "\narrow ");
        bytes_release(&all);
    }
    check_same("arrows", &texts[0], &texts[1]);
}

/* Writes the number of a category on a side as hide=. */
static void hide_of(const Side *side, const char *name, char hide[32])
{
    char  wanted[40];
    Bytes answer = ask(side, "categories?trace=0");
    bytes_append(&answer, "", 1);
    (void)snprintf(wanted, sizeof wanted, ",\"name\":\"%s\"", name);
    const char *at = strstr((const char *)answer.data, wanted);
    hide[0] = '\0';
    if (at != NULL) {
        while (at[-1] >= '0' && at[-1] <= '9')
            at--;
        (void)snprintf(hide, 32, "&hide=%d", atoi(at));
    }
    bytes_release(&answer);
}

static void check_hidden(const Side sides[2], const char *category)
{
    char  hide[2][32], requests[2][120];
    Bytes visible[2];
    for (int s = 0; s < 2; s++) {
        hide_of(&sides[s], category, hide[s]);
        (void)snprintf(requests[s], sizeof requests[s], "visible?trace=0%s", hide[s]);
        visible[s] = ask(&sides[s], requests[s]);
    }
    CHECK((hide[0][0] == '\0') == (hide[1][0] == '\0'));
    CHECK_UINT(visible[0].size, visible[1].size);
    CHECK(memcmp(visible[0].data, visible[1].data, visible[0].size) == 0);
    bytes_release(&visible[0]);
    bytes_release(&visible[1]);
    check_tiles(sides, (const char *const[]){ hide[0], hide[1] });
    for (int s = 0; s < 2; s++)
        (void)snprintf(requests[s], sizeof requests[s], "stats?trace=0%s", hide[s]);
    check_json(sides, (const char *[]){ requests[0], requests[1] }, "{\"name\":");
}

static void check_answers(const Side sides[2])
{
    Bytes outlines[2] = { { 0 }, { 0 } };
    describe_outline(&sides[0], &outlines[0]);
    describe_outline(&sides[1], &outlines[1]);
    check_same("outlines", &outlines[0], &outlines[1]);
    check_details(sides);
    check_arrows(sides);
    check_tiles(sides, (const char *const[]){ "", "" });
    check_request(sides, "stats?trace=0", "{\"name\":");
    check_request(sides, "stats?trace=0&begin=2000&end=30000", "{\"name\":");
    check_request(sides, "categories?trace=0", "{\"id\":");
    check_request(sides, "search?trace=0&text=x3&in=values", "{\"place\":");
    check_request(sides, "search?trace=0&text=n1&in=names", "{\"place\":");
    check_request(sides, "find?trace=0&text=na", NULL);
    check_hidden(sides, "c1");
    check_hidden(sides, "o");
}

static void check_stream(const char *format, Bytes *bytes)
{
    Err     err;
    Watched watched;
    Loaded  loaded;
    watch(&watched, format, bytes);
    CHECK_DONE(load_bytes(bytes->data, bytes->size, "it",
                          &(LoadOptions){ .format_name = format, .threads = 1 }, &loaded, &err),
               err);
    const Trace *whole = loaded.trace;
    Session     *session = session_create();
    CHECK(session != NULL && session_add_loaded(session, &loaded));
    check_answers((const Side[]){ { watched.session, shown_trace(watched.shown) }, { session, whole } });
    session_destroy(session);
    watched_release(&watched);
    bytes_release(bytes);
}

TEST(what_is_watched_is_what_is_opened)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        dice.state = seed * 7919;
        Bytes bytes = random_json(seed % 10 == 0 ? 1200 : 20 + any(200));
        check_stream("trace-event", &bytes);
    }
}

TEST(what_is_watched_from_heph_is_what_is_opened)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dice.state = seed * 104729;
        Bytes bytes = random_heph(seed % 10 == 0 ? 1500 : 20 + any(200));
        check_stream("heph", &bytes);
    }
}

TEST_MAIN("watched", TEST_CASE(what_is_watched_is_what_is_opened),
          TEST_CASE(what_is_watched_from_heph_is_what_is_opened))
