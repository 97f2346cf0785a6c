#include "trace/make/async.h"

#include "trace/make/lane_heap.h"
#include "trace/make/track_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Limit on the open slices of one name that are compared with an end, if their categories differ from the end's. */
enum { MOST_COMPARED = 64 };

/* An item of Workspace.open. Closed ones stay in place until all items after them are closed; the last one is open. */
typedef struct AsyncOpen {
    uint32_t interval; /* index */
    uint32_t event;    /* number of the begin event */
    uint32_t next;     /* one more than the index of the next open slice of its name; 0 = none; CLOSED */
} AsyncOpen;

#define CLOSED UINT32_MAX

static size_t open_count(const AsyncMaker *a)
{
    return a->ws->open.size / sizeof(AsyncOpen);
}

static AsyncOpen *open_of(const AsyncMaker *a)
{
    return (AsyncOpen *)(void *)a->ws->open.data;
}

/* ---- in order ---- */

static uint64_t id_of(const TraceBuilder *builder, const void *event)
{
    (void)builder;
    return ((const AsyncEvent *)event)->async_id;
}

static bool sort_events(AsyncMaker *a)
{
    TraceBuilder     *builder = a->finish->builder;
    const AsyncEvent *fed = builder->async.events.items;
    size_t            count = vec_count(&builder->async.events);
    const SortKey    *sorted = workspace_sort_items(a->ws, &(SortItems){ fed, count, sizeof *fed, id_of });
    a->events = ARENA_ARRAY(&builder->log_arena, AsyncEvent, count);
    if (sorted == NULL || a->events == NULL) return false;
    for (size_t i = 0; i < count; i++)
        a->events[i] = fed[sorted[i].index];
    a->event_count = count;
    return true;
}

/* ---- the events of one async id: ends find their begins ---- */

static Interval *interval_at(AsyncMaker *a, uint32_t index)
{
    return &a->intervals.items[index];
}

/* Returns the stack in the trace. */
static uint32_t stack_of(AsyncMaker *a, const AsyncEvent *event)
{
    const uint32_t *ids = a->finish->builder->profile.stacks.ids;
    a->finish->async.has_stacks = true;
    return ids == NULL ? event->stack : ids[event->stack];
}

static uint32_t name_of(const AsyncMaker *a, uint32_t label)
{
    return a->finish->builder->labels.all.items[label].name.index;
}

static void open_slice(AsyncMaker *a, const AsyncEvent *event)
{
    uint32_t index = (uint32_t)(a->intervals.bytes.size / sizeof(Interval));
    bool     is_instant = async_kind(event) == ASYNC_INSTANT;
    uint64_t flags = is_instant ? INTERVAL_PAIRED | ASYNC_INSTANT_INTERVAL : INTERVAL_PAIRED;
    if (event->place & PLACE_DETAILS) flags |= SLICE_SOURCE;
    if (event->place & PLACE_REPAIRED) flags |= SLICE_REPAIRED;
    Interval interval = { .begin = event->tick,
                          .end = event->tick,
                          .place = place_offset(event->place) << PLACE_BITS | flags,
                          .label = event->label,
                          .event = event->thread,
                          .row = a->depth };
    if (event->stack != 0) {
        IntervalExtra *extra = interval_extra(&a->extras, &interval);
        if (extra != NULL) extra->stack = stack_of(a, event);
    }
    vec_push(&a->intervals, interval);
    if (a->intervals.bytes.failed) a->failed = true;
    if (is_instant || a->failed) return;
    NameHead       *head = &a->heads[name_of(a, event->label)];
    const AsyncOpen open = { .interval = index, .event = event->event, .next = head->open };
    bytes_append(&a->ws->open, &open, sizeof open);
    if (a->ws->open.failed) a->failed = true;
    if (a->failed) return;
    head->open = (uint32_t)open_count(a);
    a->depth++;
}

/* Removes the innermost open slice that the end may close from the list of its name, and returns it; NULL: no slice
 * matches. An end without a name closes the innermost slice. */
