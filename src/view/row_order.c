#include "view/row_order.h"

#include "view/data.h"
#include "view/layout.h"
#include "view/row_history.h"
#include "view/scene.h"

#include <assert.h>

/* Comparisons in one step, about 30 ms. */
enum { STEP_COMPARISONS = 1 << 18 };

/* ---- rows ---- */

/* Processes and tracks in one numbering: the processes first. */
static uint32_t item_of(const Outline *outline, RowTarget row)
{
    return row.kind == ITEM_PROCESS ? row.index : outline->process_count + row.index;
}

static bool has_process(const Outline *outline, uint32_t track)
{
    return outline->tracks[track].process < outline->process_count;
}

/* Returns the track of a thread whose states are in the track before it, UINT32_MAX: the thread of the track has no states. */
static uint32_t thread_with_states(const Outline *outline, uint32_t track)
{
    const bool     is_states = outline->tracks[track].kind == TRACK_KIND_STATES;
    const uint32_t thread = is_states ? track + 1 : track;
    if (thread == 0 || thread >= outline->track_count) return UINT32_MAX;
    const OutlineTrack *states = &outline->tracks[thread - 1], *it = &outline->tracks[thread];
    return states->kind == TRACK_KIND_STATES && it->kind == TRACK_KIND_THREAD &&
                   states->process == it->process
               ? thread
               : UINT32_MAX;
}

/* ---- sorting ---- */

typedef struct SortContext {
    const TraceView *trace;
    RowSort          sort;
    RowGroups        groups;
} SortContext;

/* A value that is compared first, and a title. */
typedef struct SortKey {
    uint64_t   value;
    StringView title;
} SortKey;

static uint64_t track_value(const OutlineTrack *track, RowSort sort)
{
    if (sort == SORT_FIRST) return track->first_tick;
    return sort == SORT_BUSIEST ? UINT64_MAX - track->busy_ticks : 0;
}

static int compare_keys(RowSort sort, const SortKey *left, const SortKey *right)
{
    if (left->value != right->value) return left->value < right->value ? -1 : 1;
    return sort == SORT_NAME ? string_compare_natural(left->title, right->title) : 0;
}

static SortKey track_key(const SortContext *context, uint32_t track)
{
    const Outline *outline = &context->trace->outline;
    const uint32_t thread = thread_with_states(outline, track);
    if (thread != UINT32_MAX) track = thread;
    return (SortKey){ track_value(&outline->tracks[track], context->sort), outline->tracks[track].title };
}

static int compare_tracks(const void *user, uint32_t left, uint32_t right)
{
    const SortContext *context = user;
    const Outline     *outline = &context->trace->outline;
    const bool         is_one_list =
        context->groups == GROUPS_NONE ||
        (has_process(outline, left) && outline->tracks[left].process == outline->tracks[right].process);
    const SortKey a = track_key(context, left), b = track_key(context, right);
    const int     order = is_one_list ? compare_keys(context->sort, &a, &b) : 0;
    return order != 0 ? order : left < right ? -1 : left > right;
}

static SortKey group_key(const SortContext *context, uint32_t group)
{
    const TraceView *trace = context->trace;
    const uint32_t   processes = trace->outline.process_count;
    if (group >= processes) return track_key(context, group - processes);
    return (SortKey){ trace->lists.group_values[group], trace->outline.processes[group].title };
}

static int compare_groups(const void *user, uint32_t left, uint32_t right)
{
    const SortContext *context = user;
    const SortKey      a = group_key(context, left), b = group_key(context, right);
    return compare_keys(context->sort, &a, &b);
}

/* Sets the values by which processes are sorted: the earliest of the first events, or the sum of the busy times. */
static void fill_group_values(TraceView *trace, RowSort sort)
{
    const Outline *outline = &trace->outline;
    for (uint32_t p = 0; p < outline->process_count; p++) {
        const OutlineProcess *process = &outline->processes[p];
        uint64_t              value = UINT64_MAX;
        for (uint32_t i = process->first_track; i < process->first_track + process->track_count; i++) {
            const OutlineTrack *track = &outline->tracks[i];
            if (sort == SORT_FIRST && track->first_tick < value) value = track->first_tick;
            if (sort == SORT_BUSIEST) value -= track->busy_ticks < value ? track->busy_ticks : value;
        }
        trace->lists.group_values[p] = sort == SORT_FIRST || sort == SORT_BUSIEST ? value : 0;
    }
}

