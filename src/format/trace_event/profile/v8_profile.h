/* format/trace_event/profile/v8_profile.h - the call tree of a V8 CPU profile: numbered nodes, each a function called by its
 * parent.
 *
 * It is used by .cpuprofile files, `ProfileChunk` and `CpuProfile` events. A node has its parent, or a parent has a
 * list of its children; nodes come in any order. Special functions: (root) is not a frame; (idle) means that no
 * function ran; (garbage collector) is shown as called by the function that ran before it. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_V8_PROFILE_H
#define FORMAT_TRACE_EVENT_PROFILE_V8_PROFILE_H
#include "base/id_map.h"
#include "base/json_scan.h"
#include "format/trace_event/common/number.h"
#include "trace/log/builder.h"

typedef struct V8Node {
    uint64_t id;
    uint64_t hits;   /* hitCount */
    uint32_t parent; /* index into V8Profile.nodes; 0 = none */
    uint32_t down;   /* during the computation of a stack: the next node towards the requested one */
    /* functionName, "(anonymous)" if empty; STRING_NONE: the profile does not describe the node */
    StringId name;
    FrameId  frame; /* FRAME_NONE: the root, or a node that is not described */
    StackId  stack; /* if has_stack */
    bool     is_collector, is_idle, has_stack, is_visited;
} V8Node;

typedef struct V8Profile {
    TraceBuilder *builder; /* borrowed; so is the arena */
    Arena        *arena;
    V8Node       *nodes; /* in the arena; [0] is unused */
    uint32_t      count, capacity;
    IdMap         by_id;  /* index into nodes */
    StackId       before; /* stack of the last sample that was neither idle nor the garbage collector */
    bool          failed;
} V8Profile;

/* The members of a node. Older writers have the members of callFrame in the node itself. */
typedef struct V8NodeText {
    JsonValue id, parent, children, hits, function, url, line, column;
} V8NodeText;

/* Returns the members of any value; none if it is not an object. */
V8NodeText v8_node_text(const JsonValue *node);
/* As v8_node_text for the node that begins at `at`, in one pass and only in the usual spelling: without white space, escapes
 * and comments. Sets *stop to the byte after it. Returns false for another spelling, and if `end` is inside the node. */
bool v8_node_text_usual(const uint8_t *at, const uint8_t *end, V8NodeText *text, const uint8_t **stop);

void v8_profile_open(V8Profile *profile, Arena *arena, TraceBuilder *builder);
/* Adds a node. Returns its index; 0 if it has no id, or when out of memory (`failed`). */
uint32_t v8_profile_add_node(V8Profile *profile, const V8NodeText *text);
/* Returns the index of the node with this id; adds a new node. 0 if `id` is not a number, or when out of memory. */
uint32_t v8_profile_find_node(V8Profile *profile, const JsonValue *id);
uint32_t v8_profile_node_of_id(V8Profile *profile, uint64_t id);
/* Returns the stack of the next sample in order of time, at node `index` (0: unknown node). */
StackId v8_profile_next_stack(V8Profile *profile, uint32_t index);

/* A sample that is not yet passed to the builder. */
typedef struct V8Sample {
    FineTime time;
    uint32_t node;   /* index into V8Profile.nodes; 0 = none */
    uint64_t order;  /* in the file */
    uint64_t offset; /* in the input, if the caller needs it */
} V8Sample;

/* Converts time differences to times, from `start` on. Each difference is to the previous sample of the file and may be
 * negative. Returns false if a time exceeds 64 bits of nanoseconds: this sample and all later ones get the time of the
 * sample before it. */
bool v8_samples_add_up(V8Sample *samples, size_t count, FineTime *start);
/* Sorts by time, then order. */
void v8_samples_sort(V8Sample *samples, size_t count);

#endif
