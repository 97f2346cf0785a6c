/* Reads view files (docs/view-files.md): first the whole file, then changes the view. */
#include "base/json_check.h"
#include "base/words.h"
#include "view/align.h"
#include "view/charts.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/motion.h"
#include "view/notes.h"
#include "view/notes_file.h"
#include "view/row_order.h"
#include "view/row_titles.h"
#include "view/select.h"
#include "view/view_file.h"

#include <assert.h>

/* A row and flags that it gets in place of those of the mask. */
typedef struct RowFlag {
    RowTarget row;
    RowFlags  mask, value;
} RowFlag;

/* The content of the file about an open trace. */
typedef struct FileTrace {
    bool       is_taken; /* a trace of the file belongs to it */
    bool       is_other; /* the content of that trace differs */
    bool       has_anchor;
    uint64_t   anchor;
    StringView hidden_categories; /* `bytes` NULL: as at first */
    bool       is_collapsed;
    bool       has_charts; /* false: the default ones */
} FileTrace;

/* A counter that is drawn in the chart of another one of its trace. */
typedef struct JoinedCounter {
    uint32_t trace, track, other;
} JoinedCounter;

/* A file while it is read. The items of `traces` have the order of the view. */
typedef struct ViewFile {
    ViewReading reading;
    View       *view;
    ViewFileUse use;
    ViewLoaded *loaded;
    FileTrace  *traces;
    uint32_t    trace_count; /* of the file */
    NoteList    notes;       /* those of the view, then those of the file */
    size_t      kept_notes;  /* the number of those of the view */
    VEC(RowFlag) flags;
    VEC(JoinedCounter) charts;
    /* the state */
    bool       has_range;
    uint32_t   range_trace;
    int64_t    range_begin, range_end;
    int64_t    scroll;
    unsigned   options; /* of VIEW_COMPACT, VIEW_ROOMY, VIEW_COLOUR_BY and VIEW_SAFE_COLOURS */
    FlowMode   flows;
    RowOrder   order;
    StringView filter, perspective;
    bool       has_area;
    uint32_t   area_trace;
    int64_t    area_begin, area_end;
    VEC(AreaTrack) area_tracks;
} ViewFile;

/* Reads an optional text; an absent one leaves *text. */
static bool read_optional(const ViewReading *r, const ViewMember *member, StringView *text)
{
    return member->value.bytes == NULL || reading_text(r, member->value, text);
}

/* ---- rows ---- */

enum { ROW_PROCESS, ROW_TRACK, ROW_NTH, ROW_IS_GROUP, ROW_MEMBERS };
#define ROW_MEMBER_NAMES { .name = "process" }, { .name = "track" }, { .name = "nth" }, { .name = "is_group" }

/* Finds the row that the members name. *found: the trace has it. False: the error is filled. */
static bool find_row(ViewFile *file, uint32_t trace, const ViewMember *members, RowTarget *row, bool *found)
{
    const ViewReading *r = &file->reading;
    uint64_t           nth = 1;
    RowTitle           title = { .kind = members[ROW_TRACK].value.bytes == NULL ? ITEM_PROCESS : ITEM_TRACK,
                                 .has_process = members[ROW_PROCESS].value.bytes != NULL };
    *found = false;
    if (!read_optional(r, &members[ROW_PROCESS], &title.process) ||
        !read_optional(r, &members[ROW_TRACK], &title.track))
        return false;
    if (members[ROW_NTH].value.bytes != NULL && !reading_u64(r, members[ROW_NTH].value, &nth)) return false;
    title.nth = nth <= UINT32_MAX ? (uint32_t)nth : 0;
    *found = row_title_find(view_trace(file->view, trace), trace, &title, row);
    if (!*found) file->loaded->missing_rows++;
    if (*found && row->kind == ITEM_TRACK && members[ROW_IS_GROUP].value.bytes != NULL)
        row->kind = ITEM_GROUP;
    return true;
}

