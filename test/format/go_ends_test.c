/* The begin and the end of runs on processors and threads, which are read again on request: compared with the lanes of
 * goroutines, which have every stack. */
#include "format/go/trace/ends.h"
#include "format/go_support.h"
#include "format/load.h"

#include <stdio.h>
#include <string.h>

/* -- a file that counts the bytes that are read -- */

typedef struct Source {
    Bytes    file;
    uint64_t read;
} Source;

static size_t source_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    Source *source = context;
    if (offset >= source->file.size) return 0;
    if (size > source->file.size - offset) size = (size_t)(source->file.size - offset);
    memcpy(buffer, (const uint8_t *)source->file.data + offset, size);
    source->read += size;
    return size;
}

static void source_close(void *context)
{
    (void)context;
}

/* perspective NULL: for all. False: the content is not recognised. */
static bool load(Source *source, const char *perspective, Loaded *loaded)
{
    InputStore  store = { source_read, source_close, source };
    LoadOptions options = { .perspective = perspective };
    Err         err;
    return load_store(store, source->file.size, "x.trace", &options, loaded, &err);
}

/* -- the expected results -- */

static bool is_run(const Trace *trace, uint64_t slice)
{
    StringView category = trace_label_category(trace, trace_slice_label(trace, slice));
    return string_equal(category, STRING_LITERAL("goroutine")) && go_has_ends(trace, slice);
}

static void append_frame(Bytes *out, StringView function, StringView file, uint64_t line)
{
    bytes_append(out, function.bytes, function.size);
    bytes_append_text(out, " ");
    bytes_append(out, file.bytes, file.size);
    char text[32];
    snprintf(text, sizeof text, ":%u\n", (unsigned)line);
    bytes_append_text(out, text);
}

static void append_stack(Bytes *out, const Trace *trace, StackId stack)
{
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack)) {
        const StackFrame *frame = trace_stack_frame(trace, stack);
        append_frame(out, trace_string(trace, frame->function), trace_string(trace, frame->file),
                     frame->line);
    }
}

static void append_end(Bytes *out, const SliceEnd *end)
{
    for (size_t i = 0; i < end->frame_count; i++)
        append_frame(out, end->frames[i].function, end->frames[i].file, end->frames[i].line);
}

/* Returns the row of the states of "G12 main.worker"; NULL = it has none. */
static const Row *states_of(const Trace *trace, uint64_t run)
{
    StringView label = trace_label_name(trace, trace_slice_label(trace, run));
    int        g;
    char       text[32], name[32];
    snprintf(text, sizeof text, "%.*s", (int)(label.size < 31 ? label.size : 31), label.bytes);
    CHECK(sscanf(text, "G%d", &g) == 1);
    snprintf(name, sizeof name, "G %d", g);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        if (track->kind != TRACK_STATES || track_row_count(track) == 0) continue;
        StringView of = trace_string(trace, track[1].name);
        if (of.size == strlen(name) && memcmp(of.bytes, name, of.size) == 0)
            return &trace->rows[track->first_row];
    }
    return NULL;
}

static bool is_named(const Trace *trace, uint64_t slice, const char *name)
{
    StringView view = trace_label_name(trace, trace_slice_label(trace, slice));
    return view.size == strlen(name) && memcmp(view.bytes, name, view.size) == 0;
}

/* Writes the stack at this time, at the end of a run. False: the goroutine's own lane does not have it. */
static bool expected_stack(const Trace *trace, const Row *row, int64_t time, Bytes *out)
{
    for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++) {
        const bool    is_syscall = is_named(trace, s, "syscall") || is_named(trace, s, "blocking syscall");
        const int64_t begin = trace_slice_begin(trace, s), end = trace_slice_end(trace, s);
        if (is_syscall && begin <= time && end >= time && trace_slice_stack(trace, s).index != 0) {
            append_stack(out, trace, trace_slice_stack(trace, s));
            return true;
        }
        if (is_named(trace, s, "running") && end == time && trace_slice_end_stack(trace, s).index != 0) {
            append_stack(out, trace, trace_slice_end_stack(trace, s));
            return true;
        }
    }
    return false;
}

/* Writes the reason for the end of the run: the state that begins then. */
static void expected_why(const Trace *trace, const Row *row, int64_t time, char *out, size_t size)
{
    snprintf(out, size, "ends");
    for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++) {
        if (trace_slice_begin(trace, s) != time) continue;
        StringView category = trace_label_category(trace, trace_slice_label(trace, s));
        StringView name = trace_label_name(trace, trace_slice_label(trace, s));
        const bool waits = string_equal(category, STRING_LITERAL("waiting"));
        snprintf(out, size, "%s%.*s", waits ? "waits: " : "", (int)name.size, name.bytes);
        if (is_named(trace, s, "waiting")) snprintf(out, size, "waits");
    }
}

typedef struct Tally {
    unsigned runs, stacks, missing, reasons, befores;
} Tally;

