/* A part of a Go trace: its events are those of the whole, and its memory is proportional to its length. */
#include "format/go_support.h"
#include "format/load.h"
#include "trace/store/flows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the events in a window, one line each -- */

typedef struct Lines {
    char **lines;
    size_t count, capacity;
} Lines;

static void add_line(Lines *lines, const Bytes *text)
{
    if (lines->count == lines->capacity) {
        lines->capacity = lines->capacity == 0 ? 256 : lines->capacity * 2;
        char **grown = realloc(lines->lines, lines->capacity * sizeof *lines->lines);
        CHECK(grown != NULL);
        lines->lines = grown;
    }
    char *line = malloc(text->size + 1);
    CHECK(line != NULL && !text->failed);
    memcpy(line, text->data, text->size);
    line[text->size] = '\0';
    lines->lines[lines->count++] = line;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void release_lines(Lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->lines[i]);
    free(lines->lines);
}

typedef struct Window {
    int64_t begin, end;
} Window;

static void put_string(const Trace *trace, StringId id, Bytes *out)
{
    StringView view = trace_string(trace, id);
    bytes_append(out, view.bytes, view.size);
}

/* Goroutines are identified by their number: their function may be known only after the window. */
static void put_track(const Trace *trace, const Track *track, Bytes *out)
{
    static const char *const GROUPS[] = { "Metrics", "Garbage collection", "Processors", "Threads", "Tasks" };
    StringView               name = trace_string(trace, trace->processes[track->process.index].name);
    const char              *group = "goroutines";
    for (size_t i = 0; i < sizeof GROUPS / sizeof GROUPS[0]; i++) {
        if (strlen(GROUPS[i]) == name.size && memcmp(GROUPS[i], name.bytes, name.size) == 0)
            group = GROUPS[i];
    }
    bytes_printf(out, "%s %d ", group, (int)track->kind);
    if (track->kind == TRACK_ASYNC) return; /* its lanes depend on ends outside the window */
    uint32_t thread = track_thread(trace, (uint32_t)(track - trace->tracks));
    put_string(trace, trace->tracks[thread].name, out);
}

/* "G7 main.worker" may be known only as G7. */
static void put_label(const Trace *trace, uint32_t label, Bytes *out)
{
    StringView  name = trace_label_name(trace, label);
    const char *space = memchr(name.bytes, ' ', name.size);
    bool is_run = trace_label_category(trace, label).size == 9 && name.size > 0 && name.bytes[0] == 'G';
    bytes_append(out, name.bytes, is_run && space != NULL ? (size_t)(space - name.bytes) : name.size);
}

static void put_stack(const Trace *trace, const char *word, StackId stack, Bytes *out)
{
    if (stack.index == 0) return;
    bytes_printf(out, " %s %u deep", word, trace_stack_depth(trace, stack));
}

static bool is_unfinished(const Trace *trace, uint64_t slice, const Window *window)
{
    return (trace->slices.flags[slice] & SLICE_UNFINISHED) || trace_slice_end(trace, slice) > window->end;
}

/* True for a region or assist that began before the trace and is known only by its end. */
static bool is_yet_unknown(const Trace *trace, const Track *track, uint64_t slice, const Window *window)
{
    StringView category = trace_label_category(trace, trace_slice_label(trace, slice));
    bool       is_nested = (category.size == 6 && memcmp(category.bytes, "region", 6) == 0) ||
                     (category.size == 2 && memcmp(category.bytes, "GC", 2) == 0);
    return track->kind == TRACK_THREAD && is_nested && !(trace->slices.flags[slice] & SLICE_UNFINISHED) &&
           trace_slice_begin(trace, slice) == trace->begin_tick &&
           trace_slice_end(trace, slice) > window->end;
}

static void put_slices(const Trace *trace, const Track *track, const Row *row, const Window *window,
                       Lines *lines)
{
    for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
        int64_t begin = trace_slice_begin(trace, i), end = trace_slice_end(trace, i);
        Bytes   line = { 0 };
        if (begin > window->end || end < window->begin || is_yet_unknown(trace, track, i, window)) continue;
        put_track(trace, track, &line);
        bytes_printf(&line, " %u ", track->kind == TRACK_ASYNC ? 0 : row->depth);
        put_label(trace, trace_slice_label(trace, i), &line);
        bytes_printf(&line, " %" PRId64 "..", begin);
        put_stack(trace, "from", trace_slice_stack(trace, i), &line);
        if (!is_unfinished(trace, i, window)) {
            bytes_printf(&line, " %" PRId64, end);
            put_stack(trace, "to", trace_slice_end_stack(trace, i), &line);
        }
        add_line(lines, &line);
        bytes_release(&line);
    }
}