static bool read_row(ViewFile *file, uint32_t trace, StringView value, RowTarget *row, bool *found)
{
    ViewMember members[ROW_MEMBERS] = { ROW_MEMBER_NAMES };
    return reading_members(&file->reading, value, members, ROW_MEMBERS) &&
           find_row(file, trace, members, row, found);
}

static bool read_flag_list(ViewFile *file, uint32_t trace, StringView value, const struct FlagList *list)
{
    JsonMembers elements;
    StringView  element;
    if (!reading_list(&file->reading, value, &elements)) return false;
    while (json_elements_next(&elements, &element)) {
        RowFlag item = { .mask = list->mask, .value = list->value };
        bool    found;
        if (!read_row(file, trace, element, &item.row, &found)) return false;
        if (found) vec_push(&file->flags, item);
    }
    return !file->flags.bytes.failed || reading_no_memory(&file->reading);
}

/* Reads one move: a row, and the row before or after which it is. */
static bool read_move(ViewFile *file, uint32_t trace, StringView value)
{
    enum { BEFORE = ROW_MEMBERS, AFTER, MEMBERS };
    ViewMember members[MEMBERS] = { ROW_MEMBER_NAMES, { .name = "before" }, { .name = "after" } };
    RowMove    move = { .side = MOVE_BEFORE };
    bool       found, anchor_found;
    if (!reading_members(&file->reading, value, members, MEMBERS) ||
        !find_row(file, trace, members, &move.row, &found))
        return false;
    StringView anchor = members[BEFORE].value;
    if (anchor.bytes == NULL) {
        anchor = members[AFTER].value;
        move.side = MOVE_AFTER;
    }
    if (anchor.bytes == NULL)
        return reading_fail(&file->reading, value.bytes, "a moved row needs the member before or after");
    if (!read_row(file, trace, anchor, &move.anchor, &anchor_found)) return false;
    if (found && anchor_found) vec_push(&file->order.moves, move);
    return true;
}

static bool read_moves(ViewFile *file, uint32_t trace, StringView value)
{
    JsonMembers elements;
    StringView  element;
    if (!reading_list(&file->reading, value, &elements)) return false;
    while (json_elements_next(&elements, &element)) {
        if (vec_count(&file->order.moves) == ROW_MOVES_MOST)
            return reading_fail(&file->reading, value.bytes, "a view has at most 4096 moved rows");
        if (!read_move(file, trace, element)) return false;
    }
    return !file->order.moves.bytes.failed || reading_no_memory(&file->reading);
}

/* Reads the counters of one chart. */
static bool read_chart(ViewFile *file, uint32_t trace, StringView value)
{
    JsonMembers elements;
    StringView  element;
    uint32_t    first = UINT32_MAX;
    if (!reading_list(&file->reading, value, &elements)) return false;
    while (json_elements_next(&elements, &element)) {
        RowTarget row;
        bool      found;
        if (!read_row(file, trace, element, &row, &found)) return false;
        if (!found || row.kind != ITEM_TRACK ||
            view_trace(file->view, trace)->outline.tracks[row.index].kind != TRACK_KIND_COUNTER)
            continue;
        if (first == UINT32_MAX) first = row.index;
        vec_push(&file->charts, (JoinedCounter){ trace, row.index, first });
    }
    return !file->charts.bytes.failed || reading_no_memory(&file->reading);
}

static bool read_charts(ViewFile *file, uint32_t trace, StringView value)
{
    JsonMembers elements;
    StringView  element;
    if (!reading_list(&file->reading, value, &elements)) return false;
    file->traces[trace].has_charts = true;
    while (json_elements_next(&elements, &element))
        if (!read_chart(file, trace, element)) return false;
    return true;
}

/* ---- range, area, selection ---- */

/* Reads the members "begin" and "end". */
static bool read_begin_end(const ViewReading *r, StringView at, const ViewMember *begin,
                           const ViewMember *end, int64_t *begin_tick, int64_t *end_tick)
{
    if (begin->value.bytes == NULL || end->value.bytes == NULL)
        return reading_fail(r, at.bytes, "a range needs the members begin and end");
    return reading_i64(r, begin->value, begin_tick) && reading_i64(r, end->value, end_tick) &&
           (*begin_tick <= *end_tick || reading_fail(r, at.bytes, "a range ends before its begin"));
}

