#include "export/pprof.h"

#include "base/checked.h"
#include "export/call_tree.h"
#include "export/left_out.h"
#include "format/profile_proto.h"
#include "trace/scan/scan.h"
#include "trace/store/choose_tracks.h"
#include "trace/store/window.h"

enum { MOST_FRAMES = 1000 };

static const char *const STRINGS[] = { "",        "calls",       "count", "time",  "samples",
                                       "sampled", "nanoseconds", "call",  "event", "thread" };
enum {
    STRING_CALLS = 1,
    STRING_COUNT,
    STRING_TIME,
    STRING_SAMPLES,
    STRING_SAMPLED,
    STRING_NANOSECONDS,
    STRING_CALL,
    STRING_EVENT,
    STRING_THREAD,
    STRING_FIRST /* of the strings that are added on the way */
};

/* The calls and the self time on a call path, or the samples of a stack and the time they hold. */
typedef struct Weight {
    uint64_t count, ticks;
} Weight;

typedef struct PprofOut {
    const Trace      *trace;
    const OutputSink *sink;
    Arena             arena;
    Bytes             out, text;
    ProfileProto      proto;
    uint64_t          string_count, frame_count; /* written so far */
    uint64_t         *strings;      /* by StringId.index: index in the profile; 0 = not written */
    uint64_t         *name_frames;  /* by StringId.index: frame of a slice's name; 0 = not written */
    uint64_t         *stack_frames; /* by index of a StackFrame; 0 = not written */
    bool              has_calls, has_samples;
    uint32_t          thread;      /* track of thread_text */
    uint64_t          thread_text; /* string: its title */
    uint64_t          cut, unknown;
} PprofOut;

/* -- strings and frames, each written when it is first used -- */

static uint64_t put_string(PprofOut *p, StringView text)
{
    profile_proto_string(&p->proto, text);
    return p->string_count++;
}

static uint64_t string_of(PprofOut *p, StringId id)
{
    if (id.index == 0) return 0;
    if (p->strings[id.index] == 0) p->strings[id.index] = put_string(p, trace_string(p->trace, id));
    return p->strings[id.index];
}

static uint64_t frame_of_name(PprofOut *p, StringId name)
{
    if (p->name_frames[name.index] == 0) {
        const ProfileFrame frame = { .id = ++p->frame_count,
                                     .name = name.index == 0 ? put_string(p, STRING_LITERAL("(none)"))
                                                             : string_of(p, name) };
        profile_proto_frame(&p->proto, &frame);
        p->name_frames[name.index] = frame.id;
    }
    return p->name_frames[name.index];
}

static uint64_t frame_of_stack(PprofOut *p, uint32_t index)
{
    if (p->stack_frames[index] == 0) {
        const StackFrame *from = &p->trace->stacks.frames[index];
        const bool        is_anonymous = from->function.index == 0 && from->address == 0;
        const uint64_t    name =
            is_anonymous ? put_string(p, STRING_LITERAL("(anonymous)")) : string_of(p, from->function);
        const ProfileFrame frame = { .id = ++p->frame_count,
                                     .name = name,
                                     .file = string_of(p, from->file),
                                     .line = from->line,
                                     .address = from->address };
        profile_proto_frame(&p->proto, &frame);
        p->stack_frames[index] = frame.id;
    }
    return p->stack_frames[index];
}

static uint64_t thread_text(PprofOut *p, uint32_t track)
{
    if (p->thread != track) {
        bytes_clear(&p->text);
        trace_track_title(p->trace, track, &p->text);
        p->out.failed |= p->text.failed;
        p->thread_text = put_string(p, bytes_view(&p->text));
        p->thread = track;
    }
    return p->thread_text;
}

/* Ends a sample: the caller has appended its frames. */
static bool put_values(PprofOut *p, uint32_t track, Weight calls, Weight samples, Err *err)
{
    const Clock *clock = &p->trace->clock;
    uint64_t     values[4];
    size_t       count = 0;
    if (p->has_calls) {
        values[count++] = calls.count;
        values[count++] = clock_span_to_ns(clock, calls.ticks);
    }
    if (p->has_samples) {
        values[count++] = samples.count;
        values[count++] = clock_span_to_ns(clock, samples.ticks);
    }
    for (size_t i = 0; i < count; i++) /* they are int64 */
        if (values[i] > INT64_MAX) values[i] = INT64_MAX;
    const uint64_t text = thread_text(p, track);
    profile_proto_sample_end(&p->proto, values, count, STRING_THREAD, text);
    return writer_flush(p->sink, &p->out, WRITER_BLOCK_BYTES, err);
}

/* -- slices -- */