static void check_end(const Loaded *loaded, uint64_t run, const SliceEnds *ends, Tally *tally)
{
    const Trace  *trace = loaded->trace;
    const Row    *row = states_of(trace, run);
    const int64_t time = trace_slice_end(trace, run);
    Bytes         expected = { 0 }, is = { 0 };
    char          why[256], said[256];
    if (row == NULL || (trace->slices.flags[run] & (SLICE_UNFINISHED | SLICE_NO_END))) return;
    append_end(&is, &ends->end);
    if (expected_stack(trace, row, time, &expected)) {
        tally->stacks++;
        tally->missing += is.size == 0;
        if (is.size > 0 && (is.size != expected.size || memcmp(is.data, expected.data, is.size) != 0))
            fail_msg("run %u of %.*s ends at %lld at\n%.*swhere its goroutine is at\n%.*s", (unsigned)run,
                     (int)trace_label_name(trace, trace_slice_label(trace, run)).size,
                     trace_label_name(trace, trace_slice_label(trace, run)).bytes, (long long)time,
                     (int)is.size, (const char *)is.data, (int)expected.size, (const char *)expected.data);
    }
    expected_why(trace, row, time, why, sizeof why);
    snprintf(said, sizeof said, "%.*s", (int)ends->end.why.size, ends->end.why.bytes);
    if (said[0] == 0) {
        tally->missing++;
    } else if (strncmp(why, "waits", 5) == 0) {
        if (strcmp(said, why) != 0 && strcmp(said, "waits: for a coroutine") != 0)
            fail_msg("run %u ends at %lld: %s, not %s", (unsigned)run, (long long)time, said, why);
        tally->reasons++;
    } else if (strcmp(why, "runnable") == 0) {
        CHECK(strncmp(said, "runnable", 8) == 0);
        tally->reasons++;
    }
    bytes_release(&expected);
    bytes_release(&is);
}

/* Checks that a run continues at the end of the goroutine's last run. */
static void check_begin(const Loaded *loaded, uint64_t run, const SliceEnds *ends, Tally *tally)
{
    const Trace *trace = loaded->trace;
    const Track *lane = &trace->tracks[trace->rows[trace_slice_row(trace, run)].track];
    uint64_t     last = SLICE_NOWHERE;
    for (uint64_t s = 0; s < trace->slices.count; s++) {
        const uint32_t t = trace->rows[trace_slice_row(trace, s)].track;
        if (trace->tracks[t].process.index != lane->process.index || s == run ||
            trace_slice_label(trace, s) != trace_slice_label(trace, run) || !is_run(trace, s) ||
            trace_slice_begin(trace, s) >= trace_slice_begin(trace, run))
            continue;
        if (last == SLICE_NOWHERE || trace_slice_begin(trace, s) > trace_slice_begin(trace, last)) last = s;
    }
    CHECK_UINT(ends->previous, last);
    if (last == SLICE_NOWHERE) return;
    Arena     arena = arena_create(0);
    SliceEnds before;
    Err       err;
    Bytes     expected = { 0 }, is = { 0 };
    CHECK(load_slice_ends(loaded, last, &arena, &before, &err));
    append_end(&expected, &before.end);
    append_end(&is, &ends->begin);
    CHECK_UINT(is.size, expected.size);
    CHECK(is.size == 0 || memcmp(is.data, expected.data, is.size) == 0);
    CHECK(string_equal(ends->begin.why, before.end.why));
    tally->befores++;
    bytes_release(&expected);
    bytes_release(&is);
    arena_release(&arena);
}

/* Checks at most `most` runs, evenly spread. */
static Tally check_file(Source *source, unsigned most)
{
    Tally  tally = { 0 };
    Loaded loaded;
    if (!load(source, NULL, &loaded)) return tally;
    const Trace   *trace = loaded.trace;
    const uint64_t step = trace->slices.count / most + 1;
    for (uint64_t s = 0; s < trace->slices.count; s += step) {
        if (!is_run(trace, s)) continue;
        Arena     arena = arena_create(0);
        SliceEnds ends;
        Err       err;
        CHECK(load_slice_ends(&loaded, s, &arena, &ends, &err));
        check_end(&loaded, s, &ends, &tally);
        check_begin(&loaded, s, &ends, &tally);
        tally.runs++;
        arena_release(&arena);
    }
    loaded_release(&loaded);
    return tally;
}

static void add(Tally *all, const Tally *more)
{
    all->runs += more->runs;
    all->stacks += more->stacks;
    all->missing += more->missing;
    all->reasons += more->reasons;
    all->befores += more->befores;
}

TEST(runs_end_where_the_goroutines_lanes_say)
{
    Tally all = { 0 };
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Source source = { 0 };
        go_file_read(GO_FILES[i], &source.file);
        Tally tally = check_file(&source, 400);
        add(&all, &tally);
        bytes_release(&source.file);
    }
    print_message("# %u runs, %u stacks, %u missing, %u reasons, %u that were before\n", all.runs, all.stacks,
                  all.missing, all.reasons, all.befores);
    CHECK(all.stacks > 1000);
    CHECK(all.reasons > 1000);
    CHECK(all.befores > 1000);
    CHECK(all.missing < 25); /* on lanes of threads, in two files whose clocks disagree */
}

