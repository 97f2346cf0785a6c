/* The arguments of events, and search. */
#include "api/api.h"
#include "base/json_writer.h"
#include "export/event_json.h"
#include "export/found_slices.h"
#include "trace/store/choose_tracks.h"
#include "trace/store/lookup.h"

#include <stdio.h>
#include <string.h>

/* -- details -- */

bool varve_details(const VarveTrace *trace, VarveEventKind kind, uint64_t id, VarveBytes *args_json,
                   VarveBytes *other_json, VarveError *error)
{
    const Loaded *loaded = &trace->loaded;
    EventDetails  details = { .old_phase = 0 };
    Err           err = API_ERR;
    bool          is_done = false;
    if (kind == VARVE_SLICE && trace_has_slice(loaded->trace, id))
        is_done = load_slice_details(loaded, id, &details, &err);
    else if (kind == VARVE_INSTANT && trace_has_instant(loaded->trace, id))
        is_done = load_instant_details(loaded, id, &details, &err);
    else
        (void)err_set(&err, ERR_USAGE, "there is no slice or instant with this id");
    if (is_done) {
        api_give_bytes(&details.args, args_json);
        api_give_bytes(&details.other, other_json);
    }
    bytes_release(&details.args);
    bytes_release(&details.other);
    return is_done || api_fail(&err, error);
}

/* -- search -- */

enum { STRETCH_MATCHES = 5000, NUMBER_BYTES = 32 };

struct VarveFind {
    Arena            arena; /* holds this too */
    const Loaded    *loaded;
    const Trace     *trace; /* of `loaded` */
    VarveFindOptions options;
    uint64_t         left; /* matches that are still wanted */
    FindPattern      pattern;
    FindScope        scope;
    EventReaders     readers;
    FindPlaces       places;
    size_t           place; /* next of `places` */
    FoundStretch     found;
    size_t           match;    /* next of `found` */
    bool             is_begun; /* `found` has been filled */
    uint64_t         unread;
    char             number[NUMBER_BYTES];
    /* the last match */
    uint32_t     track;
    OrderedEvent event; /* not of a track */
    bool         is_event;
    /* its texts */
    bool      has_json; /* `json` is open */
    EventJson json;
    Bytes     text;
};

/* Finds the tracks and values of counters that match. */
static bool collect_places(VarveFind *find, Err *err)
{
    FindMatcher matcher;
    const bool  is_done =
        find_matcher_open(&matcher, find->trace, &find->pattern, &find->scope, &find->arena, err) &&
        find_places(&matcher, find->left, &find->places, err);
    find_matcher_release(&matcher);
    return is_done;
}

static bool choose_tracks(VarveFind *find, const VarvePart *part, Err *err)
{
    const Trace *trace = find->trace;
    TracePart    chosen;
    VarvePart    tracks = { 0 };
    find->scope.times = trace->window.is_set ? FIND_IN_WINDOW : FIND_ALL_TIMES;
    if (part == NULL || (part->thread == NULL && part->track_id == 0)) return true;
    tracks.thread = part->thread;
    tracks.track_id = part->track_id;
    if (!api_part(trace, &tracks, &find->arena, &chosen, err)) return false;
    uint8_t *searched = ARENA_ARRAY(&find->arena, uint8_t, (size_t)trace->track_count + 1);
    if (searched == NULL) return err_set(err, ERR_MEMORY, "out of memory for a search");
    for (uint32_t i = 0; i < chosen.track_count; i++)
        searched[chosen.tracks[i]] = 1;
    find->scope.tracks = searched;
    return true;
}

static bool find_start(VarveFind *find, const char *text, const VarvePart *part, Err *err)
{
    const StringView view = c_string_view(text);
    if ((unsigned)find->options.where > VARVE_FIND_IN_NAMES)
        return err_set(err, ERR_USAGE, "there is no place %d to search in", (int)find->options.where);
    if (!find_pattern_parse(&find->pattern, view, &find->trace->clock, &find->arena, err) ||
        !choose_tracks(find, part, err))
        return false;
    if (!event_readers_open(&find->readers, find->loaded, &find->pattern,
                            api_threads(find->options.thread_count)))
        return err_set(err, ERR_MEMORY, "out of memory for a search");
    return collect_places(find, err);
}

VarveFind *varve_find_open(const VarveTrace *trace, const char *text, const VarvePart *part,
                           const VarveFindOptions *options, VarveError *error)
{
    Err        err = API_ERR;
    VarveFind *find = API_HANDLE(VarveFind, error);
    if (find == NULL) return NULL;
    find->loaded = &trace->loaded;
    find->trace = trace->loaded.trace;
    if (options != NULL) find->options = *options;
    find->left = find->options.most == 0 ? UINT64_MAX : find->options.most;
    if (find_start(find, text, part, &err)) return find;
    (void)api_fail(&err, error);
    varve_find_close(find);
    return NULL;
}

