#include "app/cli/find_longest.h"

#include <assert.h>
#include <stdlib.h>

static int by_duration(const void *left, const void *right)
{
    const LongMatch *a = left, *b = right;
    if (a->duration != b->duration) return a->duration > b->duration ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

bool longest_wants(const LongestMatches *longest, uint64_t duration)
{
    return !longest->is_full || duration > longest->shortest;
}

bool longest_add(LongestMatches *longest, uint64_t duration, Bytes *text)
{
    assert(longest->limit > 0 && longest_wants(longest, duration));
    LongMatch *match = text->failed ? NULL : vec_add(&longest->matches);
    if (match == NULL) return false;
    *match = (LongMatch){ .duration = duration, .place = longest->added++, .text = *text };
    *text = (Bytes){ .data = NULL };
    if (vec_count(&longest->matches) / 2 >= longest->limit) longest_sort(longest);
    return true;
}

void longest_sort(LongestMatches *longest)
{
    LongMatch   *matches = longest->matches.items;
    const size_t count = vec_count(&longest->matches);
    if (count > 1) qsort(matches, count, sizeof *matches, by_duration);
    if (count <= longest->limit) return;
    const size_t limit = (size_t)longest->limit;
    for (size_t i = limit; i < count; i++)
        bytes_release(&matches[i].text);
    vec_cut(&longest->matches, limit);
    longest->is_full = true;
    longest->shortest = matches[limit - 1].duration;
}

void longest_release(LongestMatches *longest)
{
    for (size_t i = 0; i < vec_count(&longest->matches); i++)
        bytes_release(&longest->matches.items[i].text);
    vec_release(&longest->matches);
}
