#include "app/cli/help.h"

#include "app/cli/args.h"
#include "app/cli/convert_targets.h"

#include <stdio.h>
#include <string.h>

/* -- parts -- */

static void write_option(const OptionSpec *spec, Bytes *out)
{
    char left[48];
    char letter[8] = "";
    if (spec->letter != '\0') (void)snprintf(letter, sizeof letter, "-%c, ", spec->letter);
    (void)snprintf(left, sizeof left, "%s--%s%s%s", letter, spec->name, spec->value == NULL ? "" : "=",
                   spec->value == NULL ? "" : spec->value);
    bytes_printf(out, "  %-24s %s\n", left, spec->help);
}

static void write_common_options(Bytes *out)
{
    bytes_append_text(out, "options of all commands:\n");
    for (const OptionSpec *spec = COMMON_OPTIONS; spec->name != NULL; spec++)
        write_option(spec, out);
}

static bool write_reader(const char *name, Bytes *out)
{
    VarveFormat format;
    uint32_t    index = 0;
    while (varve_format(index, &format) && strcmp(format.name, name) != 0)
        index++;
    if (!varve_format(index, &format)) return false;
    bytes_printf(out, "%s\n\nread:   recognised by its first bytes, or with --format=%s\n", format.about,
                 name);
    bytes_printf(out, "source: %s\n", format.spec);
    if (format.is_live) bytes_append_text(out, "live:   varve listen, varve open --watch\n");
    return true;
}

static bool write_target(const char *name, Bytes *out)
{
    ConvertTarget target;
    if (!convert_target_find(name, "", &target)) return false;
    bytes_printf(out, "write:  varve convert FILE --to=%s%s -o OUT", name,
                 target.of == TARGET_TABLES ? " --table=NAME" : "");
    if (target.suffix != NULL) bytes_printf(out, ", or -o OUT.%s", target.suffix);
    bytes_printf(out, "\n        %s\n", target.what);
    return true;
}

static bool write_format(const char *name, Bytes *out)
{
    const bool reads = write_reader(name, out);
    return write_target(name, out) || reads;
}

/* -- topics -- */

static void write_formats(Bytes *out)
{
    bytes_append_text(out, "formats that are read; recognised by their content:\n");
    VarveFormat format;
    for (uint32_t i = 0; varve_format(i, &format); i++)
        bytes_printf(out, "  %-12s %.*s\n", format.name, (int)strcspn(format.about, "\n"), format.about);
    bytes_append_text(out, "\nformats that are written (varve convert --to=NAME):\n");
    ConvertTarget target;
    for (uint32_t i = 0; convert_target_at(i, &target); i++)
        bytes_printf(out, "  %-12s %s\n", target.name, target.what);
    bytes_append_text(
        out,
        "\nInput may be compressed with gzip, zstd or Brotli, be in a zip archive, or come from a pipe (-).\n"
        "`varve help NAME` prints more about a format.\n");
}

static void write_ranges(Bytes *out)
{
    bytes_append_text(
        out, "--range=BEGIN..END limits every command that works with time. Either side may be missing.\n\n"
             "  1.2s..1.5s               relative to the begin of the trace: s, ms, us, ns\n"
             "  300us..                  from there to the end\n"
             "  1200..1500               ticks: the unit of the file\n"
             "  2026-11-22T10:00:00.5Z.. a time of day in UTC, if the trace has wall-clock times\n\n"
             "Both ends are included. Captures of calls are limited by --calls instead.\n");
}

static void write_statuses(Bytes *out)
{
    bytes_append_text(out,
                      "  0  done, even if there were warnings\n"
                      "  1  the command was used wrongly\n"
                      "  2  the input could not be opened or recognised\n"
                      "  3  --strict was given and there were warnings; `check` found any\n"
                      "  4  an output could not be written; no file has its final name\n"
                      "  5  `diff`: the captures differ, or a name is slower than --fail-above allows\n");
}

static void write_environment(Bytes *out)
{
    bytes_append_text(
        out,
        "  NO_COLOR        no colours, unless --color=always; any text that is not empty\n"
        "  TMPDIR          the folder of temporary files; default: /var/tmp or /tmp\n"
        "  XDG_STATE_HOME  the folder of marks, settings and the secret of --port; default: ~/.local/state\n"
        "  VARVE_DUCKDB    the path of DuckDB's library, for SQL and Parquet\n"
        "  DISPLAY, WAYLAND_DISPLAY  without either of them no browser is started\n"
        "  SSH_CONNECTION  if it is set then, `varve open` prints the command that forwards its port\n");
}

