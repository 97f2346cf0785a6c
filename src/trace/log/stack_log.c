#include "trace/log/stack_log.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/uleb.h"
#include "trace/log/builder_log.h"

#include <assert.h>

/* ---- tables ---- */

static uint64_t hash_frame(const TraceBuilder *builder, const StackFrame *frame)
{
    const uint64_t key = builder->hash_key;
    const uint64_t names =
        hash_pair((uint64_t)frame->function.index << 32 | frame->file.index, frame->module.index, key);
    return hash_pair(hash_pair(names, (uint64_t)frame->line << 32 | frame->column, key),
                     frame->address ^ (uint64_t)frame->flags << 60, key);
}

static uint64_t frame_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    return hash_frame(builder, &builder->profile.stacks.frames.items[index]);
}

static bool frames_equal(const StackFrame *a, const StackFrame *b)
{
    return a->function.index == b->function.index && a->file.index == b->file.index &&
           a->module.index == b->module.index && a->line == b->line && a->column == b->column &&
           a->flags == b->flags && a->address == b->address;
}

FrameId builder_frame(TraceBuilder *builder, const StackFrame *frame)
{
    uint32_t          found;
    const StackFrame *known = builder->profile.stacks.frames.items;
    HASH_FIND(&builder->profile.stacks.frame_map, hash_frame(builder, frame), found,
              frames_equal(&known[found], frame));
    if (found != 0) return (FrameId){ found };
    StackFrame *added = builder_add_numbered(builder, &builder->profile.stacks.frames);
    if (added == NULL) return FRAME_NONE;
    *added = *frame;
    const uint32_t index = builder_last_index(&builder->profile.stacks.frames);
    return builder_index_add(builder, &builder->profile.stacks.frame_map, index, frame_hash)
               ? (FrameId){ index }
               : FRAME_NONE;
}

static uint64_t stack_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    const Stack         stack = builder->profile.stacks.stacks.items[index];
    return hash_pair(stack.parent, stack.frame, builder->hash_key);
}

/* Appends an empty stack; 0 when out of memory. */
static uint32_t stack_push(TraceBuilder *builder, Stack stack)
{
    Stack *added = builder_add_numbered(builder, &builder->profile.stacks.stacks);
    if (added == NULL) return 0;
    *added = stack;
    return builder_last_index(&builder->profile.stacks.stacks);
}

StackId builder_stack(TraceBuilder *builder, StackId parent, FrameId frame)
{
    assert(parent.index == 0 || builder->profile.stacks.stacks.items[parent.index].frame != STACK_PROMISED);
    if (frame.index == 0) return parent;
    uint32_t     found;
    const Stack *known = builder->profile.stacks.stacks.items;
    HASH_FIND(&builder->profile.stacks.stack_map, hash_pair(parent.index, frame.index, builder->hash_key),
              found, known[found].parent == parent.index && known[found].frame == frame.index);
    if (found != 0) return (StackId){ found };
    uint32_t index = stack_push(builder, (Stack){ parent.index, frame.index });
    if (index == 0) return STACK_NONE;
    if (!builder_index_add(builder, &builder->profile.stacks.stack_map, index, stack_hash)) return STACK_NONE;
    return (StackId){ index };
}

StackId builder_stack_later(TraceBuilder *builder)
{
    uint32_t index = stack_push(builder, (Stack){ 0, STACK_PROMISED });
    if (index != 0) builder->profile.stacks.promised_count++;
    return (StackId){ index };
}

void builder_stack_settle(TraceBuilder *builder, StackId later, StackId stack)
{
    if (later.index == 0) return;
    Stack *stacks = builder->profile.stacks.stacks.items;
    assert(stacks[later.index].frame == STACK_PROMISED && stacks[stack.index].frame != STACK_PROMISED);
    stacks[later.index].parent = stack.index;
}

/* ---- notes ---- */

