#include "paint/picture.h"

#include "analysis/find_moments.h"
#include "base/file.h"
#include "base/self_trace.h"
#include "base/thread.h"
#include "base/vec.h"
#include "base/words.h"
#include "format/identity.h"
#include "trace/store/lookup.h"
#include "trace/store/range.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"
#include "view/option_names.h"

#include <string.h>

/* Limits on the height of a picture that is as high as its content. */
static const double MIN_HEIGHT_PX = 120, MAX_HEIGHT_PX = 4000;

/* Answers that are in memory at a time. */
enum { GRANTS_AT_ONCE = 256 };

static const char NO_MEMORY[] = "out of memory for the picture";

/* -- data for the view -- */

static bool add_trace(View *view, const Loaded *loaded, Err *err)
{
    Bytes       bytes = { 0 };
    const char *name = file_name_of(loaded->name);
    outline_encode(loaded->trace, c_string_view(name), &bytes);
    bool done = bytes.failed ? err_set(err, ERR_MEMORY, "out of memory for the outline")
                             : view_add_trace(view, bytes.data, bytes.size, err);
    bytes_release(&bytes);
    return done;
}

/* The traces in the picture, and the sources of their tiles; NULL = the whole trace. */
typedef struct Pictured {
    const Loaded *loaded;
    Filter      **filters;
    size_t        count;
    unsigned      threads;
} Pictured;

/* A request of the view and the bytes of its answer. */
typedef struct Grant {
    ViewRequest request;
    Bytes       bytes;
    bool        done;
    Err         err;
} Grant;

typedef VEC(Grant) Grants;

typedef struct GrantWork {
    const Pictured *pictured;
    Grant          *grants;
} GrantWork;

/* Encodes the times of a name. */
static bool encode_moments(const Trace *trace, const Filter *filter, const MomentsRequest *moments,
                           Bytes *bytes, Err *err)
{
    const FindMomentsQuery query = { .name = moments->label,
                                     .filter = filter,
                                     .begin = moments->begin,
                                     .level = moments->level,
                                     .buckets = moments->buckets };
    Arena                  arena = arena_create(0);
    double                 share = 0;
    FindMoments           *find = find_moments_begin(trace, &query, &arena, err);
    const bool             done = find != NULL && find_moments_step(find, UINT64_MAX, &share, err);
    if (done) moments_encode(find_moments_result(find), bytes);
    find_moments_release(find);
    arena_release(&arena);
    return done;
}

/* Encodes the answer to a request. Any thread. False: err filled. */
static bool encode(const Pictured *pictured, const ViewRequest *request, Bytes *bytes, Err *err)
{
    const Trace  *trace = pictured->loaded[request->trace].trace;
    const Filter *filter = pictured->filters[request->trace];
    switch (request->kind) {
    case VIEW_REQUEST_OVERVIEW:
        overview_encode(trace, filter, request->filter, request->page, bytes);
        return true;
    case VIEW_REQUEST_LABELS:
        label_page_encode(trace, request->page, bytes);
        return true;
    case VIEW_REQUEST_TILE:
        return tile_encode_filtered(trace, filter, request->tile, bytes, NULL, err);
    case VIEW_REQUEST_VISIBLE:
        visible_encode(trace, filter, request->filter, bytes);
        return true;
    case VIEW_REQUEST_MOMENTS:
        return encode_moments(trace, filter, &request->moments, bytes, err);
    case VIEW_REQUEST_FLOW_DETAILS:
    case VIEW_REQUEST_INSTANT_DETAILS:
    case VIEW_REQUEST_DETAILS: /* for tooltips, which a picture does not have */
        return true;
    }
    return true;
}

static void run_grant(void *context, size_t i)
{
    const GrantWork *work = context;
    Grant           *grant = &work->grants[i];
    grant->done = encode(work->pictured, &grant->request, &grant->bytes, &grant->err);
    if (grant->done && grant->bytes.failed) grant->done = err_set(&grant->err, ERR_MEMORY, NO_MEMORY);
}

