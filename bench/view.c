/* varve-bench-view FILE - how long the view takes for a frame (view_step and view_draw) while it zooms, pans and scrolls
 * rows at 1600x900. Every frame has all tiles of the frame before it. Prints the median, the 95th and the 99th
 * percentile of each movement: CPU time, because the machine may be busy. */
#include "view/view.h"
#include "format/load.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 240 };

static const double FRAME_MS = 1000.0 / 60;

typedef struct Movement {
    const char *name;
    const char *key;      /* is held down; NULL = the wheel turns */
    double      wheel_px; /* for each frame */
} Movement;

static const Movement MOVEMENTS[] = {
    { "zoom in", "KeyW", 0 }, { "pan", "KeyD", 0 },         { "zoom out", "KeyS", 0 },
    { "scroll", NULL, 40 },   { "scroll back", NULL, -40 },
};

typedef struct BenchView {
    View  *view;
    Trace *trace;
    double now_ms;
} BenchView;

static double cpu_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Answers a request, as far as a frame without input beyond the movements needs it. */
static void answer(BenchView *bench, const ViewRequest *request, Bytes *bytes)
{
    Err  err;
    bool done = false;
    bytes_clear(bytes);
    if (request->kind == VIEW_REQUEST_OVERVIEW) {
        overview_encode(bench->trace, request->page, bytes);
        done = view_put_overview(bench->view, 0, bytes->data, bytes->size);
    } else if (request->kind == VIEW_REQUEST_LABELS) {
        label_page_encode(bench->trace, request->page, bytes);
        done = view_put_labels(bench->view, 0, request->page, bytes->data, bytes->size);
    } else if (request->kind == VIEW_REQUEST_TILE &&
               tile_encode(bench->trace, request->tile, bytes, NULL, &err)) {
        done = view_put_tile(bench->view, 0, bytes->data, bytes->size);
    }
    if (!done) view_request_failed(bench->view, request);
}

/* Makes a frame and answers its requests. Returns the time of the frame; a negative number when out of memory. */
static double make_frame(BenchView *bench, Bytes *bytes)
{
    ViewRequest  request;
    const double begin = cpu_ms();
    bench->now_ms += FRAME_MS;
    (void)view_step(bench->view, bench->now_ms);
    const bool   done = view_draw(bench->view) != NULL;
    const double ms = cpu_ms() - begin;
    while (view_next_request(bench->view, &request))
        answer(bench, &request, bytes);
    return done ? ms : -1;
}

static int compare_ms(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool measure(BenchView *bench, const Movement *movement, Bytes *bytes)
{
    double ms[FRAMES];
    if (movement->key != NULL) (void)view_key(bench->view, KEY_DOWN, movement->key, 0, bench->now_ms);
    for (int i = 0; i < FRAMES; i++) {
        if (movement->key == NULL) view_wheel(bench->view, 800, 500, 0, movement->wheel_px, 0, bench->now_ms);
        ms[i] = make_frame(bench, bytes);
        if (ms[i] < 0) return false;
    }
    if (movement->key != NULL) (void)view_key(bench->view, KEY_UP, movement->key, 0, bench->now_ms);
    qsort(ms, FRAMES, sizeof ms[0], compare_ms);
    printf("%-12s %8.2f %8.2f %8.2f %8.2f\n", movement->name, ms[FRAMES / 2], ms[FRAMES * 95 / 100],
           ms[FRAMES * 99 / 100], ms[FRAMES - 1]);
    return true;
}

static bool measure_all(BenchView *bench, Bytes *bytes, Err *err)
{
    outline_encode(bench->trace, STRING_LITERAL("bench"), bytes);
    bench->view = view_create(0);
    if (bench->view == NULL) return err_set(err, ERR_MEMORY, "out of memory for a view");
    view_resize(bench->view, 1600, 900, 1);
    if (!view_add_trace(bench->view, bytes->data, bytes->size, err)) return false;
    for (int i = 0; i < 60; i++)
        if (make_frame(bench, bytes) < 0) return err_set(err, ERR_MEMORY, "out of memory for a frame");
    printf("%-12s %8s %8s %8s %8s\n", "ms a frame", "median", "95 %", "99 %", "most");
    for (size_t i = 0; i < sizeof MOVEMENTS / sizeof MOVEMENTS[0]; i++)
        if (!measure(bench, &MOVEMENTS[i], bytes))
            return err_set(err, ERR_MEMORY, "out of memory for a frame");
    return true;
}

int main(int count, char **words)
{
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    const LoadOptions options = { .perspective = "" };
    Loaded            loaded;
    Bytes             bytes = { 0 };
    if (count != 2) {
        fprintf(stderr, "usage: varve-bench-view FILE\n");
        return 2;
    }
    if (!load_file(words[1], &options, &loaded, &err)) {
        fprintf(stderr, "varve-bench-view: %s\n", err.message);
        return 1;
    }
    BenchView bench = { .trace = loaded.trace };
    printf("%" PRIu64 " slices\n", trace_slice_count(loaded.trace));
    const bool done = measure_all(&bench, &bytes, &err);
    if (!done) fprintf(stderr, "varve-bench-view: %s\n", err.message);
    view_destroy(bench.view);
    bytes_release(&bytes);
    loaded_release(&loaded);
    return done ? 0 : 1;
}