static bool put_path(PprofOut *p, const Flame *flame, uint32_t node, uint32_t track, Weight weight, Err *err)
{
    uint32_t at = node, frames = 0;
    profile_proto_sample_begin(&p->proto);
    for (; flame->nodes[at].parent != 0 && frames < MOST_FRAMES; at = flame->nodes[at].parent, frames++)
        profile_proto_sample_frame(&p->proto, frame_of_name(p, flame->nodes[at].name));
    p->cut += flame->nodes[at].parent != 0;
    return put_values(p, track, weight, (Weight){ 0 }, err);
}

static bool put_calls(PprofOut *p, const Flame *flame, Err *err)
{
    uint64_t *own = ARENA_ARRAY(&p->arena, uint64_t, flame->node_count);
    uint32_t *tracks = ARENA_ARRAY(&p->arena, uint32_t, flame->node_count);
    if (own == NULL || tracks == NULL) return err_set(err, ERR_MEMORY, "out of memory for the profile");
    for (uint32_t i = flame->node_count - 1; i > 0; i--) {
        const FlameNode *node = &flame->nodes[i];
        own[i] = node->total > own[i] ? node->total - own[i] : 0; /* own[i] was the sum of its children */
        own[node->parent] = u64_add_saturated(own[node->parent], node->total);
    }
    for (uint32_t i = 1; i < flame->node_count; i++) {
        const FlameNode *node = &flame->nodes[i];
        const Weight     weight = { node->count, own[i] };
        tracks[i] = node->parent == 0 ? node->name.index : tracks[node->parent];
        if (node->parent != 0 && !put_path(p, flame, i, tracks[i], weight, err)) return false;
    }
    return true;
}

/* -- samples -- */

typedef struct SampleSums {
    Weight   *weights; /* by StackId.index */
    uint32_t *used;    /* stacks of the track that have a weight, by first appearance */
    uint32_t  used_count;
    uint32_t  track; /* of the last sample; 0 = before the first sample */
    uint32_t  stack; /* of the last sample */
    int64_t   tick;  /* of the last sample */
} SampleSums;

/* Adds the last sample, which lasts until `tick`. */
static void add_sample(PprofOut *p, SampleSums *sums, int64_t tick)
{
    const StackTable *stacks = &p->trace->stacks;
    if (sums->stack == 0) {
        p->unknown++;
        return;
    }
    if (stacks->frames[stacks->stacks[sums->stack].frame].flags & FRAME_IDLE) return;
    Weight *weight = &sums->weights[sums->stack];
    if (weight->count++ == 0) sums->used[sums->used_count++] = sums->stack;
    if (tick > sums->tick)
        weight->ticks = u64_add_saturated(weight->ticks, (uint64_t)tick - (uint64_t)sums->tick);
}

/* Returns the end of the last sample of a track: the end of the last slice made of the samples, cut at the window. */
static int64_t samples_end(const Trace *trace, uint32_t track)
{
    const Track *t = &trace->tracks[track];
    const Row   *row = &trace->rows[t->first_row];
    int64_t      end = INT64_MIN;
    if (track_row_count(t) > 0 && row->slice_count > 0)
        end = trace_slice_end(trace, row->first_slice + row->slice_count - 1);
    return trace->window.is_set && trace->window.end < end ? trace->window.end : end;
}

/* Writes the sums of a track, and empties them. */
static bool put_track_samples(PprofOut *p, SampleSums *sums, Err *err)
{
    const StackTable *stacks = &p->trace->stacks;
    bool              is_done = true;
    if (sums->track == 0) return true;
    add_sample(p, sums, samples_end(p->trace, sums->track));
    for (uint32_t i = 0; i < sums->used_count; i++) {
        uint32_t at = sums->used[i], frames = 0;
        profile_proto_sample_begin(&p->proto);
        for (; at != 0 && frames < MOST_FRAMES; at = stacks->stacks[at].parent, frames++)
            profile_proto_sample_frame(&p->proto, frame_of_stack(p, stacks->stacks[at].frame));
        p->cut += at != 0;
        is_done = is_done && put_values(p, sums->track, (Weight){ 0 }, sums->weights[sums->used[i]], err);
        sums->weights[sums->used[i]] = (Weight){ 0 };
    }
    sums->used_count = 0;
    return is_done;
}

