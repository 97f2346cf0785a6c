/* A program that records itself. Each mode is a situation of record_test.py, which reads the file that it writes.
 *
 * usage: program MODE FILE */
#define VARVE_RECORD_IMPLEMENTATION
#include "varve/record.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { THREADS = 4, SLICES_PER_THREAD = 6000 };

static void check(int failure, const char *action)
{
    if (failure == 0) return;
    fprintf(stderr, "%s: %s\n", action, strerror(failure));
    exit(1);
}

/* -- slices: names and arguments of every length -- */

static void record_events(void)
{
    char text[400];
    varve_thread_name("first");
    varve_thread_name("the last name counts");
    for (size_t size = 0; size < 300; size++) {
        memset(text, 'a', size);
        text[size] = 0;
        varve_begin_args(text, text);
        varve_end();
    }
    for (size_t i = 0; i < 398; i += 2)
        memcpy(text + i, "\xC3\xA9", 2); /* e with an acute accent */
    text[398] = 0;
    varve_begin(text + 1);
    varve_begin(text);
    varve_end();
    varve_end();
    {
        VARVE_SCOPE_ARGS("scope", "{\"rows\":12}");
        for (int i = 0; i < 3; i++) {
            VARVE_SCOPE("inner");
        }
    }
    varve_instant("moment");
    varve_instant_args("moment", "{\"reason\":\"test\"}");
    varve_instant(text);
    for (int i = 0; i < 3; i++)
        varve_counter("queue", i * 0.5);
    const uint64_t begin = varve_time();
    for (uint64_t id = 1; id < 3; id++) {
        VARVE_SCOPE("from");
        varve_async_begin("request", id);
        varve_flow_begin("arrow", id);
    }
    for (uint64_t id = 2; id > 0; id--) {
        VARVE_SCOPE("to");
        varve_async_instant("half", id);
        varve_async_end("request", id);
        varve_flow_step("arrow", id);
        varve_flow_end("arrow", id);
    }
    varve_complete("complete", begin);
    varve_complete_args("complete", "{\"part\":2}", begin);
    varve_complete("without a time", 0);
    varve_begin("not ended");
}

static int record_slices(const char *path)
{
    check(varve_record_start(path), "start");
    if (varve_record_start(path) != EBUSY) return 1;
    record_events();
    check(varve_record_stop(), "stop");
    varve_begin("after the end");
    varve_end();
    return varve_record_stop();
}

/* -- arguments: each type and its limits, at each kind of event; texts and counts that do not fit -- */

static void record_arguments_of(const char *text)
{
    const bool yes = true, no = false;
    const char quoted[] = "a \"quoted\" text\n";
    VARVE_SCOPE_WITH("scope", VARVE_ARG("int", -1), VARVE_ARG("least", INT64_MIN),
                     VARVE_ARG("most", UINT64_MAX));
    VARVE_BEGIN_WITH("begin", VARVE_ARG("half", 0.5), VARVE_ARG("third", 1.0f / 3.0f), VARVE_ARG("yes", yes),
                     VARVE_ARG("no", no));
    const uint64_t begin = varve_time();
    VARVE_INSTANT_WITH("instant", VARVE_ARG("text", quoted), VARVE_ARG("empty", ""),
                       VARVE_ARG("", (size_t)7));
    VARVE_COMPLETE_WITH("complete", begin, VARVE_ARG("short", (short)-3),
                        VARVE_ARG("char", (unsigned char)200), VARVE_ARG("infinite", 1e300 * 1e300));
    VARVE_INSTANT_WITH("cut", VARVE_ARG("first", text), VARVE_ARG("left out", text), VARVE_ARG("last", 1));
    varve_end();
}

static int record_arguments(const char *path)
{
    char text[400];
    memset(text, 't', sizeof text - 1);
    text[sizeof text - 1] = 0;
    check(varve_record_start(path), "start");
    varve_thread_name("arguments");
    record_arguments_of(text);
    for (int i = 0; i < 2000; i++) { /* several chunks */
        VARVE_SCOPE_WITH("many", VARVE_ARG("n", i), VARVE_ARG("text", text));
    }
    return varve_record_stop();
}

