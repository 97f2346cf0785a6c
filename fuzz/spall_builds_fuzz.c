/* Pieces decoded ahead by other threads give the same trace, with the same warnings and places, as the reader alone.
 *
 * Input: any bytes, read as `.spall`. Their hash chooses the sizes of the pieces. */
#include "fuzz.h"

#include "format/spall/spall.h"
#include "support/reader_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_BYTES = 1 << 20 };
    if (size > MOST_BYTES) return 0;
    const uint32_t  chosen = choose(data, size, 1 << 15);
    const ReaderWay alone = { .reader = &SPALL_READER };
    const ReaderWay ahead = {
        .reader = &SPALL_READER, .decodes_ahead = true, .most = chosen % (size + 1), .seed = chosen
    };
    memory_set_limit(UINT64_C(1) << 28);
    expect(ways_agree(&alone, &ahead, data, size), "another trace of pieces decoded ahead");
    return 0;
}
