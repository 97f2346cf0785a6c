#include "view/row_order.h"

#include "view/data.h"
#include "view/layout.h"
#include "view/name_groups.h"
#include "view/row_history.h"
#include "view/scene.h"

#include <assert.h>

/* Comparisons in one step, about 30 ms. */
enum { STEP_COMPARISONS = 1 << 18 };

/* ---- rows ---- */

/* Returns the number of heads: processes or groups by name. */
static uint32_t head_count(const TraceView *trace, RowGroups groups)
{
    if (groups == GROUPS_NAME) return trace->outline.track_count;
    return groups == GROUPS_PROCESS ? trace->outline.process_count : 0;
}

/* Returns the head of a track; UINT32_MAX: none. */
static uint32_t head_of(const TraceView *trace, RowGroups groups, uint32_t track)
{
    const uint32_t process = trace->outline.tracks[track].process;
    if (groups == GROUPS_NAME) return name_group_of(trace, track);
    return groups == GROUPS_PROCESS && process < trace->outline.process_count ? process : UINT32_MAX;
}

/* Heads and tracks in one numbering: the heads first. UINT32_MAX: a head of another grouping. */
static uint32_t item_of(const TraceView *trace, RowGroups groups, RowTarget row)
{
    if (row.kind == ITEM_TRACK) return head_count(trace, groups) + row.index;
    return (row.kind == ITEM_GROUP) == (groups == GROUPS_NAME) && groups != GROUPS_NONE ? row.index
                                                                                        : UINT32_MAX;
}

uint32_t row_thread_with_states(const Outline *outline, uint32_t track)
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
    const uint32_t thread = row_thread_with_states(outline, track);
    if (thread != UINT32_MAX) track = thread;
    return (SortKey){ track_value(&outline->tracks[track], context->sort), outline->tracks[track].title };
}

/* Returns a number of the list in which a track is: lists are sorted one after the other. */
static uint32_t list_of(const SortContext *context, uint32_t track)
{
    const TraceView *trace = context->trace;
    const uint32_t   head = head_of(trace, context->groups, track);
    if (context->groups == GROUPS_NONE) return 0;
    if (head == UINT32_MAX) return track;
    return context->groups == GROUPS_NAME ? head : trace->outline.processes[head].first_track;
}

static int compare_tracks(const void *user, uint32_t left, uint32_t right)
{
    const SortContext *context = user;
    const uint32_t     left_list = list_of(context, left), right_list = list_of(context, right);
    const SortKey      a = track_key(context, left), b = track_key(context, right);
    if (left_list != right_list) return left_list < right_list ? -1 : 1;
    const int order = compare_keys(context->sort, &a, &b);
    return order != 0 ? order : left < right ? -1 : left > right;
}

static SortKey group_key(const SortContext *context, uint32_t group)
{
    const TraceView *trace = context->trace;
    const uint32_t   heads = head_count(trace, context->groups);
    if (group >= heads) return track_key(context, group - heads);
    return (SortKey){ trace->lists.group_values[group], context->groups == GROUPS_NAME
                                                            ? name_group_title(trace, group)
                                                            : trace->outline.processes[group].title };
}

static int compare_groups(const void *user, uint32_t left, uint32_t right)
{
    const SortContext *context = user;
    const SortKey      a = group_key(context, left), b = group_key(context, right);
    return compare_keys(context->sort, &a, &b);
}

/* Sets the values by which heads are sorted: the earliest of the first events, or the sum of the busy times. */
static void fill_group_values(TraceView *trace, RowSort sort, RowGroups groups)
{
    const bool counts = sort == SORT_FIRST || sort == SORT_BUSIEST;
    uint64_t  *values = trace->lists.group_values;
    for (uint32_t head = 0; head < head_count(trace, groups); head++)
        values[head] = counts ? UINT64_MAX : 0;
    for (uint32_t i = 0; counts && i < trace->outline.track_count; i++) {
        const OutlineTrack *track = &trace->outline.tracks[i];
        const uint32_t      head = head_of(trace, groups, i);
        if (head == UINT32_MAX) continue;
        if (sort == SORT_FIRST && track->first_tick < values[head]) values[head] = track->first_tick;
        if (sort == SORT_BUSIEST)
            values[head] -= track->busy_ticks < values[head] ? track->busy_ticks : values[head];
    }
}

