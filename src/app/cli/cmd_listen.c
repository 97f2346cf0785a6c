/* varve listen - receives traces while they are made, from many senders at once, and keeps them as they come. */
#include "app/cli/cli.h"
#include "app/cli/listen_report.h"
#include "app/cli/progress_bar.h"
#include "app/live/receiver.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REDRAW_MS = 200 };

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "FILE", "keep what comes, byte for byte; the second sender's in FILE.2, and so on" },
    { "once", '\0', NULL, "end when nobody sends any more" },
    { "bind", '\0', NULL, "allow addresses that other machines can reach" },
    { "json", '\0', NULL, "at the end one JSON object about all senders, stable for programs" },
    { NULL, '\0', NULL, NULL }
};

typedef struct Listening {
    Cli        *cli;
    Receiver   *receiver;
    pthread_t   thread, waiter; /* that receives; that is told when it has ended */
    atomic_bool over;
    bool        failed; /* because of err */
    Err         err;
    bool        strange, unkept; /* something was wrong with a sender; a recording could not be written */
} Listening;

/* ---- what is said of senders, on the receiver's thread ---- */

static void say(const Listening *listening, const SenderStatus *status,
                void (*tell)(const SenderStatus *status, Bytes *out))
{
    Bytes text = { 0 };
    if (listening->cli->quiet) return;
    tell(status, &text);
    bytes_append(&text, "", 1);
    progress_line_clear();
    if (!text.failed) (void)fprintf(stderr, "varve: %s: %s\n", status->name, (const char *)text.data);
    bytes_release(&text);
}

static void note_faults(Listening *listening, const SenderStatus *status)
{
    if (status->fault.code != ERR_NONE && status->bytes > 0) {
        listening->strange = true;
        cli_error(status->name, &status->fault);
    }
    if (status->record_fault.code != ERR_NONE) {
        listening->unkept = true;
        cli_error(status->file[0] == '\0' ? status->name : status->file, &status->record_fault);
    }
}

static void told_began(void *context, const SenderStatus *status)
{
    say(context, status, listen_text_began);
}

static void told_ended(void *context, const SenderStatus *status)
{
    Listening *listening = context;
    if (status->format != NULL) say(listening, status, listen_text_ended);
    progress_line_clear();
    note_faults(listening, status);
    if (status->so_far == NULL) return;
    listening->strange |= status->so_far->warning_count > 0 || !status->so_far->complete;
    cli_warnings(listening->cli, status->name, status->so_far);
}

/* ---- the threads ---- */

static void *receive(void *context)
{
    Listening *listening = context;
    listening->failed = !receiver_run(listening->receiver, &listening->err);
    atomic_store(&listening->over, true);
    (void)pthread_kill(listening->waiter,
                       SIGTERM); /* it waits for that one anyway, and is blocked everywhere */
    return NULL;
}

static void draw_line(const Listening *listening)
{
    Bytes          text = { 0 };
    ReceiverTotals totals = receiver_totals(listening->receiver);
    listen_text_totals(&totals, &text);
    bytes_append(&text, "", 1);
    if (!text.failed) (void)fprintf(stderr, "\r\033[K%s", (const char *)text.data);
    (void)fflush(stderr);
    bytes_release(&text);
}

/* SIGINT and SIGTERM are blocked in all threads and waited for: no handler, no race. */
static sigset_t stop_signals(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    return set;
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
        bytes_append(&text, "", 1);
        if (!text.failed) (void)fprintf(stderr, "%s\n", (const char *)text.data);
    }
    bytes_clear(&text);
    if (cli_option(cli, "json") != NULL) {
        listen_json(listening->receiver, &text);
        status = cli_print(&text);
    }
    bytes_release(&text);
    if (status != EXIT_DONE) return status;
    if (listening->unkept) return EXIT_OUTPUT;
    if (listening->failed || (totals.senders == 0 && totals.strange_senders + totals.strange_datagrams > 0))
        return EXIT_INPUT;
    return cli->strict && listening->strange ? EXIT_STRICT : EXIT_DONE;
}

