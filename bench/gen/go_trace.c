/* varve-gen-go: writes a Go execution trace for benchmarks and tests: usage: varve-gen-go
 * 1.19|1.26 EVENTS GOROUTINES FILE
 *
 * A small scheduler runs: on eight processors goroutines start, block, wake each other, go into syscalls,
 * create others and end, by dice. GOROUTINES of them are there from the beginning. The same arguments give
 * the same bytes on every machine. */
#include "base/arena.h"
#include "base/file.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROCS = 8,
    STACKS = 64,
    FUNCTIONS = 40,
    WORKERS = 10,
    BATCH_BYTES = 60000,
    GENERATION_TICKS = 3000000
};
static const uint64_t FREQUENCY = 15625000;

/* Record types. Version 1.19: */
enum {
    V1_BATCH = 1,
    V1_FREQUENCY,
    V1_STACK,
    V1_GOMAXPROCS,
    V1_PROC_START,
    V1_CREATE = 13,
    V1_START,
    V1_END,
    V1_SCHED = 17,
    V1_BLOCK_RECV = 23,
    V1_UNBLOCK = 21,
    V1_SYS_CALL = 28,
    V1_SYS_EXIT,
    V1_SYS_BLOCK,
    V1_WAITING,
    V1_HEAP = 33,
    V1_STRING = 37,
    V1_START_LOCAL,
    V1_UNBLOCK_LOCAL
};
/* Version 1.26: */
enum {
    V2_BATCH = 1,
    V2_STACKS,
    V2_STACK,
    V2_STRINGS,
    V2_STRING,
    V2_FREQUENCY = 8,
    V2_PROC_STATUS = 13,
    V2_CREATE,
    V2_START = 16,
    V2_DESTROY,
    V2_STOP = 19,
    V2_BLOCK,
    V2_UNBLOCK,
    V2_SYSCALL_BEGIN,
    V2_SYSCALL_END,
    V2_STATUS = 25,
    V2_HEAP = 37,
    V2_SYNC = 50,
    V2_SNAPSHOT,
    V2_END_OF_GENERATION
};
enum { STATUS_RUNNABLE = 1, STATUS_RUNNING, STATUS_SYSCALL, STATUS_WAITING };
enum {
    REASON_BLOCK = FUNCTIONS + 2,
    REASON_STOP
}; /* ids of strings, behind those of functions and the file */

typedef struct Goroutine {
    uint64_t seq;
    uint32_t generation; /* in which it was last spoken of */
    uint8_t  last_p;
    uint8_t  status;
} Goroutine;

typedef struct Processor {
    Bytes    records;
    uint64_t begin, last; /* ticks: of its batch, of its last record */
    uint64_t seq;
    uint32_t g; /* that runs; 0 = none */
    bool     in_syscall;
} Processor;

typedef struct Generator {
    bool       is_v2;
    uint64_t   random, ticks, events, generation_end;
    uint32_t   generation;
    Processor  ps[PROCS];
    Goroutine *gs; /* [0] unused */
    uint32_t   g_count, g_capacity;
    uint32_t  *ready, *waiting; /* a ring; in no order */
    uint32_t   ready_first, ready_count, waiting_count;
    uint32_t   blocked[PROCS]; /* v1: goroutines in syscalls without a processor */
    uint32_t   blocked_count;
    Bytes      out;
    bool       failed;
} Generator;

static uint32_t below(Generator *g, uint32_t bound)
{
    return (uint32_t)(random_next(&g->random) % bound);
}

static void put_byte(Bytes *out, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    bytes_append(out, &b, 1);
}

static void put_number(Bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(out, (unsigned)(value & 0x7f) | 0x80);
    put_byte(out, (unsigned)value);
}

/* In ten bytes, as sizes of batches are written. */
static void put_padded(Bytes *out, uint64_t value)
{
    for (int i = 0; i < 9; i++, value >>= 7)
        put_byte(out, (unsigned)(value & 0x7f) | 0x80);
    put_byte(out, (unsigned)value);
}

static void put_text(Bytes *out, const char *text)
{
    put_number(out, strlen(text));
    bytes_append_text(out, text);
}

/* -- records -- */