static AsyncOpen *take_open(AsyncMaker *a, uint32_t label)
{
    const Label *labels = a->finish->builder->labels.all.items;
    AsyncOpen   *open = open_of(a);
    if (a->depth == 0) return NULL;
    if (name_of(a, label) == 0) label = interval_at(a, open[open_count(a) - 1].interval)->label;
    uint32_t *link = &a->heads[name_of(a, label)].open;
    for (unsigned compared = 0; *link != 0 && compared < MOST_COMPARED; compared++) {
        AsyncOpen     *slice = &open[*link - 1];
        const uint32_t begun = interval_at(a, slice->interval)->label;
        if (begun == label || labels_agree(&labels[begun], &labels[label])) {
            *link = slice->next;
            slice->next = CLOSED;
            a->depth--;
            return slice;
        }
        link = &slice->next;
    }
    return NULL;
}

/* Removes closed slices from the end of Workspace.open. */
static void drop_closed(AsyncMaker *a)
{
    const AsyncOpen *open = open_of(a);
    size_t           count = open_count(a);
    while (count > 0 && open[count - 1].next == CLOSED)
        count--;
    a->ws->open.size = count * sizeof *open;
}

static void keep_end(AsyncMaker *a, const AsyncEvent *event)
{
    EventRecord end = {
        event->tick, 0, place_offset(event->place), event->label, event->event, PLACE_END, 0
    };
    UnmatchedEnd *kept = workspace_keep_end(a->ws, &a->work, &end);
    workspace_warn(a->ws, &a->work, "unmatched-async-end", end.offset, end.event,
                   "an asynchronous end without an open begin of its id and name: kept, but not drawn");
    if (kept == NULL) return;
    kept->builder_thread = event->thread;
    kept->kind_plus_one = event->kind + 1U;
}

static uint32_t colour_of(const AsyncMaker *a, uint32_t label)
{
    return a->finish->builder->labels.all.items[label].colour;
}

/* Returns the label with the colour of the end event. */
static uint32_t recoloured(AsyncMaker *a, uint32_t label, uint32_t colour)
{
    if (colour == 0 || colour == colour_of(a, label)) return label;
    return builder_colour_label(a->finish->builder, (LabelId){ label }, colour).index;
}

static void close_slice(AsyncMaker *a, const AsyncEvent *event)
{
    const AsyncOpen *open = take_open(a, event->label);
    if (open == NULL) {
        keep_end(a, event);
        return;
    }
    Interval *interval = interval_at(a, open->interval);
    interval->end = event->tick;
    drop_closed(a);
    if ((event->place & PLACE_DETAILS) || event->stack != 0) {
        IntervalExtra *extra = interval_extra(&a->extras, interval);
        if (extra == NULL) return;
        if (event->stack != 0) extra->end_stack = stack_of(a, event);
        extra->end_offset = place_offset(event->place);
        if (event->place & PLACE_DETAILS) interval->place |= SLICE_END_SOURCE;
    }
    interval->label = recoloured(a, interval->label, colour_of(a, event->label));
}

static void end_the_unfinished(AsyncMaker *a)
{
    for (size_t i = open_count(a); i > 0; i--) {
        const AsyncOpen *open = &open_of(a)[i - 1];
        if (open->next == CLOSED) continue;
        Interval *interval = interval_at(a, open->interval);
        interval->end = a->end;
        interval->place |= SLICE_UNFINISHED;
        a->heads[name_of(a, interval->label)].open = 0;
        if (a->finish->builder->rules.endless == ENDLESS_EXPECTED) continue;
        workspace_warn(a->ws, &a->work, "unfinished-async", place_offset(interval->place), open->event,
                       "an asynchronous begin without an end: drawn to the end of the trace");
    }
}

/* ---- its groups of nested slices ---- */

static void start_tree(AsyncMaker *a, const Interval *root)
{
    const ThreadEntry *threads = a->finish->builder->threads.all.items;
    uint32_t           label = a->title != 0 ? a->title : root->label; /* of the group, without colours */
    if (colour_of(a, label) != 0)
        label = builder_colour_label(a->finish->builder, (LabelId){ label }, 0).index;
    AsyncTree tree = { .process = threads[root->event].process,
                       .label = label,
                       .begin = root->begin,
                       .end = root->end,
                       .offset = place_offset(root->place),
                       .lane = UINT32_MAX };
    vec_push(&a->trees, tree);
    if (a->trees.bytes.failed) a->failed = true;
}

/* Adds an interval at a depth of the tree with this index. */
static void add_member(AsyncMaker *a, const Interval *interval, size_t tree_index, uint32_t depth)
{
    AsyncMember member = { *interval, tree_index };
    AsyncTree  *tree = &a->trees.items[tree_index];
    member.interval.row = depth;
    if (depth + 1 > tree->depth) tree->depth = depth + 1;
    tree->count++;
    vec_push(&a->members, member);
    if (a->members.bytes.failed) a->failed = true;
}

