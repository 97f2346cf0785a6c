/* Tracy as a recorder of bench/record.sh, over the C interface of its client: tracy/TracyC.h.
 *
 * Tracy's client sends its events to a server, by TCP. The server here is a thread that receives them and writes the bytes to
 * the file: it asks nothing back. It connects to the port of the environment variable TRACY_PORT. */
#include "recorders.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <tracy/TracyC.h>
#include <unistd.h>

enum { CONNECT_TRIES = 100, TRY_MS = 50, QUIET_MS = 500, QUIET_BYTES = 10000 };

static int               connection = -1;
static int               file = -1;
static uint64_t          received; /* bytes; atomic */
static pthread_t         receiver;
static _Thread_local int depth;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static void *receive(void *unused)
{
    static uint8_t bytes[1 << 18];
    ssize_t        size;
    (void)unused;
    while ((size = read(connection, bytes, sizeof bytes)) > 0) {
        const int to = __atomic_load_n(&file, __ATOMIC_ACQUIRE);
        if (to >= 0 && write(to, bytes, (size_t)size) != size) abort();
        __atomic_fetch_add(&received, (uint64_t)size, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Runs before the destructors of Tracy, which wait for the end of the connection. */
static void disconnect(void)
{
    shutdown(connection, SHUT_RDWR);
    pthread_join(receiver, NULL);
    close(connection);
}

/* Connects once: a client of Tracy accepts no second server. */
static int connect_once(void)
{
    const char *const  port = getenv("TRACY_PORT");
    struct sockaddr_in address = { .sin_family = AF_INET };
    /* The word and the version of TracyProtocol.hpp. */
    static const struct {
        char     word[8];
        uint32_t version;
    } HELLO = { { 'T', 'r', 'a', 'c', 'y', 'P', 'r', 'f' }, TRACY_PROTOCOL };
    if (connection >= 0) return 0;
    address.sin_port = htons((uint16_t)(port == NULL ? 8086 : atoi(port)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < CONNECT_TRIES; i++, sleep_ms(TRY_MS)) {
        connection = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(connection, (const struct sockaddr *)&address, sizeof address) == 0) break;
        close(connection);
        connection = -1;
    }
    char welcome = 0;
    if (connection < 0 || write(connection, HELLO.word, sizeof HELLO.word) != sizeof HELLO.word ||
        write(connection, &HELLO.version, sizeof HELLO.version) != sizeof HELLO.version ||
        read(connection, &welcome, 1) != 1 || welcome != 1)
        return EPROTO;
    return pthread_create(&receiver, NULL, receive, NULL) != 0 || atexit(disconnect) != 0;
}

/* Waits until fewer than QUIET_BYTES arrive in QUIET_MS: the client also sends the load of the processor, ten times a second. */
static void wait_until_quiet(void)
{
    uint64_t before;
    do {
        before = __atomic_load_n(&received, __ATOMIC_ACQUIRE);
        sleep_ms(QUIET_MS);
    } while (__atomic_load_n(&received, __ATOMIC_ACQUIRE) - before >= QUIET_BYTES);
}

static int start_tracy(const char *path)
{
    if (connect_once() != 0) return EPROTO;
    wait_until_quiet();
    const int opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    __atomic_store_n(&file, opened, __ATOMIC_RELEASE);
    return opened < 0;
}

static int stop_tracy(void)
{
    wait_until_quiet();
    return close(__atomic_exchange_n(&file, -1, __ATOMIC_ACQ_REL));
}

static void record_tracy(void)
{
    for (int i = 0; i < BLOCK; i += 2) {
        TracyCZoneN(zone, "a_function_name", 1);
        TracyCZoneEnd(zone);
    }
}

static void flush_tracy(void)
{
}

static void begin_tracy(const char *function, void **memory)
{
    struct ___tracy_source_location_data *place = __atomic_load_n(memory, __ATOMIC_ACQUIRE);
    if (place == NULL) {
        place = calloc(1, sizeof *place);
        if (place == NULL) abort();
        place->name = place->function = place->file = function;
        __atomic_store_n(memory, place, __ATOMIC_RELEASE);
    }
    (void)___tracy_emit_zone_begin(place, 1);
    depth++;
}

/* A function may have begun before the recording. */
static void end_tracy(void)
{
    if (depth == 0) return;
    depth--;
    ___tracy_emit_zone_end((TracyCZoneCtx){ .active = 1 });
}

const Peer PEER_TRACY = { { "Tracy", start_tracy, record_tracy, flush_tracy, stop_tracy },
                          begin_tracy,
                          end_tracy };