static void flush(Generator *g, unsigned p)
{
    Processor *proc = &g->ps[p];
    if (proc->records.size == 0) return;
    if (g->is_v2) {
        put_byte(&g->out, V2_BATCH);
        put_number(&g->out, g->generation);
        put_number(&g->out, 1000 + p);
        put_number(&g->out, proc->begin);
        put_padded(&g->out, proc->records.size);
    } else {
        put_byte(&g->out, V1_BATCH | 1 << 6);
        put_number(&g->out, p);
        put_number(&g->out, proc->begin);
    }
    bytes_append(&g->out, proc->records.data, proc->records.size);
    bytes_clear(&proc->records);
}

/* An event of processor p, now; v1: the low six bits of `type` are it. */
static void record(Generator *g, unsigned p, unsigned type, unsigned count, const uint64_t *numbers)
{
    Processor *proc = &g->ps[p];
    if (proc->records.size > BATCH_BYTES) flush(g, p);
    if (proc->records.size == 0) proc->begin = proc->last = g->ticks;
    uint64_t since = g->ticks - proc->last;
    proc->last = g->ticks;
    g->events++;
    if (g->is_v2 || count < 3) {
        put_byte(&proc->records, g->is_v2 ? type : type | count << 6);
        put_number(&proc->records, since);
        for (unsigned i = 0; i < count; i++)
            put_number(&proc->records, numbers[i]);
        return;
    }
    uint8_t memory[64];
    Bytes   inside = { .data = memory, .capacity = sizeof memory }; /* never grows: five numbers at most */
    put_number(&inside, since);
    for (unsigned i = 0; i < count; i++)
        put_number(&inside, numbers[i]);
    put_byte(&proc->records, type | 3 << 6);
    put_number(&proc->records, inside.size);
    bytes_append(&proc->records, inside.data, inside.size);
}

#define RECORD(g, p, type, ...)                                                                              \
    record((g), (p), (type), sizeof(uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t),                           \
           (uint64_t[]){ __VA_ARGS__ })

static uint64_t any_stack(Generator *g)
{
    return WORKERS + 1 + below(g, STACKS - WORKERS);
}

/* -- goroutines -- */

/* Writes the status of a goroutine, which precedes its first event in each generation. */
static void introduce(Generator *g, unsigned p, uint32_t id)
{
    Goroutine *who = &g->gs[id];
    if (!g->is_v2 || who->generation == g->generation) return;
    who->generation = g->generation;
    who->seq = 0;
    bool runs = who->status == STATUS_RUNNING || who->status == STATUS_SYSCALL;
    RECORD(g, p, V2_STATUS, id, runs ? 1000 + p : UINT64_MAX, who->status);
}

static void make_ready(Generator *g, uint32_t id)
{
    g->gs[id].status = STATUS_RUNNABLE;
    g->ready[(g->ready_first + g->ready_count++) % g->g_capacity] = id;
}

static void make_wait(Generator *g, uint32_t id)
{
    g->gs[id].status = STATUS_WAITING;
    g->waiting[g->waiting_count++] = id;
}

static bool can_create(const Generator *g)
{
    return g->g_count + 1 < g->g_capacity;
}

static void create(Generator *g, unsigned p)
{
    uint32_t   id = g->g_count++;
    Goroutine *who = &g->gs[id];
    *who = (Goroutine){ .generation = g->generation, .last_p = (uint8_t)p };
    RECORD(g, p, g->is_v2 ? V2_CREATE : V1_CREATE, id, 1 + id % WORKERS, any_stack(g));
    make_ready(g, id);
}

static void start(Generator *g, unsigned p)
{
    uint32_t id = g->ready[g->ready_first];
    g->ready_first = (g->ready_first + 1) % g->g_capacity;
    g->ready_count--;
    introduce(g, p, id);
    Goroutine *who = &g->gs[id];
    uint64_t   seq = ++who->seq;
    if (g->is_v2) {
        RECORD(g, p, V2_START, id, seq);
    } else if (who->last_p == p) {
        RECORD(g, p, V1_START_LOCAL, id);
    } else {
        RECORD(g, p, V1_START, id, seq);
    }
    who->last_p = (uint8_t)p;
    who->status = STATUS_RUNNING;
    g->ps[p].g = id;
}