/* Fills the lists in the default order, that of the outline. */
static void fill_sorted(TraceView *trace)
{
    const Outline *outline = &trace->outline;
    RowLists      *lists = &trace->lists;
    lists->group_count = 0;
    for (uint32_t i = 0; i < outline->track_count; i++) {
        const uint32_t process = outline->tracks[i].process;
        const bool     is_first = i == 0 || outline->tracks[i - 1].process != process;
        lists->sorted_tracks[i] = i;
        if (!has_process(outline, i))
            lists->sorted_groups[lists->group_count++] = outline->process_count + i;
        else if (is_first)
            lists->sorted_groups[lists->group_count++] = process;
    }
}

bool row_lists_init(TraceView *trace)
{
    const uint32_t tracks = trace->outline.track_count, processes = trace->outline.process_count;
    RowLists      *lists = &trace->lists;
    lists->tracks = ARENA_ARRAY(&trace->arena, uint32_t, tracks);
    lists->process_at = ARENA_ARRAY(&trace->arena, uint32_t, processes);
    lists->sorted_tracks = ARENA_ARRAY(&trace->arena, uint32_t, tracks);
    lists->sorted_groups = ARENA_ARRAY(&trace->arena, uint32_t, tracks);
    lists->group_values = ARENA_ARRAY(&trace->arena, uint64_t, processes);
    lists->state = ROWS_UNSORTED;
    if (lists->tracks == NULL || lists->process_at == NULL || lists->sorted_tracks == NULL ||
        lists->sorted_groups == NULL || lists->group_values == NULL)
        return false;
    for (uint32_t i = 0; i < tracks; i++)
        lists->tracks[i] = i;
    for (uint32_t p = 0; p < processes; p++)
        lists->process_at[p] = trace->outline.processes[p].first_track;
    return true;
}

void row_lists_carry(const TraceView *before, TraceView *after)
{
    const RowLists *from = &before->lists;
    RowLists       *to = &after->lists;
    if (from->state != ROWS_READY) return;
    memcpy(to->tracks, from->tracks, after->outline.track_count * sizeof *to->tracks);
    memcpy(to->process_at, from->process_at, after->outline.process_count * sizeof *to->process_at);
    memcpy(to->sorted_tracks, from->sorted_tracks, after->outline.track_count * sizeof *to->sorted_tracks);
    memcpy(to->sorted_groups, from->sorted_groups, from->group_count * sizeof *to->sorted_groups);
    to->group_count = from->group_count;
    to->state = ROWS_READY;
}

/* ---- moves ---- */

/* Rings of items that are linked in their order. Each list has a ring with an end item: that of process p is item_count + p,
 * that of the processes, or of all tracks without groups, the last one. */
typedef struct Rings {
    const Outline *outline;
    RowGroups      groups;
    uint32_t       item_count;
    uint32_t      *next, *before;
} Rings;

static uint32_t top_ring(const Rings *rings)
{
    return rings->item_count + rings->outline->process_count;
}

/* Returns the ring of an item, UINT32_MAX = none. */
static uint32_t ring_of(const Rings *rings, uint32_t item)
{
    const uint32_t processes = rings->outline->process_count;
    if (item < processes) return rings->groups == GROUPS_NONE ? UINT32_MAX : top_ring(rings);
    if (rings->groups == GROUPS_NONE || !has_process(rings->outline, item - processes))
        return top_ring(rings);
    return rings->item_count + rings->outline->tracks[item - processes].process;
}

static void link_items(Rings *rings, uint32_t left, uint32_t right)
{
    rings->next[left] = right;
    rings->before[right] = left;
}

