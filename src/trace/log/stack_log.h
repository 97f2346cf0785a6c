/* trace/log/stack_log.h - stacks during a load: the builder's tables, and the stacks of events. For src/trace only.
 *
 * The stack of an event is in a second log beside the event's log, by the number of the event there. The second log exists
 * only if an event has a stack, so events without stacks have no cost. It is an EventLog of its own records, two numbers
 * in LEB128: the distance of the event's number from that of the note before it << 2 | StackNoteKind, and the stack. */
#ifndef TRACE_LOG_STACK_LOG_H
#define TRACE_LOG_STACK_LOG_H
#include "trace/log/event_log.h"
#include "trace/store/stacks.h"

typedef struct TraceBuilder TraceBuilder;

typedef enum {
    NOTE_AT_BEGIN, /* of the event */
    NOTE_AT_END,
    NOTE_OF_TWO /* NOTE_AT_BEGIN of the event and of the next one */
} StackNoteKind;

/* The stack of the event with this number. */
typedef struct StackNote {
    uint64_t      number;
    uint32_t      stack; /* of the builder */
    StackNoteKind kind;
} StackNote;

/* Walks the notes of a log in parallel with the log. */
typedef struct StackCursor {
    EventReader     reader;
    const uint32_t *ids;        /* see stacks_settle; NULL = the ids of the builder are those of the trace */
    uint64_t        next;       /* number of the event of the current note; UINT64_MAX = the end */
    bool            is_end;     /* the current note is about its end */
    bool            has_second; /* the current note is about the next event, too */
    uint32_t        stack;      /* of the current note, in the trace */
} StackCursor;

/* Begins a walk. notes: NULL = none. */
StackCursor stack_cursor_over(const TraceBuilder *builder, const EventLog *notes);
void        stack_cursor_step(StackCursor *cursor);

/* Returns the stack of the number-th event, 0 = no stack; numbers must be ascending. */
static inline uint32_t stack_cursor_take(StackCursor *cursor, uint64_t number)
{
    uint32_t stack = 0;
    while (UNLIKELY(cursor->next == number)) {
        if (!cursor->is_end) stack = cursor->stack;
        StackCursor copy = *cursor; /* lets the compiler keep the caller's in registers */
        stack_cursor_step(&copy);
        *cursor = copy;
    }
    return stack;
}

/* As stack_cursor_take, for events with a stack at their begin and another at their end. */
void stack_cursor_take_both(StackCursor *cursor, uint64_t number, uint32_t stacks[2]);

#endif