/* Up to version 1.21 ends of syscalls before the window are at the positions of their records: goroutines are counted
 * at other times. */
static bool is_counted_else(const Trace *trace, const Track *track)
{
    StringView name = trace_string(trace, track->name);
    return atoi(trace->source.format_version + 2) < 22 && name.size == 10 &&
           memcmp(name.bytes, "Goroutines", 10) == 0;
}

static void put_points(const Trace *trace, const Track *track, const Row *row, const Window *window,
                       Lines *lines)
{
    for (uint64_t i = row_extras(row)->first_instant;
         i < row_extras(row)->first_instant + row_extras(row)->instant_count; i++) {
        int64_t tick = trace->instants.tick[i];
        Bytes   line = { 0 };
        if (tick < window->begin || tick > window->end) continue;
        put_track(trace, track, &line);
        bytes_printf(&line, " ! %" PRId64 " ", tick);
        put_label(trace, trace->instants.label[i], &line);
        put_stack(trace, "at", trace_instant_stack(trace, i), &line);
        add_line(lines, &line);
        bytes_release(&line);
    }
    for (uint64_t i = row_extras(row)->first_sample;
         i < row_extras(row)->first_sample + row_extras(row)->sample_count; i++) {
        bool holds = i + 1 == row_extras(row)->first_sample + row_extras(row)->sample_count ||
                     trace->samples.tick[i + 1] >= window->begin;
        Bytes line = { 0 };
        if (!holds || trace->samples.tick[i] > window->end || is_counted_else(trace, track)) continue;
        put_track(trace, track, &line);
        put_string(trace, trace->series[row_extras(row)->series].name, &line);
        bytes_printf(&line, " = %" PRId64 " %g", trace->samples.tick[i], trace->samples.value[i]);
        add_line(lines, &line);
        bytes_release(&line);
    }
}

static void put_arrows(const Trace *trace, const Window *window, Lines *lines)
{
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        FlowEnd from = trace_flow_end(trace, i, FLOW_FROM), to = trace_flow_end(trace, i, FLOW_TO);
        Bytes   line = { 0 };
        if (from.tick < window->begin || to.tick > window->end) continue;
        put_track(trace, &trace->tracks[from.track], &line);
        bytes_printf(&line, " %" PRId64 " -> ", from.tick);
        put_track(trace, &trace->tracks[to.track], &line);
        bytes_printf(&line, " %" PRId64 " ", to.tick);
        put_label(trace, trace->flows.label[i], &line);
        add_line(lines, &line);
        bytes_release(&line);
    }
}

static Lines lines_of(const Trace *trace, const Window *window)
{
    Lines lines = { 0 };
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row   *row = &trace->rows[r];
        const Track *track = &trace->tracks[row->track];
        put_slices(trace, track, row, window, &lines);
        put_points(trace, track, row, window, &lines);
    }
    put_arrows(trace, window, &lines);
    if (lines.count > 0) qsort(lines.lines, lines.count, sizeof *lines.lines, compare_lines);
    return lines;
}

static void check_same(const char *file, const Window *window, const Lines *whole, const Lines *part)
{
    for (size_t i = 0; i < whole->count && i < part->count; i++) {
        if (strcmp(whole->lines[i], part->lines[i]) != 0)
            fail_msg("%s, %" PRId64 "..%" PRId64 ": the whole has\n%s\nthe part\n%s", file, window->begin,
                     window->end, whole->lines[i], part->lines[i]);
    }
    if (whole->count != part->count)
        fail_msg("%s, %" PRId64 "..%" PRId64 ": the whole has %zu lines, the part %zu", file, window->begin,
                 window->end, whole->count, part->count);
}

/* -- files -- */