static void append(Rings *rings, uint32_t item)
{
    const uint32_t end = ring_of(rings, item);
    if (end == UINT32_MAX) return;
    link_items(rings, rings->before[end], item);
    link_items(rings, item, end);
}

/* Finds the first and the last item that move together with an item. */
static void find_unit(const Rings *rings, uint32_t item, uint32_t *first, uint32_t *last)
{
    const uint32_t processes = rings->outline->process_count;
    const uint32_t thread =
        item < processes ? UINT32_MAX : thread_with_states(rings->outline, item - processes);
    *first = *last = item;
    if (thread == UINT32_MAX) return;
    *first = processes + thread - 1;
    *last = processes + thread;
}

static void apply_move(Rings *rings, const RowMove *move)
{
    const uint32_t row = item_of(rings->outline, move->row), anchor = item_of(rings->outline, move->anchor);
    uint32_t       first, last, anchor_first, anchor_last;
    if (row >= rings->item_count || anchor >= rings->item_count) return;
    if (ring_of(rings, row) == UINT32_MAX || ring_of(rings, row) != ring_of(rings, anchor)) return;
    find_unit(rings, row, &first, &last);
    find_unit(rings, anchor, &anchor_first, &anchor_last);
    if (first == anchor_first) return;
    link_items(rings, rings->before[first], rings->next[last]);
    const uint32_t left = move->side == MOVE_BEFORE ? rings->before[anchor_first] : anchor_last;
    const uint32_t right = rings->next[left];
    link_items(rings, left, first);
    link_items(rings, last, right);
}

static void write_tracks(const Rings *rings, uint32_t ring, RowLists *lists, uint32_t *count)
{
    for (uint32_t item = rings->next[ring]; item != ring; item = rings->next[item])
        lists->tracks[(*count)++] = item - rings->outline->process_count;
}

/* Writes the list of all tracks from the rings. */
static void write_lists(const Rings *rings, RowLists *lists)
{
    const uint32_t processes = rings->outline->process_count, top = top_ring(rings);
    uint32_t       count = 0;
    if (rings->groups == GROUPS_NONE) {
        write_tracks(rings, top, lists, &count);
    } else {
        for (uint32_t item = rings->next[top]; item != top; item = rings->next[item]) {
            if (item >= processes) {
                lists->tracks[count++] = item - processes;
                continue;
            }
            lists->process_at[item] = count;
            write_tracks(rings, rings->item_count + item, lists, &count);
        }
    }
    assert(count == rings->outline->track_count);
}

/* Makes the list of all tracks from the sorted lists and the moves. Without memory the list stays. */
static void apply_moves(const View *view, uint32_t index)
{
    TraceView     *trace = view_trace(view, index);
    const RowMove *moves = view->order.moves.items;
    Arena          arena = arena_create(0);
    Rings          rings = { .outline = &trace->outline, .groups = view->order.groups };
    rings.item_count = trace->outline.process_count + trace->outline.track_count;
    const uint32_t ends = trace->outline.process_count + 1;
    rings.next = ARENA_ARRAY(&arena, uint32_t, (size_t)rings.item_count + ends);
    rings.before = ARENA_ARRAY(&arena, uint32_t, (size_t)rings.item_count + ends);
    if (rings.next != NULL && rings.before != NULL) {
        for (uint32_t end = rings.item_count; end < rings.item_count + ends; end++)
            link_items(&rings, end, end);
        for (uint32_t i = 0; i < trace->lists.group_count && rings.groups != GROUPS_NONE; i++)
            append(&rings, trace->lists.sorted_groups[i]);
        for (uint32_t i = 0; i < trace->outline.track_count; i++) {
            const uint32_t track = trace->lists.sorted_tracks[i];
            if (rings.groups == GROUPS_NONE || has_process(&trace->outline, track))
                append(&rings, trace->outline.process_count + track);
        }
        for (size_t i = 0; i < vec_count(&view->order.moves); i++)
            if (moves[i].row.trace == index) apply_move(&rings, &moves[i]);
        write_lists(&rings, &trace->lists);
    }
    arena_release(&arena);
}

/* ---- the work ---- */

