/* The fast ways of reading events: the parser of repeated spellings, and pieces decoded ahead by other threads, give the same
 * trace, with the same warnings and places, as the general parser.
 *
 * Input: any bytes, read as trace event JSON. Their hash chooses the way and the sizes of the pieces. */
#include "fuzz.h"

#include "support/event_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WAYS = 4, MOST_BYTES = 1 << 20 };
    if (size > MOST_BYTES) return 0;
    const uint32_t chosen = choose(data, size, 1 << 15);
    const size_t   most = 1 + chosen / WAYS % (size + 1);
    memory_set_limit(UINT64_C(1) << 28);
    if (chosen % WAYS == 0) {
        expect(event_way_is_right(WAY_SHAPES, data, size, 0, 0), "another trace by spellings");
    } else if (chosen % WAYS == 1) {
        expect(event_way_is_right(WAY_SHAPES, data, size, most, chosen),
               "another trace by spellings in pieces");
    } else {
        expect(event_way_is_right(WAY_AHEAD, data, size, most, chosen),
               "another trace of pieces decoded ahead");
    }
    return 0;
}
