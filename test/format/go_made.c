#include "format/go_made.h"

#include "format/go/v1/spec.h"

/* The events of a processor since its last batch. */
typedef struct Buffer {
    Bytes    records;
    uint64_t first, last; /* ticks */
    unsigned left;        /* events until it is full */
} Buffer;

typedef enum { CAN_RUN, RUNS, WAITS, IN_SYSCALL } MadeState; /* IN_SYSCALL: without a processor */

typedef struct MadeG {
    MadeState state;
    uint64_t  seq;
    unsigned  last_p;
} MadeG;

typedef struct Maker {
    const GoMade *made;
    TestRandom   *random;
    Bytes        *file;
    Buffer        buffers[GO_MADE_MOST];
    uint64_t      skews[GO_MADE_MOST];
    unsigned      runs[GO_MADE_MOST]; /* by processor: 1 + goroutine; 0 = idle */
    MadeG         gs[GO_MADE_MOST];
    uint64_t      now;
} Maker;

static void put_number(Bytes *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        const uint8_t byte = (uint8_t)(number | 0x80);
        bytes_append(out, &byte, 1);
    }
    const uint8_t byte = (uint8_t)number;
    bytes_append(out, &byte, 1);
}

static void put_record(Bytes *out, V1Type type, const uint64_t *numbers, size_t count)
{
    Bytes         body = { 0 };
    const size_t  form = count < 4 ? count - 1 : 3;
    const uint8_t first = (uint8_t)((unsigned)type | (unsigned)form << 6);
    for (size_t i = 0; i < count; i++)
        put_number(&body, numbers[i]);
    bytes_append(out, &first, 1);
    if (count >= 4) put_number(out, body.size);
    bytes_append(out, body.data, body.size);
    bytes_release(&body);
}

static void put_string(Bytes *out, uint64_t id, const char *text)
{
    const uint8_t first = V1_STRING;
    bytes_append(out, &first, 1);
    put_number(out, id);
    put_number(out, strlen(text));
    bytes_append_text(out, text);
}

static uint64_t below(Maker *m, uint64_t bound)
{
    return test_random_below(m->random, bound);
}

static void flush(Maker *m, unsigned p)
{
    Buffer *buffer = &m->buffers[p];
    if (buffer->records.size == 0) return;
    put_record(m->file, V1_BATCH, (const uint64_t[]){ p, buffer->first }, 2);
    bytes_append(m->file, buffer->records.data, buffer->records.size);
    bytes_clear(&buffer->records);
}

/* numbers[0] is the event's time, which is set here. */
static void put_event(Maker *m, unsigned p, V1Type type, uint64_t *numbers, size_t count)
{
    Buffer        *buffer = &m->buffers[p];
    const uint64_t now = m->now + m->skews[p];
    if (buffer->left-- == 0) {
        flush(m, p);
        buffer->left = (unsigned)below(m, 2000);
    }
    if (buffer->records.size == 0) buffer->first = buffer->last = now;
    numbers[0] = now - buffer->last;
    buffer->last = now;
    put_record(&buffer->records, type, numbers, count);
}

static void start(Maker *m, unsigned p, unsigned g)
{
    MadeG *const it = &m->gs[g];
    if (it->last_p == p) {
        put_event(m, p, V1_GO_START_LOCAL, (uint64_t[]){ 0, g + 1 }, 2);
    } else {
        put_event(m, p, V1_GO_START, (uint64_t[]){ 0, g + 1, it->seq }, 3);
    }
    it->seq++;
    it->last_p = p;
    it->state = RUNS;
    m->runs[p] = g + 1;
}

static void wake(Maker *m, unsigned p, unsigned g)
{
    MadeG *const it = &m->gs[g];
    if (it->last_p == p) {
        put_event(m, p, V1_GO_UNBLOCK_LOCAL, (uint64_t[]){ 0, g + 1, 2 }, 3);
    } else {
        put_event(m, p, V1_GO_UNBLOCK, (uint64_t[]){ 0, g + 1, it->seq, 2 }, 4);
    }
    it->seq++;
    it->last_p = p;
    it->state = CAN_RUN;
}

static void stop(Maker *m, unsigned p, unsigned g)
{
    static const V1Type TYPES[] = { V1_GO_BLOCK_SEND, V1_GO_BLOCK_RECV, V1_GO_SLEEP,
                                    V1_GO_BLOCK_NET,  V1_GO_SCHED,      V1_GO_PREEMPT };
    const V1Type        type = TYPES[below(m, 40) < 36 ? below(m, 2) : below(m, 6)];
    put_event(m, p, type, (uint64_t[]){ 0, 2 }, 2);
    m->gs[g].state = type == V1_GO_SCHED || type == V1_GO_PREEMPT ? CAN_RUN : WAITS;
    m->runs[p] = 0;
}