/* Passes an encoded answer to the view. False: out of memory. */
static bool put(View *view, Grant *grant)
{
    const ViewRequest *request = &grant->request;
    Bytes             *bytes = &grant->bytes;
    switch (request->kind) {
    case VIEW_REQUEST_OVERVIEW:
        return view_put_overview(view, request->trace, bytes->data, bytes->size);
    case VIEW_REQUEST_LABELS:
        return view_put_labels(view, request->trace, request->page, bytes->data, bytes->size);
    case VIEW_REQUEST_TILE:
        return view_take_tile(view, request->trace, bytes);
    case VIEW_REQUEST_VISIBLE:
        return view_put_visible(view, request->trace, bytes->data, bytes->size);
    case VIEW_REQUEST_MOMENTS:
        return view_put_moments(view, request, bytes->data, bytes->size);
    case VIEW_REQUEST_FLOW_DETAILS:
    case VIEW_REQUEST_INSTANT_DETAILS:
    case VIEW_REQUEST_DETAILS:
        view_request_failed(view, request);
        return true;
    }
    return true;
}

/* Takes the next requests of the view, at most GRANTS_AT_ONCE. */
static void take_requests(View *view, Grants *grants)
{
    ViewRequest request;
    vec_clear(grants);
    while (vec_count(grants) < GRANTS_AT_ONCE && !grants->bytes.failed && view_next_request(view, &request))
        vec_push(grants, (Grant){ .request = request });
}

/* Answers the requests: threads encode the answers, the view receives them in the order of its requests. */
static bool grant_requests(View *view, const Pictured *pictured, Grants *grants, Err *err)
{
    bool done = !grants->bytes.failed || err_set(err, ERR_MEMORY, NO_MEMORY);
    if (done)
        thread_run(pictured->threads, vec_count(grants), run_grant, &(GrantWork){ pictured, grants->items });
    for (size_t i = 0; i < vec_count(grants); i++) {
        Grant *grant = &grants->items[i];
        if (done && !grant->done) *err = grant->err;
        done = done && grant->done && (put(view, grant) || err_set(err, ERR_MEMORY, NO_MEMORY));
        bytes_release(&grant->bytes);
    }
    return done;
}

/* Draws and answers requests until the view has none. Returns the last list of the view; NULL: out of memory. */
static const DrawList *settle(View *view, const Pictured *pictured, Err *err)
{
    Grants          grants = VEC_EMPTY;
    bool            has_request = true;
    bool            done = true;
    const DrawList *list = NULL;
    while (has_request && done) {
        has_request = false;
        (void)view_step(view, 0);
        list = view_draw(view);
        done = list != NULL || err_set(err, ERR_MEMORY, NO_MEMORY);
        while (done) {
            take_requests(view, &grants);
            if (vec_count(&grants) == 0 && !grants.bytes.failed) break;
            has_request = true;
            done = grant_requests(view, pictured, &grants, err);
        }
    }
    vec_release(&grants);
    return done ? list : NULL;
}

/* -- options -- */

static bool set_range(View *view, const Trace *trace, const char *range, Err *err)
{
    const TimeAxis axis = trace_time_axis(trace);
    int64_t        begin, end;
    if (range == NULL) return true;
    if (!time_range_find(range, &axis, &begin, &end, err)) return false;
    if (end == INT64_MAX && axis.span < (uint64_t)INT64_MAX) end = (int64_t)axis.span;
    view_set_range(view, 0, begin, end, 0);
    return true;
}

static bool highlight(View *view, const Loaded *loaded, size_t count, const char *name, Err *err)
{
    bool found = name == NULL;
    for (size_t i = 0; name != NULL && i < count; i++) {
        const Trace *trace = loaded[i].trace;
        for (uint32_t label = 1; label <= trace->label_count; label++) {
            if (!string_equal(trace_label_name(trace, label), c_string_view(name))) continue;
            view_highlight_name(view, (uint32_t)i, label);
            found = true;
            break;
        }
    }
    return found || err_set(err, ERR_USAGE, "--select: no event has the name '%.100s'", name);
}

/* Finds the word that an option has: *index, which stays without the option. */
static bool choose(const char *option, const char *value, const char *const *words, size_t count,
                   size_t *index, Err *err)
{
    if (value == NULL || word_find(words, count, c_string_view(value), index)) return true;
    Bytes list = { 0 };
    word_list_append(words, count, "", &list);
    (void)err_set(err, ERR_USAGE, "--%s must be %.*s, not '%.60s'", option, (int)list.size,
                  list.size == 0 ? "" : (const char *)list.data, value);
    bytes_release(&list);
    return false;
}

