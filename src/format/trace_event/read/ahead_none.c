/* For the page, which has one thread: no pieces are parsed ahead. */
#include "format/trace_event/read/ahead.h"

void ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out)
{
    (void)state, (void)bytes, (void)size, (void)out;
}

void ahead_release(void *state)
{
    (void)state;
}

AheadList ahead_list(uint64_t offset, const Bytes *decoded)
{
    (void)decoded;
    return (AheadList){ .begin = offset, .first = UINT64_MAX };
}

AheadTexts ahead_texts(const AheadList *list, const AheadEvent *event, const uint8_t *piece)
{
    (void)list, (void)event, (void)piece;
    return (AheadTexts){ .name = { .kind = JSON_NOTHING }, .category = { .kind = JSON_NOTHING } };
}
