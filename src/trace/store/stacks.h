/* trace/store/stacks.h - call stacks: frames, stacks made of them, and the stacks of events.
 *
 * Equal frames are stored once. Stacks are a tree: a stack is a frame called from another stack (its parent), so the
 * common outer frames of two stacks are stored once. Ids are 32 bits, 0 means no stack, and a parent's id is always
 * less than its child's, so walks end.
 *
 * Most events have no stack; in some traces nearly all have. A StackColumn serves both: each track with stacks has a
 * bit per item (with a count before every 64th: 12 bytes for 64 items), and a dense array of the ids. */
#ifndef TRACE_STORE_STACKS_H
#define TRACE_STORE_STACKS_H
#include "base/string_table.h"

typedef struct Trace Trace;

typedef struct {
    uint32_t index;
} FrameId;
typedef struct {
    uint32_t index;
} StackId;

#define FRAME_NONE ((FrameId){ 0 })
#define STACK_NONE ((StackId){ 0 })

/* Bits of StackFrame.flags */
enum { FRAME_IDLE = 1 << 0 /* the thread was idle: a sample of it is counted, not drawn */ };

/* A position in code. Unknown members are 0. */
typedef struct StackFrame {
    StringId function;
    StringId file;   /* path or URL */
    StringId module; /* library, package or category */
    /* from 1, in the file; of the call, or of the function's begin, depending on the source */
    uint32_t line;
    uint32_t column; /* from 1 */
    uint32_t flags;  /* FRAME_ */
    uint64_t address;
} StackFrame;

typedef struct Stack {
    uint32_t parent; /* the stack of the caller; 0 = the frame is the outermost */
    uint32_t frame;
} Stack;
/* Stack.frame of a stack before its definition (builder_stack_later); its parent is the defined stack afterwards. */
#define STACK_PROMISED UINT32_MAX

typedef struct StackTable {
    StackFrame *frames; /* [0] is unused */
    uint32_t    frame_count;
    Stack      *stacks; /* [0] is unused; parent < own index */
    uint32_t    stack_count;
} StackTable;

typedef struct StackColumn {
    uint64_t *bits;   /* by 64 items of a track: a bit for each item with a stack */
    uint32_t *ranks;  /* by 64 items: the number of the track's items with a stack before them */
    uint32_t *stacks; /* StackId.index of the items with a stack */
    uint64_t  word_count, count;
} StackColumn;

/* A track's part of a StackColumn. */
typedef struct StackRange {
    uint64_t first_word; /* ceil(items of the track / 64) of them, if count > 0 */
    uint64_t first, count;
} StackRange;

/* Return the stack at the begin of a slice, at its end, and of an instant; STACK_NONE for most. O(log rows). */
StackId trace_slice_stack(const Trace *trace, uint64_t slice);
StackId trace_slice_end_stack(const Trace *trace, uint64_t slice);
StackId trace_instant_stack(const Trace *trace, uint64_t instant);

/* Returns the parent. From the innermost frame outwards: for (s = stack; s.index != 0; s = trace_stack_parent(trace,
 * s)). */
StackId           trace_stack_parent(const Trace *trace, StackId stack);
const StackFrame *trace_stack_frame(const Trace *trace, StackId stack); /* stack.index != 0 */
/* Returns the number of frames, in time proportional to it. */
uint32_t trace_stack_depth(const Trace *trace, StackId stack);

#endif