static bool read_range(ViewFile *file, uint32_t trace, StringView value)
{
    enum { BEGIN, END, MEMBERS };
    ViewMember members[MEMBERS] = { { .name = "begin" }, { .name = "end" } };
    int64_t    begin, end;
    if (!reading_members(&file->reading, value, members, MEMBERS) ||
        !read_begin_end(&file->reading, value, &members[BEGIN], &members[END], &begin, &end))
        return false;
    if (file->has_range) return true;
    file->has_range = true;
    file->range_trace = trace;
    file->range_begin = begin;
    file->range_end = end;
    return true;
}

static bool read_area_tracks(ViewFile *file, uint32_t trace, StringView value)
{
    JsonMembers elements;
    StringView  element;
    if (!reading_list(&file->reading, value, &elements)) return false;
    while (json_elements_next(&elements, &element)) {
        RowTarget row;
        bool      found;
        if (!read_row(file, trace, element, &row, &found)) return false;
        if (found && row.kind == ITEM_TRACK) vec_push(&file->area_tracks, (AreaTrack){ trace, row.index });
    }
    return !file->area_tracks.bytes.failed || reading_no_memory(&file->reading);
}

static bool read_area(ViewFile *file, uint32_t trace, StringView value)
{
    enum { BEGIN, END, TRACKS, MEMBERS };
    ViewMember members[MEMBERS] = { { .name = "begin" }, { .name = "end" }, { .name = "tracks" } };
    int64_t    begin, end;
    if (!reading_members(&file->reading, value, members, MEMBERS) ||
        !read_begin_end(&file->reading, value, &members[BEGIN], &members[END], &begin, &end))
        return false;
    if (!file->has_area) {
        file->has_area = true;
        file->area_trace = trace;
        file->area_begin = begin;
        file->area_end = end;
    }
    return members[TRACKS].value.bytes == NULL || read_area_tracks(file, trace, members[TRACKS].value);
}

static bool read_selection(ViewFile *file, uint32_t trace, StringView value, bool is_instant)
{
    enum { ROW = ROW_MEMBERS, BEGIN, NAME, MEMBERS };
    ViewMember members[MEMBERS] = {
        ROW_MEMBER_NAMES, { .name = "row" }, { .name = "begin" }, { .name = "name" }
    };
    const ViewReading *r = &file->reading;
    ViewLoaded        *loaded = file->loaded;
    SlicePlace         place = { .trace = trace };
    RowTarget          track;
    uint64_t           row = 0;
    bool               found;
    if (!reading_members(&file->reading, value, members, MEMBERS) ||
        !find_row(file, trace, members, &track, &found))
        return false;
    if (members[BEGIN].value.bytes == NULL)
        return reading_fail(r, value.bytes, "a selection needs the member begin");
    if (!reading_u64(r, members[BEGIN].value, &place.begin) ||
        (members[ROW].value.bytes != NULL && !reading_u64(r, members[ROW].value, &row)) ||
        !read_optional(r, &members[NAME], &loaded->page.slice))
        return false;
    if (!found || track.kind != ITEM_TRACK || row > UINT32_MAX) return true;
    const OutlineTrack *shown = &view_trace(file->view, trace)->outline.tracks[track.index];
    place.track = shown->id;
    place.row = (uint32_t)row;
    loaded->has_selection = true;
    loaded->selects_instant = is_instant;
    loaded->selects_sample = is_instant && shown->kind == TRACK_KIND_COUNTER;
    loaded->selection = place;
    return true;
}

/* ---- traces ---- */

enum {
    TRACE_NAME,
    TRACE_IDENTITY,
    TRACE_MARKS,
    TRACE_RANGE,
    TRACE_ANCHOR,
    TRACE_CATEGORIES,
    TRACE_COLLAPSED,
    TRACE_MOVED,
    TRACE_CHARTS,
    TRACE_SLICE,
    TRACE_INSTANT,
    TRACE_AREA,
    TRACE_FLAGS, /* FLAG_LISTS members */
    TRACE_MEMBERS = TRACE_FLAGS + FLAG_LISTS
};

