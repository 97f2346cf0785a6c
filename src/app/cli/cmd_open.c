/* varve open - serves the viewer on 127.0.0.1 and opens a browser. */
#include "app/cli/browser.h"
#include "app/cli/cli.h"
#include "app/cli/listening.h"
#include "app/cli/progress_bar.h"
#include "app/cli/view_argument.h"
#include "app/server/server.h"
#include "app/session/session_open.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    EARLY_MS = 300,    /* a missing or unknown file is reported before a browser opens */
    EARLY_POLL_MS = 1, /* the time between two looks at a load before the server starts */
    POLL_MS = 10,      /* and later */
    REDRAW_MS = 100,
    LINGER_MS = 500, /* the time that an interrupted load has to stop */
    LINE_MS = 200    /* a shorter load shows no progress */
};

static const OptionSpec OPTIONS[] = {
    { "port", '\0', "N",
      "serve on this port, with the same secret in each run; default: any free one, a new secret" },
    { "no-browser", '\0', NULL, "only print the address" },
    { "whole", '\0', NULL, "load a .varve file at an address as a whole, not by ranges" },
    { "watch", '\0', NULL, "follow growing files" },
    { "keep", '\0', "SIZE|TIME", "with --watch: retain the latest part of each: 500M, 2G; 30s, 10min" },
    { NULL, '\0', NULL, NULL }
};

/* The files and their loads. */
typedef struct Opening {
    Cli     *cli;
    Session *session;
    bool    *settled; /* per file: its result was reported; in the Cli's arena */
    size_t   loading, failed;
    bool     strict_fault;
    unsigned waited_ms;
} Opening;