/* Fills the lists in the default order, that of the outline. */
static void fill_sorted(TraceView *trace, RowGroups groups)
{
    RowLists      *lists = &trace->lists;
    const uint32_t heads = head_count(trace, groups);
    lists->group_count = 0;
    for (uint32_t i = 0; i < trace->outline.track_count; i++) {
        const uint32_t head = head_of(trace, groups, i);
        lists->sorted_tracks[i] = i;
        if (head == UINT32_MAX)
            lists->sorted_groups[lists->group_count++] = heads + i;
        else if (groups == GROUPS_NAME ? head == i : i == trace->outline.processes[head].first_track)
            lists->sorted_groups[lists->group_count++] = head;
    }
}

bool row_lists_init(TraceView *trace)
{
    const uint32_t tracks = trace->outline.track_count, processes = trace->outline.process_count;
    RowLists      *lists = &trace->lists;
    lists->tracks = ARENA_ARRAY(&trace->arena, uint32_t, tracks);
    const uint32_t heads = processes > tracks ? processes : tracks;
    lists->head_at = ARENA_ARRAY(&trace->arena, uint32_t, heads);
    lists->sorted_tracks = ARENA_ARRAY(&trace->arena, uint32_t, tracks);
    lists->sorted_groups = ARENA_ARRAY(&trace->arena, uint32_t, tracks);
    lists->group_values = ARENA_ARRAY(&trace->arena, uint64_t, heads);
    lists->state = ROWS_UNSORTED;
    if (lists->tracks == NULL || lists->head_at == NULL || lists->sorted_tracks == NULL ||
        lists->sorted_groups == NULL || lists->group_values == NULL)
        return false;
    for (uint32_t i = 0; i < tracks; i++)
        lists->tracks[i] = i;
    for (uint32_t p = 0; p < processes; p++)
        lists->head_at[p] = trace->outline.processes[p].first_track;
    return true;
}

void row_lists_carry(const TraceView *before, TraceView *after)
{
    const RowLists *from = &before->lists;
    RowLists       *to = &after->lists;
    if (from->state != ROWS_READY) return;
    memcpy(to->tracks, from->tracks, after->outline.track_count * sizeof *to->tracks);
    const uint32_t tracks = after->outline.track_count, processes = after->outline.process_count;
    memcpy(to->head_at, from->head_at, (processes > tracks ? processes : tracks) * sizeof *to->head_at);
    memcpy(to->sorted_tracks, from->sorted_tracks, after->outline.track_count * sizeof *to->sorted_tracks);
    memcpy(to->sorted_groups, from->sorted_groups, from->group_count * sizeof *to->sorted_groups);
    to->group_count = from->group_count;
    if (before->names.group_of != NULL && !name_groups_make(after)) return; /* without memory: sorted again */
    to->state = ROWS_READY;
}

/* ---- moves ---- */

/* Rings of items that are linked in their order. Each list has a ring with an end item: that of head h is item_count + h,
 * that of the heads, or of all tracks without groups, the last one. */
typedef struct Rings {
    const TraceView *trace;
    RowGroups        groups;
    uint32_t         heads, item_count;
    uint32_t        *next, *before;
} Rings;

static uint32_t top_ring(const Rings *rings)
{
    return rings->item_count + rings->heads;
}

/* Returns the ring of an item, UINT32_MAX = none. */
static uint32_t ring_of(const Rings *rings, uint32_t item)
{
    if (item < rings->heads) {
        const bool is_head = rings->groups == GROUPS_PROCESS || name_group_of(rings->trace, item) == item;
        return is_head ? top_ring(rings) : UINT32_MAX;
    }
    const uint32_t head = head_of(rings->trace, rings->groups, item - rings->heads);
    return head == UINT32_MAX ? top_ring(rings) : rings->item_count + head;
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
    const uint32_t thread = item < rings->heads
                                ? UINT32_MAX
                                : row_thread_with_states(&rings->trace->outline, item - rings->heads);
    *first = *last = item;
    if (thread == UINT32_MAX) return;
    *first = rings->heads + thread - 1;
    *last = rings->heads + thread;
}

