/* trace/make/pairing.h - matches end events with begin events. For src/trace only.
 *
 * pair.c keeps the open slices of a thread in a Pairing and asks it about each end. These are the rules:
 *
 *   - With MATCH_IN_FILE_ORDER, or without a name, an end closes the innermost open slice.
 *   - Else it closes the innermost open slice of its name. The slices inside that one are closed too, without an end
 *     of their own (END_OUTER).
 *   - If no open slice has the name, but the last END_OUTER closed such a slice, and the stack has the same size as
 *     then, the two ends were exchanged: the outer slice gets this end, the inner one keeps the time of the other
 *     end (END_EXCHANGED).
 *   - If no end has matched by name so far, and all ends of the thread have this one name, which no begin has, the
 *     name has no meaning and ends close the innermost open slice (NAMELESS_YES). Only the caller knows the thread's
 *     events: it answers END_UNDECIDED by setting Pairing.nameless and asks again.
 *   - Else the end is unmatched.
 *
 * A growing trace pairs the events of a thread in steps, with a PairState between them. */
#ifndef TRACE_MAKE_PAIRING_H
#define TRACE_MAKE_PAIRING_H
#include "trace/make/finish.h"

/* Returns the flags of a slice for the PLACE_ bits of its begin or complete event. */
static inline uint32_t slice_flags(uint32_t bits)
{
    return (bits & PLACE_DETAILS) / PLACE_DETAILS * SLICE_SOURCE |
           (bits & PLACE_REPAIRED) / PLACE_REPAIRED * SLICE_REPAIRED;
}

/* Adds the details, the stack and the colour of the end event to its slice. */
void interval_take_end(Workspace *ws, Interval *interval, const EventRecord *mark);

/* The first member of the caller's own type of open slice. */
typedef struct PairingSlice {
    uint32_t label;
    /* set by the Pairing: the next slice of this name in the same list, as in NameHead; 0 = none */
    uint32_t next;
} PairingSlice;

typedef enum { NAMELESS_UNKNOWN, NAMELESS_NO, NAMELESS_YES } NamelessEnds;

/* The value of PairingSlice.next for a slice that was removed from the list of parted slices. */
#define PAIRING_TAKEN UINT32_MAX

typedef struct Pairing {
    Workspace *ws;        /* its name heads and builder are used */
    size_t     item_size; /* of the items of `open` and `parted` */
    Bytes      open;      /* the open slices, outermost first */
    size_t     depth;     /* the number of open slices */
    /* The slices closed by the last END_OUTER: the one of the end's name, then those inside it, innermost
     * first. Empty after the stack has become smaller. */
    Bytes        parted;
    size_t       parted_level; /* size of the stack after that END_OUTER */
    NamelessEnds nameless;
    bool         any_named_match;
    /* by StringId: the innermost open and the outermost parted slice of a name; NULL = not needed yet */
    NameHead *heads;
} Pairing;

typedef enum {
    END_UNMATCHED, /* no slice ends */
    END_INNERMOST, /* *item is the slice that was the innermost open one; valid until the next begin */
    END_OUTER,     /* the slices in Pairing.parted end */
    /* *item is a slice that END_OUTER closed without an end of its own: this is the end of that END_OUTER's
     * outer slice, Pairing.parted[0]; valid until the next end */
    END_EXCHANGED,
    END_UNDECIDED /* nothing happens: the caller sets Pairing.nameless and asks again */
} EndKind;

static inline uint32_t pairing_name(const Pairing *p, uint32_t label)
{
    return p->ws->builder->labels.all.items[label].name.index;
}

/* True if the event shows that a name of end events has a meaning: it is an end of another name, or a begin of this
 * one. */
static inline bool pairing_gives_meaning(const TraceBuilder *builder, const EventRecord *mark, uint32_t name)
{
    const uint32_t own = builder->labels.all.items[mark->label].name.index;
    return mark->bits & PLACE_END ? own != 0 && own != name : own == name;
}

/* Puts slice `i` of a list before the others of its name. */
static inline void pairing_link(uint32_t *head, PairingSlice *slice, size_t i)
{
    slice->next = *head;
    *head = (uint32_t)i + 1;
}

