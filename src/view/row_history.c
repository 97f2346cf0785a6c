#include "view/row_history.h"

#include "view/charts.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/row_order.h"
#include "view/select.h"

#include <assert.h>

/* The states hold at most this many rows together: the oldest are dropped, and steps without a state leave the rows as
 * they are. */
enum { ROWS_MOST = 2 << 20 };

static RowState *find_state(View *view, uint32_t number)
{
    for (size_t i = 0; i < ROW_STATES && number != 0; i++)
        if (view->rows.states[i].number == number) return &view->rows.states[i];
    return NULL;
}

uint32_t row_state(const View *view)
{
    return view->rows.current;
}

static void drop(RowState *state)
{
    state->number = 0;
    vec_release(&state->rows);
    vec_release(&state->order.moves);
}

static bool is_in_use(const View *view, uint32_t number)
{
    const History *history = &view->position.history;
    if (number == view->rows.current) return true;
    for (int i = 0; i < history->count; i++)
        if (history->visits[i].rows == number) return true;
    return false;
}

/* Drops states that no step needs, then the oldest ones beyond the limit. */
static void drop_states(View *view)
{
    size_t total = 0;
    for (size_t i = 0; i < ROW_STATES; i++) {
        RowState *state = &view->rows.states[i];
        if (state->number != 0 && !is_in_use(view, state->number)) drop(state);
        total += vec_count(&state->rows);
    }
    while (total > ROWS_MOST) {
        RowState *oldest = NULL;
        for (size_t i = 0; i < ROW_STATES; i++) {
            RowState *state = &view->rows.states[i];
            if (vec_count(&state->rows) > 0 && (oldest == NULL || state->number < oldest->number))
                oldest = state;
        }
        assert(oldest != NULL);
        total -= vec_count(&oldest->rows);
        drop(oldest);
    }
}

static void add_row(RowState *state, RowTarget row, RowFlags flags, uint32_t chart)
{
    if (flags != 0 || chart != UINT32_MAX) vec_push(&state->rows, (FlaggedRow){ row, flags, chart });
}

/* Stores the present state and returns its number. */
static uint32_t store(View *view)
{
    size_t free_at = 0;
    drop_states(view);
    while (free_at < ROW_STATES - 1 && view->rows.states[free_at].number != 0)
        free_at++;
    RowState *state = &view->rows.states[free_at];
    drop(state);
    state->number = ++view->rows.last;
    state->trace_count = view->trace_count;
    memcpy(state->filter, view->filter, sizeof state->filter);
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        add_row(state, (RowTarget){ ITEM_TRACE, t, 0 }, trace->closed ? TRACK_CLOSED : 0, UINT32_MAX);
        for (uint32_t i = 0; i < trace->outline.process_count; i++)
            add_row(state, (RowTarget){ ITEM_PROCESS, t, i }, trace->process_flags[i], UINT32_MAX);
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            add_row(state, (RowTarget){ ITEM_TRACK, t, i }, trace->track_flags[i],
                    trace->chart[i] == i ? UINT32_MAX : trace->chart[i]);
    }
    if (!row_order_copy(&state->order, &view->order) || state->rows.bytes.failed)
        drop(state); /* out of memory: the step leaves the rows as they are */
    return state->number;
}

void row_change_begin(View *view)
{
    History *history = &view->position.history;
    if (view->trace_count == 0) return;
    history_record(view); /* a motion before is a step of its own */
    view->rows.current = store(view);
    history->visits[history->at].rows = view->rows.current;
}

static bool is_same(const RowState *a, const RowState *b)
{
    size_t count = vec_count(&a->rows);
    if (strcmp(a->filter, b->filter) != 0 || !row_order_is_same(&a->order, &b->order) ||
        count != vec_count(&b->rows))
        return false;
    for (size_t i = 0; i < count; i++) {
        const FlaggedRow *left = &a->rows.items[i], *right = &b->rows.items[i];
        if (left->row.kind != right->row.kind || left->row.trace != right->row.trace ||
            left->row.index != right->row.index || left->flags != right->flags || left->chart != right->chart)
            return false;
    }
    return true;
}

void row_change_end(View *view, RowChange change)
{
    History       *history = &view->position.history;
    const uint32_t before = view->rows.current;
    view->layout.stale = true;
    view->picture.is_stale = true;
    layout_build(view);
    if (view->trace_count == 0) return;
    const RowState *was = find_state(view, before), *is = find_state(view, store(view));
    if (was != NULL && is != NULL && is_same(was, is)) return;
    view->rows.current = is == NULL ? 0 : is->number;
    if (change == ROW_CHANGE_IS_STEP)
        history_record(view);
    else
        history->visits[history->at].rows = view->rows.current;
}