/* Appends a note, with ascending numbers; *notes is created if it is NULL. False: out of memory. */
static bool stack_note(EventLog **notes, Arena *arena, const StackNote *note)
{
    if (*notes == NULL) {
        *notes = ARENA_NEW(arena, EventLog);
        if (*notes == NULL) return false;
        (*notes)->stays_in_memory = true;
    }
    EventLog *const log = *notes;
    if (UNLIKELY(log->at >= log->limit) && !event_log_grow(log, arena)) return false;
    const uint64_t distance = note->number - (uint64_t)log->tick;
    log->at = uleb_store(uleb_store(log->at, distance << 2 | (uint64_t)note->kind), note->stack);
    log->tick = (int64_t)note->number;
    log->count++;
    return true;
}

/* Records the stack of the last event of a log of `count`. */
static void note_stack(TraceBuilder *builder, EventLog **notes, uint64_t count, StackId stack,
                       StackNoteKind kind)
{
    if (stack.index == 0 || count == 0) return;
    const StackNote note = { count - 1, stack.index, kind };
    if (!stack_note(notes, &builder->log_arena, &note)) builder->failed = true;
}

void builder_mark_stack(TraceBuilder *builder, TrackId thread, StackId stack)
{
    if (stack.index == 0 || is_observed(builder) || builder->failed) return;
    ThreadLog *log = builder_thread_log(builder, thread);
    note_stack(builder, &log->mark_stacks, thread_mark_count(log), stack, NOTE_AT_BEGIN);
}

void builder_note_changes(TraceBuilder *builder, ThreadLog *thread, uint64_t number,
                          const SliceChange *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const StackNote note = { number + 2 * i, changes[i].stack.index, NOTE_OF_TWO };
        if (note.stack != 0 && !stack_note(&thread->mark_stacks, &builder->log_arena, &note))
            builder->failed = true;
    }
}

void builder_complete_stacks(TraceBuilder *builder, TrackId thread, StackId begin, StackId end)
{
    if (is_observed(builder) || builder->failed) return;
    ThreadLog *log = builder_thread_log(builder, thread);
    note_stack(builder, &log->complete_stacks, thread_complete_count(log), begin, NOTE_AT_BEGIN);
    note_stack(builder, &log->complete_stacks, thread_complete_count(log), end, NOTE_AT_END);
}

void builder_instant_stack(TraceBuilder *builder, TrackId thread, InstantScope scope, StackId stack)
{
    if (is_observed(builder) || builder->failed) return;
    InstantLog *instants = builder_instants(builder, thread, scope);
    note_stack(builder, &instants->stacks, instants->count, stack, NOTE_AT_BEGIN);
}

void builder_async_stack(TraceBuilder *builder, StackId stack)
{
    size_t count = vec_count(&builder->async.events);
    if (is_observed(builder) || builder->failed || count == 0) return;
    builder->async.events.items[count - 1].stack = stack.index;
}

/* ---- reading them ---- */

StackCursor stack_cursor_over(const TraceBuilder *builder, const EventLog *notes)
{
    StackCursor cursor = { .ids = builder->profile.stacks.ids, .next = UINT64_MAX };
    if (notes == NULL) return cursor;
    cursor.reader = event_log_read(notes);
    stack_cursor_step(&cursor);
    return cursor;
}

void stack_cursor_step(StackCursor *cursor)
{
    EventReader *const reader = &cursor->reader;
    uint64_t           head, stack;
    if (cursor->has_second) {
        cursor->has_second = false;
        cursor->next++;
        return;
    }
    if (reader->at == reader->end && !event_reader_next_block(reader)) {
        cursor->next = UINT64_MAX;
        return;
    }
    reader->at = uleb_load(uleb_load(reader->at, &head), &stack);
    reader->record.tick += (int64_t)(head >> 2);
    cursor->next = (uint64_t)reader->record.tick;
    cursor->is_end = (head & 3) == NOTE_AT_END;
    cursor->has_second = (head & 3) == NOTE_OF_TWO;
    cursor->stack = (uint32_t)stack;
    if (cursor->ids != NULL) cursor->stack = cursor->ids[cursor->stack];
}

void stack_cursor_take_both(StackCursor *cursor, uint64_t number, uint32_t stacks[2])
{
    stacks[0] = stacks[1] = 0;
    for (; cursor->next == number; stack_cursor_step(cursor))
        stacks[cursor->is_end] = cursor->stack;
}
