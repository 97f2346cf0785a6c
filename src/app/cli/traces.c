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
    return load_all(cli, first, count, cli_load_strict, traces);
}

ExitStatus cli_traces_load_any(Cli *cli, size_t first, size_t count, CliTraces *traces)
{
    return load_all(cli, first, count, cli_load, traces);
}

void cli_trace_warnings(const Cli *cli, const VarveTrace *trace)
{
    cli_warnings(cli, trace->loaded.name, trace->loaded.trace);
}

static uint64_t cli_trace_anomalies(const VarveTrace *trace)
{
    return cli_anomalies(&trace->loaded);
}

static ExitStatus describe_file(Cli *cli, size_t index, CliDescribe *describe, bool is_strict)
{
    CliTraces  traces;
    ExitStatus status = cli_traces_load_any(cli, index, 1, &traces);
    if (status == EXIT_DONE) status = describe(cli, cli->files[index], traces.handles[0]);
    if (status == EXIT_DONE && is_strict && cli_trace_anomalies(traces.handles[0]) > 0) status = EXIT_STRICT;
    cli_traces_release(&traces);
    return status;
}

ExitStatus cli_describe_files(Cli *cli, CliDescribe *describe, bool is_strict)
{
    if (cli->file_count == 0) return cli_usage_error(cli, "%s needs a FILE", cli->command->name);
    ExitStatus worst = EXIT_DONE;
    cli->load.store = STORE_UNUSED;
    for (size_t i = 0; i < cli->file_count; i++) {
        ExitStatus status = describe_file(cli, i, describe, is_strict);
        if (worst == EXIT_DONE || status == EXIT_INPUT) worst = status;
    }
    return worst;
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