static void unblock(Generator *g, unsigned p)
{
    uint32_t at = below(g, g->waiting_count), id = g->waiting[at];
    g->waiting[at] = g->waiting[--g->waiting_count];
    introduce(g, p, id);
    Goroutine *who = &g->gs[id];
    uint64_t   seq = ++who->seq, stack = g->ps[p].g == 0 ? 0 : any_stack(g);
    if (g->is_v2) {
        RECORD(g, p, V2_UNBLOCK, id, seq, stack);
    } else if (who->last_p == p) {
        RECORD(g, p, V1_UNBLOCK_LOCAL, id, stack);
    } else {
        RECORD(g, p, V1_UNBLOCK, id, seq, stack);
    }
    who->last_p = (uint8_t)p;
    make_ready(g, id);
}

static void stop(Generator *g, unsigned p, bool waits)
{
    uint32_t id = g->ps[p].g;
    if (g->is_v2) {
        RECORD(g, p, waits ? V2_BLOCK : V2_STOP, waits ? REASON_BLOCK : REASON_STOP, any_stack(g));
    } else {
        RECORD(g, p, waits ? V1_BLOCK_RECV : V1_SCHED, any_stack(g));
    }
    g->ps[p].g = 0;
    if (waits) {
        make_wait(g, id);
    } else {
        make_ready(g, id);
    }
}

static void end(Generator *g, unsigned p)
{
    record(g, p, g->is_v2 ? V2_DESTROY : V1_END, 0, NULL);
    g->gs[g->ps[p].g].status = 0;
    g->ps[p].g = 0;
}

/* v1 tells the end of those alone that lost their processor, once they have one again. */
static void call_system(Generator *g, unsigned p)
{
    Processor *proc = &g->ps[p];
    if (g->is_v2) {
        proc->seq++;
        RECORD(g, p, V2_SYSCALL_BEGIN, proc->seq, any_stack(g));
        proc->in_syscall = true;
        g->gs[proc->g].status = STATUS_SYSCALL;
        return;
    }
    RECORD(g, p, V1_SYS_CALL, any_stack(g));
    if (below(g, 10) != 0 || g->blocked_count == PROCS) return;
    g->ticks += 3;
    record(g, p, V1_SYS_BLOCK, 0, NULL);
    g->blocked[g->blocked_count++] = proc->g;
    proc->g = 0;
}

static void leave_syscall(Generator *g, unsigned p)
{
    uint32_t   id = g->blocked[--g->blocked_count];
    Goroutine *who = &g->gs[id];
    who->seq++;
    RECORD(g, p, V1_SYS_EXIT, id, who->seq, g->ticks - 1);
    who->last_p = (uint8_t)p;
    make_ready(g, id);
}

static void heap(Generator *g, unsigned p)
{
    RECORD(g, p, g->is_v2 ? V2_HEAP : V1_HEAP, (4 << 20) + 8 * below(g, 1 << 20));
}

/* One thing happens on a processor. */
static void step(Generator *g)
{
    unsigned   p = below(g, PROCS);
    Processor *proc = &g->ps[p];
    g->ticks += 1 + below(g, 12);
    if (proc->in_syscall) {
        record(g, p, V2_SYSCALL_END, 0, NULL);
        proc->in_syscall = false;
        g->gs[proc->g].status = STATUS_RUNNING;
        return;
    }
    if (proc->g == 0) {
        if (g->blocked_count > 0 && below(g, 4) == 0) {
            leave_syscall(g, p);
        } else if (g->ready_count > 0) {
            start(g, p);
        } else if (g->waiting_count > 0) {
            unblock(g, p);
        }
        return;
    }
    uint32_t dice = below(g, 1000);
    if (dice < 400) {
        if (g->waiting_count > 0) unblock(g, p);
    } else if (dice < 800) {
        stop(g, p, true);
    } else if (dice < 860) {
        stop(g, p, false);
    } else if (dice < 960) {
        call_system(g, p);
    } else if (dice < 996) {
        heap(g, p);
    } else if (dice < 998) {
        if (can_create(g)) create(g, p);
    } else if (g->g_count > PROCS * 4 && proc->g > PROCS * 4) {
        end(g, p);
    }
}