/* Returns the open trace that a trace of the file belongs to; UINT32_MAX: it is not open. */
static uint32_t find_trace(const ViewFile *file, StringView name, StringView identity)
{
    const View *view = file->view;
    for (uint32_t t = 0; t < view->trace_count && identity.size > 0; t++)
        if (!file->traces[t].is_taken && string_equal(identity, c_string_view(view_trace(view, t)->identity)))
            return t;
    if (file->use == VIEW_FILE_STORED) return UINT32_MAX;
    for (uint32_t t = 0; t < view->trace_count && name.size > 0; t++) {
        const TraceView *trace = view_trace(view, t);
        const bool       is_unsure = identity.size == 0 || trace->identity[0] == 0;
        if (!file->traces[t].is_taken && is_unsure && string_equal(name, trace->outline.name)) return t;
    }
    return file->trace_count == 1 && view->trace_count == 1 ? 0 : UINT32_MAX;
}

/* Reads the members that describe the state of a trace. */
static bool read_trace_state(ViewFile *file, uint32_t trace, const ViewMember *members)
{
    const ViewReading *r = &file->reading;
    FileTrace         *own = &file->traces[trace];
    if (members[TRACE_RANGE].value.bytes != NULL && !read_range(file, trace, members[TRACE_RANGE].value))
        return false;
    if (members[TRACE_ANCHOR].value.bytes != NULL) {
        if (!reading_u64(r, members[TRACE_ANCHOR].value, &own->anchor)) return false;
        own->has_anchor = true;
    }
    if (!read_optional(r, &members[TRACE_CATEGORIES], &own->hidden_categories)) return false;
    own->is_collapsed = string_equal(members[TRACE_COLLAPSED].value, c_string_view("true"));
    for (int i = 0; i < FLAG_LISTS; i++) {
        const StringView list = members[TRACE_FLAGS + i].value;
        if (list.bytes != NULL && !read_flag_list(file, trace, list, &FLAG_LIST[i])) return false;
    }
    if (members[TRACE_MOVED].value.bytes != NULL && !read_moves(file, trace, members[TRACE_MOVED].value))
        return false;
    if (members[TRACE_CHARTS].value.bytes != NULL && !read_charts(file, trace, members[TRACE_CHARTS].value))
        return false;
    for (int i = TRACE_SLICE; i <= TRACE_INSTANT; i++) {
        const StringView value = members[i].value;
        if (value.bytes != NULL && !read_selection(file, trace, value, i == TRACE_INSTANT)) return false;
    }
    return members[TRACE_AREA].value.bytes == NULL || read_area(file, trace, members[TRACE_AREA].value);
}

/* Records that a trace of the file has another content than the open one, or is not open. */
static void note_difference(ViewFile *file, uint32_t *count, StringView name)
{
    if (file->loaded->other_traces + file->loaded->unknown_traces == 0) file->loaded->name = name;
    ++*count;
}

/* Removes the notes of a trace of the view from the list. */
static void drop_notes(ViewFile *file, uint32_t trace)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->kept_notes; i++)
        if (file->notes.items[i].trace != trace) file->notes.items[kept++] = file->notes.items[i];
    const size_t dropped = file->kept_notes - kept, count = vec_count(&file->notes);
    for (size_t i = file->kept_notes; i < count; i++)
        file->notes.items[i - dropped] = file->notes.items[i];
    vec_cut(&file->notes, count - dropped);
    file->kept_notes = kept;
}

