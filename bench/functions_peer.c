/* The hooks of -finstrument-functions for another recorder: PEER, a macro, is its name in recorders.h. The name of a function
 * is its address in hexadecimal. The file is that of the environment variable FUNCTIONS_PEER. */
#include "recorders.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FUNCTIONS = 1 << 16 };

typedef struct Function {
    void *address; /* atomic; set last */
    void *memory;  /* of the recorder */
    char  name[20];
} Function;

static Function          functions[FUNCTIONS];
static pthread_mutex_t   lock = PTHREAD_MUTEX_INITIALIZER;
static int               running; /* atomic: 0 not started, 1 recording, 2 stopped */
static _Thread_local int inside;  /* a hook, for functions that the recorder calls */

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static void stop(void)
{
    __atomic_store_n(&running, 2, __ATOMIC_RELEASE);
    PEER.writer.flush();
    if (PEER.writer.stop() != 0) abort();
}

/* Starts at the first call: the constructors of the recorder have run, and `stop` runs before its destructors. */
static void start(void)
{
    const char *const path = getenv("FUNCTIONS_PEER");
    pthread_mutex_lock(&lock);
    if (running == 0) {
        if (PEER.writer.start(path == NULL ? "/dev/null" : path) != 0 || atexit(stop) != 0) abort();
        __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

/* Returns the free place for an address, or its own if another thread has added it. */
static Function *add(void *address, size_t at)
{
    pthread_mutex_lock(&lock);
    while (functions[at].address != NULL && functions[at].address != address)
        at = (at + 1) % FUNCTIONS;
    if (functions[at].address == NULL) {
        snprintf(functions[at].name, sizeof functions[at].name, "%p", address);
        __atomic_store_n(&functions[at].address, address, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return &functions[at];
}

static Function *find(void *address)
{
    size_t at = (uintptr_t)address * 0x9E3779B97F4A7C15u >> 48;
    for (;; at = (at + 1) % FUNCTIONS) {
        void *const other = __atomic_load_n(&functions[at].address, __ATOMIC_ACQUIRE);
        if (other == address) return &functions[at];
        if (other == NULL) return add(address, at);
    }
}

void __cyg_profile_func_enter(void *address, void *caller)
{
    (void)caller;
    if (inside++ == 0) {
        if (__atomic_load_n(&running, __ATOMIC_ACQUIRE) == 0) start();
        if (__atomic_load_n(&running, __ATOMIC_ACQUIRE) == 1) {
            Function *const function = find(address);
            PEER.begin(function->name, &function->memory);
        }
    }
    inside--;
}

void __cyg_profile_func_exit(void *address, void *caller)
{
    (void)address;
    (void)caller;
    if (inside++ == 0 && __atomic_load_n(&running, __ATOMIC_ACQUIRE) == 1) PEER.end();
    inside--;
}