void varve_find_close(VarveFind *find)
{
    if (find == NULL) return;
    if (find->has_json) event_json_close(&find->json);
    event_readers_release(&find->readers);
    found_stretch_release(&find->found);
    vec_release(&find->places);
    find_pattern_release(&find->pattern);
    bytes_release(&find->text);
    api_handle_release(find);
}

static const char *track_type(TrackKind kind)
{
    static const char *const TYPES[] = { [TRACK_THREAD] = "thread",
                                         [TRACK_PROCESS_INSTANTS] = "process-instants",
                                         [TRACK_GLOBAL_INSTANTS] = "global-instants",
                                         [TRACK_ASYNC] = "async-track",
                                         [TRACK_COUNTER] = "counter-track",
                                         [TRACK_SAMPLES] = "samples-track",
                                         [TRACK_STATES] = "states-track",
                                         [TRACK_OBJECTS] = "objects-track",
                                         [TRACK_DUMPS] = "dumps-track" };
    return TYPES[kind];
}

static const char *slice_type(TrackKind kind)
{
    if (kind == TRACK_STATES) return "state";
    if (kind == TRACK_OBJECTS) return "object";
    return kind == TRACK_ASYNC ? "async" : "slice";
}

static void put_begin(const Trace *trace, int64_t tick, VarveMatch *match)
{
    match->begin_ns = api_moment_ns(trace, tick);
    match->begin_ticks = trace_since_begin(trace, tick);
}

static void put_place(VarveFind *find, const FindPlace *place, VarveMatch *match)
{
    const Trace *trace = find->trace;
    const Track *track = &trace->tracks[place->track];
    find->track = place->track;
    find->is_event = place->has_value;
    *match = (VarveMatch){ .kind = place->has_value ? VARVE_VALUE : VARVE_TRACK,
                           .track_id = place->track,
                           .type = place->has_value ? "counter" : track_type(track->kind),
                           .name = api_text(trace_string(trace, track->name)),
                           .category = api_text(trace_string(trace, track_extras(track)->category)),
                           .key = { "", 0 },
                           .value = { "", 0 } };
    if (!place->has_value) return;
    const RowExtras *row = row_extras(&trace->rows[place->row]);
    find->event =
        (OrderedEvent){ ORDER_VALUE, place->sample, place->row, trace_value_tick(trace, place->sample) };
    put_begin(trace, find->event.tick, match);
    match->key = api_text(trace_string(trace, trace->series[row->series].name));
    const int size = snprintf(find->number, sizeof find->number, "%.17g", trace_value(trace, place->sample));
    match->value = (VarveText){ find->number, size < 0 ? 0 : (size_t)size };
}

static void put_event(VarveFind *find, const EventMatch *event, VarveMatch *match)
{
    const Trace   *trace = find->trace;
    const bool     is_slice = event->event.kind == ORDER_SLICE;
    const uint64_t id = event->event.id;
    const uint32_t label = is_slice ? trace_slice_label(trace, id) : trace_instant_label(trace, id);
    const char    *texts = find->found.texts.size == 0 ? "" : (const char *)find->found.texts.data;
    find->track = trace->rows[event->event.row].track;
    find->event = event->event;
    find->is_event = true;
    *match = (VarveMatch){ .kind = is_slice ? VARVE_SLICE : VARVE_INSTANT,
                           .id = id,
                           .track_id = find->track,
                           .type = is_slice ? slice_type(trace->tracks[find->track].kind) : "instant",
                           .name = api_text(trace_label_name(trace, label)),
                           .category = api_text(trace_label_category(trace, label)),
                           .key = { texts + event->key_at, event->key_size },
                           .value = { texts + event->value_at, event->value_size } };
    put_begin(trace, is_slice ? trace_slice_begin(trace, id) : trace_instant_tick(trace, id), match);
    if (!is_slice) return;
    match->duration_ticks = trace_slice_duration(trace, id);
    match->duration_ns = clock_span_to_ns(&trace->clock, match->duration_ticks);
}

