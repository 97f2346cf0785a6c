/* A receiver for the viewer's tests: serves a trace that grows on commands from standard input.
 *
 *   until MS                 the trace in its state at that time, from its begin
 *   early                    from now on a process is before the others
 *   late                     from now on there is a slice behind the first frame, in the same row
 *   report STATE LOST DROPPED   receiving, paused or ended
 *
 * Each line is answered with "ok", the start with the address of the page. With the argument --listen there is no trace
 * at first, and the session announces the address where it waits for one. */
#include "app/server/server.h"
#include "app/session/live_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_US = 10000 };

typedef struct Feed {
    Session    *session;
    LiveSource *source;     /* NULL: no trace yet */
    Bytes       text;       /* of the served trace */
    Loaded      loaded;     /* its owner */
    Bytes       first_text; /* of the first trace, from which the session still reads details */
    Loaded      first;
    Trace       trace; /* the served trace, at a fixed address */
    int64_t     until_us;
    bool        early, late;
    LiveReport  report;
} Feed;

static void put_slice(Bytes *text, const char *name, int pid, int tid, int64_t ts_us, int64_t dur_us)
{
    bytes_printf(text,
                 "{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRId64
                 ",\"dur\":%" PRId64 "},",
                 name, tid == 1 ? "frame" : "job", pid, tid, ts_us, dur_us);
}

static void put_names(Bytes *text)
{
    static const char *const THREADS[] = { "main", "render", "audio", "loader" };
    bytes_append_text(text,
                      "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"game\"}},");
    for (int i = 0; i < 4; i++)
        bytes_printf(
            text, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":%d,\"args\":{\"name\":\"%s\"}},",
            i + 1, THREADS[i]);
}

/* Appends an arrow from a frame's "simulate" to its "encode commands", and an instant behind the frame. */
static void put_submit(Bytes *text, int64_t n, int64_t at)
{
    bytes_printf(text,
                 "{\"ph\":\"i\",\"name\":\"vsync\",\"s\":\"t\",\"pid\":7,\"tid\":1,\"ts\":%" PRId64 "},"
                 "{\"ph\":\"s\",\"name\":\"submit\",\"cat\":\"job\",\"id\":%" PRId64
                 ",\"pid\":7,\"tid\":1,\"ts\":%" PRId64 "},"
                 "{\"ph\":\"f\",\"name\":\"submit\",\"cat\":\"job\",\"id\":%" PRId64
                 ",\"bp\":\"e\",\"pid\":7,\"tid\":2,\"ts\":%" PRId64 "},",
                 at + 9500, n, at + 2000, n, at + 5000);
}

/* Appends frames of ten milliseconds, their slices, instants and arrows. A slice is appended once it has ended. */
static void put_events(const Feed *feed, Bytes *text)
{
    put_names(text);
    for (int64_t at = 0; at + STEP_US <= feed->until_us; at += STEP_US) {
        int64_t n = at / STEP_US;
        put_slice(text, "frame", 7, 1, at, 9000);
        put_slice(text, "input", 7, 1, at + 100, 700);
        put_slice(text, "simulate", 7, 1, at + 1000, 2500 + n * 997 % 2000);
        put_slice(text, "collide", 7, 1, at + 1500, 1000 + n * 613 % 900);
        put_slice(text, "draw", 7, 1, at + 6000, 2800);
        put_slice(text, "encode commands", 7, 2, at + 3000, 3000 + n * 389 % 3000);
        if (n == 50 || n == 51) put_submit(text, n, at);
        if (n % 2 == 0) put_slice(text, "mix", 7, 3, at + 500, 1800);
        if (n % 10 == 3) put_slice(text, "load texture", 7, 4, at, 30000 + n * 7919 % 40000);
    }
    if (feed->late) put_slice(text, "swap", 7, 1, 9200, 500);
    if (feed->early)
        bytes_append_text(
            text, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3,\"args\":{\"name\":\"arbiter\"}},");
    if (feed->early) put_slice(text, "supervise", 3, 1, feed->until_us - STEP_US, 5000);
    bytes_append_text(text, "{}]");
}

