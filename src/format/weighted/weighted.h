/* format/weighted/weighted.h - profiles that have values for call stacks, but no times: pprof and folded stacks.
 *
 * The stacks are a tree. Each kind of values is a thread: the stacks lie one after another, and their widths are the sums of their
 * values. Equal outer frames are side by side, the widest first, as in a flame graph. For format/weighted only. */
#ifndef FORMAT_WEIGHTED_WEIGHTED_H
#define FORMAT_WEIGHTED_WEIGHTED_H
#include "base/arena.h"
#include "base/id_map.h"
#include "format/value_units.h"

/* A frame called by its parent; the parent's index is less. */
typedef struct WeightedNode {
    uint32_t parent; /* 0 = the root, which has no frame */
    FrameId  frame;
    LabelId  label;
    StackId  stack;
} WeightedNode;

typedef struct WeightedValue {
    uint32_t node, kind;
    int64_t  ticks; /* > 0 */
} WeightedValue;

typedef struct WeightedKind {
    TrackId   thread;
    ValueUnit unit;
    EventPos  pos; /* of its definition */
} WeightedKind;

enum { WEIGHTED_MOST_KINDS = 64 };

typedef struct Weighted {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    ProcessId     process;
    uint16_t      event_kind;
    WeightedKind  kinds[WEIGHTED_MOST_KINDS];
    uint32_t      kind_count;
    IdMap         children; /* by parent << 32 | frame: index in nodes */
    ARENA_LIST(WeightedNode) nodes;
    ARENA_LIST(WeightedValue) values;
    bool failed; /* out of memory */
} Weighted;

/* `title`: of the process. False when out of memory. */
bool weighted_open(Weighted *weighted, Arena *arena, TraceBuilder *builder, const char *title);
/* Adds a kind of values. `name`: of its thread. More than WEIGHTED_MOST_KINDS are left out, with a warning. */
void weighted_add_kind(Weighted *weighted, StringId name, ValueUnit unit, EventPos pos);
/* Returns the node of a frame called by node `parent` (0: by nothing); 0 when out of memory. */
uint32_t weighted_step(Weighted *weighted, uint32_t parent, FrameId frame, StringId function);
/* Adds ticks to a node. Negative ones are left out, with a warning. */
void weighted_add(Weighted *weighted, uint32_t node, uint32_t kind, int64_t ticks, EventPos pos);
/* Passes a sample of the file to the builder, as an event without a time. */
void weighted_event(Weighted *weighted, uint32_t node, EventPos pos);
/* Passes all stacks to the builder. */
void weighted_finish(Weighted *weighted);

#endif
