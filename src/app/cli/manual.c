/* Manual pages in the man macros of roff. */
#include "app/cli/args.h"
#include "app/cli/help.h"

#include <varve/varve.h>

#include <string.h>

/* Appends text with the characters of roff escaped: the backslash and the minus, and a point or an apostrophe at the
 * begin of a line. */
static void write_escaped(const char *text, Bytes *out)
{
    for (const char *c = text; *c != '\0'; c++) {
        const bool begins_line = c == text || c[-1] == '\n';
        if (begins_line && (*c == '.' || *c == '\'')) bytes_append_text(out, "\\&");
        if (*c == '\\')
            bytes_append_text(out, "\\e");
        else if (*c == '-')
            bytes_append_text(out, "\\-");
        else
            bytes_append(out, c, 1);
    }
}

static void write_verbatim(const char *text, Bytes *out)
{
    bytes_append_text(out, ".nf\n");
    write_escaped(text, out);
    if (text[0] != '\0' && text[strlen(text) - 1] != '\n') bytes_append_text(out, "\n");
    bytes_append_text(out, ".fi\n");
}

static void write_options(const OptionSpec *options, Bytes *out)
{
    for (const OptionSpec *spec = options; spec->name != NULL; spec++) {
        bytes_append_text(out, ".TP\n");
        if (spec->letter != '\0') bytes_printf(out, "\\fB\\-%c\\fR, ", spec->letter);
        bytes_append_text(out, "\\fB\\-\\-");
        write_escaped(spec->name, out);
        bytes_append_text(out, "\\fR");
        if (spec->value != NULL) {
            bytes_append_text(out, "=\\fI");
            write_escaped(spec->value, out);
            bytes_append_text(out, "\\fR");
        }
        bytes_append_text(out, "\n");
        write_escaped(spec->help, out);
        bytes_append_text(out, "\n");
    }
}

static void write_topic(const char *heading, const char *name, Bytes *out)
{
    Bytes text = { 0 };
    if (help_page(name, &text)) {
        const char *page = bytes_text(&text);
        bytes_printf(out, ".SH %s\n", heading);
        if (page != NULL) write_verbatim(page, out);
    }
    if (text.failed) out->failed = true;
    bytes_release(&text);
}

static void write_program(Bytes *out)
{
    bytes_append_text(
        out, ".SH NAME\nvarve \\- open, analyse and convert execution traces\n"
             ".SH SYNOPSIS\n\\fBvarve\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR...\n.br\n"
             "\\fBvarve\\fR \\fIFILE\\fR...\n"
             ".SH DESCRIPTION\nVarve opens execution traces: it shows them in the browser, prints "
             "statistics, and converts them. \\fBvarve\\fR \\fIFILE\\fR is \\fBvarve open\\fR "
             "\\fIFILE\\fR. \\fIFILE\\fR may be \\- for standard input or an address, and compressed.\n"
             ".SH COMMANDS\n");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        bytes_printf(out, ".TP\n\\fBvarve\\-%s\\fR(1)\n", command_at(i)->name);
        write_escaped(command_at(i)->summary, out);
        bytes_append_text(out, ".\n");
    }
    bytes_append_text(out, ".SH OPTIONS\nAll commands have these options.\n");
    write_options(COMMON_OPTIONS, out);
    write_topic("TIMES", "range", out);
    write_topic("FORMATS", "formats", out);
    write_topic("EXIT STATUS", "status", out);
    write_topic("ENVIRONMENT", "environment", out);
}

static void write_command(const CliCommand *command, Bytes *out)
{
    bytes_printf(out, ".SH NAME\nvarve\\-%s \\- ", command->name);
    write_escaped(command->summary, out);
    bytes_printf(out, "\n.SH SYNOPSIS\n\\fBvarve %s\\fR ", command->name);
    write_escaped(command->usage, out);
    bytes_append_text(out, "\n.SH DESCRIPTION\n");
    write_escaped(command->summary, out);
    bytes_append_text(out, ".\n");
    if (command->details != NULL) write_verbatim(command->details, out);
    bytes_append_text(out, ".SH OPTIONS\n");
    write_options(command->options, out);
    bytes_append_text(out, ".SS Options of all commands\n");
    write_options(COMMON_OPTIONS, out);
    bytes_append_text(out, ".SH EXAMPLES\n");
    write_verbatim(command->examples, out);
    write_topic("EXIT STATUS", "status", out);
    bytes_append_text(out, ".SH SEE ALSO\n\\fBvarve\\fR(1)\n");
}

void manual_page(const CliCommand *command, Bytes *out)
{
    bytes_append_text(out, ".TH VARVE");
    if (command != NULL) bytes_append_text(out, "\\-");
    for (const char *c = command == NULL ? "" : command->name; *c != '\0'; c++)
        bytes_append(out, &(char){ (char)(*c - 'a' + 'A') }, 1); /* names of commands are lower case */
    bytes_append_text(out, " 1 \"\" \"varve " VARVE_VERSION "\" \"Varve\"\n");
    if (command == NULL)
        write_program(out);
    else
        write_command(command, out);
}
