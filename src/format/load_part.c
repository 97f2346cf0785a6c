#include "format/load_part.h"

#include "base/checked.h"
#include "trace/store/choose_tracks.h"
#include "trace/store/range.h"
#include "trace/store/window.h"

#include <string.h>

bool load_is_address(const char *path)
{
    return strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
}

const char *load_shown_path(Arena *arena, const char *path)
{
    if (!load_is_address(path)) return arena_push_copy(arena, path, strlen(path));
    const char  *host = strstr(path, "://") + 3;
    const size_t host_size = strcspn(host, "/?#"), size = strcspn(host, "?#");
    const char  *at = memchr(host, '@', host_size);
    const size_t user = at == NULL ? 0 : (size_t)(at + 1 - host), scheme = (size_t)(host - path);
    char        *shown = arena_push_raw(arena, 1, scheme + size - user + 1);
    if (shown == NULL) return NULL;
    memcpy(shown, path, scheme);
    memcpy(shown + scheme, host + user, size - user);
    shown[scheme + size - user] = '\0';
    return shown;
}

bool load_name_input(Loaded *loaded, const char *name, NameMeaning meaning, const LoadOptions *options)
{
    const SymbolSource *symbols = &options->symbols;
    loaded->name = load_shown_path(&loaded->arena, name);
    loaded->context = (ReadContext){ .symbols = { .policy = symbols->policy }, .widths = options->widths };
    if (options->range != NULL) {
        loaded->context.range = arena_push_copy(&loaded->arena, options->range, strlen(options->range));
        if (loaded->context.range == NULL) return false;
    }
    if (meaning == NAME_OF_FILE && strcmp(name, "-") != 0 && !load_is_address(name))
        loaded->context.path = loaded->name;
    if (symbols->path == NULL) return loaded->name != NULL;
    loaded->context.symbols.path = arena_push_copy(&loaded->arena, symbols->path, strlen(symbols->path));
    return loaded->name != NULL && loaded->context.symbols.path != NULL;
}

/* Sets the trace's window to the requested range, unless the reader has set it. */
static bool cut_window(Loaded *loaded, Err *err)
{
    Trace         *trace = loaded->trace;
    const char    *range = loaded->context.range;
    const TimeAxis axis = trace_time_axis(trace);
    int64_t        begin, end;
    if (range == NULL) return true;
    if (!trace->window.is_set) {
        if (!time_range_find(range, &axis, &begin, &end, err)) return false;
        trace->window.is_set = true;
        trace->window.begin = trace->begin_tick + begin;
        trace->window.end = i64_add_saturated(trace->begin_tick, end);
    }
    trace->window.is_open = trace->window.end > trace->end_tick;
    if (trace->window.is_open) trace->window.end = trace->end_tick;
    return trace->window.begin <= trace->end_tick || time_range_behind(range, &axis, err);
}

/* Chooses the tracks of the options. */
static bool cut_tracks(Loaded *loaded, const char *name, Err *err)
{
    Trace *trace = loaded->trace;
    if (name == NULL) return true;
    uint32_t *tracks = ARENA_ARRAY(&loaded->arena, uint32_t, (size_t)trace->track_count + 1);
    if (tracks == NULL) return err_set(err, ERR_MEMORY, "out of memory for the list of tracks");
    const uint32_t count = choose_tracks_matching(trace, c_string_view(name), tracks);
    if (count == 0)
        return err_set(err, ERR_USAGE,
                       "--tracks=%.100s: no track has this name or id, and no title contains it", name);
    return trace_window_choose(trace, tracks, count, &trace->arena) ||
           err_set(err, ERR_MEMORY, "out of memory for the list of tracks");
}

bool load_choose_part(Loaded *loaded, const char *tracks, Err *err)
{
    return cut_window(loaded, err) && cut_tracks(loaded, tracks, err);
}
