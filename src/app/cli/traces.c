#include "app/cli/traces.h"

#include "api/api.h"

ExitStatus cli_traces_load(Cli *cli, size_t first, size_t count, CliTraces *traces)
{
    ExitStatus status = EXIT_DONE;
    *traces = (CliTraces){ .owned = ARENA_ARRAY(&cli->arena, VarveTrace, count),
                           .handles = ARENA_ARRAY(&cli->arena, const VarveTrace *, count) };
    if (traces->owned == NULL || traces->handles == NULL) {
        Err err = API_ERR;
        (void)err_set(&err, ERR_MEMORY, "out of memory for the trace");
        cli_error(cli->files[first], &err);
        return EXIT_INPUT;
    }
    for (size_t i = 0; status == EXIT_DONE && i < count; i++) {
        traces->handles[i] = &traces->owned[i];
        status = cli_load_judged(cli, cli->files[first + i], &traces->owned[i].loaded);
        if (status == EXIT_DONE) traces->count++;
    }
    return status;
}

void cli_traces_release(CliTraces *traces)
{
    for (uint32_t i = 0; i < traces->count; i++)
        loaded_release(&traces->owned[i].loaded);
    traces->count = 0;
}

Err cli_library_err(const VarveError *error)
{
    return api_err(error);
}

void cli_library_error(const char *file, const VarveError *error)
{
    const Err err = api_err(error);
    cli_error(file, &err);
}
