#include "app/cli/listening.h"

#include "app/cli/browser.h"
#include "app/cli/listen_report.h"
#include "app/cli/progress_bar.h"
#include "app/live/budget.h"
#include "app/server/server.h"
#include "app/session/live_source.h"
#include "base/digits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REDRAW_MS = 200 };

typedef struct Listening {
    Cli              *cli;
    const ListenPlan *plan;
    Receiver         *receiver;
    Session          *session;        /* NULL = without the viewer */
    Server           *server;         /* as `session` */
    Bytes             where;          /* the addresses, as text for the viewer */
    BrowserPage       page;           /* opens the viewer in the browser */
    pthread_t         thread, waiter; /* the receiver's thread; the thread that waits for its end */
    atomic_bool       over;
    bool              failed; /* because of err */
    Err               err;
    bool is_damaged, lost_record; /* data of a sender was wrong; a recording could not be written */
} Listening;

/* ---- messages about senders, on the receiver's thread ---- */

static void say(const Listening *listening, const SenderStatus *status,
                void (*append_text)(const SenderStatus *status, Bytes *out))
{
    Bytes text = { 0 };
    if (listening->cli->quiet) return;
    append_text(status, &text);
    const char *line = bytes_text(&text);
    progress_line_clear();
    if (line != NULL) (void)fprintf(stderr, "varve: %s: %s\n", status->name, line);
    bytes_release(&text);
}

static void note_faults(Listening *listening, const SenderStatus *status)
{
    if (status->fault.code != ERR_NONE && status->bytes > 0) {
        listening->is_damaged = true;
        cli_error(status->name, &status->fault);
    }
    if (status->record_fault.code != ERR_NONE) {
        listening->lost_record = true;
        cli_error(status->file[0] == '\0' ? status->name : status->file, &status->record_fault);
    }
}

static void print_began(void *context, const SenderStatus *status)
{
    say(context, status, listen_text_began);
}

static void print_ended(void *context, const SenderStatus *status)
{
    Listening *listening = context;
    if (status->format != NULL || status->end == SENDER_EVICTED) say(listening, status, listen_text_ended);
    progress_line_clear();
    note_faults(listening, status);
    if (status->so_far == NULL) return;
    listening->is_damaged |= status->so_far->records.warning_count > 0 || !status->so_far->source.complete;
    cli_warnings(listening->cli, status->name, status->so_far);
}

/* ---- the threads ---- */

static void *receive(void *context)
{
    Listening *listening = context;
    listening->failed = !receiver_run(listening->receiver, &listening->err);
    atomic_store(&listening->over, true);
    /* The thread waits for SIGTERM, which is blocked in all threads.
     * NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread) */
    (void)pthread_kill(listening->waiter, SIGTERM);
    return NULL;
}

static void draw_line(const Listening *listening)
{
    Bytes          text = { 0 };
    ReceiverTotals totals = receiver_totals(listening->receiver);
    listen_text_totals(&totals, &text);
    const char *line = bytes_text(&text);
    if (line != NULL) (void)fprintf(stderr, "\r\033[K%s", line);
    (void)fflush(stderr);
    bytes_release(&text);
}

sigset_t stop_signals(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    return set;
}

