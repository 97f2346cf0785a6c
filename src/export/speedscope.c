#include "export/speedscope.h"

#include "base/digits.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/wide.h"
#include "export/left_out.h"
#include "format/writer_pieces.h"
#include "trace/scan/scan.h"
#include "trace/store/lane_walk.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <inttypes.h>
#include <string.h>

/* The begin or the end of a slice. */
typedef struct SpeedscopeItem {
    uint64_t slice;
    int64_t  tick;
    uint32_t texts_end;          /* SpeedscopePiece.texts up to here are before the item */
    bool     is_begin, is_first; /* the first one of its profile */
} SpeedscopeItem;

/* Adjacent events of the output: about WRITER_BLOCK_BYTES. */
enum { PIECE_ITEMS = 6144 };
typedef struct SpeedscopePiece {
    SpeedscopeItem items[PIECE_ITEMS];
    size_t         count;
    Bytes          texts; /* the heads and ends of profiles */
    Bytes          out;
} SpeedscopePiece;

typedef struct SpeedscopeOut {
    const Trace      *trace;
    const char       *name; /* of the input */
    const OutputSink *sink;
    Arena             arena;
    LaneLevel        *levels;
    uint32_t         *frames; /* by StringId.index: index of the frame + 1; 0 = unused */
    Bytes             out, title;
    WriterPieces     *pieces;
    SpeedscopePiece  *piece;                /* the one to fill */
    int64_t           begin_tick, end_tick; /* times are clipped to [begin_tick, end_tick] */
    uint64_t          async, states, overlapping, unfinished;
    uint32_t          profile_count, busiest;
    uint64_t          most_slices; /* of the busiest profile */
} SpeedscopeOut;

/* -- times -- */

enum { TIME_TEXT = 2 * DIGITS_ROOM };

/* Writes the time of a tick in nanoseconds from the begin of the trace, with up to three decimals; in ticks where there is
 * no time. `at` has TIME_TEXT bytes. Returns the end of the text. */
static char *put_time(const SpeedscopeOut *s, char *at, int64_t tick)
{
    const Clock *clock = &s->trace->clock;
    if (tick < s->begin_tick) tick = s->begin_tick;
    if (tick > s->end_tick) tick = s->end_tick;
    const uint64_t ticks = trace_since_begin(s->trace, tick);
    if (clock->ns_den == 1 || clock->ns_num > UINT64_MAX / 1000 ||
        wide_mul_div_u64(ticks, clock->ns_num, clock->ns_den) > UINT64_MAX / 2000)
        return digits_put(at, clock_span_to_ns(clock, ticks));
    const uint64_t ps = wide_mul_div_u64(ticks, clock->ns_num * 1000, clock->ns_den);
    at = digits_put(at, ps / 1000);
    if (ps % 1000 == 0) return at;
    char *end = digits_put(at, 1000 + ps % 1000); /* the 1 keeps the zeros; the point replaces it */
    *at = '.';
    return end;
}

static void append_time(const SpeedscopeOut *s, int64_t tick, Bytes *out)
{
    char text[TIME_TEXT];
    bytes_append(out, text, (size_t)(put_time(s, text, tick) - text));
}

/* -- frames -- */

/* Marks the names of all slices in the window in s->frames. */
static bool mark_names(SpeedscopeOut *s, Err *err)
{
    const Label *labels = s->trace->labels;
    ScanQuery    query = scan_query(SCAN_SLICES, SCAN_COLUMN(SCAN_SLICE_LABEL));
    query.edges = RANGE_CLOSED;
    trace_window_range(s->trace, &query.begin_tick, &query.end_tick);
    Scan *scan = scan_begin(s->trace, &query, &s->arena, err);
    for (const ScanBatch *batch; scan != NULL && (batch = scan_next(scan)) != NULL;) {
        for (uint32_t i = 0; i < batch->count; i++)
            s->frames[labels[batch->columns[SCAN_SLICE_LABEL].u32[i]].name.index] = 1;
    }
    return scan != NULL;
}