static bool put_samples(PprofOut *p, Err *err)
{
    ScanQuery query =
        scan_query(SCAN_STACK_SAMPLES, SCAN_COLUMN(SCAN_SAMPLE_TICK) | SCAN_COLUMN(SCAN_SAMPLE_STACK) |
                                           SCAN_COLUMN(SCAN_SAMPLE_TRACK));
    const size_t stack_count = (size_t)p->trace->stacks.stack_count + 1;
    SampleSums   sums = { .weights = ARENA_ARRAY(&p->arena, Weight, stack_count),
                          .used = ARENA_ARRAY(&p->arena, uint32_t, stack_count) };
    if (sums.weights == NULL || sums.used == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the profile");
    query.edges = RANGE_CLOSED;
    trace_window_range(p->trace, &query.begin_tick, &query.end_tick);
    Scan *scan = scan_begin(p->trace, &query, &p->arena, err);
    if (scan == NULL) return false;
    for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
        for (uint32_t i = 0; i < batch->count; i++) {
            const uint32_t track = batch->columns[SCAN_SAMPLE_TRACK].u32[i];
            const int64_t  tick = batch->columns[SCAN_SAMPLE_TICK].i64[i];
            if (track == sums.track) {
                add_sample(p, &sums, tick);
            } else if (!put_track_samples(p, &sums, err)) {
                return false;
            }
            sums.track = track;
            sums.tick = tick;
            sums.stack = batch->columns[SCAN_SAMPLE_STACK].u32[i];
        }
    }
    return put_track_samples(p, &sums, err);
}

/* -- the file -- */

static void put_head(PprofOut *p)
{
    const Trace   *trace = p->trace;
    const bool     has_time = clock_has_time(&trace->clock);
    const uint64_t unit = has_time                           ? STRING_NANOSECONDS
                          : trace->clock.kind == CLOCK_CALLS ? STRING_CALL
                                                             : STRING_EVENT;
    const uint64_t span = trace->window.is_set ? (uint64_t)trace->window.end - (uint64_t)trace->window.begin
                                               : trace_span(trace);
    for (size_t i = 0; i < STRING_FIRST; i++)
        profile_proto_string(&p->proto, c_string_view(STRINGS[i]));
    if (p->has_calls) {
        profile_proto_sample_type(&p->proto, STRING_CALLS, STRING_COUNT);
        profile_proto_sample_type(&p->proto, STRING_TIME, unit);
    }
    if (p->has_samples) {
        profile_proto_sample_type(&p->proto, STRING_SAMPLES, STRING_COUNT);
        profile_proto_sample_type(&p->proto, STRING_SAMPLED, unit);
    }
    if (has_time) {
        const uint64_t ns = clock_span_to_ns(&trace->clock, span);
        profile_proto_duration(&p->proto, ns > INT64_MAX ? INT64_MAX : ns);
    }
}

static bool write_all(PprofOut *p, Flame *flame, Err *err)
{
    const Trace *trace = p->trace;
    const size_t strings = (size_t)string_table_count(trace->strings) + 1;
    uint32_t    *tracks = ARENA_ARRAY(&p->arena, uint32_t, (size_t)trace->track_count + 1);
    p->strings = ARENA_ARRAY(&p->arena, uint64_t, strings);
    p->name_frames = ARENA_ARRAY(&p->arena, uint64_t, strings);
    p->stack_frames = ARENA_ARRAY(&p->arena, uint64_t, (size_t)trace->stacks.frame_count + 1);
    if (tracks == NULL || p->strings == NULL || p->name_frames == NULL || p->stack_frames == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the profile");
    if (!flame_create(trace->strings, flame, err) ||
        !call_tree_add(flame, trace, tracks, choose_tracks_all(trace, tracks), FLAME_BY_TRACK, err))
        return false;
    p->has_samples = trace_window_counts(trace).samples > 0;
    /* The slices of a trace of samples alone are made of the samples. */
    p->has_calls = !p->has_samples || flame->left_out_tracks > 0;
    put_head(p);
    return (!p->has_calls || put_calls(p, flame, err)) && (!p->has_samples || put_samples(p, err)) &&
           writer_flush(p->sink, &p->out, 0, err);
}

static bool write_pprof(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    PprofOut p = {
        .trace = loaded->trace, .sink = sink, .arena = arena_create(0), .string_count = STRING_FIRST
    };
    Flame flame = { .nodes = NULL };
    p.proto.out = &p.out;
    bool is_done = write_all(&p, &flame, err);
    profile_proto_release(&p.proto);
    if (is_done) {
        writer_report(report, p.cut, "call paths of more than 1000 frames lose the outermost");
        writer_report(report, p.unknown, "samples without a stack are left out");
        report_left_out_slices(loaded->trace, report);
        report_left_out(loaded->trace, report);
    }
    flame_release(&flame);
    bytes_release(&p.out);
    bytes_release(&p.text);
    arena_release(&p.arena);
    return is_done;
}

const FormatWriter PPROF_WRITER = {
    .name = "pprof",
    .suffix = "pb.gz",
    .what = "pprof: call paths with calls and self times, and samples",
    .packing = WRITER_GZIP,
    .write = write_pprof,
};