static bool read_trace(ViewFile *file, StringView value)
{
    ViewReading *r = &file->reading;
    StringView   name = { "", 0 }, identity = { "", 0 };
    ViewMember   members[TRACE_MEMBERS] = {
        [TRACE_NAME] = { .name = "name" },       [TRACE_IDENTITY] = { .name = "identity" },
        [TRACE_MARKS] = { .name = "marks" },     [TRACE_RANGE] = { .name = "range" },
        [TRACE_ANCHOR] = { .name = "anchor" },   [TRACE_CATEGORIES] = { .name = "hidden_categories" },
        [TRACE_SLICE] = { .name = "slice" },     [TRACE_COLLAPSED] = { .name = "is_collapsed" },
        [TRACE_INSTANT] = { .name = "instant" }, [TRACE_AREA] = { .name = "area" },
        [TRACE_MOVED] = { .name = "moved" },     [TRACE_CHARTS] = { .name = "charts" },
    };
    for (int i = 0; i < FLAG_LISTS; i++)
        members[TRACE_FLAGS + i].name = FLAG_LIST[i].name;
    if (!reading_members(r, value, members, TRACE_MEMBERS) ||
        !read_optional(r, &members[TRACE_NAME], &name) ||
        !read_optional(r, &members[TRACE_IDENTITY], &identity))
        return false;
    const uint32_t trace = find_trace(file, name, identity);
    if (trace == UINT32_MAX) {
        note_difference(file, &file->loaded->unknown_traces, name);
        return true;
    }
    const char *own = view_trace(file->view, trace)->identity;
    file->traces[trace].is_taken = true;
    file->traces[trace].is_other =
        identity.size > 0 && own[0] != 0 && !string_equal(identity, c_string_view(own));
    if (file->traces[trace].is_other) note_difference(file, &file->loaded->other_traces, name);
    if (!row_titles_prepare(view_trace(file->view, trace))) return reading_no_memory(r);
    if (file->use == VIEW_FILE_STORED) drop_notes(file, trace);
    return (file->use == VIEW_FILE_STORED || read_trace_state(file, trace, members)) &&
           (members[TRACE_MARKS].value.bytes == NULL ||
            notes_read(r, members[TRACE_MARKS].value, trace, &file->notes));
}

static bool read_traces(ViewFile *file, StringView value)
{
    JsonMembers elements, again;
    StringView  element;
    if (!reading_list(&file->reading, value, &elements)) return false;
    again = elements;
    while (json_elements_next(&elements, &element))
        file->trace_count++;
    while (json_elements_next(&again, &element))
        if (!read_trace(file, element)) return false;
    return file->trace_count == 0 || file->loaded->unknown_traces < file->trace_count ||
           reading_fail(&file->reading, value.bytes, "the view file belongs to another trace");
}

/* ---- the file ---- */

enum {
    FILE_VERSION,
    FILE_AXIS,
    FILE_PERSPECTIVE,
    FILE_ROWS,
    FILE_COLOURS,
    FILE_PALETTE,
    FILE_FLOWS,
    FILE_SORT,
    FILE_GROUPS,
    FILE_SCROLL,
    FILE_FILTER,
    FILE_PANEL,
    FILE_SEARCH,
    FILE_QUERY,
    FILE_TRACES,
    FILE_MEMBERS
};

/* Reads an optional word of a list: *found is its index, and stays without it. */
static bool read_word(ViewFile *file, const ViewMember *member, const char *const *words, size_t count,
                      size_t *found)
{
    StringView word = { "", 0 };
    Bytes      problem = { 0 };
    if (!read_optional(&file->reading, member, &word)) return false;
    if (word.size == 0 || word_find(words, count, word, found)) return true;
    bytes_append_text(&problem, member->name);
    bytes_append_text(&problem, " must be ");
    word_list_append(words, count, "\"", &problem);
    const char *text = bytes_text(&problem);
    (void)(text == NULL ? reading_no_memory(&file->reading)
                        : reading_fail(&file->reading, member->value.bytes, text));
    bytes_release(&problem);
    return false;
}

