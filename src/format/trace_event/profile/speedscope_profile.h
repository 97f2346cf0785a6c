/* format/trace_event/profile/speedscope_profile.h - passes the frames and profiles of a speedscope file to the builder.
 *
 * Each profile is a thread. The events of an evented profile are slices; the samples of a sampled one follow each other from its
 * startValue on, each for its weight. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_SPEEDSCOPE_PROFILE_H
#define FORMAT_TRACE_EVENT_PROFILE_SPEEDSCOPE_PROFILE_H
#include "base/json_scan.h"
#include "format/trace_event/common/times.h"
#include "format/value_units.h"

typedef enum { LIST_FRAMES, LIST_EVENTS, LIST_SAMPLES, LIST_WEIGHTS } SpeedscopeList;

typedef struct SpeedscopeFrame {
    StringId name;
    LabelId  label;
    FrameId  frame;
    StackId  stack; /* of the frame alone, if has_place */
    bool     has_place;
} SpeedscopeFrame;

/* An item that cannot be passed on yet. The text is in the arena. */
typedef struct SpeedscopeKept {
    JsonValue      value;
    uint64_t       offset, event;
    SpeedscopeList list;
} SpeedscopeKept;

typedef struct SpeedscopeSample {
    uint64_t offset, event;
    StackId  stack;
    uint32_t frame; /* the innermost one, index into Speedscope.frames */
} SpeedscopeSample;

/* A frame of the last sample's stack, and the stack down to it. */
typedef struct SpeedscopeStep {
    uint32_t frame;
    StackId  stack;
} SpeedscopeStep;

typedef enum { UNIT_UNKNOWN, UNIT_TIME, UNIT_NONE, UNIT_BYTES } SpeedscopeUnit;

typedef struct SpeedscopeProfile {
    uint32_t       index;
    TrackId        thread;
    uint64_t       offset; /* of its brace */
    SpeedscopeUnit unit;
    ValueUnit      scale;
    JsonValue      start, end; /* startValue and endValue; the texts are in the arena */
    ARENA_LIST(SpeedscopeKept) kept;
} SpeedscopeProfile;

typedef struct Speedscope {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    ProcessId     process;
    Times         times;
    uint64_t      event_count;
    ARENA_LIST(SpeedscopeFrame) frames; /* [0]: any number without a frame */
    bool              has_frames;       /* the list of frames is complete */
    SpeedscopeProfile now;
    bool              in_profile; /* `now` is not yet passed on */
    uint32_t          profile_count;
    ARENA_LIST(SpeedscopeProfile) waiting; /* for the frames */
    ARENA_LIST(SpeedscopeSample) samples;  /* of the current profile */
    ARENA_LIST(FineTime) weights;
    ARENA_LIST(SpeedscopeStep) steps;
    uint16_t kinds[LIST_WEIGHTS + 1], end_kind; /* LIST_EVENTS: of begins */
    bool     failed;                            /* out of memory */
} Speedscope;

/* The members of an event. */
typedef struct SpeedscopeEvent {
    JsonValue type, frame, at;
    bool      has_more; /* others */
} SpeedscopeEvent;

/* Returns the members of any value; none if it is not an object. */
SpeedscopeEvent speedscope_event(const JsonValue *value);

/* False when out of memory. */
bool speedscope_open(Speedscope *file, Arena *arena, TraceBuilder *builder);
void speedscope_begin_profile(Speedscope *file, uint64_t offset);
/* Takes a member of the current profile that is not one of its lists. */
void speedscope_profile_member(Speedscope *file, const JsonValue *key, const JsonValue *value);
/* Takes an item of a list. */
void speedscope_item(Speedscope *file, SpeedscopeList list, const JsonValue *value, uint64_t offset);
/* Takes an event in a usual spelling at `at`. Returns the byte after it; NULL for any other spelling, and if `end` is inside it
 * or the event must be kept. */
const uint8_t *speedscope_usual_event(Speedscope *file, const uint8_t *at, const uint8_t *end,
                                      uint64_t offset);
void           speedscope_end_profile(Speedscope *file);
/* Ends the profile that is open, and passes on the waiting profiles. */
void speedscope_finish(Speedscope *file);

#endif