/* Adds every interval to the tree of the last outermost interval on its lane. */
static void divide_into_trees(AsyncMaker *a, const TrackWork *work)
{
    size_t *tree_of_lane = ARENA_ARRAY(&a->ws->scratch, size_t, work->lane_count);
    if (tree_of_lane == NULL) {
        a->failed = true;
        return;
    }
    for (size_t i = 0; i < work->interval_count && !a->failed; i++) {
        const Interval *interval = work_interval(work, i);
        const WorkRow   row = work_row(work, interval->row);
        if (row.depth == 0) {
            start_tree(a, interval);
            tree_of_lane[row.lane] = vec_count(&a->trees) - 1;
        }
        if (!a->failed) add_member(a, interval, tree_of_lane[row.lane], row.depth);
    }
}

/* Nests the intervals and divides them into trees. */
static void nest_intervals(AsyncMaker *a)
{
    const size_t count = vec_count(&a->intervals);
    if (count == 1) { /* most ids have one slice */
        start_tree(a, &a->intervals.items[0]);
        if (!a->failed) add_member(a, &a->intervals.items[0], vec_count(&a->trees) - 1, 0);
        return;
    }
    ThreadLog none = { .min_tick = a->finish->trace->begin_tick };
    TrackWork work = { .thread = &none,
                       .intervals = a->intervals.items,
                       .interval_count = count,
                       .paired_count = count,
                       .overlaps_are_fine = true };
    nest_track(a->ws, &work);
    if (a->ws->failed) a->failed = true;
    if (!a->failed) divide_into_trees(a, &work);
}

bool async_add_id(AsyncMaker *a, const AsyncEvent *events, size_t count)
{
    vec_clear(&a->intervals);
    bytes_clear(&a->ws->open);
    a->depth = 0;
    a->title = count == 0 ? 0 : a->finish->builder->async.ids.items[events[0].async_id].title;
    a->heads = workspace_name_heads(a->ws);
    if (a->heads == NULL) return false;
    arena_clear(&a->ws->scratch);
    for (size_t i = 0; i < count && !a->failed; i++) {
        if (async_kind(&events[i]) == ASYNC_END) {
            close_slice(a, &events[i]);
        } else {
            open_slice(a, &events[i]);
        }
    }
    end_the_unfinished(a); /* also after a failure, because it empties the lists of names */
    if (a->failed || a->intervals.bytes.size > UINT32_MAX * sizeof(Interval)) return !a->failed;
    nest_intervals(a);
    return !a->failed;
}

void async_maker_clear(AsyncMaker *maker)
{
    vec_clear(&maker->members);
    vec_clear(&maker->trees);
    vec_clear(&maker->extras);
    maker->work = (TrackWork){ .warnings = NULL };
}

void async_maker_release(AsyncMaker *maker)
{
    vec_release(&maker->members);
    vec_release(&maker->trees);
    vec_release(&maker->extras);
    vec_release(&maker->intervals);
}

/* ---- groups ---- */

/* The trees of one process and label: a future group. */
typedef struct TreeRun {
    TrackName name; /* of a process; key: the label */
    size_t    first, count;
} TreeRun;

static uint64_t group_of(const TraceBuilder *builder, const void *item)
{
    const AsyncTree *tree = (const AsyncTree *)item;
    (void)builder;
    return (uint64_t)tree->process << 32 | tree->label;
}