/* Begins to sort `items`, which are copied. False when out of memory. */
static bool begin_sorting(RowLists *lists, const uint32_t *items, size_t count)
{
    uint32_t *indices = ARENA_ARRAY(&lists->work, uint32_t, count),
             *room = ARENA_ARRAY(&lists->work, uint32_t, count);
    if (indices == NULL || room == NULL) return false;
    if (count > 0) memcpy(indices, items, count * sizeof *items);
    lists->sorting = index_sorting_begin(indices, room, count);
    return true;
}

static void end_sorting(RowLists *lists, uint32_t *items)
{
    if (lists->sorting.count > 0) memcpy(items, lists->sorting.indices, lists->sorting.count * sizeof *items);
    arena_release(&lists->work);
    lists->work = arena_create(0);
}

static void begin_trace(const View *view, TraceView *trace)
{
    RowLists *lists = &trace->lists;
    arena_release(&lists->work);
    lists->work = arena_create(0);
    fill_sorted(trace);
    lists->state = ROWS_SORTED;
    if (view->order.sort == SORT_DEFAULT) return;
    fill_group_values(trace, view->order.sort);
    if (begin_sorting(lists, lists->sorted_tracks, trace->outline.track_count))
        lists->state = ROWS_SORTING_TRACKS;
}

/* Continues with a trace. True at the end of its work. */
static bool step_trace(const View *view, uint32_t index, size_t *budget)
{
    TraceView        *trace = view_trace(view, index);
    RowLists         *lists = &trace->lists;
    const SortContext context = { trace, view->order.sort, view->order.groups };
    if (lists->state == ROWS_UNSORTED) begin_trace(view, trace);
    if (lists->state == ROWS_SORTING_TRACKS) {
        if (!index_sorting_step(&lists->sorting, compare_tracks, &context, budget)) return false;
        end_sorting(lists, lists->sorted_tracks);
        lists->state = ROWS_SORTED;
        if (context.groups != GROUPS_NONE && begin_sorting(lists, lists->sorted_groups, lists->group_count))
            lists->state = ROWS_SORTING_GROUPS;
    }
    if (lists->state == ROWS_SORTING_GROUPS) {
        if (!index_sorting_step(&lists->sorting, compare_groups, &context, budget)) return false;
        end_sorting(lists, lists->sorted_groups);
        lists->state = ROWS_SORTED;
    }
    apply_moves(view, index);
    lists->state = ROWS_READY;
    return true;
}

bool row_order_step(View *view)
{
    size_t budget = view_interactive(view) ? STEP_COMPARISONS : SIZE_MAX;
    bool   changed = false;
    for (uint32_t t = 0; t < view->trace_count; t++)
        if (view_trace(view, t)->lists.state != ROWS_READY) changed = step_trace(view, t, &budget) || changed;
    return changed;
}

bool row_order_is_working(const View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++)
        if (view_trace(view, t)->lists.state != ROWS_READY) return true;
    return false;
}

/* ---- the user's choices ---- */

bool row_order_is_same(const RowOrder *a, const RowOrder *b)
{
    const size_t count = vec_count(&a->moves);
    if (a->sort != b->sort || a->groups != b->groups || count != vec_count(&b->moves)) return false;
    return count == 0 || memcmp(a->moves.items, b->moves.items, count * sizeof *a->moves.items) == 0;
}

bool row_order_copy(RowOrder *to, const RowOrder *from)
{
    to->sort = from->sort;
    to->groups = from->groups;
    vec_clear(&to->moves);
    vec_append(&to->moves, from->moves.items, vec_count(&from->moves));
    return !to->moves.bytes.failed;
}

/* Makes the lists again: sorted anew, or only with other moves. */
static void renew(View *view, RowListsState from)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        RowLists *lists = &view_trace(view, t)->lists;
        if (from < lists->state) lists->state = from;
    }
    view->layout.stale = true;
    view->picture.is_stale = true;
}

void row_order_set(View *view, const RowOrder *order)
{
    if (row_order_is_same(&view->order, order)) return;
    const bool stays = view->order.sort == order->sort && view->order.groups == order->groups;
    if (!row_order_copy(&view->order, order)) vec_clear(&view->order.moves); /* out of memory: only sorted */
    renew(view, stays ? ROWS_SORTED : ROWS_UNSORTED);
}

