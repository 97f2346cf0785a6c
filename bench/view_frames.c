#include "view_frames.h"

#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"

#include <stdlib.h>
#include <time.h>

enum { FIRST_FRAMES = 60 };

static const double FRAME_MS = 1000.0 / 60;

const BenchMovement BENCH_MOVEMENTS[] = {
    { "zoom in", "KeyW", 0 }, { "pan", "KeyD", 0 },         { "zoom out", "KeyS", 0 },
    { "scroll", NULL, 40 },   { "scroll back", NULL, -40 }, { NULL, NULL, 0 },
};

double bench_cpu_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Answers a request, as far as a frame without input beyond the movements needs it. */
static void answer(BenchView *bench, const ViewRequest *request)
{
    Err    err;
    bool   done = false;
    Bytes *bytes = &bench->bytes;
    bytes_clear(bytes);
    if (request->kind == VIEW_REQUEST_OVERVIEW) {
        overview_encode(bench->trace, NULL, 0, request->page, bytes);
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

/* Makes a frame and answers its requests. False when out of memory. */
static bool make_frame(BenchView *bench, double *frame_ms, double *data_ms, Err *err)
{
    ViewRequest  request;
    const double begin = bench_cpu_ms();
    bench->now_ms += FRAME_MS;
    (void)view_step(bench->view, bench->now_ms);
    const bool   done = view_draw(bench->view) != NULL;
    const double drawn = bench_cpu_ms();
    while (view_next_request(bench->view, &request))
        answer(bench, &request);
    *frame_ms = drawn - begin;
    *data_ms = bench_cpu_ms() - drawn;
    return done || err_set(err, ERR_MEMORY, "out of memory for a frame");
}

static int compare_ms(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bool bench_view_open(BenchView *bench, const Trace *trace, Err *err)
{
    double frame_ms, data_ms;
    *bench = (BenchView){ .trace = trace, .view = view_create(0) };
    if (bench->view == NULL) return err_set(err, ERR_MEMORY, "out of memory for a view");
    outline_encode(trace, STRING_LITERAL("bench"), &bench->bytes);
    view_resize(bench->view, 1600, 900, 1);
    const double begin = bench_cpu_ms();
    if (!view_add_trace(bench->view, bench->bytes.data, bench->bytes.size, err)) return false;
    bench->open_ms = bench_cpu_ms() - begin;
    for (int i = 0; i < FIRST_FRAMES; i++) {
        if (!make_frame(bench, &frame_ms, &data_ms, err)) return false;
        if (i == 0) bench->open_ms += frame_ms;
    }
    return true;
}

void bench_view_release(BenchView *bench)
{
    view_destroy(bench->view);
    bytes_release(&bench->bytes);
}

bool bench_view_move(BenchView *bench, const BenchMovement *movement, BenchFrameTimes *times, Err *err)
{
    if (movement->key != NULL) (void)view_key(bench->view, KEY_DOWN, movement->key, 0, bench->now_ms);
    for (int i = 0; i < BENCH_FRAMES; i++) {
        if (movement->key == NULL) view_wheel(bench->view, 800, 500, 0, movement->wheel_px, 0, bench->now_ms);
        if (!make_frame(bench, &times->frames[i], &times->data[i], err)) return false;
    }
    if (movement->key != NULL) (void)view_key(bench->view, KEY_UP, movement->key, 0, bench->now_ms);
    qsort(times->frames, BENCH_FRAMES, sizeof times->frames[0], compare_ms);
    qsort(times->data, BENCH_FRAMES, sizeof times->data[0], compare_ms);
    return true;
}