/* perspective: NULL = all. */
static bool load(const Bytes *file, const char *perspective, const char *range, Loaded *loaded, Err *err)
{
    LoadOptions options = { .threads = 1, .range = range, .perspective = perspective };
    return load_bytes(file->data, file->size, "x.trace", &options, loaded, err);
}

static void check_window(const char *name, const Bytes *file, const char *perspective, const Trace *whole,
                         Window window)
{
    char   range[64];
    Loaded part;
    Err    err;
    snprintf(range, sizeof range, "%" PRId64 "ns..%" PRId64 "ns", window.begin, window.end);
    if (!load(file, perspective, range, &part, &err)) fail_msg("%s %s: %s", name, range, err.message);
    window.begin += whole->begin_tick;
    window.end += whole->begin_tick;
    CHECK(part.trace->window.is_set);
    CHECK_INT(part.trace->begin_tick, whole->begin_tick);
    CHECK_INT(part.trace->window.begin, window.begin);
    if (window.end > part.trace->end_tick) window.end = part.trace->end_tick;
    CHECK_INT(part.trace->window.end, window.end);
    CHECK_INT(part.trace->end_tick, window.end);
    if (!trace_check(part.trace, &err)) fail_msg("%s %s: %s", name, range, err.message);
    Lines of_whole = lines_of(whole, &window), of_part = lines_of(part.trace, &window);
    check_same(name, &window, &of_whole, &of_part);
    release_lines(&of_whole);
    release_lines(&of_part);
    loaded_release(&part);
}

static void check_windows(const char *name, const Bytes *file, const char *perspective)
{
    Loaded whole;
    Err    err;
    if (load(file, perspective, NULL, &whole, &err) && whole.trace->end_tick > whole.trace->begin_tick) {
        const Trace  *trace = whole.trace;
        const int64_t span = trace->end_tick - trace->begin_tick;
        for (int64_t part = 0; part < 8; part++)
            check_window(name, file, perspective, trace,
                         (Window){ span / 8 * part, span / 8 * (part + 1) + 1 });
        check_window(name, file, perspective, trace, (Window){ 0, span + 1 });
        check_window(name, file, perspective, trace, (Window){ span / 3, span / 3 + 1 });
        check_window(name, file, perspective, trace, (Window){ span - 1, span + 1000 });
    }
    loaded_release(&whole);
}

static void check_file(const char *name)
{
    Bytes file = { 0 };
    go_file_read(name, &file);
    check_windows(name, &file, NULL);
    check_windows(name, &file, "processors");
    bytes_release(&file);
}

TEST(a_part_has_the_events_of_the_whole)
{
    for (size_t i = 0; GO_FILES[i] != NULL; i++)
        check_file(GO_FILES[i]);
}

TEST(so_it_is_with_large_files)
{
    static const char *const LARGE[] = {
        "go119_gc_cpuprofile.trace",
        "go126_mixed.trace",
        "canned_http_1_5_good.trace",
        "go119_net.trace",
        "go122_mixed.trace",
        "go122_multigen.trace",
        "go123_multigen.trace",
        "go124_mixed.trace",
        "go126_multigen.trace",
        "go126_allocfree.trace",
        "canned_stress_start_stop_1_10_good.trace",
    };
    for (size_t i = 0; i < sizeof LARGE / sizeof LARGE[0]; i++)
        check_file(LARGE[i]);
}

/* -- memory -- */

static void put(Bytes *out, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    bytes_append(out, &b, 1);
}

static void put_numbers(Bytes *out, size_t count, const uint64_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = numbers[i];
        for (; value >= 0x80; value >>= 7)
            put(out, (unsigned)(value & 0x7f) | 0x80);
        put(out, (unsigned)value);
    }
}
#define PUT(out, ...)                                                                                        \
    put_numbers(out, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (uint64_t[]){ __VA_ARGS__ })

enum { BATCHES_OF_SHORT = 16, ROUNDS_OF_BATCH = 1000 };

/* Writes rounds of a syscall that blocks, and a goroutine that begins, writes a log and ends: ROUNDS_OF_BATCH in one
 * batch. */
