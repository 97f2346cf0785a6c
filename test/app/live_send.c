/* Sends Heph events from several processes at once, as fast as possible, to a receiver on this machine.
 *
 *     live_send tcp|udp PORT PROCESSES EVENTS [SKIP [PER_SECOND]]
 *
 * EVENTS is the total; each process sends the same number, in its own stream with its own counter. Over UDP each
 * datagram has PER_DATAGRAM events; with SKIP every SKIP-th datagram is omitted although its events are counted, as if
 * it had been lost. SKIP 0 sends all. PER_SECOND limits the total rate in events a second. So that losses can be
 * computed from the counters alone, the first and last datagram of each process is sent when the receiver's buffers are
 * empty, according to /proc/net/udp. Prints the sent numbers as a JSON object. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PER_DATAGRAM = 16, EVENT_MOST = 96, PROCESSES_MOST = 64, BATCH = 256 };

typedef struct Job {
    int      is_udp;
    uint16_t port;
    uint32_t number;    /* of the process, from 0 */
    uint64_t datagrams; /* groups of PER_DATAGRAM events */
    uint64_t skip;      /* 0 = none */
    uint64_t pace;      /* groups a second; 0 = no limit */
    int      from_parent, to_parent;
} Job;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void put(uint8_t **at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        *(*at)++ = (uint8_t)(value >> (8 * (size - 1 - i)));
}

static void put_text(uint8_t **at, const char *text)
{
    size_t size = strlen(text);
    put(at, size, 2);
    memcpy(*at, text, size);
    *at += size;
}

static size_t epoch_packet(uint8_t *out)
{
    uint8_t *at = out;
    put(&at, 0x75D11D4D, 4);
    put(&at, 23, 4);
    put_text(&at, "epoch");
    put(&at, UINT64_C(1610113734118010000), 8);
    return (size_t)(at - out);
}

static size_t event_packet(uint8_t *out, uint32_t stream, uint64_t counter)
{
    static const char *const NAMES[] = { "parse", "look up", "answer", "write", "wait" };
    uint8_t                 *at = out;
    put(&at, 0xC1FC1FB7, 4);
    put(&at, 0, 4);
    put(&at, stream, 4);
    put(&at, counter & UINT32_MAX, 4);
    put(&at, 0, 8);
    put(&at, counter * 1000, 8);
    put(&at, counter * 1000 + 100 + counter % 900, 8);
    put_text(&at, NAMES[counter % 5]);
    put_text(&at, "n");
    put(&at, 1, 1);
    put(&at, counter, 8);
    uint8_t *size = out + 4;
    put(&size, (uint64_t)(at - out), 4);
    return (size_t)(at - out);
}

static size_t group(uint8_t *out, const Job *job, uint64_t index)
{
    size_t size = 0;
    for (uint64_t i = 0; i < PER_DATAGRAM; i++)
        size += event_packet(out + size, job->number + 1, index * PER_DATAGRAM + i);
    return size;
}

static int is_skipped(const Job *job, uint64_t index)
{
    return job->skip != 0 && index > 0 && index + 1 < job->datagrams && index % job->skip == 0;
}

/* ---- one process ---- */

static int connect_to(const Job *job)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(job->port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, job->is_udp ? SOCK_DGRAM : SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) die("connect");
    return fd;
}

static void send_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, bytes, size, 0);
        if (sent < 0) die("send");
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void wait_for(int fd)
{
    char byte;
    if (read(fd, &byte, 1) != 1) exit(1);
}

static void notify(int fd)
{
    if (write(fd, "", 1) != 1) exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Waits until it is time for group `index`; *begin_ns = 0 before the first. */
static void keep_pace(const Job *job, uint64_t index, uint64_t *begin_ns)
{
    if (job->pace == 0) return;
    uint64_t now = now_ns();
    if (*begin_ns == 0) *begin_ns = now;
    uint64_t due = *begin_ns + index / job->pace * 1000000000 + index % job->pace * 1000000000 / job->pace;
    if (due <= now) return;
    struct timespec pause = { .tv_sec = (time_t)((due - now) / 1000000000),
                              .tv_nsec = (long)((due - now) % 1000000000) };
    (void)nanosleep(&pause, NULL);
}

static void send_datagrams(const Job *job, int fd)
{
    uint64_t begin_ns = 0;
    uint8_t  bytes[PER_DATAGRAM * EVENT_MOST];
    wait_for(job->from_parent);
    send_all(fd, bytes, epoch_packet(bytes));
    send_all(fd, bytes, group(bytes, job, 0));
    notify(job->to_parent);
    wait_for(job->from_parent);
    for (uint64_t i = 1; i + 1 < job->datagrams; i++) {
        keep_pace(job, i, &begin_ns);
        if (!is_skipped(job, i)) send_all(fd, bytes, group(bytes, job, i));
    }
    notify(job->to_parent);
    wait_for(job->from_parent);
    send_all(fd, bytes, group(bytes, job, job->datagrams - 1));
    notify(job->to_parent);
}

static void send_stream(const Job *job, int fd)
{
    static uint8_t bytes[BATCH * PER_DATAGRAM * EVENT_MOST];
    size_t         size = epoch_packet(bytes);
    uint64_t       begin_ns = 0;
    for (uint64_t i = 0; i < job->datagrams; i++) {
        keep_pace(job, i, &begin_ns);
        size += group(bytes + size, job, i);
        if (job->pace == 0 && sizeof bytes - size >= PER_DATAGRAM * EVENT_MOST) continue;
        send_all(fd, bytes, size);
        size = 0;
    }
    send_all(fd, bytes, size);
}

static void run_job(const Job *job)
{
    int fd = connect_to(job);
    if (job->is_udp) {
        send_datagrams(job, fd);
    } else {
        send_stream(job, fd);
    }
    (void)close(fd);
    exit(0);
}

/* ---- the parent ---- */

/* Returns the bytes in the buffers of sockets bound to this port; -1 = no socket is bound to it. */
static int64_t waiting_bytes(const char *table, uint16_t port)
{
    char    line[512];
    int64_t waiting = -1;
    FILE   *file = fopen(table, "r");
    if (file == NULL) return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned local, received;
        if (sscanf(line, " %*u: %*[0-9A-F]:%x %*[0-9A-F]:%*x %*x %*x:%x", &local, &received) != 2) continue;
        if (local == port) waiting = (waiting < 0 ? 0 : waiting) + (int64_t)received;
    }
    (void)fclose(file);
    return waiting;
}

