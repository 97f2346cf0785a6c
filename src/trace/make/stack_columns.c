#include "trace/make/stack_columns.h"
#include "trace/store/columns.h"

#include "trace/make/finish.h"

#include <string.h>

/* ---- packing ---- */

PackedStacks stacks_pack_open(Workspace *ws, uint64_t count, uint64_t most)
{
    PackedStacks packed = { .word_count = (count + 63) / 64 };
    packed.bits = ARENA_ARRAY(&ws->results, uint64_t, (size_t)packed.word_count);
    packed.ranks = ARENA_ARRAY(&ws->results, uint32_t, (size_t)packed.word_count);
    packed.stacks = ARENA_ARRAY(&ws->results, uint32_t, (size_t)most + 1); /* see stacks_pack_put */
    if (packed.bits != NULL && packed.ranks != NULL && packed.stacks != NULL) return packed;
    ws->failed = true;
    return (PackedStacks){ .bits = NULL };
}

void stacks_pack_close(PackedStacks *packed)
{
    uint32_t rank = 0;
    for (uint64_t word = 0; word < packed->word_count; word++) {
        packed->ranks[word] = rank;
        rank += bits_count_u64(packed->bits[word]);
    }
}

PackedStacks stacks_pack(Workspace *ws, const uint32_t *items, uint64_t count)
{
    uint64_t with_stack = 0;
    if (items == NULL || ws->failed) return (PackedStacks){ .bits = NULL };
    for (uint64_t i = 0; i < count; i++)
        with_stack += items[i] != 0;
    if (with_stack == 0) return (PackedStacks){ .bits = NULL };
    PackedStacks packed = stacks_pack_open(ws, count, with_stack);
    for (uint64_t i = 0; i < count && !ws->failed; i++) {
        if (items[i] != 0) stacks_pack_put(&packed, i, items[i]);
    }
    stacks_pack_close(&packed);
    return packed;
}

/* ---- tables and columns ---- */

bool stacks_settle(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    StackTable   *table = &finish->trace->stacks;
    size_t        count = vec_count(&builder->profile.stacks.stacks);
    if (count == 0)
        return !builder->profile.stacks.stacks.bytes.failed && !builder->profile.stacks.frames.bytes.failed;
    const Stack *fed = builder->profile.stacks.stacks.items;
    table->frame_count = (uint32_t)vec_count(&builder->profile.stacks.frames);
    table->frame_count -= table->frame_count > 0;
    table->frames = vec_copy(&builder->profile.stacks.frames, &builder->arena);
    table->stacks = ARENA_ARRAY(&builder->arena, Stack, count - builder->profile.stacks.promised_count);
    uint32_t *ids = ARENA_ARRAY(&builder->log_arena, uint32_t, count);
    if (table->frames == NULL || table->stacks == NULL || ids == NULL) return false;
    for (size_t i = 1; i < count;
         i++) { /* a parent is before its children, but an undefined stack before its definition */
        if (fed[i].frame == STACK_PROMISED) continue;
        ids[i] = ++table->stack_count;
        table->stacks[ids[i]] = (Stack){ ids[fed[i].parent], fed[i].frame };
    }
    if (builder->profile.stacks.promised_count == 0) return true;
    for (size_t i = 1; i < count; i++) {
        if (fed[i].frame == STACK_PROMISED) ids[i] = ids[fed[i].parent];
    }
    builder->profile.stacks.ids = ids;
    return true;
}

static StackColumn *column_of(Trace *trace, StackKind kind)
{
    return kind == STACKS_OF_BEGINS ? &trace->slices.stack
           : kind == STACKS_OF_ENDS ? &trace->slices.end_stack
                                    : &trace->instants.stack;
}

/* Assigns each track with stacks its part of a column. False when out of memory. */
static bool place_stacks(Finish *finish, StackKind kind, StackColumn *column)
{
    for (uint32_t i = 1; i <= finish->trace->track_count; i++) {
        const PackedStacks *packed = &finish_work(finish, i)->stacks[kind];
        Track              *track = &finish->trace->tracks[i];
        if (packed->count == 0) continue;
        Arena       *arena = &finish->builder->arena;
        TrackExtras *extras = track_add_extras(track, arena);
        if (extras == NULL) return false;
        if (extras->stacks == NULL) extras->stacks = ARENA_ARRAY(arena, StackRange, STACK_KINDS);
        if (extras->stacks == NULL) return false;
        extras->stacks[kind] = (StackRange){ column->word_count, column->count, packed->count };
        column->word_count += packed->word_count;
        column->count += packed->count;
    }
    return true;
}

/* Moves the stacks of all tracks into their parts of a column. */
static void collect(const Finish *finish, StackKind kind)
{
    Trace       *trace = finish->trace;
    StackColumn *column = column_of(trace, kind);
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const PackedStacks *packed = &finish_work(finish, i)->stacks[kind];
        const StackRange   *range = track_stacks(&trace->tracks[i], kind);
        if (packed->count == 0) continue;
        size_t words = (size_t)packed->word_count;
        memcpy(column->bits + range->first_word, packed->bits, words * sizeof *packed->bits);
        memcpy(column->ranks + range->first_word, packed->ranks, words * sizeof *packed->ranks);
        memcpy(column->stacks + range->first, packed->stacks, (size_t)packed->count * sizeof *packed->stacks);
        memory_discard(packed->stacks, (size_t)packed->count * sizeof *packed->stacks);
    }
}

bool stacks_collect(Finish *finish)
{
    for (int kind = 0; kind < STACK_KINDS; kind++)
        if (!place_stacks(finish, (StackKind)kind, column_of(finish->trace, (StackKind)kind))) return false;
    if (!columns_map(finish->trace, COLUMNS_STACKS)) return false;
    for (int kind = 0; kind < STACK_KINDS; kind++)
        collect(finish, (StackKind)kind);
    return true;
}