void row_state_restore(View *view, uint32_t number)
{
    const RowState *state = find_state(view, number);
    if (state == NULL || number == view->rows.current) return;
    view->rows.current = number;
    memcpy(view->filter, state->filter, sizeof state->filter);
    row_order_set(view, &state->order);
    assert(state->trace_count <= view->trace_count);
    for (uint32_t t = 0; t < state->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        trace->closed = false;
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            trace->chart[i] = i;
        view_clear_flags(trace);
    }
    for (size_t i = 0; i < vec_count(&state->rows); i++) {
        const FlaggedRow *row = &state->rows.items[i];
        TraceView        *trace = view_trace(view, row->row.trace);
        if (row->row.kind == ITEM_TRACE) trace->closed = true;
        if (row->row.kind == ITEM_PROCESS) trace->process_flags[row->row.index] = row->flags;
        if (row->row.kind == ITEM_TRACK) trace->track_flags[row->row.index] = row->flags;
        if (row->row.kind == ITEM_TRACK && row->chart != UINT32_MAX)
            trace->chart[row->row.index] = row->chart;
    }
    for (uint32_t t = 0; t < state->trace_count; t++)
        charts_link(view_trace(view, t));
    view->layout.stale = true;
    view->picture.is_stale = true;
    layout_build(view);
}

void row_states_move(View *view, uint32_t trace, const uint32_t *tracks, const uint32_t *processes)
{
    for (size_t s = 0; s < ROW_STATES; s++) {
        RowState *state = &view->rows.states[s];
        size_t    kept = 0;
        for (size_t i = 0; i < vec_count(&state->rows); i++) {
            FlaggedRow row = state->rows.items[i];
            if (row.row.trace == trace && row.row.kind == ITEM_TRACK) {
                row.row.index = tracks[row.row.index];
                if (row.chart != UINT32_MAX) row.chart = tracks[row.chart];
            }
            if (row.row.trace == trace && row.row.kind == ITEM_PROCESS)
                row.row.index = processes[row.row.index];
            if (row.row.index != UINT32_MAX) state->rows.items[kept++] = row;
        }
        vec_cut(&state->rows, kept);
        row_order_renumber(&state->order, trace, tracks, processes);
    }
    for (int i = 0; i < view->position.history.count; i++) {
        TopItem *top = &view->position.history.visits[i].top;
        if (!top->is_set || top->row.trace != trace || top->row.kind == ITEM_TRACE) continue;
        if (top->row.kind == ITEM_TRACK)
            top->row.index = tracks[top->row.index];
        else if (top->row.kind == ITEM_PROCESS)
            top->row.index = processes[top->row.index];
        else
            top->row.index = UINT32_MAX;
        top->is_set = top->row.index != UINT32_MAX;
    }
}

void row_states_join_equal(View *view)
{
    History *history = &view->position.history;
    for (int i = 1; i < history->count; i++) {
        const uint32_t  before = history->visits[i - 1].rows;
        uint32_t       *rows = &history->visits[i].rows;
        const RowState *was = find_state(view, before), *is = find_state(view, *rows);
        if (was != NULL && is != NULL && is_same(was, is)) *rows = before;
    }
    if (history->count > 0 && !history->waits) view->rows.current = history->visits[history->at].rows;
    view->rows.typed = 0;
}

void row_states_remove_trace(View *view, uint32_t trace)
{
    for (size_t s = 0; s < ROW_STATES; s++) {
        RowState *state = &view->rows.states[s];
        size_t    kept = 0;
        state->trace_count -= state->trace_count > trace;
        for (size_t i = 0; i < vec_count(&state->rows); i++) {
            FlaggedRow row = state->rows.items[i];
            if (row.row.trace == trace) continue;
            row.row.trace -= row.row.trace > trace;
            state->rows.items[kept++] = row;
        }
        vec_cut(&state->rows, kept);
        row_order_remove_trace(&state->order, trace);
    }
    row_states_join_equal(view);
}

void row_states_clear(View *view)
{
    for (size_t i = 0; i < ROW_STATES; i++)
        drop(&view->rows.states[i]);
    view->rows.current = 0;
    for (int i = 0; i < view->position.history.count; i++) {
        view->position.history.visits[i].rows = 0;
        view->position.history.visits[i].top.is_set = false;
    }
}
