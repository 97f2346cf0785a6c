/* support/event_ways.h - reads trace event JSON in the ways that must give the same trace: by the general parser of events, by
 * the one for repeated spellings, and with pieces that are decoded ahead. */
#ifndef TEST_SUPPORT_EVENT_WAYS_H
#define TEST_SUPPORT_EVENT_WAYS_H
#include "format/trace_event/read/document.h"
#include "format/trace_event/trace_event.h"
#include "support/reader_ways.h"

typedef enum { WAY_SHAPES, WAY_AHEAD } EventWay;

static void forget_shapes(void *state)
{
    ((Document *)state)->shapes = NULL;
}

/* True if the way gives the same trace as the general one. The pieces are those of ReaderWay. */
static inline bool event_way_is_right(EventWay way, const uint8_t *bytes, size_t size, size_t most,
                                      uint64_t seed)
{
    const ReaderWay general = { .reader = &TRACE_EVENT_READER, .prepare = forget_shapes };
    const ReaderWay other = {
        .reader = &TRACE_EVENT_READER, .decodes_ahead = way == WAY_AHEAD, .most = most, .seed = seed
    };
    return ways_agree(&general, &other, bytes, size);
}

#endif
