/* Raw events, which a trace stores but does not draw. */
#include "trace/make/finish.h"

#include <stdlib.h>
#include <string.h>

static int compare_ends(const void *left, const void *right)
{
    const UnmatchedEnd *a = (const UnmatchedEnd *)left, *b = (const UnmatchedEnd *)right;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return (a->track > b->track) - (a->track < b->track);
}

/* Returns the ends without a begin of all tracks in file order; NULL when out of memory. */
static UnmatchedEnd *unmatched_in_file_order(Finish *finish, uint64_t *count)
{
    *count = 0;
    for (uint32_t i = 1; i <= finish->trace->track_count; i++)
        *count += finish_work(finish, i)->unmatched_count;
    *count += finish->async.unmatched_count;
    UnmatchedEnd *ends = ARENA_ARRAY(&finish->builder->log_arena, UnmatchedEnd, (size_t)*count);
    if (ends == NULL) return NULL;
    size_t at = 0;
    for (uint32_t i = 1; i <= finish->trace->track_count; i++) {
        for (const UnmatchedEnd *end = finish_work(finish, i)->unmatched; end != NULL; end = end->next) {
            ends[at] = *end;
            ends[at++].track = i;
        }
    }
    for (const UnmatchedEnd *end = finish->async.unmatched; end != NULL; end = end->next) {
        ends[at] = *end;
        ends[at++].track = finish->track_of[end->builder_thread];
    }
    if (*count > 0) qsort(ends, (size_t)*count, sizeof *ends, compare_ends);
    return ends;
}

bool others_collect(Finish *finish)
{
    TraceBuilder     *builder = finish->builder;
    Trace            *trace = finish->trace;
    const OtherEvent *fed = builder->records.others.items;
    uint64_t          fed_count = vec_count(&builder->records.others), end_count, f = 0, e = 0;
    if (builder->records.others.bytes.failed) return false;
    UnmatchedEnd *ends = unmatched_in_file_order(finish, &end_count);
    if (ends == NULL) return false;
    uint16_t kind =
        end_count == finish->async.unmatched_count
            ? 0
            : builder_event_kind(builder, builder->rules.end_kind, strlen(builder->rules.end_kind));
    trace->records.other_count = fed_count + end_count;
    trace->records.others = ARENA_ARRAY(&builder->arena, OtherEvent, (size_t)trace->records.other_count);
    if (builder->failed || trace->records.others == NULL) return false;
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        if (e == end_count || (f < fed_count && fed[f].offset <= ends[e].offset)) {
            trace->records.others[i] = fed[f++];
            trace->records.others[i].thread = finish->track_of[trace->records.others[i].thread];
        } else {
            const UnmatchedEnd *end = &ends[e++];
            trace->records.others[i] =
                (OtherEvent){ .tick = end->tick,
                              .offset = end->offset,
                              .thread = end->track,
                              .label = end->label,
                              .kind = end->kind_plus_one == 0 ? kind : (uint16_t)(end->kind_plus_one - 1),
                              .has_tick = true };
        }
    }
    return true;
}