static void write_record(Bytes *out)
{
    bytes_append_text(
        out, "varve/record.h is one header for C and C++ that records a program to a .spall file:\n\n"
             "  #define VARVE_RECORD_IMPLEMENTATION  in one source file, before the header\n"
             "  #include <varve/record.h>\n\n"
             "  int main(void)\n"
             "  {\n"
             "      if (varve_record_start(\"program.spall\") != 0) return 1;\n"
             "      work();\n"
             "      return varve_record_stop();\n"
             "  }\n"
             "  void work(void)\n"
             "  {\n"
             "      VARVE_SCOPE(\"work\");  a slice, from here to the end of the block\n"
             "  }\n\n"
             "Then: cc -O2 -pthread program.c -o program && ./program && varve open program.spall\n\n"
             "varve_record_start_stream() sends the events to `varve listen` while the program runs, or to a "
             "file for\n"
             "`varve open --watch`. The header describes all functions: instants, counters, flows, "
             "arguments, names of\n"
             "threads, the flight recorder. Programs in other languages: see `varve help formats`.\n");
}

/* A page of `varve help` that is not about one command or format. */
typedef struct HelpTopic {
    const char *name;
    const char *summary; /* one line, lower case */
    void (*write)(Bytes *out);
} HelpTopic;

static const HelpTopic TOPICS[] = {
    { "options", "the options of all commands", write_common_options },
    { "formats", "formats that are read and written; varve help NAME prints one", write_formats },
    { "range", "the times of --range", write_ranges },
    { "status", "exit statuses", write_statuses },
    { "environment", "variables of the environment", write_environment },
    { "record", "how a C or C++ program records itself", write_record },
};

enum { TOPIC_COUNT = sizeof TOPICS / sizeof TOPICS[0] };

static bool write_topic(const char *name, Bytes *out)
{
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        if (strcmp(name, TOPICS[i].name) != 0) continue;
        TOPICS[i].write(out);
        return true;
    }
    return false;
}

/* -- pages -- */

/* Appends the page of a command. */
static void help_command(const CliCommand *command, Bytes *out)
{
    bytes_printf(out, "usage: varve %s %s\n\n%s.\n", command->name, command->usage, command->summary);
    if (command->details != NULL) bytes_printf(out, "%s\n", command->details);
    if (command->options->name != NULL) bytes_append_text(out, "\noptions:\n");
    for (const OptionSpec *spec = command->options; spec->name != NULL; spec++)
        write_option(spec, out);
    bytes_append_text(out, "\n");
    write_common_options(out);
    bytes_printf(out, "\nexamples:\n%s\n", command->examples);
}

/* Appends the list of commands and topics. */
static void help_overview(Bytes *out)
{
    bytes_append_text(out,
                      "usage: varve COMMAND [OPTIONS] FILE...\n       varve FILE...       as varve open\n\n");
    bytes_append_text(out,
                      "Varve opens execution traces: shows them, prints statistics, and converts them.\n");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        if (command_heading(i) != NULL) bytes_printf(out, "\n%s:\n", command_heading(i));
        bytes_printf(out, "  %-10s %s\n", command_at(i)->name, command_at(i)->summary);
    }
    bytes_append_text(out, "\ntopics (varve help TOPIC):\n");
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        bytes_printf(out, "  %-11s %s\n", TOPICS[i].name, TOPICS[i].summary);
    bytes_append_text(out,
                      "\nFILE may be - for standard input or an address (https://...), and compressed: gzip, "
                      "zstd, Brotli or zip.\n"
                      "`varve COMMAND --help` prints more, with examples; `varve --version` the version.\n");
}

bool help_page(const char *name, Bytes *out)
{
    const CliCommand *command = command_find(name);
    if (command != NULL) help_command(command, out);
    Bytes format = { 0 };
    bool  is_format = write_format(name, &format);
    if (is_format && command != NULL) bytes_printf(out, "\nthe format %s:\n", name);
    if (is_format) bytes_append(out, format.data, format.size);
    if (format.failed) out->failed = true;
    bytes_release(&format);
    return command != NULL || is_format || write_topic(name, out);
}

void help_each_name(void (*visit)(void *context, const char *name), void *context)
{
    for (size_t i = 0; command_at(i) != NULL; i++)
        visit(context, command_at(i)->name);
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        visit(context, TOPICS[i].name);
    VarveFormat   format;
    ConvertTarget target;
    for (uint32_t i = 0; varve_format(i, &format); i++)
        visit(context, format.name);
    for (uint32_t i = 0; convert_target_at(i, &target); i++)
        visit(context, target.name);
}

/* -- printing -- */

static ExitStatus print_text(Bytes *text)
{
    ExitStatus status = cli_print(text);
    bytes_release(text);
    return status;
}

ExitStatus help_print_command(const CliCommand *command)
{
    Bytes text = { 0 };
    help_command(command, &text);
    return print_text(&text);
}

ExitStatus help_print_version(void)
{
    Bytes text = { 0 };
    bytes_append_text(&text, "varve " VARVE_VERSION "\n");
    return print_text(&text);
}

ExitStatus help_print_overview(void)
{
    Bytes text = { 0 };
    help_overview(&text);
    return print_text(&text);
}