static bool read_shared_state(ViewFile *file, const ViewMember *members)
{
    const ViewReading *r = &file->reading;
    ViewPage          *page = &file->loaded->page;
    size_t             height = NORMAL_HEIGHT, colours = 0, palette = 0, flows = 0, sort = 0, groups = 0;
    if (!read_word(file, &members[FILE_ROWS], HEIGHT_NAMES, ROW_HEIGHTS, &height) ||
        !read_word(file, &members[FILE_COLOURS], COLOUR_MODE_NAMES, COLOUR_MODES, &colours) ||
        !read_word(file, &members[FILE_PALETTE], PALETTE_NAMES, PALETTES, &palette) ||
        !read_word(file, &members[FILE_FLOWS], FLOW_MODE_NAMES, FLOW_MODES, &flows) ||
        !read_word(file, &members[FILE_SORT], SORT_NAMES, ROW_SORTS, &sort) ||
        !read_word(file, &members[FILE_GROUPS], GROUPING_NAMES, ROW_GROUPINGS, &groups))
        return false;
    file->options =
        HEIGHT_OPTIONS[height] | COLOUR_MODE_OPTIONS[colours] | (unsigned)PALETTE_OPTIONS[palette];
    file->flows = (FlowMode)flows;
    file->order.sort = (RowSort)sort;
    file->order.groups = (RowGroups)groups;
    return (members[FILE_SCROLL].value.bytes == NULL ||
            reading_i64(r, members[FILE_SCROLL].value, &file->scroll)) &&
           read_optional(r, &members[FILE_PERSPECTIVE], &file->perspective) &&
           read_optional(r, &members[FILE_FILTER], &file->filter) &&
           read_optional(r, &members[FILE_PANEL], &page->panel) &&
           read_optional(r, &members[FILE_SEARCH], &page->search) &&
           read_optional(r, &members[FILE_QUERY], &page->query);
}

/* Reads the members of the file and checks its version. */
static bool read_members(ViewReading *r, ViewMember members[FILE_MEMBERS])
{
    static const char *const NAMES[FILE_MEMBERS] = { "varve_view", "axis",    "perspective", "rows",
                                                     "colours",    "palette", "flows",       "sort",
                                                     "groups",     "scroll",  "filter",      "panel",
                                                     "search",     "query",   "traces" };
    uint64_t                 version = 0;
    size_t                   fault;
    JsonMembers              probe;
    if (!json_valid_until(r->text.bytes, r->text.size, &fault))
        return reading_fail(r, r->text.bytes + fault, "not a view file: invalid JSON");
    if (!json_members_open(r->text, &probe))
        return reading_fail(r, r->text.bytes, "not a view file: expected an object");
    for (int i = 0; i < FILE_MEMBERS; i++)
        members[i] = (ViewMember){ .name = NAMES[i] };
    if (!reading_members(r, r->text, members, FILE_MEMBERS)) return false;
    const StringView value = members[FILE_VERSION].value;
    if (value.bytes != NULL && !reading_u64(r, value, &version)) return false;
    if (version == 0)
        return reading_fail(r, r->text.bytes, "not a view file: it lacks the member varve_view");
    return version <= VIEW_FILE_VERSION ||
           reading_fail(r, r->text.bytes, "the view file is of a later version of Varve");
}

static bool read_axis(const ViewReading *r, const ViewMember *member, ViewAxis *axis)
{
    StringView name = c_string_view(AXIS_OF_EVENTS);
    if (!read_optional(r, member, &name)) return false;
    *axis = string_equal(name, c_string_view(AXIS_OF_CALLS)) ? VIEW_AXIS_CALLS : VIEW_AXIS_EVENTS;
    return *axis == VIEW_AXIS_CALLS || string_equal(name, c_string_view(AXIS_OF_EVENTS)) ||
           reading_fail(r, member->value.bytes, "the axis must be events or calls");
}

static bool read_file(ViewFile *file)
{
    ViewMember members[FILE_MEMBERS];
    ViewAxis   axis;
    if (!read_members(&file->reading, members) || !read_axis(&file->reading, &members[FILE_AXIS], &axis))
        return false;
    if (file->use == VIEW_FILE_OPENED && !read_shared_state(file, members)) return false;
    return members[FILE_TRACES].value.bytes == NULL || read_traces(file, members[FILE_TRACES].value);
}

/* ---- the view ---- */

