/* format/trace_event/v8_profile.h - the tree of a V8 CPU profile: numbered nodes, each a function called from
 * its parent.
 *
 * What .cpuprofile files, `ProfileChunk` and `CpuProfile` events have in common. A node says its parent, or a
 * parent lists its children; they may come in any order. Special functions: (root) is the root alone and no
 * frame, (idle) says that nothing ran, (garbage collector) stands on top of whatever ran before it. */
#ifndef FORMAT_TRACE_EVENT_V8_PROFILE_H
#define FORMAT_TRACE_EVENT_V8_PROFILE_H
#include "format/trace_event/number.h"
#include "format/trace_event/scan.h"
#include "trace/builder.h"

typedef struct V8Node {
    uint64_t id;
    uint64_t hits;   /* hitCount */
    uint32_t parent; /* index into V8Profile.nodes; 0 = none */
    uint32_t down; /* while its stack is looked for: the node that was asked about, or one on the way to it */
    StringId name; /* functionName, "(anonymous)" for an empty one; STRING_NONE: the node is not described */
    FrameId  frame; /* FRAME_NONE: the root, or nothing is known of it but its number */
    StackId  stack; /* once has_stack */
    bool     is_collector, is_idle, has_stack, is_asked;
} V8Node;

typedef struct V8Profile {
    TraceBuilder *builder; /* borrowed; so is the arena */
    Arena        *arena;
    V8Node       *nodes; /* in the arena, as all below; [0] is none */
    uint32_t      count, capacity;
    uint32_t     *slots; /* open addressing, by id: index into nodes */
    uint32_t      slot_count;
    StackId       before; /* of the last sample that was neither idle nor the collector's */
    bool          failed;
} V8Profile;

void v8_profile_open(V8Profile *profile, Arena *arena, TraceBuilder *builder);
/* Takes a node's JSON object; gives its index, 0 when it has no number (or memory is out: `failed`). */
uint32_t v8_profile_add_node(V8Profile *profile, const JsonValue *node);
/* The index of the node with this number, made when it is new; 0: `id` is no number, or out of memory. */
uint32_t v8_profile_find_node(V8Profile *profile, const JsonValue *id);
/* The stack of the next sample in order of time, which is of node `index` (0: of none). */
StackId v8_profile_next_stack(V8Profile *profile, uint32_t index);

/* A sample on its way. */
typedef struct V8Sample {
    FineTime time;
    uint32_t node;   /* index into V8Profile.nodes; 0 = none */
    uint64_t order;  /* in the file */
    uint64_t offset; /* in the input, where that is of interest */
} V8Sample;

/* Distances in time become times, from `start` on: each counts from the one before in the file; some
 * are negative. False: one is later than 64 bits of nanoseconds can say; it and those after it stay
 * where the one before it is. */
bool v8_samples_add_up(V8Sample *samples, size_t count, FineTime *start);
/* Sorts by time, then order. */
void v8_samples_sort(V8Sample *samples, size_t count);

#endif