static void sleep_ms(long ms)
{
    (void)nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

static bool stop_requested(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}

/* Reports the result of every load that has ended since the last call. */
static void opening_look(Opening *o)
{
    for (uint32_t i = 0; i < o->cli->file_count; i++) {
        const Loaded *loaded;
        Err           err;
        if (o->settled[i]) continue;
        switch (session_load_state(o->session, i, &loaded, &err)) {
        case LOAD_RUNNING:
            continue;
        case LOAD_DONE:
            progress_line_clear();
            if (loaded == NULL) break; /* read by ranges: the page shows the warnings */
            cli_warnings(o->cli, loaded->name, loaded->trace);
            if (o->cli->strict && cli_anomalies(loaded) > 0) o->strict_fault = true;
            break;
        case LOAD_FAILED:
            progress_line_clear();
            cli_input_error(o->cli->files[i], &err);
            if (err.code != ERR_CANCELLED) o->failed++; /* the user cancelled it */
            break;
        }
        o->settled[i] = true;
        o->loading--;
    }
}

static void opening_draw(const Opening *o)
{
    if (o->cli->quiet || o->waited_ms < LINE_MS || o->waited_ms % REDRAW_MS != 0) return;
    for (uint32_t i = 0; i < o->cli->file_count; i++) {
        const Progress *progress = session_load_progress(o->session, i);
        if (o->settled[i] || atomic_load(&progress->phase) == PROGRESS_DONE)
            continue; /* shown, from the cache */
        progress_line_draw(o->cli->files[i], progress);
        return;
    }
}

/* True if the reader of every running load has accepted the begin of its file. With --strict a later event decides. */
static bool opening_is_begun(const Opening *o)
{
    if (o->cli->strict) return false;
    for (uint32_t i = 0; i < o->cli->file_count; i++) {
        const Progress *progress = session_load_progress(o->session, i);
        const bool      reads = atomic_load(&progress->phase) == PROGRESS_READING;
        if (!o->settled[i] && reads && atomic_load(&progress->done) == 0) return false;
    }
    return true;
}

/* Waits until the files are loaded or being loaded, at most EARLY_MS. True if the user wants to stop. */
static bool opening_wait_begin(Opening *o)
{
    for (unsigned waited = 0; waited < EARLY_MS; waited += EARLY_POLL_MS) {
        opening_look(o);
        if (o->loading == 0 || o->strict_fault || opening_is_begun(o)) return false;
        if (stop_requested()) return true;
        sleep_ms(EARLY_POLL_MS);
    }
    o->waited_ms = EARLY_MS;
    return false;
}

/* Waits until all loads have ended. True if the user wants to stop. */
static bool opening_wait(Opening *o)
{
    for (;;) {
        opening_look(o);
        if (o->loading == 0 || o->strict_fault) return false;
        if (stop_requested()) return true;
        opening_draw(o);
        sleep_ms(POLL_MS);
        o->waited_ms += POLL_MS;
    }
}

static ExitStatus opening_status(const Opening *o)
{
    if (o->failed == o->cli->file_count) return EXIT_INPUT;
    return o->strict_fault ? EXIT_STRICT : EXIT_DONE;
}

/* Cancels unfinished loads. False if a load does not stop because it waits for a pipe without a writer. */
static bool opening_stop(Opening *o)
{
    for (uint32_t i = 0; i < o->cli->file_count; i++)
        atomic_store(&session_load_progress(o->session, i)->cancelled, true);
    for (unsigned waited = 0; waited < LINGER_MS; waited += POLL_MS) {
        bool          running = false;
        const Loaded *loaded;
        Err           err;
        for (uint32_t i = 0; i < o->cli->file_count; i++)
            running = running || session_load_state(o->session, i, &loaded, &err) == LOAD_RUNNING;
        if (!running) return true;
        sleep_ms(POLL_MS);
    }
    return false;
}

/* Returns the last `parts` parts of a path. */
static const char *path_tail(const char *path, unsigned parts)
{
    const char *tail = path + strlen(path);
    while (tail > path && (tail[-1] != '/' || --parts > 0))
        tail--;
    return tail;
}

/* Returns the name to show for a file: with as many folders of its path as it needs to differ from the other files. NULL: the
 * name alone differs. */
static const char *distinct_name(const Cli *cli, size_t file)
{
    const char *path = cli->files[file];
    unsigned    parts = 1;
    for (size_t i = 0; i < cli->file_count; i++) {
        if (strcmp(cli->files[i], path) == 0) continue;
        while (path_tail(path, parts) > path &&
               strcmp(path_tail(path, parts), path_tail(cli->files[i], parts)) == 0)
            parts++;
    }
    return parts == 1 || load_is_address(path) ? NULL : path_tail(path, parts);
}

static bool opening_begin(Opening *o)
{
    Cli *cli = o->cli;
    Err  err;
    for (size_t i = 0; i < cli->file_count; i++) {
        LoadOptions options = cli->load;
        options.address_use = cli_option(cli, "whole") == NULL ? READ_BY_RANGES : READ_WHOLE;
        if (strcmp(cli->files[i], "-") == 0 || load_is_address(cli->files[i]))
            options.perspective = NULL; /* the input cannot be read again for another perspective */
        else if (cli_option(cli, "perspective") == NULL)
            options.perspective = "";
        if (session_open(o->session, cli->files[i], distinct_name(cli, i), &options, cli->cache, &err))
            continue;
        cli_input_error(cli->files[i], &err);
        cli->file_count = i; /* closes the files opened so far */
        return false;
    }
    o->loading = cli->file_count;
    return true;
}

static ExitStatus serve(Opening *o, uint16_t port, StringView view)
{
    Err         err;
    BrowserPage page = { .path = "" };
    Server     *server =
        server_start(&(ServerOptions){ .session = o->session, .port = port, .view = view }, &err);
    if (server == NULL) {
        (void)fprintf(stderr, "varve: %s\n", err.message);
        return EXIT_OUTPUT;
    }
    bool       written = printf("%s\n", server_url(server)) > 0 && fflush(stdout) == 0;
    const bool opens = cli_option(o->cli, "no-browser") == NULL && browser_open(&page, server_url(server));
    if (!opens && !o->cli->quiet) browser_print_tunnel(server_url(server));

    ExitStatus status = written ? EXIT_DONE : EXIT_OUTPUT;
    if (written && !opening_wait(o)) {
        status = opening_status(o);
        sigset_t stop = stop_signals();
        int      signal_number;
        if (status == EXIT_DONE) (void)sigwait(&stop, &signal_number);
    }
    progress_line_clear();
    browser_close(&page);
    server_stop(server);
    return status;
}

/* Opens growing files: each is followed, and read again from its begin when it is truncated or replaced. */
static ExitStatus watch(Cli *cli)
{
    const char **addresses = ARENA_ARRAY(&cli->arena, const char *, cli->file_count);
    ListenPlan   plan = { .addresses = addresses,
                          .address_count = cli->file_count,
                          .serves = true,
                          .opens_browser = cli_option(cli, "no-browser") == NULL };
    if (!cli_port(cli, &plan.port) || !listening_keep(cli, &plan.keep_bytes, &plan.keep_ns))
        return EXIT_USAGE;
    for (size_t i = 0; addresses != NULL && i < cli->file_count; i++) {
        if (load_is_address(cli->files[i]))
            return cli_usage_error(cli, "%s: --watch follows files", cli->files[i]);
        bool   is_stdin = strcmp(cli->files[i], "-") == 0;
        size_t size = strlen(cli->files[i]) + sizeof "file:";
        char  *address = arena_push_raw(&cli->arena, 1, size);
        if (address == NULL) return EXIT_INPUT;
        (void)snprintf(address, size, "%s%s", is_stdin ? "" : "file:", cli->files[i]);
        addresses[i] = address;
    }
    return addresses == NULL ? EXIT_INPUT : listening_run(cli, &plan);
}

static ExitStatus run(Cli *cli)
{
    uint16_t         port;
    ViewArgument     view;
    const ExitStatus taken = view_argument_take(cli, &view);
    if (taken != EXIT_DONE) return taken;
    if (cli->file_count == 0) return cli_usage_error(cli, "open needs a FILE");
    if (cli_option(cli, "watch") != NULL) {
        if (view.name != NULL) return cli_usage_error(cli, "%s: --watch takes no view", view.name);
        return watch(cli);
    }
    if (!cli_port(cli, &port)) return EXIT_USAGE;
    view_argument_of_page(cli, &view);
    stop_signals_block();

    Opening o = { .cli = cli, .session = session_create() };
    o.settled = ARENA_ARRAY(&cli->arena, bool, cli->file_count);
    ExitStatus status = EXIT_INPUT;
    if (o.session == NULL || o.settled == NULL) {
        (void)fputs("varve: out of memory\n", stderr);
    } else if (opening_begin(&o)) {
        bool stopped = opening_wait_begin(&o);
        status = opening_status(&o);
        if (status == EXIT_DONE && !stopped) status = serve(&o, port, view.text);
    }
    /* A load that cannot stop ends with the process; its files are temporary. */
    if (o.session != NULL && opening_stop(&o)) session_destroy(o.session);
    return status;
}

const CliCommand COMMAND_OPEN = {
    .name = "open",
    .summary = "Shows traces in the browser: serves the viewer on 127.0.0.1 until Ctrl-C",
    .usage = "[OPTIONS] FILE... [VIEW]",
    .details = "Several files are shown in one view on one time axis. The printed address contains a\n"
               "secret, without which the trace cannot be read. VIEW is a view file (x.varve-view) or a\n"
               "link of the viewer, which the page applies to the traces.",
    .examples = "  varve open trace.json.gz\n"
                "  varve before.json after.json\n"
                "  ssh host cat trace.spall | varve open -\n"
                "  varve open --no-browser --port=8200 trace.json\n"
                "  varve open trace.json slow-start.varve-view\n"
                "  varve open --watch build/trace.json     # while it is being written",
    .options = OPTIONS,
    .run = run
};