static void apply_flags(ViewFile *file)
{
    for (uint32_t t = 0; t < file->view->trace_count; t++) {
        TraceView *trace = view_trace(file->view, t);
        if (!file->traces[t].is_taken) continue;
        trace->closed = file->traces[t].is_collapsed;
        view_clear_flags(trace);
    }
    for (size_t i = 0; i < vec_count(&file->flags); i++) {
        const RowFlag   *item = &file->flags.items[i];
        const TraceView *trace = view_trace(file->view, item->row.trace);
        RowFlags        *flags = item->row.kind == ITEM_PROCESS ? trace->process_flags : trace->track_flags;
        flags[item->row.index] = (RowFlags)((flags[item->row.index] & ~item->mask) | item->value);
    }
}

static void apply_charts(ViewFile *file)
{
    for (uint32_t t = 0; t < file->view->trace_count; t++) {
        TraceView *trace = view_trace(file->view, t);
        if (!file->traces[t].is_taken) continue;
        charts_reset(trace);
        for (uint32_t i = 0; i < trace->outline.track_count && file->traces[t].has_charts; i++)
            trace->chart[i] = i;
    }
    for (size_t i = 0; i < vec_count(&file->charts); i++) {
        const JoinedCounter *joined = &file->charts.items[i];
        view_trace(file->view, joined->trace)->chart[joined->track] = joined->other;
    }
    for (uint32_t t = 0; t < file->view->trace_count; t++)
        charts_link(view_trace(file->view, t));
}

/* Hides the categories. Their numbers mean nothing in another trace, which keeps its own. */
static void apply_categories(const ViewFile *file)
{
    for (uint32_t t = 0; t < file->view->trace_count; t++) {
        if (!file->traces[t].is_taken || file->traces[t].is_other) continue;
        StringView set = file->traces[t].hidden_categories;
        if (set.bytes == NULL) set = view_trace(file->view, t)->outline.hidden;
        (void)view_set_hidden(file->view, t, set.bytes, set.size); /* an invalid set: as before */
    }
}

/* Aligns the traces if the file has an anchor for each, or by their clocks if it has none. */
static void apply_alignment(ViewFile *file)
{
    View           *view = file->view;
    const uint64_t *now = align_anchors(view, view->position.alignment);
    Bytes           anchors = { 0 };
    uint32_t        count = 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        count += file->traces[t].has_anchor;
        bytes_append(&anchors, &file->traces[t].anchor, sizeof file->traces[t].anchor);
    }
    const bool is_same =
        count == 0 ? now == NULL : now != NULL && memcmp(now, anchors.data, anchors.size) == 0;
    if (!anchors.failed && !is_same && (count == 0 || count == view->trace_count))
        (void)view_align(view, count == 0 ? NULL : (const uint64_t *)(const void *)anchors.data,
                         view->now_ms); /* without memory: as before */
    bytes_release(&anchors);
}

/* Sets the range, unless it is outside of a trace of another content. */
static void apply_range(const ViewFile *file)
{
    View          *view = file->view;
    const uint32_t t = file->range_trace;
    const uint64_t span = view_span(view, t);
    const bool     overlaps =
        file->range_end >= 0 && (file->range_begin < 0 || (uint64_t)file->range_begin <= span);
    if (file->traces[t].is_other && !overlaps) return;
    view_set_range(view, t, file->range_begin, file->range_end, view->now_ms);
    camera_settle(&view->position.camera);
}

static void apply_area(const ViewFile *file)
{
    View *view = file->view;
    Area *area = &view->selection.area;
    view_clear_area(view);
    if (!file->has_area || vec_count(&file->area_tracks) == 0) return;
    const AxisMap *map = &view_trace(view, file->area_trace)->map;
    int64_t begin = axis_from_signed(map, file->area_begin), end = axis_from_signed(map, file->area_end);
    const int64_t most = (int64_t)view->extent; /* at most 2^62 */
    if (end < 0 || begin > most) return;
    if (begin < -most) begin = -most;
    if (end > 2 * most) end = 2 * most;
    area->is_set = true;
    area->begin = begin;
    area->end = end;
    vec_append(&area->tracks, file->area_tracks.items, vec_count(&file->area_tracks));
    view->picture.is_stale = true;
    view_push_area(view);
}

