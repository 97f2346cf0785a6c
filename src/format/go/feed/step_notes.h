/* format/go/feed/step_notes.h - arrows, syscalls and sizes of the heap of v1 steps. They are shown when all earlier events
 * have been: their order in the trace is that of the events, but a window has the steps of one processor after the
 * other. */
#ifndef FORMAT_GO_FEED_STEP_NOTES_H
#define FORMAT_GO_FEED_STEP_NOTES_H
#include "format/go/feed/feed.h"

typedef enum { NOTE_HEAP, NOTE_SYSCALL, NOTE_WOKEN, NOTE_ARRIVES } StepNoteKind;

typedef struct StepNote {
    uint64_t     ticks, offset; /* of the event */
    int64_t      since;         /* NOTE_ARRIVES: the time at the arrow's begin */
    TrackId      from, to;      /* the ends of an arrow; NOTE_SYSCALL: `to` is its lane */
    uint32_t     value; /* NOTE_HEAP: size; NOTE_SYSCALL: id of the stack; of an arrow: LabelId.index */
    StepNoteKind kind;
} StepNote;

/* The remaining notes of a run, which are in order. */
typedef struct NoteRun {
    const StepNote *at, *end;
} NoteRun;

/* Notes that are not shown yet: runs, one after the other. */
typedef struct StepNotes {
    StepNote *items; /* in the arena of the Feed, like `runs` */
    NoteRun  *runs;  /* a heap while they are shown */
    uint32_t  count, capacity, run_capacity;
} StepNotes;

/* False when out of memory. */
bool step_notes_add(Feed *feed, StepNotes *notes, const StepNote *note) WARN_UNUSED;
/* Shows the notes before the next event of v1, in the order of events. */
void step_notes_show(Feed *feed, StepNotes *notes, const GoV1 *v1);

#endif
