#define VARVE_RECORD_IMPLEMENTATION
#include <varve/record.h>

#include "app/cli/self_record.h"
#include "base/self_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void begin(const char *name)
{
    varve_begin(name);
}

static void end(void)
{
    varve_end();
}

static const SelfTrace RECORDER = { .begin = begin, .end = end };

static ExitStatus report(const char *path, int failure)
{
    (void)fprintf(stderr, "varve: --self-trace: %s: %s\n", path, strerror(failure));
    return EXIT_OUTPUT;
}

ExitStatus self_record_start(const Cli *cli)
{
    const char *path = cli_option(cli, "self-trace");
    if (path == NULL) return EXIT_DONE;
    const int failure = varve_record_start(path);
    if (failure != 0) return report(path, failure);
    self_trace = &RECORDER;
    return EXIT_DONE;
}

ExitStatus self_record_stop(const Cli *cli, ExitStatus status)
{
    const char *path = cli_option(cli, "self-trace");
    const int   failure = path == NULL ? 0 : varve_record_stop();
    return failure == 0 ? status : report(path, failure);
}
