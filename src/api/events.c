/* The arguments of events, and search. */
#include "api/api.h"
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
    Arena        arena; /* holds this too */
    const Trace *trace;
    FindPattern  pattern;
    FindScope    scope;
    EventReaders readers;
    FindPlaces   places;
    size_t       place; /* next of `places` */
    FoundStretch found;
    size_t       match;    /* next of `found` */
    bool         is_begun; /* `found` has been filled */
    char         number[NUMBER_BYTES];
};

/* Finds the tracks and values of counters that match. */
static bool collect_places(VarveFind *find, Err *err)
{
    FindMatcher matcher;
    const bool  is_done =
        find_matcher_open(&matcher, find->trace, &find->pattern, &find->scope, &find->arena, err) &&
        find_places(&matcher, UINT64_MAX, &find->places, err);
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

VarveFind *varve_find_open(const VarveTrace *trace, const char *text, const VarvePart *part,
                           uint32_t thread_count, VarveError *error)
{
    Err        err = API_ERR;
    Arena      arena = arena_create(0);
    VarveFind *find = ARENA_NEW(&arena, VarveFind);
    if (find == NULL) {
        (void)api_no_memory(error);
        return NULL;
    }
    find->arena = arena;
    find->trace = trace->loaded.trace;
    const StringView view = { text, strlen(text) };
    bool is_open = find_pattern_parse(&find->pattern, view, &find->trace->clock, &find->arena, &err) &&
                   choose_tracks(find, part, &err);
    if (is_open &&
        !event_readers_open(&find->readers, &trace->loaded, &find->pattern, api_threads(thread_count)))
        is_open = err_set(&err, ERR_MEMORY, "out of memory for a search");
    if (is_open && collect_places(find, &err)) return find;
    (void)api_fail(&err, error);
    varve_find_close(find);
    return NULL;
}

void varve_find_close(VarveFind *find)
{
    if (find == NULL) return;
    event_readers_release(&find->readers);
    found_stretch_release(&find->found);
    vec_release(&find->places);
    find_pattern_release(&find->pattern);
    Arena arena = find->arena;
    arena_release(&arena);
}

static void put_place(VarveFind *find, const FindPlace *place, VarveMatch *match)
{
    const Trace *trace = find->trace;
    const Track *track = &trace->tracks[place->track];
    *match = (VarveMatch){ .kind = place->has_value ? VARVE_VALUE : VARVE_TRACK,
                           .track_id = place->track,
                           .name = api_text(trace_string(trace, track->name)),
                           .category = api_text(trace_string(trace, track_extras(track)->category)),
                           .key = { "", 0 },
                           .value = { "", 0 } };
    if (!place->has_value) return;
    const RowExtras *row = row_extras(&trace->rows[place->row]);
    match->begin_ns = api_moment_ns(trace, trace_value_tick(trace, place->sample));
    match->key = api_text(trace_string(trace, trace->series[row->series].name));
    const int size = snprintf(find->number, sizeof find->number, "%.17g", trace_value(trace, place->sample));
    match->value = (VarveText){ find->number, size < 0 ? 0 : (size_t)size };
}

static void put_event(const VarveFind *find, const EventMatch *event, VarveMatch *match)
{
    const Trace   *trace = find->trace;
    const bool     is_slice = event->event.kind == ORDER_SLICE;
    const uint64_t id = event->event.id;
    const uint32_t label = is_slice ? trace_slice_label(trace, id) : trace_instant_label(trace, id);
    const char    *texts = find->found.texts.size == 0 ? "" : (const char *)find->found.texts.data;
    *match = (VarveMatch){ .kind = is_slice ? VARVE_SLICE : VARVE_INSTANT,
                           .id = id,
                           .track_id = trace->rows[event->event.row].track,
                           .begin_ns = api_moment_ns(trace, is_slice ? trace_slice_begin(trace, id)
                                                                     : trace_instant_tick(trace, id)),
                           .name = api_text(trace_label_name(trace, label)),
                           .category = api_text(trace_label_category(trace, label)),
                           .key = { texts + event->key_at, event->key_size },
                           .value = { texts + event->value_at, event->value_size } };
    if (is_slice) match->duration_ns = clock_span_to_ns(&trace->clock, trace_slice_duration(trace, id));
}

/* Searches on, until there are matches or the trace ends. */
static bool fill(VarveFind *find, Err *err)
{
    while (find->match == vec_count(&find->found.matches) && !(find->is_begun && find->found.ended)) {
        const OrderedEvent last = find->found.last;
        const FindStretch  stretch = { .pattern = &find->pattern,
                                       .where = FIND_EVERYWHERE,
                                       .sources = find->readers.sources,
                                       .source_count = find->readers.count,
                                       .scope = find->scope,
                                       .behind = find->is_begun ? &last : NULL,
                                       .most = STRETCH_MATCHES };
        found_stretch_release(&find->found);
        find->found = (FoundStretch){ .ended = false };
        find->match = 0;
        find->is_begun = true;
        if (!find_stretch(find->trace, &stretch, &find->found, err)) {
            find->found.ended = true;
            return false;
        }
    }
    return true;
}

bool varve_find_next(VarveFind *find, VarveMatch *match, bool *is_found, VarveError *error)
{
    Err err = API_ERR;
    *is_found = true;
    if (find->place < vec_count(&find->places)) {
        put_place(find, &find->places.items[find->place++], match);
        return true;
    }
    if (!fill(find, &err)) return api_fail(&err, error);
    *is_found = find->match < vec_count(&find->found.matches);
    if (*is_found) put_event(find, &find->found.matches.items[find->match++], match);
    return true;
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
    Arena          arena = arena_create(0);
    VarveSliceSet *set = ARENA_NEW(&arena, VarveSliceSet);
    if (set == NULL) {
        (void)api_no_memory(error);
        return NULL;
    }
    set->arena = arena;
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
    Arena arena = set->arena;
    arena_release(&arena);
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
