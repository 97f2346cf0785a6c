#include "app/cli/thread_option.h"

#include "trace/store/choose_tracks.h"

#include <string.h>

ExitStatus cli_thread_option(Cli *cli, const Trace *trace, const uint32_t **tracks, uint32_t *count)
{
    const char *thread = cli_option(cli, "thread");
    uint32_t   *chosen = ARENA_ARRAY(&cli->arena, uint32_t, (size_t)trace->track_count + 1);
    if (chosen == NULL) {
        Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
        (void)err_set(&err, ERR_MEMORY, "out of memory for the list of tracks");
        cli_error(cli->files[0], &err);
        return EXIT_INPUT;
    }
    *tracks = chosen;
    *count = thread == NULL ? choose_tracks_all(trace, chosen)
                            : choose_tracks_called(trace, (StringView){ thread, strlen(thread) }, chosen);
    if (thread == NULL || *count > 0) return EXIT_DONE;
    return cli_usage_error(cli, "--thread=%.100s: no thread has this name or id, and no title contains it",
                           thread);
}