static int compare_ties(const void *left, const void *right)
{
    const AsyncTree *a = *(const AsyncTree *const *)left, *b = *(const AsyncTree *const *)right;
    if (a->end != b->end) return a->end > b->end ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Orders trees of one run and begin by end, the longest first, and by offset. */
static void order_ties(const AsyncTree **trees, size_t count)
{
    for (size_t first = 0, last; first < count; first = last) {
        last = first + 1;
        while (last < count && trees[last]->begin == trees[first]->begin)
            last++;
        if (last - first > 1) qsort(trees + first, last - first, sizeof *trees, compare_ties);
    }
}

/* Returns the runs of sorted keys, in order of process and name; their number is *run_count. NULL when out of memory. */
static TreeRun *ordered_runs(AsyncMaker *a, const SortKey *sorted, size_t *run_count)
{
    const TraceBuilder *builder = a->finish->builder;
    const AsyncTree    *trees = a->trees.items;
    const size_t        count = vec_count(&a->trees);
    size_t              found = 0;
    for (size_t first = 0; first < count; first = sort_group_end(sorted, first, count))
        found++;
    TreeRun *runs = ARENA_ARRAY(&a->finish->builder->log_arena, TreeRun, found);
    if (runs == NULL) return NULL;
    found = 0;
    for (size_t first = 0, end; first < count; first = end) {
        const AsyncTree *tree = &trees[sorted[first].index];
        const StringId   name = builder->labels.all.items[tree->label].name;
        end = sort_group_end(sorted, first, count);
        runs[found++] = (TreeRun){ { tree->process, tree->label, string_table_view(builder->strings, name) },
                                   first,
                                   end - first };
    }
    if (found > 0) qsort(runs, found, sizeof *runs, compare_track_names);
    *run_count = found;
    return runs;
}

/* Returns the trees in order of process, name and begin. NULL when out of memory. */
static const AsyncTree **tree_order(AsyncMaker *a)
{
    const AsyncTree  *trees = a->trees.items;
    const size_t      count = vec_count(&a->trees);
    const AsyncTree **order =
        (const AsyncTree **)arena_push_raw(&a->finish->builder->log_arena, count, sizeof *order);
    size_t         run_count, next = 0;
    const SortKey *sorted =
        workspace_sort_items(a->ws, &(SortItems){ trees, count, sizeof *trees, group_of });
    const TreeRun *runs = sorted == NULL ? NULL : ordered_runs(a, sorted, &run_count);
    if (order == NULL || runs == NULL) return NULL;
    for (size_t run = 0; run < run_count; run++) {
        const AsyncTree **first = order + next;
        for (size_t i = 0; i < runs[run].count; i++)
            order[next++] = &trees[sorted[runs[run].first + i].index];
        order_ties(first, runs[run].count);
    }
    return order;
}

AsyncTree *async_order(AsyncMaker *a, AsyncMember **members)
{
    Arena            *arena = &a->finish->builder->log_arena;
    const size_t      count = vec_count(&a->trees), member_count = vec_count(&a->members);
    const AsyncTree **order = tree_order(a);
    size_t           *new_index = (size_t *)arena_push_raw(arena, count, sizeof *new_index);
    AsyncTree        *trees = (AsyncTree *)arena_push_raw(arena, count, sizeof *trees);
    *members = (AsyncMember *)arena_push_raw(arena, member_count, sizeof **members);
    if (order == NULL || new_index == NULL || trees == NULL || *members == NULL) return NULL;
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        trees[i] = *order[i];
        new_index[order[i] - a->trees.items] = i;
        trees[i].first = first;
        first += trees[i].count;
        trees[i].count = 0;
    }
    for (size_t i = 0; i < member_count; i++) {
        AsyncMember *member = &a->members.items[i];
        AsyncTree   *tree = &trees[new_index[member->tree]];
        (*members)[tree->first + tree->count++] = *member;
    }
    return trees;
}

/* Assigns lanes to the trees of a group that have none, and creates its rows. */
static bool lay_out_group(AsyncMaker *a, SliceGroup *group, AsyncTree *trees, size_t count, LaneSet *lanes)
{
    Arena    *arena = &a->finish->builder->log_arena;
    uint32_t *depths = ARENA_ARRAY(&a->ws->scratch, uint32_t, lanes->count + count + 1);
    if (depths == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        if (trees[i].lane == UINT32_MAX) trees[i].lane = lane_set_take(lanes, trees[i].begin, trees[i].end);
        if (trees[i].depth > depths[trees[i].lane]) depths[trees[i].lane] = trees[i].depth;
    }
    group->lane_count = lanes->count;
    for (uint32_t lane = 0; lane < group->lane_count; lane++)
        group->row_count += depths[lane];
    group->rows = ARENA_ARRAY(arena, WorkRow, group->row_count);
    if (group->rows == NULL) return false;
    uint32_t next = 0;
    for (uint32_t lane = 0; lane < group->lane_count; lane++) {
        uint32_t first = next;
        for (uint32_t depth = 0; depth < depths[lane]; depth++) {
            group->rows[next++] = (WorkRow){ .lane = lane, .depth = depth };
        }
        depths[lane] = first; /* from here on the first row of the lane */
    }
    for (size_t i = 0; i < count; i++)
        trees[i].group = depths[trees[i].lane];
    return true;
}

