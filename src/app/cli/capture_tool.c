#include "app/cli/capture_tool.h"

bool capture_option_set(Cli *cli, const char *name, CallSet *set, const CallSet **given)
{
    const char *text = cli_option(cli, name);
    Err         err;
    *given = NULL;
    if (text == NULL) return true;
    if (!call_set_add(set, text, &err)) {
        (void)cli_usage_error(cli, "--%s: %s", name, err.message);
        return false;
    }
    *given = set;
    return true;
}

ExitStatus capture_tool_end(const Cli *cli, const char *path, const ToolResult *result, const Err *err)
{
    if (err != NULL && err->code == ERR_OUTPUT) {
        cli_error(cli_option(cli, "output"), err);
        return EXIT_OUTPUT;
    }
    if (err != NULL) {
        cli_input_error(path, err);
        return EXIT_INPUT;
    }
    if (result->complete) return EXIT_DONE;
    if (!cli->quiet) cli_error(path, &result->why);
    return cli->strict ? EXIT_STRICT : EXIT_DONE;
}