static void apply_move(Rings *rings, const RowMove *move)
{
    const uint32_t row = item_of(rings->trace, rings->groups, move->row),
                   anchor = item_of(rings->trace, rings->groups, move->anchor);
    uint32_t first, last, anchor_first, anchor_last;
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
        lists->tracks[(*count)++] = item - rings->heads;
}

/* Writes the list of all tracks from the rings. */
static void write_lists(const Rings *rings, RowLists *lists)
{
    const uint32_t top = top_ring(rings);
    uint32_t       count = 0;
    for (uint32_t item = rings->next[top]; item != top; item = rings->next[item]) {
        if (item >= rings->heads) {
            lists->tracks[count++] = item - rings->heads;
            continue;
        }
        lists->head_at[item] = count;
        write_tracks(rings, rings->item_count + item, lists, &count);
    }
    assert(count == rings->trace->outline.track_count);
}

/* Makes the list of all tracks from the sorted lists and the moves. Without memory the list stays. */
static void apply_moves(const View *view, uint32_t index)
{
    TraceView     *trace = view_trace(view, index);
    const RowMove *moves = view->order.moves.items;
    Arena          arena = arena_create(0);
    Rings          rings = { .trace = trace, .groups = view->order.groups };
    rings.heads = head_count(trace, rings.groups);
    rings.item_count = rings.heads + trace->outline.track_count;
    const uint32_t ends = rings.heads + 1;
    rings.next = ARENA_ARRAY(&arena, uint32_t, (size_t)rings.item_count + ends);
    rings.before = ARENA_ARRAY(&arena, uint32_t, (size_t)rings.item_count + ends);
    if (rings.next != NULL && rings.before != NULL) {
        for (uint32_t end = rings.item_count; end < rings.item_count + ends; end++)
            link_items(&rings, end, end);
        for (uint32_t i = 0; i < trace->lists.group_count && rings.groups != GROUPS_NONE; i++)
            append(&rings, trace->lists.sorted_groups[i]);
        for (uint32_t i = 0; i < trace->outline.track_count; i++) {
            const uint32_t track = trace->lists.sorted_tracks[i];
            if (rings.groups == GROUPS_NONE || head_of(trace, rings.groups, track) != UINT32_MAX)
                append(&rings, rings.heads + track);
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
    if (view->order.groups == GROUPS_NAME) name_groups_make(trace);
    fill_sorted(trace, view->order.groups);
    lists->state = ROWS_SORTED;
    if (view->order.sort == SORT_DEFAULT) return;
    fill_group_values(trace, view->order.sort, view->order.groups);
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
    const TraceView *trace = view_trace(view, row.trace);
    const RowGroups  groups = view->order.groups;
    const uint32_t   head = row.kind == ITEM_TRACK ? head_of(trace, groups, row.index) : UINT32_MAX,
                   over_head = over.kind == ITEM_TRACK ? head_of(trace, groups, over.index) : UINT32_MAX;
    *target = over;
    if (head != UINT32_MAX) return over_head == head;
    if (over_head != UINT32_MAX)
        *target = (RowTarget){ groups == GROUPS_NAME ? ITEM_GROUP : ITEM_PROCESS, over.trace, over_head };
    return true;
}

bool row_order_is_one(const View *view, RowTarget a, RowTarget b)
{
    if (is_same_row(a, b)) return true;
    if (a.kind != ITEM_TRACK || b.kind != ITEM_TRACK || a.trace != b.trace) return false;
    const Outline *outline = &view_trace(view, a.trace)->outline;
    const uint32_t thread = row_thread_with_states(outline, a.index);
    return thread != UINT32_MAX && thread == row_thread_with_states(outline, b.index);
}

static bool renumber(RowTarget *row, const uint32_t *tracks, const uint32_t *processes)
{
    const uint32_t *now = row->kind == ITEM_PROCESS ? processes : tracks;
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

void row_order_remove_trace(RowOrder *order, uint32_t trace)
{
    row_order_renumber(order, trace, NULL, NULL);
    for (size_t i = 0; i < vec_count(&order->moves); i++) {
        RowMove *move = &order->moves.items[i];
        move->row.trace -= move->row.trace > trace;
        move->anchor.trace -= move->anchor.trace > trace;
    }
}