static bool fill_group(AsyncMaker *a, SliceGroup *group, const AsyncTree *trees, size_t count,
                       const AsyncMember *members)
{
    Arena *arena = &a->finish->builder->log_arena;
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += trees[i].count;
    group->intervals = ARENA_ARRAY(arena, Interval, total);
    group->instants = ARENA_ARRAY(arena, InstantPlace, total);
    group->ids = a->finish->is_growing ? ARENA_ARRAY(arena, uint32_t, 2 * total) : NULL;
    group->instant_ids = group->ids == NULL ? NULL : group->ids + total;
    if (group->intervals == NULL || group->instants == NULL || (a->finish->is_growing && group->ids == NULL))
        return false;
    for (size_t i = 0; i < count; i++) {
        for (size_t m = trees[i].first; m < trees[i].first + trees[i].count; m++) {
            Interval interval = members[m].interval;
            interval.row += trees[i].group;
            if (interval.place & ASYNC_INSTANT_INTERVAL) {
                uint64_t place = place_offset(interval.place) << PLACE_BITS |
                                 (interval.place & SLICE_SOURCE ? (uint64_t)PLACE_DETAILS : 0);
                InstantMark mark = { interval.begin, place, interval.label, interval.event };
                uint32_t    stack = interval.extra == 0 ? 0 : a->extras.items[interval.extra - 1].stack;
                if (group->ids != NULL) group->instant_ids[group->instant_count] = trees[i].id;
                group->instants[group->instant_count++] = (InstantPlace){ mark, interval.row, stack };
                group->rows[interval.row].instant_count++;
                continue;
            }
            if (group->ids != NULL) group->ids[group->interval_count] = trees[i].id;
            group->intervals[group->interval_count++] = interval;
            group->rows[interval.row].slice_count++;
            if (interval.place & SLICE_SOURCE) group->source_count++;
            if (interval.place & SLICE_UNFINISHED) group->unfinished_count++;
        }
    }
    return true;
}

bool async_make_group(AsyncMaker *a, SliceGroup *group, AsyncTree *trees, size_t count,
                      const AsyncMember *members, LaneSet *lanes)
{
    return lay_out_group(a, group, trees, count, lanes) && fill_group(a, group, trees, count, members);
}

static bool make_groups(AsyncMaker *a)
{
    Arena       *arena = &a->finish->builder->log_arena;
    SliceGroups *result = &a->finish->async;
    AsyncMember *members;
    size_t       count = vec_count(&a->trees);
    AsyncTree   *trees = async_order(a, &members);
    if (trees == NULL) return false;
    result->groups = ARENA_ARRAY(arena, SliceGroup, count);
    result->extras = vec_copy(&a->extras, arena);
    if (result->groups == NULL || result->extras == NULL) return false;
    for (size_t first = 0; first < count;) {
        size_t last = first + 1;
        while (last < count && trees[last].process == trees[first].process &&
               trees[last].label == trees[first].label) {
            last++;
        }
        SliceGroup *group = &result->groups[result->count++];
        *group = (SliceGroup){ .process = trees[first].process, .label = trees[first].label };
        arena_clear(&a->ws->scratch);
        LaneSet lanes = { .far = { .lanes = ARENA_ARRAY(&a->ws->scratch, HeapLane, last - first) } };
        if (lanes.far.lanes == NULL ||
            !async_make_group(a, group, trees + first, last - first, members, &lanes))
            return false;
        first = last;
    }
    return true;
}

bool async_prepare(Finish *finish)
{
    if (finish->builder->async.events.bytes.failed) return false;
    if (finish->builder->async.events.bytes.size == 0) return true;
    AsyncMaker a = { .finish = finish, .ws = &finish->workspaces[0], .end = finish->trace->end_tick };
    bool       done = sort_events(&a);
    for (size_t first = 0; done && first < a.event_count;) {
        size_t last = first + 1;
        while (last < a.event_count && a.events[last].async_id == a.events[first].async_id)
            last++;
        done = async_add_id(&a, a.events + first, last - first);
        first = last;
    }
    done = done && !a.ws->failed && !finish->builder->failed && make_groups(&a);
    finish->async.warnings = a.work.warnings;
    finish->async.unmatched = a.work.unmatched;
    finish->async.unmatched_count = a.work.unmatched_count;
    async_maker_release(&a);
    return done;
}