/* Sets the colours and the height of the rows. */
static bool set_looks(View *view, const PictureOptions *options, Err *err)
{
    size_t   mode = 0, palette = 0, height = NORMAL_HEIGHT;
    unsigned chosen = view_options(view);
    if (!choose("color-by", options->color, COLOUR_MODE_NAMES, COLOUR_MODES, &mode, err) ||
        !choose("palette", options->palette, PALETTE_NAMES, PALETTES, &palette, err) ||
        !choose("rows", options->rows, HEIGHT_NAMES, ROW_HEIGHTS, &height, err))
        return false;
    if (options->color != NULL) chosen = (chosen & ~(unsigned)VIEW_COLOUR_BY) | COLOUR_MODE_OPTIONS[mode];
    if (options->palette != NULL) chosen = (chosen & ~(unsigned)VIEW_SAFE_COLOURS) | PALETTE_OPTIONS[palette];
    if (options->rows != NULL)
        chosen = (chosen & ~(unsigned)(VIEW_COMPACT | VIEW_ROOMY)) | HEIGHT_OPTIONS[height];
    view_set_options(view, chosen);
    return true;
}

/* Sets the arrows, and the order of the rows. */
static bool set_choices(View *view, const PictureOptions *options, Err *err)
{
    size_t flows = 0, sort = 0, groups = 0;
    if (!choose("flows", options->flows, FLOW_MODE_NAMES, FLOW_MODES, &flows, err) ||
        !choose("sort", options->sort, SORT_NAMES, ROW_SORTS, &sort, err) ||
        !choose("groups", options->groups, GROUPING_NAMES, ROW_GROUPINGS, &groups, err))
        return false;
    if (options->flows != NULL) view_set_flows(view, (FlowMode)flows);
    if (options->sort != NULL) view_sort_rows(view, (RowSort)sort);
    if (options->groups != NULL) view_group_rows(view, (RowGroups)groups);
    return options->overlay == NULL || view_join_counters(view, options->overlay) ||
           err_set(err, ERR_USAGE,
                   "--overlay=%.60s: expected names of counters of one process, for example Heap,GOMAXPROCS",
                   options->overlay);
}

static bool fit_height(View *view, const PictureOptions *options, Err *err)
{
    double height = options->height_px;
    if (height == 0) {
        (void)view_step(view, 0);
        if (view_draw(view) == NULL) return err_set(err, ERR_MEMORY, NO_MEMORY);
        height = view_content_height(view);
        if (height < MIN_HEIGHT_PX) height = MIN_HEIGHT_PX;
        if (height > MAX_HEIGHT_PX) height = MAX_HEIGHT_PX;
    }
    view_resize(view, options->width_px, height, options->scale);
    return true;
}

/* Appends the categories that a view file hides. */
static bool copy_hidden(const View *view, size_t count, Bytes *sets, Err *err)
{
    for (size_t i = 0; i < count; i++) {
        const StringView set = view_hidden(view, (uint32_t)i);
        bytes_append(&sets[i], set.bytes, set.size);
        if (sets[i].failed) return err_set(err, ERR_MEMORY, NO_MEMORY);
    }
    return true;
}

/* Hides categories and creates the filters. The options count before the view file. */
static bool hide(View *view, Pictured *pictured, const PictureOptions *picture, Arena *arena, Err *err)
{
    const HideOptions *options = &picture->hide;
    const bool    is_from_file = picture->view.size > 0 && options->only == NULL && options->hide == NULL;
    const Trace **traces = ARENA_ARRAY(arena, const Trace *, pictured->count);
    Bytes        *sets = ARENA_ARRAY(arena, Bytes, pictured->count);
    pictured->filters = ARENA_ARRAY(arena, Filter *, pictured->count);
    if (traces == NULL || sets == NULL || pictured->filters == NULL)
        return err_set(err, ERR_MEMORY, NO_MEMORY);
    for (size_t i = 0; i < pictured->count; i++)
        traces[i] = pictured->loaded[i].trace;
    bool done = is_from_file ? copy_hidden(view, pictured->count, sets, err)
                             : hide_sets(options, traces, pictured->count, sets, err);
    for (size_t i = 0; done && i < pictured->count; i++) {
        StringView set = bytes_view(&sets[i]);
        Categories categories;
        done = (view_set_hidden(view, (uint32_t)i, set.bytes, set.size) &&
                categories_list(traces[i], arena, &categories)) ||
               err_set(err, ERR_MEMORY, NO_MEMORY);
        if (!done || set.size == 0) continue;
        pictured->filters[i] = categories_filter(&categories, set, 0, NULL, err);
        done = pictured->filters[i] != NULL;
    }
    for (size_t i = 0; i < pictured->count; i++)
        bytes_release(&sets[i]);
    return done;
}

