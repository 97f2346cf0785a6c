#include "app/cli/capture_tool.h"

/* Prints an error and returns the exit status. */
static ExitStatus fail(const Cli *cli, const char *path, const VarveError *error)
{
    const Err err = cli_library_err(error);
    if (error->code == VARVE_ERROR_USAGE) return cli_usage_error(cli, "--%s", error->message);
    if (error->code == VARVE_ERROR_OUTPUT) {
        cli_output_error(cli_option(cli, "output"), &err);
        return EXIT_OUTPUT;
    }
    cli_input_error(path, &err);
    return EXIT_INPUT;
}

ExitStatus capture_tool_end(const Cli *cli, const char *path, const VarveError *fault,
                            const VarveError *error)
{
    if (error != NULL) return fail(cli, path, error);
    if (fault->code == VARVE_OK) return EXIT_DONE;
    if (!cli->quiet) cli_library_error(path, fault);
    return cli->strict ? EXIT_STRICT : EXIT_DONE;
}
