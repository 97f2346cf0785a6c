#include "app/cli/traces.h"

#include "api/api.h"

static ExitStatus load_all(Cli *cli, size_t first, size_t count,
                           ExitStatus (*load)(Cli *cli, const char *path, Loaded *loaded), CliTraces *traces)
{
    ExitStatus status = EXIT_DONE;
    *traces = (CliTraces){ .owned = ARENA_ARRAY(&cli->arena, VarveTrace, count),
                           .handles = ARENA_ARRAY(&cli->arena, const VarveTrace *, count) };
    if (traces->owned == NULL || traces->handles == NULL)
        return cli_no_memory(cli->files[first], "the trace");
    for (size_t i = 0; status == EXIT_DONE && i < count; i++) {
        traces->handles[i] = &traces->owned[i];
        status = load(cli, cli->files[first + i], &traces->owned[i].loaded);
        if (status == EXIT_DONE) traces->count++;
    }
    return status;
}

ExitStatus cli_traces_load(Cli *cli, size_t first, size_t count, CliTraces *traces)
{
    return load_all(cli, first, count, cli_load_judged, traces);
}

ExitStatus cli_traces_load_any(Cli *cli, size_t first, size_t count, CliTraces *traces)
{
    return load_all(cli, first, count, cli_load, traces);
}

void cli_trace_warnings(const Cli *cli, const VarveTrace *trace)
{
    cli_warnings(cli, trace->loaded.name, trace->loaded.trace);
}

uint64_t cli_trace_anomalies(const VarveTrace *trace)
{
    return cli_anomalies(&trace->loaded);
}

ExitStatus cli_print_made(const char *file, bool is_made, VarveBytes *text, const VarveError *error)
{
    if (!is_made) {
        cli_library_error(file, error);
        return EXIT_INPUT;
    }
    const ExitStatus status = cli_print(&(Bytes){ .data = text->bytes, .size = text->size_bytes });
    varve_bytes_release(text);
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