/* -- the whole -- */

/* Stack s has a frame for each of its outermost function's callees; the first WORKERS are where goroutines begin. */
static void put_frames(Bytes *out, unsigned s)
{
    unsigned depth = s <= WORKERS ? 1 : 2 + s % 9;
    put_number(out, s);
    put_number(out, depth);
    for (unsigned i = 0; i < depth; i++) {
        unsigned function = i + 1 == depth ? s % WORKERS : WORKERS + (s * 7 + i) % (FUNCTIONS - WORKERS);
        put_number(out, 0x400000 + function * 64);
        put_number(out, 1 + function);
        put_number(out, FUNCTIONS + 1);
        put_number(out, 10 + function);
    }
}

static void string_at(unsigned id, char *text, size_t size)
{
    static const char *const OTHERS[] = { "/src/app/main.go", "chan receive", "preempted" };
    if (id > FUNCTIONS) {
        (void)snprintf(text, size, "%s", OTHERS[id - FUNCTIONS - 1]);
    } else if (id <= WORKERS) {
        (void)snprintf(text, size, "main.worker%u", id - 1);
    } else {
        (void)snprintf(text, size, "internal/app.(*Server).step%u", id - 1);
    }
}

static void put_batch(Generator *g, const Bytes *data)
{
    put_byte(&g->out, V2_BATCH);
    put_number(&g->out, g->generation);
    put_number(&g->out, UINT64_MAX);
    put_number(&g->out, g->ticks);
    put_padded(&g->out, data->size);
    bytes_append(&g->out, data->data, data->size);
}

static void put_tables(Generator *g)
{
    Bytes data = { 0 };
    char  text[64];
    if (g->is_v2) put_byte(&data, V2_STRINGS);
    for (unsigned id = 1; id <= REASON_STOP; id++) {
        Bytes *out = g->is_v2 ? &data : &g->out;
        put_byte(out, g->is_v2 ? V2_STRING : V1_STRING);
        put_number(out, id);
        string_at(id, text, sizeof text);
        put_text(out, text);
    }
    if (g->is_v2) {
        put_batch(g, &data);
        bytes_clear(&data);
        put_byte(&data, V2_STACKS);
    }
    for (unsigned s = 1; s <= STACKS; s++) {
        if (g->is_v2) {
            put_byte(&data, V2_STACK);
            put_frames(&data, s);
            continue;
        }
        bytes_clear(&data);
        put_frames(&data, s);
        put_byte(&g->out, V1_STACK | 3 << 6);
        put_number(&g->out, data.size);
        bytes_append(&g->out, data.data, data.size);
    }
    if (g->is_v2) put_batch(g, &data);
    g->failed |= data.failed;
    bytes_release(&data);
}

static void begin_generation(Generator *g)
{
    Bytes data = { 0 };
    g->generation++;
    g->generation_end = g->ticks + GENERATION_TICKS;
    put_byte(&data, V2_SYNC);
    put_byte(&data, V2_FREQUENCY), put_number(&data, FREQUENCY);
    put_byte(&data, V2_SNAPSHOT), put_number(&data, 0), put_number(&data, g->ticks * 64);
    put_number(&data, 1700000000), put_number(&data, 0);
    put_batch(g, &data);
    g->failed |= data.failed;
    bytes_release(&data);
    for (unsigned p = 0; p < PROCS; p++) {
        Processor *proc = &g->ps[p];
        proc->seq = 0;
        g->ticks++;
        RECORD(g, p, V2_PROC_STATUS, p, proc->in_syscall ? 3 : 1);
        if (proc->g != 0) introduce(g, p, proc->g);
    }
}

static void end_generation(Generator *g)
{
    for (uint32_t id = 1; id < g->g_count; id++) {
        if (g->gs[id].status != 0) introduce(g, 0, id);
    }
    for (unsigned p = 0; p < PROCS; p++)
        flush(g, p);
    put_tables(g);
    put_byte(&g->out, V2_END_OF_GENERATION);
}