/* Removes the parted slices. */
void pairing_clear_parted(Pairing *p);

/* Pushes an open slice; item_size: as Pairing.item_size. When out of memory Pairing.open.failed is set. */
static inline void pairing_begin(Pairing *p, const PairingSlice *item, size_t item_size)
{
    assert(item_size == p->item_size);
    bytes_append(&p->open, item, item_size);
    if (p->open.failed) return;
    p->depth++;
    if (p->heads == NULL) return;
    PairingSlice *slice = (PairingSlice *)(void *)(p->open.data + p->open.size - item_size);
    pairing_link(&p->heads[pairing_name(p, slice->label)].open, slice, p->depth - 1);
}

/* Pops the innermost open slice; valid until the next begin. */
static inline const void *pairing_pop(Pairing *p)
{
    assert(p->depth > 0);
    p->depth--;
    p->open.size -= p->item_size;
    const void         *item = p->open.data + p->open.size;
    const PairingSlice *slice = (const PairingSlice *)item;
    if (p->heads != NULL) p->heads[pairing_name(p, slice->label)].open = slice->next;
    if (p->depth < p->parted_level && p->parted.size > 0) pairing_clear_parted(p);
    return item;
}

/* The part of pairing_end for ends whose name is not the one of the innermost open slice. */
EndKind pairing_end_by_name(Pairing *p, uint32_t label, const void **item);

/* Pairs an end event of this label. When out of memory Pairing.parted.failed or Workspace.failed is set. */
static inline EndKind pairing_end(Pairing *p, uint32_t label, const void **item)
{
    const TraceBuilder *builder = p->ws->builder;
    const Label        *labels = builder->labels.all.items;
    const bool          by_name = labels[label].name.index != 0 && p->nameless != NAMELESS_YES &&
                         builder->rules.match != MATCH_IN_FILE_ORDER;
    if (by_name) {
        uint32_t innermost = 0;
        if (p->depth > 0) {
            const void *top = p->open.data + p->open.size - p->item_size;
            innermost = ((const PairingSlice *)top)->label;
        }
        if (innermost != label && !labels_agree(&labels[innermost], &labels[label]))
            return pairing_end_by_name(p, label, item);
        p->any_named_match = true;
    } else if (p->depth == 0) {
        return END_UNMATCHED;
    }
    *item = pairing_pop(p);
    return END_INNERMOST;
}

/* Removes the lists of names: Workspace.name_heads is zero again, for the next Pairing. */
void pairing_stop_lists(Pairing *p);

/* An open or parted slice between two steps. */
typedef struct PairedSlice {
    Interval      interval; /* extra: 0, or any other value if `extra` has values */
    IntervalExtra extra;
} PairedSlice;

/* The state of a thread between two steps. Zeroed before the first one. */
typedef struct PairState {
    Bytes        slices; /* PairedSlice[]: the open ones, outermost first, then the parted ones */
    size_t       depth;  /* number of open ones */
    size_t       parted_level;
    NamelessEnds nameless;
    uint32_t     nameless_name; /* with NAMELESS_YES: the StringId of the ends' name */
    bool         any_named_match;
} PairState;

/* The events of a step, and the test of the earlier ones: true if a begin event of the thread had this name. */
typedef struct PairStep {
    const EventRecord *marks; /* begin and end events in order of time */
    size_t             count;
    bool (*had_begin)(const void *context, uint32_t name);
    const void *context;
} PairStep;

/* The bit of EventRecord.bits, beside PLACE_, that sets INTERVAL_REPLACES. */
enum { MARK_AGAIN = 1 << 4 };

/* Pairs the events of a step. Fills work->intervals: those of state->slices, in this order, then one for each begin event,
 * then one for each complete event of work->thread. SLICE_UNFINISHED tells the open ones, which are the first ones of
 * state->slices afterwards. When out of memory Workspace.failed is set. */
void pair_step(Workspace *ws, TrackWork *work, PairState *state, const PairStep *step);

#endif