TEST(runs_end_there_in_traces_of_several_generations)
{
    static const char *const NAMES[] = { "go122_multigen.trace",      "go123_multigen.trace",
                                         "go126_multigen.trace",      "go126_mixed.trace",
                                         "go119_gc_cpuprofile.trace", "canned_http_1_5_good.trace" };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Source source = { 0 };
        go_file_read(NAMES[i], &source.file);
        Tally tally = check_file(&source, 600);
        CHECK(tally.stacks > 10 && tally.befores > 10);
        CHECK_UINT(tally.missing, 0);
        bytes_release(&source.file);
    }
}

/* -- the amount of reading -- */

static uint64_t largest_part(const GoKept *kept)
{
    const GoKeptGeneration *generations = kept->generations.items;
    uint64_t                largest = 0;
    for (uint32_t i = 0; i < kept->segment_count; i++) {
        const uint64_t size = kept->segments[i].end - kept->segments[i].begin;
        if (size > largest) largest = size;
    }
    for (size_t i = 0; i < kept->generations.count; i++) {
        const bool     is_last = i + 1 == kept->generations.count;
        const uint64_t end = is_last ? kept->end : generations[i + 1].offset;
        if (end - generations[i].offset > largest) largest = end - generations[i].offset;
    }
    return largest;
}

/* From version 1.22 on two generations and, if adjacent ones overlap, the one before; earlier, three batches for each
 * of two runs, and the tables. */
TEST(little_is_read_for_one_run)
{
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Source source = { 0 };
        Loaded loaded;
        go_file_read(GO_FILES[i], &source.file);
        if (load(&source, "Processors", &loaded)) {
            const Trace   *trace = loaded.trace;
            const GoKept  *kept = trace->source.kept;
            const uint64_t tables = kept->stacks_end - kept->stacks_begin;
            for (uint64_t s = 0; s < trace->slices.count; s++) {
                Arena     arena = arena_create(0);
                SliceEnds ends;
                Err       err;
                source.read = 0;
                CHECK(load_slice_ends(&loaded, s, &arena, &ends, &err));
                CHECK(source.read <= 6 * largest_part(kept) + tables + 64);
                arena_release(&arena);
            }
            loaded_release(&loaded);
        }
        bytes_release(&source.file);
    }
}

/* -- failures -- */

static uint64_t last_run(const Trace *trace)
{
    uint64_t last = 0;
    for (uint64_t s = 0; s < trace->slices.count; s++) {
        if (is_run(trace, s)) last = s;
    }
    return last;
}

TEST(memory_may_run_out)
{
    static const char *const NAMES[] = { "go126_chans.trace", "go119_chans.trace" };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Source source = { 0 };
        Loaded loaded;
        bool   done = false;
        go_file_read(NAMES[i], &source.file);
        CHECK(load(&source, "Processors", &loaded));
        const uint64_t run = last_run(loaded.trace);
        for (uint64_t n = 0; !done; n++) {
            Arena     arena = arena_create(0);
            SliceEnds ends;
            Err       err = { .code = ERR_NONE };
            memory_fail_after(n);
            done = load_slice_ends(&loaded, run, &arena, &ends, &err);
            memory_fail_after(UINT64_MAX);
            CHECK(done || err.code == ERR_MEMORY);
            CHECK(n < 1000);
            arena_release(&arena);
        }
        loaded_release(&loaded);
        bytes_release(&source.file);
    }
}

/* Another program writes to the file while it is open. */
TEST(the_file_may_have_changed)
{
    static const char *const NAMES[] = { "go126_chans.trace", "go122_chans.trace", "go119_chans.trace",
                                         "canned_stress_1_5_unordered.trace" };
    TestRandom               random = { 7 };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Source source = { 0 };
        Loaded loaded;
        go_file_read(NAMES[i], &source.file);
        CHECK(load(&source, "Processors", &loaded));
        const size_t size = source.file.size;
        for (unsigned round = 0; round < 300; round++) {
            const size_t at = (size_t)test_random_below(&random, size);
            ((uint8_t *)source.file.data)[at] = (uint8_t)test_random_below(&random, 256);
            if (round % 3 == 0) source.file.size = (size_t)test_random_below(&random, size);
            Arena     arena = arena_create(0);
            SliceEnds ends;
            Err       err = { .code = ERR_NONE };
            if (!load_slice_ends(&loaded, test_random_below(&random, loaded.trace->slices.count), &arena,
                                 &ends, &err))
                CHECK(err.code == ERR_IO);
            source.file.size = size;
            arena_release(&arena);
        }
        loaded_release(&loaded);
        bytes_release(&source.file);
    }
}

TEST_MAIN("go_ends", TEST_CASE(runs_end_where_the_goroutines_lanes_say),
          TEST_CASE(runs_end_there_in_traces_of_several_generations), TEST_CASE(little_is_read_for_one_run),
          TEST_CASE(memory_may_run_out), TEST_CASE(the_file_may_have_changed))