/* Writes the goroutines that exist at the begin, and the processors. */
static void begin_v1(Generator *g, uint32_t goroutines)
{
    enum { RUNNABLE = 2 * PROCS };
    for (uint32_t id = 1; id <= goroutines; id++) {
        g->ticks++;
        RECORD(g, 0, V1_CREATE, id, 1 + id % WORKERS, 0);
        if (id <= RUNNABLE) continue;
        RECORD(g, 0, V1_WAITING, id);
        g->gs[id].seq = 1;
    }
    RECORD(g, 0, V1_GOMAXPROCS, PROCS, 0);
    for (unsigned p = 0; p < PROCS; p++) {
        g->ticks++;
        RECORD(g, p, V1_PROC_START, 1000 + p);
    }
}

static void prepare(Generator *g, uint32_t goroutines)
{
    for (uint32_t id = 1; id <= goroutines; id++) {
        g->g_count = id + 1;
        if (id <= 2 * PROCS) {
            make_ready(g, id);
        } else {
            make_wait(g, id);
        }
    }
}

static bool write_out(Generator *g, FileWriter *writer, Err *err)
{
    if (g->failed || g->out.failed) return err_set(err, ERR_MEMORY, "out of memory");
    bool done = file_writer_append(writer, g->out.data, g->out.size, err);
    bytes_clear(&g->out);
    return done;
}

static bool generate(Generator *g, uint64_t events, uint32_t goroutines, FileWriter *writer, Err *err)
{
    enum { FLUSH_BYTES = 4 << 20 };
    bytes_append(&g->out, g->is_v2 ? "go 1.26 trace\0\0\0" : "go 1.19 trace\0\0\0", 16);
    prepare(g, goroutines);
    g->ticks = 1 << 20;
    if (g->is_v2) {
        begin_generation(g);
    } else {
        begin_v1(g, goroutines);
    }
    while (g->events < events) {
        step(g);
        if (g->is_v2 && g->ticks > g->generation_end) {
            end_generation(g);
            begin_generation(g);
        }
        if (g->out.size > FLUSH_BYTES && !write_out(g, writer, err)) return false;
    }
    if (g->is_v2) {
        end_generation(g);
    } else {
        for (unsigned p = 0; p < PROCS; p++)
            flush(g, p);
        put_byte(&g->out, V1_FREQUENCY);
        put_number(&g->out, FREQUENCY);
        put_tables(g);
    }
    return write_out(g, writer, err);
}

int main(int argc, char **argv)
{
    enum { EXIT_USAGE = 1, EXIT_OUTPUT = 4 };
    if (argc != 5 || (strcmp(argv[1], "1.19") != 0 && strcmp(argv[1], "1.26") != 0)) {
        (void)fputs("usage: varve-gen-go 1.19|1.26 EVENTS GOROUTINES FILE\n", stderr);
        return EXIT_USAGE;
    }
    uint64_t   events = strtoull(argv[2], NULL, 10);
    uint32_t   goroutines = (uint32_t)strtoul(argv[3], NULL, 10);
    Generator  g = { .is_v2 = strcmp(argv[1], "1.26") == 0, .random = 1 };
    Arena      arena = arena_create(0);
    FileWriter writer = { 0 };
    Err        err;
    g.g_count = 1;
    g.g_capacity = goroutines + (uint32_t)(events / 300) + 64;
    g.gs = ARENA_ARRAY(&arena, Goroutine, g.g_capacity);
    g.ready = ARENA_ARRAY(&arena, uint32_t, g.g_capacity);
    g.waiting = ARENA_ARRAY(&arena, uint32_t, g.g_capacity);
    bool done = g.gs != NULL && g.ready != NULL && g.waiting != NULL;
    if (!done) err_set(&err, ERR_MEMORY, "out of memory");
    done = done && file_writer_open(&writer, argv[4], &err) &&
           generate(&g, events, goroutines, &writer, &err) && file_writer_commit(&writer, &err);
    if (!done) (void)fprintf(stderr, "varve-gen-go: %s\n", err.message);
    for (unsigned p = 0; p < PROCS; p++)
        bytes_release(&g.ps[p].records);
    bytes_release(&g.out);
    arena_release(&arena);
    return done ? EXIT_SUCCESS : EXIT_OUTPUT;
}
