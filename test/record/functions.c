/* A program whose functions a compiler instruments (instrument_test.py). The C++ compilers compile it, too.
 *
 * usage: functions exit|return|fork|signal|many */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_INLINE __attribute__((noinline))

enum { THREADS = 4, CALLS = 20000 };

static volatile int sink;

NOT_INLINE static void leaf(void)
{
    sink = sink + 1;
}

NOT_INLINE static void parent(void)
{
    leaf();
    leaf();
    sink = sink + 1; /* the call before it is not the last one: XRay ends a function before such a call */
}

NOT_INLINE static void *run_thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < CALLS; i++)
        parent();
    return NULL;
}

NOT_INLINE static void run_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* More threads than fit at once: each writes its buffer when it exits. */
NOT_INLINE static void *run_short(void *unused)
{
    leaf();
    return unused;
}

NOT_INLINE static void run_many(void)
{
    for (int i = 0; i < 300; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run_short, NULL);
        pthread_join(thread, NULL);
    }
}

NOT_INLINE static int run_child(void)
{
    int         status = 1;
    const pid_t child = fork();
    if (child == 0) {
        parent();
        exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

NOT_INLINE static void handle(int number)
{
    (void)number;
    leaf();
}

NOT_INLINE static void run_signals(void)
{
    const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    run_thread(NULL);
    setitimer(ITIMER_REAL, &never, NULL);
}

int main(int count, char **arguments)
{
    const char *const mode = count > 1 ? arguments[1] : "return";
    if (strcmp(mode, "many") == 0) run_many();
    if (strcmp(mode, "signal") == 0) run_signals();
    if (strcmp(mode, "fork") == 0) return run_child();
    if (strcmp(mode, "return") == 0) run_threads();
    if (strcmp(mode, "exit") == 0) {
        run_threads();
        exit(0);
    }
    return 0;
}