/* -- threads: several chunks each; a thread that exits, a thread without events, a second recording -- */

static void *record_thread(void *number)
{
    char name[32];
    snprintf(name, sizeof name, "worker %d", *(const int *)number);
    varve_thread_name(name);
    for (int i = 0; i < SLICES_PER_THREAD; i++) {
        VARVE_SCOPE("outer");
        VARVE_SCOPE_ARGS("a name of twenty-six bytes", "{\"thread\":true}");
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    int       numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        check(pthread_create(&threads[i], NULL, record_thread, &numbers[i]), "thread");
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static int record_threads(const char *path)
{
    if (varve_record_start("/dev/null/none") != ENOTDIR) return 1;
    check(varve_record_start(path), "start");
    varve_begin("all");
    run_threads();
    varve_end();
    return varve_record_stop();
}

static int record_until_exit(const char *path)
{
    check(varve_record_start(path), "start");
    varve_begin("all");
    run_threads();
    varve_end();
    exit(0);
}

/* -- stop: the recording ends and another begins while threads record -- */

static uint32_t  is_stopping;
static pthread_t busy_threads[2 * THREADS];
static uint64_t  busy_counts[2 * THREADS]; /* recorded slices of each thread */

static void *record_on(void *count_)
{
    uint64_t *const count = count_;
    while (__atomic_load_n(&is_stopping, __ATOMIC_RELAXED) == 0) {
        VARVE_SCOPE("busy");
        for (volatile int wait = 200; wait > 0; wait = wait - 1) {
        }
        __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void start_busy_threads(int thread_count)
{
    for (int i = 0; i < thread_count; i++)
        check(pthread_create(&busy_threads[i], NULL, record_on, &busy_counts[i]), "thread");
}

static void stop_busy_threads(int thread_count)
{
    __atomic_store_n(&is_stopping, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < thread_count; i++)
        pthread_join(busy_threads[i], NULL);
}

/* Waits until each of THREADS threads has recorded: more slices have ended than had begun before. Then their
 * chunks of an earlier stream are free: in a child process, LeakSanitizer would report one that a thread still has. */
static void wait_for_slices(void)
{
    for (int i = 0; i < THREADS; i++) {
        const uint64_t before = __atomic_load_n(&busy_counts[i], __ATOMIC_RELAXED);
        while (__atomic_load_n(&busy_counts[i], __ATOMIC_RELAXED) < before + 3)
            usleep(1000);
    }
}

static int record_twice(const char *path)
{
    start_busy_threads(THREADS);
    for (int round = 0; round < 5; round++) {
        check(varve_record_start(path), "start");
        varve_begin("main");
        wait_for_slices();
        varve_end();
        check(varve_record_stop(), "stop");
    }
    stop_busy_threads(THREADS);
    return 0;
}

/* -- streams: the path is an address -- */

static int record_stream(const char *address, VarveRecordFormat format)
{
    char text[400];
    memset(text, 't', sizeof text - 1);
    text[sizeof text - 1] = 0;
    check(varve_record_start_stream(address, format), "start");
    if (varve_record_start_stream(address, format) != EBUSY) return 1;
    record_events();
    record_arguments_of(text);
    run_threads();
    return varve_record_stop();
}

static int stream_spall(const char *address)
{
    return record_stream(address, VARVE_RECORD_SPALL);
}

static int stream_json(const char *address)
{
    return record_stream(address, VARVE_RECORD_JSON);
}

static int stream_heph(const char *address)
{
    return record_stream(address, VARVE_RECORD_HEPH);
}

/* The recording ends and another begins while threads record; a child records nothing. */
static int stream_twice(const char *address)
{
    start_busy_threads(THREADS);
    for (int round = 0; round < 5; round++) {
        check(varve_record_start_stream(address, (VarveRecordFormat)(round % 3)), "start");
        VARVE_SCOPE("main");
        wait_for_slices();
        int         status = 0;
        const pid_t child = fork();
        if (child == 0) {
            VARVE_SCOPE("child");
            exit(varve_record_stop());
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
        wait_for_slices();
        check(varve_record_stop(), "stop");
    }
    stop_busy_threads(THREADS);
    return 0;
}

/* The receiver goes away: prints the failure. Threads do not wait for it. */
static int stream_broken(const char *address)
{
    check(varve_record_start_stream(address, VARVE_RECORD_JSON), "start");
    run_threads();
    const int failure = varve_record_stop();
    printf("%s\n", failure == EPIPE || failure == ECONNRESET ? "broken" : strerror(failure));
    return 0;
}

/* Prints the errors of wrong addresses. */
static int stream_addresses(const char *path)
{
    static const struct {
        const char       *address;
        VarveRecordFormat format;
    } WRONG[] = { { "tcp:localhost:4711", VARVE_RECORD_JSON },
                  { "tcp:0", VARVE_RECORD_JSON },
                  { "tcp:127.0.0.1:65536", VARVE_RECORD_JSON },
                  { "udp:127.0.0.1:4711", VARVE_RECORD_JSON },
                  { "nothing", VARVE_RECORD_HEPH },
                  { "http:1", VARVE_RECORD_HEPH },
                  { "file:x", (VarveRecordFormat)3 } };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        if (varve_record_start_stream(WRONG[i].address, WRONG[i].format) != EINVAL) return 1;
    }
    (void)path;
    if (varve_record_start_stream("file:/nowhere/file", VARVE_RECORD_JSON) != ENOENT) return 1;
    return varve_record_stop();
}

/* -- clock: prints the duration of the slice in ns -- */

static int record_clock(const char *path)
{
    check(varve_record_start(path), "start");
    varve_begin("first event"); /* maps the first chunk */
    varve_end();
    const uint64_t begin = varve_clock_ns_();
    varve_begin("sleep");
    usleep(20000);
    varve_end();
    printf("%llu\n", (unsigned long long)(varve_clock_ns_() - begin));
    return varve_record_stop();
}

/* -- signals: the handler interrupts the recorder at any instruction -- */

static volatile uint64_t handler_runs;

static void handle_alarm(int number)
{
    (void)number;
    handler_runs++;
    varve_begin("handler");
    varve_end();
}

static int record_signals(const char *path)
{
    const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
    struct sigaction       action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle_alarm;
    check(varve_record_start(path), "start");
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 100000; i++) {
        VARVE_SCOPE("main");
        for (volatile int wait = 100; wait > 0; wait = wait - 1) {
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%llu %llu\n", (unsigned long long)handler_runs, (unsigned long long)varve_record_lost());
    return varve_record_stop();
}

/* -- fork -- */

static int record_fork(const char *path)
{
    check(varve_record_start(path), "start");
    varve_begin("parent");
    const pid_t child = fork();
    if (child == 0) {
        varve_thread_name("child");
        varve_begin("in the child");
        run_threads();
        varve_end();
        exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
    varve_end();
    return varve_record_stop();
}

/* -- full: the file cannot grow -- */

static int record_full(const char *path)
{
    const struct rlimit limit = { 1 << 20, 1 << 20 };
    signal(SIGXFSZ, SIG_IGN);
    check(varve_record_start(path), "start");
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 1000000; i++) {
        VARVE_SCOPE("until the disk is full");
    }
    printf("%s\n", varve_record_stop() == EFBIG ? "EFBIG" : "no failure");
    return 0;
}

/* -- ring: dumps of the latest slices, alone and while threads record -- */

enum { RING_BYTES = 2 << 20, RING_SLICES = 100000 };

static void *record_numbers(void *unused)
{
    char args[32];
    (void)unused;
    varve_thread_name("numbers");
    for (int i = 0; i < RING_SLICES; i++) {
        snprintf(args, sizeof args, "{\"n\":%d}", i);
        VARVE_SCOPE_ARGS("slice", args);
    }
    return NULL;
}

static int record_ring(const char *path)
{
    if (varve_record_dump(path) != EINVAL) return 1;
    check(varve_record_start_ring(RING_BYTES), "start");
    varve_begin("open");
    pthread_t thread;
    check(pthread_create(&thread, NULL, record_numbers, NULL), "thread");
    pthread_join(thread, NULL);
    check(varve_record_dump(path), "dump");
    varve_end();
    return varve_record_stop();
}

static int dump_while_recording(const char *path)
{
    check(varve_record_start_ring(RING_BYTES), "start");
    start_busy_threads(THREADS);
    for (int round = 0; round < 20; round++) {
        wait_for_slices();
        check(varve_record_dump(path), "dump");
    }
    check(varve_record_stop(), "stop");
    stop_busy_threads(THREADS);
    return 0;
}

/* More threads than chunks: the events of the others are counted. */
static int record_small_ring(const char *path)
{
    check(varve_record_start_ring(1), "start");
    start_busy_threads(2 * THREADS);
    for (int i = 0; i < 100; i++)
        usleep(1000);
    varve_begin("main");
    varve_end();
    printf("%llu\n", (unsigned long long)varve_record_lost());
    stop_busy_threads(2 * THREADS);
    varve_begin("after the threads");
    varve_end();
    check(varve_record_dump(path), "dump");
    return varve_record_stop();
}

/* -- crash: the ring is written, and the signal ends the program -- */

static int record_crash(const char *path)
{
    check(varve_record_start_ring(RING_BYTES), "start");
    check(varve_record_dump_on_crash("another file"), "handlers");
    check(varve_record_dump_on_crash(path), "handlers");
    record_numbers(NULL);
    VARVE_SCOPE("crash");
    void *const page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) *(volatile int *)page = 0;
    return 0;
}

static int record_abort(const char *path)
{
    check(varve_record_start_ring(RING_BYTES), "start");
    check(varve_record_dump_on_crash(path), "handlers");
    VARVE_SCOPE("crash");
    abort();
}

/* -- kill: FILE.counts is memory that survives, with the number of recorded slices of each thread -- */

typedef struct KilledThread {
    volatile uint64_t *count;
    uint64_t           seed;
} KilledThread;

static void *record_until_killed(void *thread_)
{
    const KilledThread *const thread = (const KilledThread *)thread_;
    uint64_t                  random = thread->seed;
    char                      name[200], args[32];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    for (uint64_t i = 0;; i++) {
        snprintf(args, sizeof args, "{\"n\":%llu}", (unsigned long long)i);
        varve_begin_args(name + i % 180, args);
        varve_end();
        *thread->count = i + 1;
        random = random * 6364136223846793005u + 1442695040888963407u;
        for (volatile uint64_t wait = random >> 55; wait > 0; wait = wait - 1) {
        }
    }
    return NULL;
}

static int record_kill(const char *path)
{
    char counts[4096];
    snprintf(counts, sizeof counts, "%s.counts", path);
    const int file = open(counts, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || ftruncate(file, 4096) != 0) return 1;
    void *const mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) return 1;
    KilledThread threads[2] = { { (volatile uint64_t *)mapped, 1 }, { (volatile uint64_t *)mapped + 8, 2 } };
    pthread_t    other;
    check(varve_record_start(path), "start");
    printf("ready\n");
    fflush(stdout);
    check(pthread_create(&other, NULL, record_until_killed, &threads[1]), "thread");
    record_until_killed(&threads[0]);
    return 0;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        int (*run)(const char *path);
    } MODES[] = { { "slices", record_slices },       { "threads", record_threads },
                  { "exit", record_until_exit },     { "twice", record_twice },
                  { "clock", record_clock },         { "signals", record_signals },
                  { "fork", record_fork },           { "full", record_full },
                  { "kill", record_kill },           { "ring", record_ring },
                  { "dumps", dump_while_recording }, { "small", record_small_ring },
                  { "crash", record_crash },         { "abort", record_abort },
                  { "arguments", record_arguments }, { "stream-spall", stream_spall },
                  { "stream-json", stream_json },    { "stream-heph", stream_heph },
                  { "stream-twice", stream_twice },  { "stream-broken", stream_broken },
                  { "addresses", stream_addresses } };
    for (size_t i = 0; count == 3 && i < sizeof MODES / sizeof MODES[0]; i++) {
        if (strcmp(MODES[i].name, arguments[1]) == 0) return MODES[i].run(arguments[2]);
    }
    fprintf(stderr, "usage: program MODE FILE\n");
    return 2;
}
