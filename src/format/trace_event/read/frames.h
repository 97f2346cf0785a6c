/* format/trace_event/read/frames.h - `stackFrames`, and the references to them: `sf`, `esf`, `stack`, `estack`.
 *
 * A frame has an id, in the scope of the file or (metadata `stackFrames`) of one process. A reference may precede the
 * description of its frame. So references are placeholders (builder_stack_later), which frames_finish resolves. */
#ifndef FORMAT_TRACE_EVENT_READ_FRAMES_H
#define FORMAT_TRACE_EVENT_READ_FRAMES_H
#include "base/hash_index.h"
#include "format/trace_event/common/event.h"
#include "trace/log/builder.h"

typedef struct Emitter Emitter;

/* A frame that is described or referred to. */
typedef struct FrameEntry {
    uint32_t process; /* ProcessId.index; 0 = the whole file */
    StringId id;
    EventPos pos;                          /* of the description, or of the first reference */
    StringId name, category, parent, file; /* STRING_NONE = absent */
    uint32_t line, column, flags;
    uint64_t address;
    StackId  promise; /* placeholder for references */
    StackId  stack;   /* if has_stack */
    uint32_t down;    /* during the resolution of its stack: index of the next inner entry + 1 */
    bool     is_described, has_stack, is_visited;
} FrameEntry;

typedef struct Frames {
    ARENA_LIST(FrameEntry) entries;
    HashIndex index; /* 1 + index into entries, by process and id */
    uint64_t  key;   /* of the hash; 0 = there are no entries */
} Frames;

/* Reads the object of a `stackFrames` at `pos`, of this process or (0) of the whole file. */
void frames_describe(Emitter *emitter, uint32_t process, const JsonValue *frames, EventPos pos);
/* Returns the stack that ends with the frame of this id, which the event at `pos` refers to. */
StackId frames_refer(Emitter *emitter, uint32_t process, const JsonValue *id, EventPos pos);
/* Returns the stack at an event's begin (KEY_SF, KEY_STACK) or at its end (KEY_ESF, KEY_ESTACK). */
StackId frames_of_event(Emitter *emitter, const RawEvent *event, EventKey id_key, EventKey list_key,
                        EventPos pos);
/* Resolves all references. Call it at the end of the input. */
void frames_finish(Emitter *emitter);

#endif