/* Appends the frames of all slices that the profiles show, in the order of their names' ids. */
static bool put_frames(SpeedscopeOut *s, Err *err)
{
    const Trace   *trace = s->trace;
    const uint32_t count = string_table_count(trace->strings) + 1;
    uint32_t       used = 0;
    if (!mark_names(s, err)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const StringView name = trace_string(trace, (StringId){ i });
        JsonWriter       json = json_writer_to(&s->out, 0);
        if (s->frames[i] == 0) continue;
        bytes_append_text(&s->out, used == 0 ? "\n{\"name\":" : ",\n{\"name\":");
        json_string_bytes(&json, name.size == 0 ? STRING_LITERAL("(none)") : name);
        bytes_append_text(&s->out, "}");
        s->frames[i] = ++used;
        if (!writer_flush(s->sink, &s->out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* -- pieces -- */

static char *put_text(char *at, const char *text)
{
    const size_t size = strlen(text);
    memcpy(at, text, size);
    return at + size;
}

/* Appends an item: ",\n{"type":"O","frame":1,"at":20}". */
static void encode_item(const SpeedscopeOut *s, const SpeedscopeItem *item, Bytes *out)
{
    enum { FIXED_BYTES = 64 };
    const uint32_t label = trace_slice_label(s->trace, item->slice);
    char          *begin = (char *)bytes_reserve(out, FIXED_BYTES + DIGITS_ROOM + TIME_TEXT), *at = begin;
    if (at == NULL) return;
    at = put_text(at, item->is_first ? "\n" : ",\n");
    at = put_text(at, item->is_begin ? "{\"type\":\"O\",\"frame\":" : "{\"type\":\"C\",\"frame\":");
    at = digits_put(at, s->frames[s->trace->labels[label].name.index] - 1);
    at = put_time(s, put_text(at, ",\"at\":"), item->tick);
    *at++ = '}';
    bytes_grow(out, (size_t)(at - begin));
}

/* Appends the texts from `begin` to `end`. */
static void encode_texts(SpeedscopePiece *piece, size_t begin, size_t end)
{
    if (begin < end) bytes_append(&piece->out, piece->texts.data + begin, end - begin);
}

static bool encode_piece(void *context, size_t encoder, void *from, Err *err)
{
    const SpeedscopeOut *s = context;
    SpeedscopePiece     *piece = from;
    size_t               texts_at = 0;
    (void)encoder; /* it has no state */
    for (size_t i = 0; i < piece->count && !piece->texts.failed; i++) {
        const SpeedscopeItem *item = &piece->items[i];
        encode_texts(piece, texts_at, item->texts_end);
        texts_at = item->texts_end;
        encode_item(s, item, &piece->out);
    }
    encode_texts(piece, texts_at, piece->texts.size);
    piece->out.failed |= piece->texts.failed;
    return !piece->out.failed || err_set(err, ERR_MEMORY, "out of memory for the output");
}

static bool pass_piece(void *context, void *from, Err *err)
{
    SpeedscopePiece *piece = from;
    piece->count = 0;
    bytes_clear(&piece->texts);
    return writer_flush(((const SpeedscopeOut *)context)->sink, &piece->out, 0, err);
}

static void release_piece(void *piece)
{
    bytes_release(&((SpeedscopePiece *)piece)->texts);
    bytes_release(&((SpeedscopePiece *)piece)->out);
}

/* Begins the next piece if this one is full. */
static bool next_piece(SpeedscopeOut *s, Err *err)
{
    if (s->piece->count < PIECE_ITEMS && s->piece->texts.size < WRITER_BLOCK_BYTES) return true;
    s->piece = writer_pieces_next(s->pieces, err);
    return s->piece != NULL;
}

/* -- profiles -- */

static void put_profile_head(SpeedscopeOut *s, uint32_t track, uint32_t lane)
{
    Bytes     *out = &s->piece->texts;
    JsonWriter json = json_writer_to(out, 0);
    bytes_clear(&s->title);
    if (s->trace->process_count > 1 && s->trace->tracks[track].process.index != 0) {
        trace_process_title(s->trace, s->trace->tracks[track].process.index, &s->title);
        bytes_append_text(&s->title, ": ");
    }
    trace_track_title(s->trace, track, &s->title);
    if (lane > 0) bytes_printf(&s->title, ", overlapping %" PRIu32, lane);
    bytes_append_text(out, s->profile_count == 0 ? "\n{\"type\":\"evented\",\"name\":"
                                                 : ",\n{\"type\":\"evented\",\"name\":");
    json_string_bytes(&json, bytes_view(&s->title));
    out->failed |= s->title.failed;
    bytes_printf(
        out, ",\"unit\":\"%s\",\"startValue\":", clock_has_time(&s->trace->clock) ? "nanoseconds" : "none");
    append_time(s, s->begin_tick, out);
    bytes_append_text(out, ",\"endValue\":");
    append_time(s, s->end_tick, out);
    bytes_append_text(out, ",\"events\":[");
}

static bool put_lane(SpeedscopeOut *s, uint32_t track, uint32_t lane, uint32_t first_row, Err *err)
{
    const Trace *trace = s->trace;
    uint64_t     count = 0;
    LaneWalk     walk;
    put_profile_head(s, track, lane);
    lane_walk_open(&walk, trace, first_row, s->levels);
    for (LaneEvent event; lane_walk_next(&walk, &event);) {
        if (trace_repeats_slice(trace, event.slice)) continue;
        s->piece->items[s->piece->count++] = (SpeedscopeItem){ .slice = event.slice,
                                                               .tick = event.tick,
                                                               .texts_end = (uint32_t)s->piece->texts.size,
                                                               .is_begin = event.is_begin,
                                                               .is_first = count == 0 };
        count++;
        if (event.is_begin) s->unfinished += (trace_slice_flags(trace, event.slice) & SLICE_UNFINISHED) != 0;
        if (!next_piece(s, err)) return false;
    }
    bytes_append_text(&s->piece->texts, "]}");
    const TrackKind kind = trace->tracks[track].kind;
    if (kind == TRACK_ASYNC) s->async += count / 2;
    if (kind == TRACK_STATES) s->states += count / 2;
    if (kind == TRACK_THREAD && lane > 0) s->overlapping += count / 2;
    if (kind == TRACK_THREAD && count > s->most_slices) {
        s->most_slices = count;
        s->busiest = s->profile_count;
    }
    s->profile_count++;
    return next_piece(s, err);
}

/* Writes a profile for each lane that has a slice in the window. */
static bool put_track(SpeedscopeOut *s, uint32_t track, Err *err)
{
    const Trace *trace = s->trace;
    const Track *t = &trace->tracks[track];
    if (t->kind != TRACK_THREAD && t->kind != TRACK_ASYNC && t->kind != TRACK_SAMPLES &&
        t->kind != TRACK_STATES)
        return true;
    for (uint32_t row = t->first_row; row < t->first_row + track_row_count(t); row++) {
        const RowWindow window = row_window(trace, &trace->rows[row]);
        if (trace->rows[row].depth != 0 || window.first_slice >= window.slice_end) continue;
        if (!put_lane(s, track, trace->rows[row].lane, row, err)) return false;
    }
    return true;
}

/* -- the file -- */

static void put_head(SpeedscopeOut *s)
{
    JsonWriter json = json_writer_to(&s->out, 0);
    bytes_append_text(&s->out, "{\"$schema\":\"https://www.speedscope.app/"
                               "file-format-schema.json\",\"exporter\":\"varve\",\"name\":");
    json_string(&json, s->name);
    bytes_append_text(&s->out, ",\"shared\":{\"frames\":[");
}

static bool put_profiles(SpeedscopeOut *s, Err *err)
{
    const PieceWork work = { encode_piece, pass_piece, s };
    s->pieces = writer_pieces_start(&s->arena, &work, sizeof(SpeedscopePiece), s->sink->threads);
    if (s->pieces == NULL) return err_set(err, ERR_MEMORY, "out of memory for the output");
    s->piece = writer_pieces_current(s->pieces);
    for (uint32_t i = 1; i <= s->trace->track_count; i++)
        if (!put_track(s, i, err)) return false;
    return writer_pieces_finish(s->pieces, err);
}

static bool write_all(SpeedscopeOut *s, Err *err)
{
    put_head(s);
    if (!put_frames(s, err)) return false;
    bytes_append_text(&s->out, "]},\n\"profiles\":[");
    if (!writer_flush(s->sink, &s->out, 0, err) || !put_profiles(s, err)) return false;
    bytes_printf(&s->out, "],\n\"activeProfileIndex\":%" PRIu32 "}\n", s->busiest);
    return writer_flush(s->sink, &s->out, 0, err);
}

static void report_losses(const SpeedscopeOut *s, WriterReport *report)
{
    writer_report(report, s->async, "asynchronous slices are profiles of their own");
    writer_report(report, s->states, "states of threads are profiles of their own");
    writer_report(report, s->overlapping, "slices that overlap others are in profiles of their own");
    writer_report(report, s->unfinished,
                  "unfinished slices end where the trace or the slice around them does");
    writer_report(report, trace_window_counts(s->trace).samples,
                  "samples become slices, without file and line");
    report_left_out(s->trace, report);
}

static bool write_speedscope(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    const Trace  *trace = loaded->trace;
    SpeedscopeOut s = {
        .trace = trace, .name = file_name_of(loaded->name), .sink = sink, .arena = arena_create(0)
    };
    trace_window_range(trace, &s.begin_tick, &s.end_tick);
    if (s.begin_tick < trace->begin_tick) s.begin_tick = trace->begin_tick;
    if (s.end_tick > trace->end_tick) s.end_tick = trace->end_tick;
    if (s.end_tick < s.begin_tick) s.end_tick = s.begin_tick;
    s.levels = ARENA_ARRAY(&s.arena, LaneLevel, lane_walk_levels(trace));
    s.frames = ARENA_ARRAY(&s.arena, uint32_t, (size_t)string_table_count(trace->strings) + 1);
    bool is_done =
        (s.levels != NULL && s.frames != NULL) || err_set(err, ERR_MEMORY, "out of memory for the output");
    is_done = is_done && write_all(&s, err);
    if (is_done) report_losses(&s, report);
    writer_pieces_close(s.pieces, release_piece);
    bytes_release(&s.out);
    bytes_release(&s.title);
    arena_release(&s.arena);
    return is_done;
}

const FormatWriter SPEEDSCOPE_WRITER = {
    .name = "speedscope",
    .suffix = "speedscope.json",
    .what = "speedscope: a profile for each thread",
    .write = write_speedscope,
};
