/* app/session/slot_frames.h - the counted frames of a capture of graphics calls. For app/session only. */
#ifndef APP_SESSION_SLOT_FRAMES_H
#define APP_SESSION_SLOT_FRAMES_H
#include "app/session/slot.h"

/* Lives in `arena`. NULL when out of memory. */
SlotFrames *slot_frames_create(Arena *arena) WARN_UNUSED;
void        slot_frames_destroy(SlotFrames *frames);

#endif
