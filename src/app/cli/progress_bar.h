/* app/cli/progress_bar.h - one line on the terminal with the progress of a load in another thread. */
#ifndef APP_CLI_PROGRESS_BAR_H
#define APP_CLI_PROGRESS_BAR_H
#include "base/progress.h"

#include <pthread.h>

typedef struct ProgressBar {
    const char     *name;     /* borrowed */
    const Progress *progress; /* borrowed */
    pthread_t       thread;
    pthread_mutex_t mutex;
    pthread_cond_t  stop_requested;
    bool            stop; /* under mutex */
    bool            runs; /* the thread was started */
} ProgressBar;

/* Draws a bar from its own thread until progress_bar_stop. Does nothing if stderr is not a terminal. */
void progress_bar_start(ProgressBar *bar, const char *name, const Progress *progress);
/* Stops the thread and removes the line. Does nothing to a zeroed bar. */
void progress_bar_stop(ProgressBar *bar);

/* Draws the line once, or removes it; for callers with a loop. Does nothing if stderr is not a terminal. */
void progress_line_draw(const char *name, const Progress *progress);
void progress_line_clear(void);

#endif