void stop_signals_block(void)
{
    const sigset_t stop = stop_signals();
    (void)pthread_sigmask(SIG_BLOCK, &stop, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

static void wait_for_end(Listening *listening)
{
    sigset_t              stop = stop_signals();
    const struct timespec redraw = { .tv_nsec = REDRAW_MS * 1000000L };
    bool                  draws = !listening->cli->quiet && isatty(STDERR_FILENO) == 1;
    int                   signal_number;
    if (!draws) (void)sigwait(&stop, &signal_number);
    while (draws && sigtimedwait(&stop, NULL, &redraw) < 0)
        draw_line(listening);
    progress_line_clear();
    receiver_stop(listening->receiver);
}

/* ---- the command ---- */

static ExitStatus listen_end(Listening *listening)
{
    Cli           *cli = listening->cli;
    ReceiverTotals totals = receiver_totals(listening->receiver);
    Bytes          text = { 0 };
    ExitStatus     status = EXIT_DONE;
    if (!cli->quiet) {
        bytes_append_text(&text, "varve: ");
        listen_text_totals(&totals, &text);
        const char *line = bytes_text(&text);
        if (line != NULL) (void)fprintf(stderr, "%s\n", line);
    }
    bytes_clear(&text);
    if (listening->plan->sum == LISTEN_SUM_JSON) {
        listen_json(listening->receiver, &text);
        status = cli_print(&text);
    }
    bytes_release(&text);
    if (status != EXIT_DONE) return status;
    if (listening->lost_record) return EXIT_OUTPUT;
    if (listening->failed ||
        (totals.senders == 0 && totals.unrecognised_senders + totals.unrecognised_datagrams > 0))
        return EXIT_INPUT;
    return cli->strict && listening->is_damaged ? EXIT_STRICT : EXIT_DONE;
}

/* Announces the addresses in the viewer. False when out of memory. */
static bool announce(Listening *listening)
{
    for (size_t i = 0; receiver_address(listening->receiver, i) != NULL; i++)
        bytes_printf(&listening->where, "%s%s", i == 0 ? "" : ", ", receiver_address(listening->receiver, i));
    const char *where = bytes_text(&listening->where);
    session_listens(listening->session, where);
    return where != NULL;
}

/* Starts the viewer, before any data has arrived. */
static bool serve(Listening *listening)
{
    const ListenPlan *plan = listening->plan;
    Err               err;
    if (listening->session == NULL) return true;
    if (announce(listening))
        listening->server =
            server_start(&(ServerOptions){ .session = listening->session, .port = plan->port }, &err);
    else
        err_set(&err, ERR_MEMORY, "out of memory");
    if (listening->server == NULL) {
        (void)fprintf(stderr, "varve: %s\n", err.message);
        return false;
    }
    (void)printf("%s\n", server_url(listening->server));
    if (plan->opens_browser) (void)browser_open(&listening->page, server_url(listening->server));
    return true;
}

static ExitStatus listen_run(Listening *listening)
{
    for (size_t i = 0; listening->plan->prints_addresses && receiver_address(listening->receiver, i) != NULL;
         i++)
        (void)printf("%s\n", receiver_address(listening->receiver, i));
    if (!serve(listening) || fflush(stdout) != 0) return EXIT_OUTPUT;
    listening->waiter = pthread_self();
    if (pthread_create(&listening->thread, NULL, receive, listening) != 0) {
        (void)fputs("varve: no thread can be made to receive\n", stderr);
        return EXIT_INPUT;
    }
    wait_for_end(listening);
    server_stop(listening->server); /* ends all requests */
    (void)pthread_join(listening->thread, NULL);
    if (listening->failed) (void)fprintf(stderr, "varve: %s\n", listening->err.message);
    return listen_end(listening);
}

/* Prints a warning, also with --quiet: any machine that reaches the address can add data to the view and the recording. */
static void warn_of_strangers(const char *text)
{
    LiveAddress address;
    Err         ignored;
    if (live_address_parse(text, &address, &ignored) && !address.is_local)
        (void)fprintf(stderr, "varve: %s: warning: other machines can send to this address\n", text);
}

static bool open_all(Listening *listening, ExitStatus *status)
{
    const ListenPlan *plan = listening->plan;
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    for (size_t i = 0; i < plan->address_count; i++) {
        if (receiver_open(listening->receiver, plan->addresses[i], &err)) {
            warn_of_strangers(plan->addresses[i]);
            continue;
        }
        cli_error(plan->addresses[i], &err);
        *status = err.code == ERR_USAGE ? EXIT_USAGE : EXIT_INPUT;
        return false;
    }
    return true;
}

ExitStatus listening_run(Cli *cli, const ListenPlan *plan)
{
    Listening       listening = { .cli = cli, .plan = plan };
    Err             err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    ReceiverOptions options = { .record_path = plan->record_path,
                                .memory_limit = memory_limit(),
                                .bind = plan->bind,
                                .end = plan->end,
                                .began = print_began,
                                .ended = print_ended,
                                .context = &listening };
    if (cli->load.format_name != NULL) options.reader = format_find(cli->load.format_name);
    memory_set_overflow(MEMORY_STAYS); /* the receiver drops data at the limit: app/live/budget.h */
    stop_signals_block();
    if (plan->serves) {
        listening.session = session_create();
        if (listening.session == NULL) {
            (void)fputs("varve: out of memory\n", stderr);
            return EXIT_INPUT;
        }
        options.show = (ShowRules){ listening.session, plan->keep_bytes, plan->keep_ns };
    }
    ExitStatus status = EXIT_OUTPUT;
    listening.receiver = receiver_create(&options, &err);
    if (listening.receiver == NULL) {
        cli_error(plan->record_path == NULL ? cli->command->name : plan->record_path, &err);
    } else if (open_all(&listening, &status)) {
        status = listen_run(&listening);
    }
    browser_close(&listening.page);
    if (listening.session != NULL) session_destroy(listening.session);
    bytes_release(&listening.where);
    receiver_destroy(listening.receiver);
    return status;
}

/* ---- --keep ---- */

static const struct {
    const char *unit;
    uint64_t    bytes, ns;
} KEEP_UNITS[] = { { "k", 1000, 0 },
                   { "M", 1000000, 0 },
                   { "G", 1000000000, 0 },
                   { "ms", 0, 1000000 },
                   { "s", 0, 1000000000 },
                   { "min", 0, UINT64_C(60000000000) },
                   { "h", 0, UINT64_C(3600000000000) } };

bool listening_keep(const Cli *cli, uint64_t *keep_bytes, uint64_t *keep_ns)
{
    const char *text = cli_option(cli, "keep");
    uint64_t    number = 0;
    if (text == NULL) {
        *keep_bytes = budget_of(memory_limit()).columns;
        return true;
    }
    size_t digits = strspn(text, "0123456789");
    for (size_t i = 0; i < sizeof KEEP_UNITS / sizeof KEEP_UNITS[0]; i++) {
        if (strcmp(text + digits, KEEP_UNITS[i].unit) != 0) continue;
        uint64_t unit = KEEP_UNITS[i].bytes + KEEP_UNITS[i].ns;
        bool     is_number =
            text_to_u64((StringView){ text, digits }, &number) && number > 0 && number <= INT64_MAX / unit;
        if (!is_number) break;
        *keep_bytes = number * KEEP_UNITS[i].bytes;
        *keep_ns = number * KEEP_UNITS[i].ns;
        return true;
    }
    (void)cli_usage_error(cli, "--keep must be a size (500M, 2G) or a time (30s, 10min, 2h), not '%s'", text);
    return false;
}