static ExitStatus listen_run(Listening *listening)
{
    for (size_t i = 0; receiver_address(listening->receiver, i) != NULL; i++)
        (void)printf("%s\n", receiver_address(listening->receiver, i));
    if (fflush(stdout) != 0) return EXIT_OUTPUT;
    listening->waiter = pthread_self();
    if (pthread_create(&listening->thread, NULL, receive, listening) != 0) {
        (void)fputs("varve: no thread can be made to receive\n", stderr);
        return EXIT_INPUT;
    }
    wait_for_end(listening);
    (void)pthread_join(listening->thread, NULL);
    if (listening->failed) (void)fprintf(stderr, "varve: %s\n", listening->err.message);
    return listen_end(listening);
}

/* Said even with --quiet: whoever reaches the address can send what is shown and kept. */
static void warn_of_strangers(const char *text)
{
    LiveAddress address;
    Err         ignored;
    if (live_address_parse(text, &address, &ignored) && !address.is_local)
        (void)fprintf(stderr, "varve: %s: warning: other machines can send to this address\n", text);
}

static bool open_all(Listening *listening, ExitStatus *status)
{
    Cli *cli = listening->cli;
    Err  err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    for (size_t i = 0; i < cli->file_count; i++) {
        if (receiver_open(listening->receiver, cli->files[i], &err)) {
            warn_of_strangers(cli->files[i]);
            continue;
        }
        cli_error(cli->files[i], &err);
        *status = err.code == ERR_USAGE ? EXIT_USAGE : EXIT_INPUT;
        return false;
    }
    return true;
}

static ExitStatus run(Cli *cli)
{
    Listening       listening = { .cli = cli };
    Err             err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    const char     *output = cli_option(cli, "output");
    ReceiverOptions options = { .record_path = output,
                                .memory_limit = memory_total() / 4,
                                .bind = cli_option(cli, "bind") != NULL ? BIND_ANY : BIND_LOOPBACK,
                                .end = cli_option(cli, "once") != NULL ? RECEIVE_ONCE : RECEIVE_ON,
                                .began = told_began,
                                .ended = told_ended,
                                .context = &listening };
    if (cli->file_count == 0) return cli_usage_error(cli, "listen needs an ADDRESS");
    if (cli->load.format_name != NULL) options.reader = format_find(cli->load.format_name);
    sigset_t stop = stop_signals();
    (void)pthread_sigmask(SIG_BLOCK, &stop, NULL);
    listening.receiver = receiver_create(&options, &err);
    if (listening.receiver == NULL) {
        cli_error(output == NULL ? "listen" : output, &err);
        return EXIT_OUTPUT;
    }
    ExitStatus status;
    if (open_all(&listening, &status)) status = listen_run(&listening);
    receiver_destroy(listening.receiver);
    return status;
}

const CliCommand COMMAND_LISTEN = {
    .name = "listen",
    .summary = "Receives traces while they are made, and keeps them as they come",
    .usage = "[OPTIONS] ADDRESS...",
    .details = "ADDRESS is udp:HOST:PORT, tcp:HOST:PORT, unix:PATH (a socket that is made), pipe:PATH, "
               "file:PATH (one\n"
               "that grows) or - (standard input). Heph packets come on all of them, Trace Event JSON and "
               ".spall on all but\n"
               "udp. Each connection, each source of datagrams is a trace of its own. The addresses are "
               "printed when\n"
               "they are ready; Ctrl-C ends it, with all that has arrived.",
    .examples = "  varve listen udp:127.0.0.1:4711 -o trace.bin\n"
                "  varve listen tcp:4711 unix:/run/user/1000/varve.sock -o traces.bin\n"
                "  varve listen --once --json tcp:127.0.0.1:0 -o one.bin\n"
                "  varve listen file:trace.json",
    .options = OPTIONS,
    .run = run
};