static void apply_state(ViewFile *file)
{
    View       *view = file->view;
    const char *filter = file->filter.size == 0 ? "" : file->filter.bytes;
    const bool  is_all = string_equal(file->perspective, c_string_view(ALL_PERSPECTIVES));
    if (file->perspective.size > 0)
        (void)view_set_perspective(view, file->perspective.bytes, is_all ? 0 : file->perspective.size);
    const unsigned others = VIEW_COMPACT | VIEW_ROOMY | VIEW_COLOUR_BY | VIEW_SAFE_COLOURS;
    view_set_options(view, (view->screen.options & ~others) | file->options);
    view_set_flows(view, file->flows);
    apply_alignment(file);
    apply_flags(file);
    apply_charts(file);
    apply_categories(file);
    row_order_set(view, &file->order);
    layout_set_filter(view, filter);
    apply_range(file);
    view_scroll_when_final(view, (double)file->scroll);
    apply_area(file);
    if (view->selection.has_slice || view->selection.has_instant) {
        view_select(view, NULL, view->now_ms);
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_SELECT, .exact = true });
    }
}

static bool apply_notes(ViewFile *file, size_t count_before)
{
    View        *view = file->view;
    const size_t kept = file->kept_notes;
    if (vec_count(&file->notes) == kept && kept == count_before) return true;
    for (size_t i = kept; i < vec_count(&file->notes); i++)
        file->notes.items[i].id = view->notes.last_id + 1 + (uint32_t)(i - kept);
    if (!notes_replace(view, file->notes.items, vec_count(&file->notes),
                       file->use == VIEW_FILE_STORED ? NOTES_STORED : NOTES_CHANGED))
        return reading_no_memory(&file->reading);
    view->notes.last_id += (uint32_t)(vec_count(&file->notes) - kept);
    note_select(view, view->notes.selected, "");
    return true;
}

bool view_load(View *view, const char *text, size_t size, ViewFileUse use, ViewLoaded *loaded, Err *err)
{
    size_t          count;
    const ViewNote *notes = view_notes(view, &count);
    *loaded = (ViewLoaded){ .arena = arena_create(0) };
    ViewFile file = { .view = view, .use = use, .loaded = loaded };
    file.reading = (ViewReading){ .text = { text, size }, .arena = &loaded->arena, .err = err };
    file.traces = ARENA_ARRAY(&loaded->arena, FileTrace, view->trace_count);
    vec_append(&file.notes, notes, count);
    file.kept_notes = count;
    bool done = (file.traces != NULL && !file.notes.bytes.failed) || reading_no_memory(&file.reading);
    done = done && read_file(&file);
    if (done && file.reading.unknown_members > 0)
        done = reading_text(&file.reading, file.reading.first_unknown, &loaded->first_unknown);
    done = done && apply_notes(&file, count);
    if (done && file.has_range) apply_state(&file);
    loaded->unknown_members = file.reading.unknown_members;
    loaded->scroll_px = (double)file.scroll;
    loaded->has_state = file.has_range;
    vec_release(&file.notes);
    vec_release(&file.flags);
    vec_release(&file.charts);
    vec_release(&file.order.moves);
    vec_release(&file.area_tracks);
    return done;
}

void view_loaded_release(ViewLoaded *loaded)
{
    arena_release(&loaded->arena);
}

bool view_file_needs(const char *text, size_t size, Arena *arena, ViewFileNeeds *needs, Err *err)
{
    ViewReading r = { .text = { text, size }, .arena = arena, .err = err };
    ViewMember  members[FILE_MEMBERS];
    *needs = (ViewFileNeeds){ .perspective = { "", 0 } };
    return read_members(&r, members) && read_axis(&r, &members[FILE_AXIS], &needs->axis) &&
           read_optional(&r, &members[FILE_PERSPECTIVE], &needs->perspective);
}

void view_set_identity(View *view, uint32_t trace, const char *identity, size_t size)
{
    if (trace >= view->trace_count) return;
    char *own = view_trace(view, trace)->identity;
    if (size > VIEW_IDENTITY) size = 0;
    memcpy(own, identity, size);
    own[size] = '\0';
}
