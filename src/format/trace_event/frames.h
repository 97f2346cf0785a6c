/* format/trace_event/frames.h - `stackFrames`, and what refers to them: `sf`, `esf`, `stack`, `estack`.
 *
 * A frame is named by an id, of the whole file or (metadata `stackFrames`) of one process, and may be
 * referred to before it is described: references are promises to the builder (builder_stack_later)
 * that frames_finish keeps. */
#ifndef FORMAT_TRACE_EVENT_FRAMES_H
#define FORMAT_TRACE_EVENT_FRAMES_H
#include "format/trace_event/event.h"
#include "trace/builder.h"

typedef struct Emitter Emitter;

/* A frame that is described or referred to. */
typedef struct FrameEntry {
    uint32_t process; /* ProcessId.index; 0 = of all */
    StringId id;
    EventPos pos; /* of the description, or of the first reference */
    StringId name, category, parent, file; /* STRING_NONE = none */
    uint32_t line, column, flags;
    uint64_t address;
    StackId  promise; /* referred to */
    StackId  stack;   /* once has_stack */
    uint32_t down;    /* while its stack is looked for: index of the entry inside it + 1 */
    bool     is_described, has_stack, is_asked;
} FrameEntry;

typedef struct Frames {
    ArenaList entries; /* FrameEntry[] */
    uint32_t *slots;   /* open addressing: 1 + index into entries */
    size_t    slot_count;
} Frames;

/* Takes the object of a `stackFrames` at `pos`: of this process, or (0) of all. */
void frames_describe(Emitter *emitter, uint32_t process, const JsonValue *frames, EventPos pos);
/* Returns the stack that ends with the frame of this id, which the event at `pos` refers to. */
StackId frames_refer(Emitter *emitter, uint32_t process, const JsonValue *id, EventPos pos);
/* The stacks at an event's begin (KEY_SF, KEY_STACK) and at its end (KEY_ESF, KEY_ESTACK). */
StackId frames_of_event(Emitter *emitter, const RawEvent *event, EventKey id_key, EventKey list_key,
                        EventPos pos);
/* At the end of the input: says what all the references mean. */
void frames_finish(Emitter *emitter);

#endif