/* Sets an order without moves, as a step of the history. */
static void choose(View *view, RowOrder order)
{
    row_change_begin(view);
    row_order_set(view, &order);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

void row_order_set_sort(View *view, RowSort sort)
{
    choose(view, (RowOrder){ .sort = sort, .groups = view->order.groups });
}

void row_order_set_groups(View *view, RowGroups groups)
{
    choose(view, (RowOrder){ .sort = view->order.sort, .groups = groups });
}

void row_order_unmove(View *view)
{
    row_change_begin(view);
    vec_clear(&view->order.moves);
    renew(view, ROWS_SORTED);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

void view_sort_rows(View *view, RowSort sort)
{
    row_order_set(view, &(RowOrder){ .sort = sort, .groups = view->order.groups });
    layout_build(view);
}

void view_group_rows(View *view, RowGroups groups)
{
    row_order_set(view, &(RowOrder){ .sort = view->order.sort, .groups = groups });
    layout_build(view);
}

static bool is_same_row(RowTarget a, RowTarget b)
{
    return a.kind == b.kind && a.trace == b.trace && a.index == b.index;
}

void row_order_move(View *view, const RowMove *move)
{
    size_t count = vec_count(&view->order.moves);
    row_change_begin(view);
    /* The last of several moves of a row in succession decides about its place. */
    if (count > 0 && is_same_row(view->order.moves.items[count - 1].row, move->row))
        vec_cut(&view->order.moves, count - 1);
    else if (count == ROW_MOVES_MOST) {
        memmove(view->order.moves.items, view->order.moves.items + 1, (count - 1) * sizeof(RowMove));
        vec_cut(&view->order.moves, count - 1);
    }
    vec_push(&view->order.moves, *move);
    renew(view, ROWS_SORTED);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

bool row_order_target(const View *view, RowTarget row, RowTarget over, RowTarget *target)
{
    if (row.trace != over.trace || row.kind == ITEM_TRACE || over.kind == ITEM_TRACE) return false;
    const Outline *outline = &view_trace(view, row.trace)->outline;
    const bool     is_flat = view->order.groups == GROUPS_NONE;
    const bool     is_inside = row.kind == ITEM_TRACK && has_process(outline, row.index) && !is_flat;
    *target = over;
    if (is_inside)
        return over.kind == ITEM_TRACK &&
               outline->tracks[over.index].process == outline->tracks[row.index].process;
    if (over.kind == ITEM_TRACK && has_process(outline, over.index) && !is_flat)
        *target = (RowTarget){ ITEM_PROCESS, over.trace, outline->tracks[over.index].process };
    return true;
}

bool row_order_is_one(const View *view, RowTarget a, RowTarget b)
{
    if (is_same_row(a, b)) return true;
    if (a.kind != ITEM_TRACK || b.kind != ITEM_TRACK || a.trace != b.trace) return false;
    const Outline *outline = &view_trace(view, a.trace)->outline;
    const uint32_t thread = thread_with_states(outline, a.index);
    return thread != UINT32_MAX && thread == thread_with_states(outline, b.index);
}

static bool renumber(RowTarget *row, const uint32_t *tracks, const uint32_t *processes)
{
    const uint32_t *now = row->kind == ITEM_TRACK ? tracks : processes;
    row->index = now == NULL ? UINT32_MAX : now[row->index];
    return row->index != UINT32_MAX;
}

void row_order_renumber(RowOrder *order, uint32_t trace, const uint32_t *tracks, const uint32_t *processes)
{
    RowMove *moves = order->moves.items;
    size_t   kept = 0;
    for (size_t i = 0; i < vec_count(&order->moves); i++) {
        RowMove move = moves[i];
        if (move.row.trace != trace ||
            (renumber(&move.row, tracks, processes) && renumber(&move.anchor, tracks, processes)))
            moves[kept++] = move;
    }
    vec_cut(&order->moves, kept);
}
