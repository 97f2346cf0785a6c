#include "app/server/admission.h"

#include "base/arena.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

typedef struct Pending {
    const void     *key;
    int             fd;
    struct timespec until; /* of the monotonic clock */
} Pending;

struct Admission {
    Arena           arena; /* the admission itself */
    pthread_t       thread;
    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t  wake; /* signalled when the first pending connection begins or `stops` is set */
    bool            stops;
    size_t          count;
    Pending         pending[ADMISSION_PENDING]; /* oldest first */
};

static void remove_at(Admission *admission, size_t i)
{
    assert(i < admission->count);
    admission->count--;
    memmove(&admission->pending[i], &admission->pending[i + 1],
            (admission->count - i) * sizeof admission->pending[0]);
}

/* Shuts the oldest connection down. The owner of the socket notices this and closes it. */
static void shut_oldest(Admission *admission)
{
    (void)shutdown(admission->pending[0].fd, SHUT_RDWR);
    remove_at(admission, 0);
}

static struct timespec deadline_from_now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += ADMISSION_MS / 1000;
    time.tv_nsec += ADMISSION_MS % 1000 * 1000000L;
    if (time.tv_nsec >= 1000000000L) {
        time.tv_nsec -= 1000000000L;
        time.tv_sec++;
    }
    return time;
}

static bool is_over(const struct timespec *until)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

/* Shuts each pending connection down at its deadline. */
static void *keep_deadlines(void *context)
{
    Admission *admission = context;
    (void)pthread_mutex_lock(&admission->lock);
    while (!admission->stops) {
        const struct timespec until = admission->pending[0].until;
        if (admission->count == 0) {
            (void)pthread_cond_wait(&admission->wake, &admission->lock);
        } else if (is_over(&until)) {
            shut_oldest(admission);
        } else {
            (void)pthread_cond_timedwait(&admission->wake, &admission->lock, &until);
        }
    }
    (void)pthread_mutex_unlock(&admission->lock);
    return NULL;
}

static bool begin_thread(Admission *admission)
{
    pthread_condattr_t clock;
    if (pthread_condattr_init(&clock) != 0) return false;
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    const bool has_wake = pthread_cond_init(&admission->wake, &clock) == 0;
    (void)pthread_condattr_destroy(&clock);
    if (!has_wake) return false;
    if (pthread_mutex_init(&admission->lock, NULL) == 0) {
        if (pthread_create(&admission->thread, NULL, keep_deadlines, admission) == 0) return true;
        (void)pthread_mutex_destroy(&admission->lock);
    }
    (void)pthread_cond_destroy(&admission->wake);
    return false;
}

Admission *admission_create(Err *err)
{
    Arena      arena = arena_create(0);
    Admission *admission = ARENA_NEW(&arena, Admission);
    if (admission != NULL) {
        admission->arena = arena;
        if (begin_thread(admission)) return admission;
    }
    arena_release(&arena);
    (void)err_set(err, ERR_MEMORY, "no thread can be made for the server");
    return NULL;
}

void admission_destroy(Admission *admission)
{
    if (admission == NULL) return;
    (void)pthread_mutex_lock(&admission->lock);
    admission->stops = true;
    (void)pthread_cond_signal(&admission->wake);
    (void)pthread_mutex_unlock(&admission->lock);
    (void)pthread_join(admission->thread, NULL);
    (void)pthread_mutex_destroy(&admission->lock);
    (void)pthread_cond_destroy(&admission->wake);
    Arena arena = admission->arena; /* the admission lives in it */
    arena_release(&arena);
}

void admission_begin(Admission *admission, const void *key, int fd)
{
    (void)pthread_mutex_lock(&admission->lock);
    if (admission->count == ADMISSION_PENDING) shut_oldest(admission);
    assert(admission->count < ADMISSION_PENDING);
    admission->pending[admission->count++] = (Pending){ key, fd, deadline_from_now() };
    if (admission->count == 1) (void)pthread_cond_signal(&admission->wake);
    (void)pthread_mutex_unlock(&admission->lock);
}

void admission_leave(Admission *admission, const void *key)
{
    (void)pthread_mutex_lock(&admission->lock);
    for (size_t i = 0; i < admission->count; i++) {
        if (admission->pending[i].key != key) continue;
        remove_at(admission, i);
        break;
    }
    (void)pthread_mutex_unlock(&admission->lock);
}
