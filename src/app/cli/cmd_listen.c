/* varve listen - receives traces while they are made, from many senders at once, and keeps them as they come. */
#include "app/cli/listening.h"

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "FILE", "keep what comes, byte for byte; the second sender's in FILE.2, and so on" },
    { "keep", '\0', "SIZE|TIME", "show the latest so much of each sender: 500M, 2G; 30s, 10min, 2h" },
    { "once", '\0', NULL, "end when nobody sends any more" },
    { "bind", '\0', NULL, "allow addresses that other machines can reach" },
    { "json", '\0', NULL, "at the end one JSON object about all senders, stable for programs" },
    { "no-viewer", '\0', NULL, "only receive, and keep it with -o" },
    { "port", '\0', "N", "serve the viewer on this port; default: any free one" },
    { "no-browser", '\0', NULL, "only print the viewer's address" },
    { NULL, '\0', NULL, NULL }
};

static ExitStatus run(Cli *cli)
{
    ListenPlan plan = { .addresses = cli->files,
                        .address_count = cli->file_count,
                        .record_path = cli_option(cli, "output"),
                        .bind = cli_option(cli, "bind") != NULL ? BIND_ANY : BIND_LOOPBACK,
                        .end = cli_option(cli, "once") != NULL ? RECEIVE_ONCE : RECEIVE_ON,
                        .sum = cli_option(cli, "json") != NULL ? LISTEN_SUM_JSON : LISTEN_SUM_LINE,
                        .prints_addresses = true,
                        .serves = cli_option(cli, "no-viewer") == NULL,
                        .opens_browser = cli_option(cli, "no-browser") == NULL };
    if (cli->file_count == 0) return cli_usage_error(cli, "listen needs an ADDRESS");
    if (!cli_port(cli, &plan.port) || !listening_keep(cli, &plan.keep_bytes, &plan.keep_ns))
        return EXIT_USAGE;
    return listening_run(cli, &plan);
}

const CliCommand COMMAND_LISTEN = {
    .name = "listen",
    .summary = "Receives traces while they are made: shows them as they grow, and keeps them as they come",
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
                "  varve listen --no-viewer --once --json tcp:127.0.0.1:0 -o one.bin\n"
                "  varve listen file:trace.json",
    .options = OPTIONS,
    .run = run
};