/* While other programs open and close sockets, a read of the kernel's table can lack a line. */
static void wait_until_empty(uint16_t port)
{
    enum { READS = 100 };
    int lacking = 0;
    for (int64_t waiting = 1; waiting != 0;) {
        waiting = waiting_bytes("/proc/net/udp", port);
        lacking = waiting < 0 ? lacking + 1 : 0;
        if (lacking == READS) {
            fprintf(stderr, "port %u has no receiver any more\n", (unsigned)port);
            exit(1);
        }
        (void)sched_yield();
    }
}

static void conduct_datagrams(const Job *jobs, uint32_t count, const int *to_child, const int *from_child)
{
    for (uint32_t i = 0; i < count; i++) {
        notify(to_child[i]);
        wait_for(from_child[i]);
        wait_until_empty(jobs->port);
    }
    for (uint32_t i = 0; i < count; i++)
        notify(to_child[i]);
    for (uint32_t i = 0; i < count; i++)
        wait_for(from_child[i]);
    for (uint32_t i = 0; i < count; i++) {
        wait_until_empty(jobs->port);
        notify(to_child[i]);
        wait_for(from_child[i]);
    }
    wait_until_empty(jobs->port);
}

static uint64_t number_of(const char *text)
{
    char    *end;
    uint64_t number = strtoull(text, &end, 10);
    if (*end == '\0' && end != text) return number;
    fprintf(stderr, "not a number: %s\n", text);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 7) {
        fprintf(stderr, "usage: live_send tcp|udp PORT PROCESSES EVENTS [SKIP [PER_SECOND]]\n");
        return 1;
    }
    uint32_t processes = (uint32_t)number_of(argv[3]);
    uint64_t events = number_of(argv[4]), skipped = 0, datagrams = 0;
    int      to_child[PROCESSES_MOST], from_child[PROCESSES_MOST], failed = 0;
    Job      job = { .is_udp = strcmp(argv[1], "udp") == 0, .port = (uint16_t)number_of(argv[2]) };
    if (processes == 0 || processes > PROCESSES_MOST || events % (PER_DATAGRAM * (uint64_t)processes) != 0) {
        fprintf(stderr, "EVENTS must be a multiple of %d times PROCESSES, at most %d\n", PER_DATAGRAM,
                PROCESSES_MOST);
        return 1;
    }
    job.skip = argc > 5 ? number_of(argv[5]) : 0;
    job.pace = argc > 6
                   ? (number_of(argv[6]) + PER_DATAGRAM * (uint64_t)processes - 1) / PER_DATAGRAM / processes
                   : 0;
    job.datagrams = events / processes / PER_DATAGRAM;
    for (uint32_t i = 0; i < processes; i++) {
        int down[2], up[2];
        job.number = i;
        for (uint64_t d = 0; d < job.datagrams; d++)
            *(is_skipped(&job, d) ? &skipped : &datagrams) += 1;
        if (pipe(down) != 0 || pipe(up) != 0) die("pipe");
        job.from_parent = down[0];
        job.to_parent = up[1];
        pid_t child = fork();
        if (child < 0) die("fork");
        if (child == 0) { /* a sender ends if the parent does: it has no end to write to a sender */
            for (uint32_t other = 0; other < i; other++)
                (void)close(to_child[other]);
            (void)close(down[1]);
            (void)close(up[0]);
            run_job(&job);
        }
        to_child[i] = down[1];
        from_child[i] = up[0];
        (void)close(down[0]);
        (void)close(up[1]);
    }
    if (job.is_udp) conduct_datagrams(&job, processes, to_child, from_child);
    for (int status; wait(&status) > 0;)
        failed |= status;
    printf("{\"events\": %" PRIu64 ", \"skipped_events\": %" PRIu64 ", \"datagrams\": %" PRIu64
           ", \"per_datagram\": %d}\n",
           events - skipped * PER_DATAGRAM, skipped * PER_DATAGRAM, datagrams, PER_DATAGRAM);
    return failed != 0;
}
