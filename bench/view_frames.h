/* bench/view_frames.h - frames of the view over a loaded trace, for measurements: the work that the page does without
 * the painting, at 1600x900. Each frame has all tiles that the frame before it requested.
 *
 * Times are processor times of the calling thread in ms, because other programs may share the machine. */
#ifndef BENCH_VIEW_FRAMES_H
#define BENCH_VIEW_FRAMES_H
#include "trace/store/trace.h"
#include "view/view.h"

typedef struct BenchView {
    View        *view;
    const Trace *trace;
    Bytes        bytes; /* of the last answer */
    double       now_ms;
    double       open_ms; /* of view_add_trace and the first frame */
} BenchView;

typedef struct BenchMovement {
    const char *name;
    const char *key;      /* is held down; NULL = the wheel turns */
    double      wheel_px; /* for each frame */
} BenchMovement;

/* Zoom in, pan, zoom out, scroll, scroll back; then an entry without a name. */
extern const BenchMovement BENCH_MOVEMENTS[];

enum { BENCH_FRAMES = 240 };

typedef struct BenchFrameTimes {
    double frames[BENCH_FRAMES]; /* of view_step and view_draw, ascending */
    double data[BENCH_FRAMES];   /* of the answers to the requests of a frame, ascending: encoded and put */
} BenchFrameTimes;

double bench_cpu_ms(void);
/* Makes a view of the trace and draws frames until the first picture has all its data. The caller releases the view,
 * also after a failure. */
bool bench_view_open(BenchView *bench, const Trace *trace, Err *err) WARN_UNUSED;
void bench_view_release(BenchView *bench);
/* Measures BENCH_FRAMES frames of a movement. */
bool bench_view_move(BenchView *bench, const BenchMovement *movement, BenchFrameTimes *times,
                     Err *err) WARN_UNUSED;

#endif