static void make_v1(Bytes *file, unsigned batches)
{
    enum { BATCH = 0x41, SIZED = 3 << 6, TWO = 1 << 6 };
    uint64_t now = 1000, g = 1;
    bytes_append(file, "go 1.19 trace\0\0\0", 16);
    for (unsigned batch = 0; batch < batches; batch++) {
        put(file, BATCH), PUT(file, 0, now);
        if (batch == 0) {
            put(file, 13 | SIZED), PUT(file, 4, 1, 1, 0, 0), now++; /* GoCreate */
            put(file, 5 | TWO), PUT(file, 1, 0), now++;             /* ProcStart */
            put(file, 38 | TWO), PUT(file, 1, 1), now++;            /* GoStartLocal */
        }
        for (unsigned round = 0; round < ROUNDS_OF_BATCH; round++) {
            Bytes record = { 0 };
            g++;
            put(file, 28 | TWO), PUT(file, 1, 0);  /* GoSysCall */
            put(file, 30), PUT(file, 5), now += 6; /* GoSysBlock */
            PUT(&record, 4, 1, now + 2);
            put(file, 40 | SIZED), PUT(file, record.size), bytes_append(file, record.data, record.size);
            put(file, 38 | TWO), PUT(file, 1, 1), now += 5; /* GoStartLocal, after GoSysExitLocal */
            bytes_clear(&record), PUT(&record, 1, g, 0, 0);
            put(file, 13 | SIZED), PUT(file, record.size), bytes_append(file, record.data, record.size);
            put(file, 17 | TWO), PUT(file, 1, 0);               /* GoSched */
            put(file, 38 | TWO), PUT(file, 1, g);               /* GoStartLocal */
            put(file, 48 | SIZED), PUT(file, 4, 1, 0, 0, 0, 8); /* UserLog */
            bytes_printf(file, "%08u", (unsigned)g);
            put(file, 15), PUT(file, 1); /* GoEnd */
            put(file, 38 | TWO), PUT(file, 1, 1), now += 6;
            bytes_release(&record);
        }
    }
    put(file, 2), PUT(file, 15625000); /* Frequency */
}

static void put_batch(Bytes *file, unsigned generation, uint64_t m, uint64_t time, const Bytes *data)
{
    put(file, 1), PUT(file, generation, m, time, data->size);
    bytes_append(file, data->data, data->size);
}

/* Writes a goroutine that begins, has a task, writes a unique log and ends: repeatedly in each generation. */
static void make_v2(Bytes *file, unsigned generations)
{
    uint64_t now = 1000, g = 1;
    bytes_append(file, "go 1.22 trace\0\0\0", 16);
    for (unsigned generation = 1; generation <= generations; generation++) {
        Bytes    events = { 0 }, strings = { 0 }, clock = { 0 };
        uint64_t begin = now, seq = 0;
        put(&clock, 8), PUT(&clock, 15625000);
        put_batch(file, generation, UINT64_MAX, begin, &clock);
        put(&strings, 4);
        put(&events, 13), PUT(&events, 1, 0, 1);    /* ProcStatus: running */
        put(&events, 25), PUT(&events, 1, 1, 1, 2); /* GoStatus: running */
        for (unsigned round = 0; round < ROUNDS_OF_BATCH; round++) {
            g++;
            put(&strings, 5), PUT(&strings, round + 1, 8);
            bytes_printf(&strings, "%08u", (unsigned)g);
            put(&events, 14), PUT(&events, 1, g, 0, 0);            /* GoCreate */
            put(&events, 19), PUT(&events, 1, 0, 0);               /* GoStop */
            put(&events, 16), PUT(&events, 1, g, 1);               /* GoStart */
            put(&events, 40), PUT(&events, 1, g, 0, 0, 0);         /* UserTaskBegin */
            put(&events, 44), PUT(&events, 1, g, 0, round + 1, 0); /* UserLog */
            put(&events, 41), PUT(&events, 1, g, 0);               /* UserTaskEnd */
            put(&events, 17), PUT(&events, 1);                     /* GoDestroy */
            seq++;
            put(&events, 16), PUT(&events, 1, 1, seq); /* GoStart */
            now += 8;
        }
        put_batch(file, generation, 1, begin, &events);
        put_batch(file, generation, UINT64_MAX, begin, &strings);
        now += 100;
        bytes_release(&events), bytes_release(&strings), bytes_release(&clock);
    }
}