static bool feed_load(Feed *feed, Bytes *text, Loaded *loaded)
{
    Err err;
    put_events(feed, text);
    if (load_bytes(text->data, text->size, "udp:127.0.0.1:5000", &(LoadOptions){ .threads = 1 }, loaded,
                   &err))
        return true;
    (void)fprintf(stderr, "live_feed: %s\n", err.message);
    return false;
}

static bool feed_add(Feed *feed)
{
    Err err;
    if (!feed_load(feed, &feed->first_text, &feed->first)) return false;
    feed->trace = *feed->first.trace;
    Loaded served = feed->first;
    served.trace = &feed->trace;
    feed->source = session_add_live(feed->session, &served, NULL, &err);
    return feed->source != NULL;
}

static void feed_release(Feed *feed)
{
    if (feed->loaded.trace != NULL) loaded_release(&feed->loaded);
    bytes_release(&feed->text);
}

static bool feed_grow(Feed *feed, int64_t until_us, bool shape)
{
    Bytes   text = { .data = NULL };
    Loaded  longer;
    int64_t from_us = feed->until_us - 2 * STEP_US;
    feed->until_us = until_us;
    if (feed->source == NULL) return feed_add(feed);
    if (!feed_load(feed, &text, &longer) || !live_source_begin(feed->source, 10000)) return false;
    feed->trace = *longer.trace;
    live_source_end(feed->source,
                    &(SourceChange){ .any = true, .shape = shape, .from_tick = from_us * 1000 });
    feed_release(feed);
    feed->loaded = longer;
    feed->text = text;
    return true;
}

static void feed_report(Feed *feed)
{
    feed->report.bytes = feed->text.size > 0 ? feed->text.size : feed->first_text.size;
    feed->report.events = feed->source == NULL ? 0 : feed->trace.slices.count;
    if (feed->source != NULL) live_source_report(feed->source, &feed->report);
}

static bool feed_obey(Feed *feed, char *line)
{
    static const char *const STATES[] = {
        [LIVE_RECEIVING] = "receiving", [LIVE_PAUSED] = "paused", [LIVE_ENDED] = "ended"
    };
    char *word = strtok(line, " \n"), *end;
    if (word == NULL) return false;
    if (strcmp(word, "until") == 0) {
        word = strtok(NULL, " \n");
        return word != NULL && feed_grow(feed, strtoll(word, &end, 10) * 1000, false);
    }
    if (strcmp(word, "early") == 0) {
        feed->early = true;
        return feed_grow(feed, feed->until_us, true);
    }
    if (strcmp(word, "late") == 0) {
        feed->late = true;
        return feed_grow(feed, feed->until_us, true);
    }
    char *state = strtok(NULL, " \n"), *lost = strtok(NULL, " \n"), *dropped = strtok(NULL, " \n");
    if (strcmp(word, "report") != 0 || dropped == NULL) return false;
    for (int i = LIVE_RECEIVING; i <= LIVE_ENDED; i++)
        if (strcmp(STATES[i], state) == 0) feed->report.state = (LiveState)i;
    feed->report.lost = strtoull(lost, &end, 10);
    feed->report.dropped = strtoull(dropped, &end, 10);
    return true;
}

int main(int argc, char **argv)
{
    static char line[256];
    Feed        feed = { .session = session_create(), .until_us = 1000000 };
    Err         err;
    if (feed.session == NULL) return 1;
    if (argc > 1 && strcmp(argv[1], "--listen") == 0)
        session_listens(feed.session, "udp:127.0.0.1:5000");
    else if (!feed_add(&feed))
        return 1;
    feed_report(&feed);
    Server *server = server_start(&(ServerOptions){ .session = feed.session }, &err);
    if (server == NULL) return 1;
    (void)printf("%s\n", server_url(server));
    (void)fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (!feed_obey(&feed, line)) return 1;
        feed_report(&feed);
        (void)printf("ok\n");
        (void)fflush(stdout);
    }
    server_stop(server);
    session_destroy(feed.session);
    feed_release(&feed);
    if (feed.source != NULL) loaded_release(&feed.first);
    bytes_release(&feed.first_text);
    return 0;
}