/* Searches on, until there are matches or the trace ends. */
static bool fill(VarveFind *find, Err *err)
{
    while (find->match == vec_count(&find->found.matches) && !(find->is_begun && find->found.ended)) {
        const OrderedEvent last = find->found.last;
        const FindStretch  stretch = { .pattern = &find->pattern,
                                       .where = find->options.where == VARVE_FIND_IN_NAMES ? FIND_IN_NAMES
                                                                                           : FIND_EVERYWHERE,
                                       .sources = find->readers.sources,
                                       .source_count = find->readers.count,
                                       .scope = find->scope,
                                       .behind = find->is_begun ? &last : NULL,
                                       .most = find->left < STRETCH_MATCHES ? find->left : STRETCH_MATCHES };
        found_stretch_release(&find->found);
        find->found = (FoundStretch){ .ended = false };
        find->match = 0;
        find->is_begun = true;
        if (!find_stretch(find->trace, &stretch, &find->found, err)) {
            find->found.ended = true;
            return false;
        }
        find->unread += find->found.unread;
    }
    return true;
}

bool varve_find_next(VarveFind *find, VarveMatch *match, bool *is_found, VarveError *error)
{
    Err err = API_ERR;
    *is_found = false;
    if (find->left == 0) return true;
    if (find->place < vec_count(&find->places)) {
        put_place(find, &find->places.items[find->place++], match);
        *is_found = true;
    } else {
        if (!fill(find, &err)) return api_fail(&err, error);
        *is_found = find->match < vec_count(&find->found.matches);
        if (*is_found) put_event(find, &find->found.matches.items[find->match++], match);
    }
    find->left -= *is_found;
    return true;
}

VarveText varve_find_track(VarveFind *find)
{
    bytes_clear(&find->text);
    trace_track_title(find->trace, find->track, &find->text);
    return api_text(bytes_view(&find->text));
}

VarveText varve_find_process(VarveFind *find)
{
    const uint32_t process = find->trace->tracks[find->track].process.index;
    bytes_clear(&find->text);
    if (process != PROCESS_NONE.index) trace_process_title(find->trace, process, &find->text);
    return api_text(bytes_view(&find->text));
}

/* Puts the line of a track into find->text. */
static void put_json_track(VarveFind *find)
{
    Bytes      line = { 0 };
    JsonWriter w = json_writer_to(&line, 0);
    VarveText  title = varve_find_track(find);
    json_object_begin(&w);
    json_put_string(&w, "kind", "track");
    json_put_string(&w, "type", track_type(find->trace->tracks[find->track].kind));
    json_put_view(&w, "track", (StringView){ title.bytes, title.size_bytes });
    title = varve_find_process(find);
    json_put_view(&w, "process", (StringView){ title.bytes, title.size_bytes });
    json_object_end(&w);
    bytes_append_text(&line, "\n");
    bytes_release(&find->text);
    find->text = line;
}

bool varve_find_json(VarveFind *find, VarveText *line, VarveError *error)
{
    Err err = API_ERR;
    if (!find->is_event) {
        put_json_track(find);
    } else {
        if (!find->has_json && !event_json_open(&find->json, find->loaded, &find->arena)) {
            event_json_close(&find->json);
            return api_no_memory(error);
        }
        find->has_json = true;
        bytes_clear(&find->text);
        if (!event_json_append(&find->json, &find->event, &find->text, &err)) return api_fail(&err, error);
    }
    *line = api_text(bytes_view(&find->text));
    return !find->text.failed || api_no_memory(error);
}

uint64_t varve_find_unread(const VarveFind *find)
{
    return find->unread;
}

/* -- sets of slices -- */

struct VarveSliceSet {
    Arena       arena; /* holds this too */
    FoundSlices found;
    const char *text; /* the search */
};

VarveSliceSet *varve_slice_set_find(const VarveTrace *trace, const char *text, uint32_t thread_count,
                                    VarveError *error)
{
    Err            err = API_ERR;
    VarveSliceSet *set = API_HANDLE(VarveSliceSet, error);
    if (set == NULL) return NULL;
    set->text = arena_push_copy(&set->arena, text, strlen(text) + 1);
    if (set->text == NULL) (void)err_set(&err, ERR_MEMORY, "out of memory for a search");
    if (set->text != NULL &&
        found_slices_all(&set->found, &trace->loaded, text, api_threads(thread_count), &set->arena, &err))
        return set;
    (void)api_fail(&err, error);
    varve_slice_set_close(set);
    return NULL;
}

void varve_slice_set_close(VarveSliceSet *set)
{
    if (set == NULL) return;
    found_slices_release(&set->found);
    api_handle_release(set);
}

uint64_t varve_slice_set_count(const VarveSliceSet *set)
{
    return set->found.count;
}

const char *api_searched_text(const VarvePart *part)
{
    return part->slices == NULL ? NULL : part->slices->text;
}

const uint8_t *api_slices(const VarvePart *part)
{
    return part == NULL || part->slices == NULL ? NULL : part->slices->found.slices;
}