static void other(Maker *m, unsigned p)
{
    if (below(m, 2) == 0) {
        put_event(m, p, V1_HEAP_ALLOC, (uint64_t[]){ 0, below(m, 1 << 20) }, 2);
        return;
    }
    put_event(m, p, V1_GO_SYS_CALL, (uint64_t[]){ 0, 2 }, 2);
    if (below(m, 2) == 0) return;
    put_event(m, p, V1_GO_SYS_BLOCK, (uint64_t[]){ 0 }, 1);
    m->gs[m->runs[p] - 1].state = IN_SYSCALL;
    m->runs[p] = 0;
}

static void leave_syscall(Maker *m, unsigned p, unsigned g)
{
    MadeG *const it = &m->gs[g];
    put_event(m, p, V1_GO_SYS_EXIT, (uint64_t[]){ 0, g + 1, it->seq, m->now + m->skews[p] - below(m, 9) }, 4);
    it->seq++;
    it->last_p = p;
    it->state = CAN_RUN;
}

/* Returns a goroutine in this state, of this processor if goroutines stay; made->goroutines: none is in it. */
static unsigned find(Maker *m, unsigned p, MadeState state)
{
    const unsigned count = m->made->goroutines, from = (unsigned)below(m, count);
    const bool     stays = below(m, 16) < m->made->stays;
    unsigned       found = count;
    for (unsigned i = 0; i < count; i++) {
        const unsigned g = (from + i) % count;
        if (m->gs[g].state != state) continue;
        found = g;
        if (!stays || m->gs[g].last_p == p) break;
    }
    return found;
}

static void event_on(Maker *m, unsigned p)
{
    const unsigned none = m->made->goroutines;
    if (m->runs[p] == 0) {
        const unsigned back = find(m, p, IN_SYSCALL), g = find(m, p, CAN_RUN);
        if (back != none) {
            leave_syscall(m, p, back);
        } else if (g != none) {
            start(m, p, g);
        }
        return;
    }
    if (below(m, 1024) < m->made->others) {
        other(m, p);
        return;
    }
    const unsigned g = below(m, 2) == 0 ? find(m, p, WAITS) : none;
    if (g != none) {
        wake(m, p, g);
    } else {
        stop(m, p, m->runs[p] - 1);
    }
}

void go_make(const GoMade *made, TestRandom *random, Bytes *file)
{
    enum { BEGIN = 1 << 20, PER_SECOND = 50000000 };
    Maker m = { .made = made, .random = random, .file = file, .now = BEGIN };
    bytes_append(file, "go 1.19 trace\0\0", 16);
    for (unsigned p = 0; p < made->processors; p++)
        m.skews[p] = p == 0 ? 0 : below(&m, made->skew + 1);
    for (unsigned g = 0; g < made->goroutines; g++) {
        put_event(&m, 0, V1_GO_CREATE, (uint64_t[]){ 0, g + 1, 1, 2 }, 4);
        m.gs[g].seq = 1;
    }
    put_event(&m, 0, V1_PROC_START, (uint64_t[]){ 0, 0 }, 2);
    start(&m, 0, 0);
    put_event(&m, 0, V1_GOMAXPROCS, (uint64_t[]){ 0, made->processors, 2 }, 3);
    for (unsigned p = 1; p < made->processors; p++)
        put_event(&m, p, V1_PROC_START, (uint64_t[]){ 0, p }, 2);
    for (unsigned i = 0; i < made->events; i++) {
        m.now += below(&m, made->pace + 1);
        event_on(&m, (unsigned)below(&m, made->processors));
    }
    for (unsigned p = 0; p < made->processors; p++) {
        flush(&m, p);
        bytes_release(&m.buffers[p].records);
    }
    put_record(file, V1_BATCH, (const uint64_t[]){ 0, m.now }, 2);
    put_record(file, V1_FREQUENCY, (const uint64_t[]){ PER_SECOND }, 1);
    put_string(file, 1, "main.work");
    put_string(file, 2, "main.go");
    put_record(file, V1_STACK, (const uint64_t[]){ 1, 1, 0x1000, 1, 2, 7 }, 6);
    put_record(file, V1_STACK, (const uint64_t[]){ 2, 1, 0x1004, 1, 2, 8 }, 6);
}