/* Returns the peak of memory, without the file itself, for loading a tenth of a short trace from a file `times` as
 * long. */
static uint64_t peak_of(void (*make)(Bytes *file, unsigned batches), unsigned times, const char *range)
{
    Bytes       file = { 0 };
    Loaded      loaded;
    Err         err;
    LoadOptions options = { .threads = 1, .range = range };
    make(&file, BATCHES_OF_SHORT * times);
    CHECK(!file.failed);
    memory_watch();
    uint64_t before = memory_peak();
    if (!load_bytes(file.data, file.size, "x.trace", &options, &loaded, &err)) fail_msg("%s", err.message);
    uint64_t peak = memory_peak() - before;
    CHECK(loaded.trace->source.complete);
    CHECK(loaded.trace->slices.count > 100);
    loaded_release(&loaded);
    bytes_release(&file);
    return peak;
}

static void check_memory(void (*make)(Bytes *file, unsigned batches), const char *late)
{
    /* A few blocks of arenas, whatever the length of the trace. */
    enum { MUCH = 4, MOST_MORE_BYTES = 512 << 10 };
    static const char EARLY[] = "1ms..2ms";
    uint64_t          whole = peak_of(make, MUCH, NULL), part = peak_of(make, 1, EARLY);
    uint64_t          of_much = peak_of(make, MUCH, EARLY), late_of_much = peak_of(make, MUCH, late);
    printf("# whole %llu, a part %llu, of much %llu, late in it %llu bytes\n", (unsigned long long)whole,
           (unsigned long long)part, (unsigned long long)of_much, (unsigned long long)late_of_much);
    CHECK(of_much <= part + MOST_MORE_BYTES);
    CHECK(late_of_much <= part + MOST_MORE_BYTES);
    CHECK(whole > 4 * late_of_much);
}

TEST(memory_is_that_of_the_window_in_v1)
{
    check_memory(make_v1, "60ms..61ms"); /* of 69 */
}

TEST(memory_is_that_of_the_window_in_v2)
{
    check_memory(make_v2, "30ms..31ms"); /* of 33 */
}

/* -- refused ranges -- */

TEST(a_range_lies_in_the_trace)
{
    Bytes  file = { 0 };
    Loaded loaded;
    Err    err;
    go_file_read("go119_tiny.trace", &file);
    CHECK(!load(&file, NULL, "10s..11s", &loaded, &err));
    CHECK_INT(err.code, ERR_USAGE);
    CHECK(strstr(err.message, "after the trace's end") != NULL);
    CHECK(!load(&file, NULL, "yesterday", &loaded, &err));
    CHECK_INT(err.code, ERR_USAGE);
    bytes_release(&file);
}

/* -- damage -- */

static void check_part_of(const uint8_t *bytes, size_t size)
{
    Loaded      loaded;
    Err         err;
    LoadOptions options = { .threads = 1, .range = "50us..2ms" };
    if (!load_bytes(bytes, size, "x.trace", &options, &loaded, &err)) return;
    if (!trace_check(loaded.trace, &err)) fail_msg("%zu bytes: %s", size, err.message);
    loaded_release(&loaded);
}

TEST(parts_of_damaged_files_are_sound)
{
    enum { ROUNDS = 60, MOST_BYTES = 6000 };
    uint32_t random = 1;
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 };
        go_file_read(GO_FILES[i], &file);
        for (unsigned round = 0; round < ROUNDS && file.size > 16 && file.size < MOST_BYTES; round++) {
            random = random * 1664525 + 1013904223;
            size_t  at = 16 + (random >> 8) % (file.size - 16);
            uint8_t was = file.data[at];
            file.data[at] = (uint8_t)(random >> 3);
            check_part_of(file.data, file.size);
            file.data[at] = was;
            check_part_of(file.data, at); /* truncated */
        }
        bytes_release(&file);
    }
}

TEST_MAIN("go_range", TEST_CASE(a_part_has_the_events_of_the_whole), TEST_CASE(so_it_is_with_large_files),
          TEST_CASE(memory_is_that_of_the_window_in_v1), TEST_CASE(memory_is_that_of_the_window_in_v2),
          TEST_CASE(a_range_lies_in_the_trace), TEST_CASE(parts_of_damaged_files_are_sound))