/* -- a view file -- */

/* Finds the slice at a place and fills the rest of the place. False if it is absent or has another name. */
static bool find_slice(const Trace *trace, StringView name, SlicePlace *place)
{
    const Track  *track = &trace->tracks[place->track];
    const int64_t tick = trace_tick_at(trace, place->begin);
    if (place->row >= track_row_count(track)) return false;
    const Row     *row = &trace->rows[track->first_row + place->row];
    const uint32_t at = row_lower_bound(trace, row, tick);
    if (at == row->slice_count) return false;
    place->slice = row->first_slice + at;
    place->label = trace_slice_label(trace, place->slice);
    place->extent = trace_slice_duration(trace, place->slice);
    return trace_slice_begin(trace, place->slice) == tick &&
           (name.size == 0 || string_equal(name, trace_label_name(trace, place->label)));
}

static void restore_selection(View *view, const Pictured *pictured, const ViewLoaded *shown)
{
    SlicePlace place = shown->selection;
    if (!shown->has_selection) return;
    if (shown->selects_instant)
        view_restore_instant(view, &place);
    else if (find_slice(pictured->loaded[place.trace].trace, shown->page.slice, &place))
        view_restore_slice(view, &place);
}

static bool load_view(View *view, const Pictured *pictured, StringView text, ViewLoaded *shown, Err *err)
{
    if (text.size == 0) return true;
    for (size_t i = 0; i < pictured->count; i++) {
        char identity[IDENTITY_TEXT + 1];
        if (load_identity(&pictured->loaded[i], identity))
            view_set_identity(view, (uint32_t)i, identity, IDENTITY_TEXT);
    }
    return view_load(view, text.bytes, text.size, VIEW_FILE_OPENED, shown, err);
}

/* -- the whole -- */

/* Applies options that depend on the contents of the traces; then draws until the view has all its data. Returns the picture;
 * NULL: err filled. */
static const DrawList *fill(View *view, const Pictured *pictured, const PictureOptions *options,
                            const ViewLoaded *shown, Err *err)
{
    bool filtered = false; /* the rows after a filter are known only after a first layout */
    for (size_t i = 0; i < pictured->count; i++)
        filtered |= pictured->filters[i] != NULL;
    if (options->tracks != NULL) view_filter_tracks(view, options->tracks);
    if (!set_range(view, pictured->loaded[0].trace, options->range, err) ||
        !highlight(view, pictured->loaded, pictured->count, options->select_name, err) ||
        !set_choices(view, options, err) || !set_looks(view, options, err) ||
        (filtered && settle(view, pictured, err) == NULL) || !fit_height(view, options, err))
        return NULL;
    if (shown->has_state) view_set_scroll(view, shown->scroll_px);
    restore_selection(view, pictured, shown);
    return settle(view, pictured, err);
}

View *picture_create(const Loaded *loaded, size_t count, const PictureOptions *options, const DrawList **list,
                     ViewLoaded *shown, Err *err)
{
    SELF_SLICE("lay out the picture");
    *shown = (ViewLoaded){ .has_state = false };
    View    *view = view_create(0);
    Arena    arena = arena_create(0);
    Pictured pictured = { .loaded = loaded, .count = count, .threads = options->threads };
    bool     done = view != NULL || err_set(err, ERR_MEMORY, NO_MEMORY);
    if (done) {
        view_set_options(view, VIEW_STATIC | VIEW_REDUCED_MOTION);
        view_set_theme(view, options->theme);
        view_resize(view, options->width_px, MAX_HEIGHT_PX, options->scale);
    }
    for (size_t i = 0; done && i < count; i++)
        done = add_trace(view, &loaded[i], err);
    done = done && load_view(view, &pictured, options->view, shown, err) &&
           hide(view, &pictured, options, &arena, err);
    *list = done ? fill(view, &pictured, options, shown, err) : NULL;
    for (size_t i = 0; pictured.filters != NULL && i < count; i++)
        filter_release(pictured.filters[i]);
    arena_release(&arena);
    if (*list != NULL) return view;
    view_destroy(view);
    return NULL;
}
