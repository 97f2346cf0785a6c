/* varve help - prints the help of a command, a format or a topic. */
#include "app/cli/cli.h"
#include "app/cli/help.h"
#include "app/cli/suggest.h"

#include <string.h>

static const OptionSpec OPTIONS[] = { { "man", '\0', NULL,
                                        "a manual page, for `man -l -`; NAME is a command or varve" },
                                      { NULL, '\0', NULL, NULL } };

typedef struct Offer {
    Suggestion  suggestion;
    const char *typed;
} Offer;

static void offer_name(void *offer_, const char *name)
{
    Offer *offer = offer_;
    suggestion_offer(&offer->suggestion, offer->typed, name);
}

static ExitStatus refuse_name(const Cli *cli, const char *name)
{
    Offer offer = { .typed = name };
    help_each_name(offer_name, &offer);
    if (offer.suggestion.word[0] == '\0')
        return cli_usage_error(cli, "'%s' is neither a command nor a format nor a topic", name);
    return cli_usage_error(
        cli, "'%s' is neither a command nor a format nor a topic; did you mean `varve help %s`?", name,
        offer.suggestion.word);
}

static bool write_page(const Cli *cli, const char *name, Bytes *out)
{
    if (cli_option(cli, "man") == NULL) return help_page(name, out);
    const CliCommand *command = command_find(name);
    if (command == NULL && strcmp(name, "varve") != 0) return false;
    manual_page(command, out);
    return true;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count > 1) return cli_usage_error(cli, "help needs one NAME");
    if (cli->file_count == 0 && cli_option(cli, "man") == NULL) return help_print_overview();
    const char *name = cli->file_count == 0 ? "varve" : cli->files[0];
    Bytes       text = { 0 };
    ExitStatus  status = write_page(cli, name, &text) ? cli_print(&text) : refuse_name(cli, name);
    bytes_release(&text);
    return status;
}

const CliCommand COMMAND_HELP = {
    .name = "help",
    .summary = "Prints the help of a command, a format or a topic",
    .usage = "[--man] [NAME]",
    .details =
        "NAME is a command, a format (spall, go, json, ...) or a topic: options, formats, range, status,\n"
        "environment, record. Without NAME it lists the commands and topics.",
    .examples = "  varve help stats\n"
                "  varve help spall       # a format\n"
                "  varve help status      # the exit statuses\n"
                "  varve help --man info | man -l -",
    .options = OPTIONS,
    .run = run
};
