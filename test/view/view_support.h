/* view/view_support.h - a view with a host that has all data. */
#ifndef VIEW_SUPPORT_H
#define VIEW_SUPPORT_H
#include "trace_support.h"
#include "view/align.h"
#include "view/built_rows.h"
#include "view/commands.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/flow_lines.h"
#include "view/found.h"
#include "view/hidden.h"
#include "view/hit.h"
#include "view/input.h"
#include "view/layout.h"
#include "view/live.h"
#include "view/motion.h"
#include "view/perspective.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/select.h"
#include "view/shown.h"

typedef struct TestHost {
    View    *view;
    Trace   *traces[4]; /* owned */
    uint32_t trace_count;
    double   now_ms;
} TestHost;

/* Returns a view of 1000 x 600 CSS pixels with whole device pixels. */
TestHost host_create(void);
void     host_destroy(TestHost *host);
/* Creates a host with two processes and three threads. Its slice "load" is at load_place(). */
TestHost   host_with_trace(void);
SlicePlace load_place(void);
/* Returns the rectangle of the slice "load" after all data has arrived. */
Rect load_bar(TestHost *host);
/* Adds a trace and takes its ownership. */
void host_add(TestHost *host, Trace *trace, const char *file_name);
/* Steps, draws and answers requests until the picture is complete and does not move. */
const DrawList *host_rest(TestHost *host);
/* Compares the resulting frame with the golden file view/NAME.txt. */
void host_check_golden(TestHost *host, const char *name);
/* Answers the present requests; returns their number. */
int host_answer(TestHost *host);

void host_move(TestHost *host, double x, double y);
void host_down(TestHost *host, double x, double y, unsigned modifiers);
void host_up(TestHost *host, double x, double y);
void host_drag(TestHost *host, double x0, double y0, double x1, double y1, unsigned modifiers);
void host_click(TestHost *host, double x, double y);
void host_key(TestHost *host, const char *key, unsigned modifiers);
/* Takes all events; the last one of the kind in *event. */
bool host_event(TestHost *host, ViewEventKind kind, ViewEvent *event);

/* Returns two threads with nested, overlapping and open slices, and instants of the three scopes. */
Trace *small_view_trace(void);
/* Returns the column of device pixels of a moment of the first trace; far outside of the plot a bound. */
int host_column_of(const TestHost *host, uint64_t offset);

/* Returns slices of random lengths on `threads` threads, nested up to four deep; the same for the same seed. */
Trace *random_trace(uint64_t seed, int threads, int slices, int64_t span);

#endif
