/* varve listen - receives traces during recording, from many senders at once, and stores them unchanged. */
#include "app/cli/listening.h"

#include <string.h>

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "FILE", "record the received bytes; those of the second sender in FILE.2, and so on" },
    { "keep", '\0', "SIZE|TIME", "retain the latest part of each sender: 500M, 2G; 30s, 10min, 2h" },
    { "once", '\0', NULL, "end after all senders have ended" },
    { "bind", '\0', NULL, "allow addresses that other machines can reach" },
    { "json", '\0', NULL, "at the end one JSON object about all senders, stable for programs" },
    { "no-viewer", '\0', NULL, "receive and record, without a viewer" },
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
    if (plan.record_path != NULL && strcmp(plan.record_path, "-") == 0)
        return cli_usage_error(cli, "--output=-: standard output has the addresses: name a file");
    if (!cli_port(cli, &plan.port) || !listening_keep(cli, &plan.keep_bytes, &plan.keep_ns))
        return EXIT_USAGE;
    return listening_run(cli, &plan);
}

const CliCommand COMMAND_LISTEN = {
    .name = "listen",
    .summary = "Receives traces while they are recorded: shows them as they grow, and records them",
    .usage = "[OPTIONS] ADDRESS...",
    .details =
        "ADDRESS is udp:HOST:PORT, tcp:HOST:PORT, unix:PATH (creates a socket), pipe:PATH, file:PATH (a\n"
        "growing file) or - (standard input). All of them accept Heph packets; all except udp also accept\n"
        "Trace Event JSON and .spall. Each connection and each source of datagrams is a separate trace.\n"
        "All senders share the memory of --mem: at the limit the largest traces are cut, and a sender\n"
        "that cannot be cut is stopped. The addresses are printed when they are ready. Ctrl-C ends it.",
    .examples = "  varve listen udp:127.0.0.1:4711 -o trace.bin\n"
                "  varve listen tcp:4711 unix:/run/user/1000/varve.sock -o traces.bin\n"
                "  varve listen --no-viewer --once --json tcp:127.0.0.1:0 -o one.bin\n"
                "  varve listen file:trace.json",
    .options = OPTIONS,
    .run = run
};
