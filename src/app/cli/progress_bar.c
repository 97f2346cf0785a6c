#include "app/cli/progress_bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CELLS = 30, REDRAW_NS = 100 * 1000 * 1000 };

static const char *const PHASE_WORDS[] = { [PROGRESS_READING] = "reading",
                                           [PROGRESS_SORTING] = "sorting",
                                           [PROGRESS_INDEXING] = "indexing",
                                           [PROGRESS_DONE] = "ready" };

void progress_line_draw(const char *name, const Progress *progress)
{
    static const char FULL[] = "##############################";
    static const char EMPTY[] = "..............................";
    uint64_t          done = atomic_load(&progress->done), total = atomic_load(&progress->total);
    const char       *phase = PHASE_WORDS[atomic_load(&progress->phase)];
    if (isatty(STDERR_FILENO) != 1) return;
    if (total == 0) {
        (void)fprintf(stderr, "\r\033[K%s: %s, %" PRIu64 " MB", name, phase, done / 1000000);
    } else {
        double share = done >= total ? 1 : (double)done / (double)total;
        int    cells = (int)(share * (double)BAR_CELLS);
        (void)fprintf(stderr, "\r\033[K[%.*s%.*s] %3d %%  %s  %s", cells, FULL, BAR_CELLS - cells, EMPTY,
                      (int)(share * 100), phase, name);
    }
    (void)fflush(stderr);
}

void progress_line_clear(void)
{
    if (isatty(STDERR_FILENO) != 1) return;
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
}

/* Waits until the bar is stopped, at most until the next redraw. */
static bool wait_for_stop(ProgressBar *bar)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += REDRAW_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_mutex_lock(&bar->mutex);
    if (!bar->stop) (void)pthread_cond_timedwait(&bar->stop_requested, &bar->mutex, &until);
    bool stop = bar->stop;
    (void)pthread_mutex_unlock(&bar->mutex);
    return stop;
}

static void *bar_thread(void *context)
{
    ProgressBar *bar = context;
    bool         drawn = false;
    while (!wait_for_stop(bar)) { /* short loads show no bar */
        progress_line_draw(bar->name, bar->progress);
        drawn = true;
    }
    if (drawn) progress_line_clear();
    return NULL;
}

void progress_bar_start(ProgressBar *bar, const char *name, const Progress *progress)
{
    *bar = (ProgressBar){ .name = name, .progress = progress };
    if (isatty(STDERR_FILENO) != 1) return;
    if (pthread_mutex_init(&bar->mutex, NULL) != 0) return;
    if (pthread_cond_init(&bar->stop_requested, NULL) != 0) {
        (void)pthread_mutex_destroy(&bar->mutex);
        return;
    }
    bar->runs = pthread_create(&bar->thread, NULL, bar_thread, bar) == 0;
    if (bar->runs) return;
    (void)pthread_cond_destroy(&bar->stop_requested);
    (void)pthread_mutex_destroy(&bar->mutex);
}

void progress_bar_stop(ProgressBar *bar)
{
    if (!bar->runs) return;
    (void)pthread_mutex_lock(&bar->mutex);
    bar->stop = true;
    (void)pthread_cond_signal(&bar->stop_requested);
    (void)pthread_mutex_unlock(&bar->mutex);
    (void)pthread_join(bar->thread, NULL);
    (void)pthread_cond_destroy(&bar->stop_requested);
    (void)pthread_mutex_destroy(&bar->mutex);
    bar->runs = false;
}
