/* The self times of slices: their durations without those of their children. */
#include "base/bits.h"
#include "base/search.h"
#include "trace/scan/scan_table.h"
#include "trace/store/begins.h"

#include <assert.h>

#if defined(__SSE2__)
#include <emmintrin.h>
enum { FEW = 8 }; /* begins that are compared at the same time */
#else
enum { FEW = 4 };
#endif

enum { LANES = 4, FEWEST_SLICES = 16, MOST_SLICES = 512, MOST_CHILDREN = 2 * MOST_SLICES };

/* Adjacent slices of a row and their children. Begins are distances from the begin of the first slice. */
typedef struct Family {
    int32_t slices[MOST_SLICES + 1];       /* the last one is followed by INT32_MAX */
    int32_t children[MOST_CHILDREN + FEW]; /* the last one is followed by FEW times INT32_MAX */
    /* Of the durations before each child, modulo 2^32: their differences fit. */
    uint32_t sums[MOST_CHILDREN + 1];
    uint32_t slice_count, child_count;
} Family;

/* Returns how many of FEW ascending begins are before `next`. Branches on the number would be mispredicted. */
static inline uint32_t count_before(const int32_t *begins, int32_t next)
{
#if defined(__SSE2__)
    const __m128i *few = (const __m128i *)(const void *)begins;
    const __m128i  behind = _mm_set1_epi32(next);
    const __m128i  before = _mm_packs_epi32(_mm_cmplt_epi32(_mm_loadu_si128(few), behind),
                                            _mm_cmplt_epi32(_mm_loadu_si128(few + 1), behind));
    return bits_lowest_u64(~(uint64_t)(uint32_t)_mm_movemask_epi8(before)) / 2;
#else
    uint32_t count = 0;
    for (unsigned i = 0; i < FEW; i++)
        count += begins[i] < next;
    return count;
#endif
}

/* Returns the first child from `at` on that does not begin before `next`. */
static NOINLINE uint32_t find_far(const Family *family, uint32_t at, int32_t next)
{
    while (family->children[at] < next)
        at++;
    return at;
}

/* Subtracts the durations of the children from child `at` on of a slice from `*out`. Returns the first child of the next slice.
 * Without a loop: the compiler then unrolls the one of the caller. */
static ALWAYS_INLINE uint32_t subtract_own(const Family *family, uint32_t slice, uint32_t at, uint64_t *out)
{
    const int32_t  next = family->slices[slice + 1];
    const uint32_t found = count_before(family->children + at, next);
    uint32_t       end = at + found;
    if (UNLIKELY(found == FEW)) end = find_far(family, end, next);
    const uint32_t inner = family->sums[end] - family->sums[at];
    assert(inner <= *out);
    *out -= inner;
    return end;
}

/* Subtracts the children of all slices. Each step waits for the one before, so the slices are divided into lanes, whose steps the
 * processor takes at the same time. */
static void subtract_all(const Family *family, uint64_t *out)
{
    const uint32_t length = family->slice_count / LANES;
    uint32_t       ats[LANES] = { 0 };
    for (uint32_t lane = 1; lane < LANES; lane++) {
        const uint32_t first = lane * length;
        const int32_t  begin = family->slices[first];
        ats[lane] = ats[lane - 1];
        LOWER_BOUND(uint32_t, ats[lane], family->child_count, child, family->children[child] < begin);
    }
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            ats[lane] = subtract_own(family, lane * length + i, ats[lane], &out[lane * length + i]);
    for (uint32_t i = LANES * length; i < family->slice_count; i++)
        ats[LANES - 1] = subtract_own(family, i, ats[LANES - 1], &out[i]);
}

/* True if the distances of a family fit. */
static bool is_near(const SliceColumns *slices, uint64_t first, uint32_t count, uint64_t at, uint64_t end)
{
    const uint64_t base = (uint64_t)begins_at(slices, first), most = INT32_MAX - 1;
    return end - at <= MOST_CHILDREN && (uint64_t)begins_at(slices, first + count - 1) - base <= most &&
           (at == end || (uint64_t)begins_at(slices, end - 1) - base <= most);
}

static void read_family(const SliceColumns *slices, uint64_t first, uint32_t count, uint64_t at, uint64_t end,
                        Family *family)
{
    const int64_t   base = begins_at(slices, first);
    const uint32_t *durations = slices->duration + at;
    family->slice_count = count;
    family->child_count = (uint32_t)(end - at);
    begins_read_near(slices, first, count, base, family->slices);
    begins_read_near(slices, at, family->child_count, base, family->children);
    family->slices[count] = INT32_MAX;
    for (uint32_t i = 0; i < FEW; i++)
        family->children[family->child_count + i] = INT32_MAX;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < family->child_count; i++) {
        family->sums[i] = sum;
        sum += durations[i];
    }
    family->sums[family->child_count] = sum;
}

/* As subtract_all, for slices that are far from each other or have many children. */
static void subtract_far(const SliceColumns *slices, uint64_t first, uint32_t count, uint64_t at,
                         uint64_t end, uint64_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool is_last = i + 1 == count;
        for (; at < end && (is_last || begins_at(slices, at) < begins_at(slices, first + i + 1)); at++)
            out[i] -= slices->duration[at];
    }
}

void scan_subtract_children(const SliceColumns *slices, uint64_t first, uint32_t count, uint64_t at,
                            uint64_t end, uint64_t *out)
{
    Family   family;
    uint32_t most = MOST_SLICES, own;
    for (uint32_t done = 0; done < count && at < end; done += own) {
        uint64_t behind;
        bool     fits;
        for (;; most = own / 2) {
            own = count - done < most ? count - done : most;
            behind = own == count - done
                         ? end
                         : begins_lower_bound(slices, at, end, begins_at(slices, first + done + own));
            fits = is_near(slices, first + done, own, at, behind);
            if (fits || own <= FEWEST_SLICES) break;
        }
        if (fits) {
            read_family(slices, first + done, own, at, behind, &family);
            subtract_all(&family, out + done);
        } else {
            subtract_far(slices, first + done, own, at, behind, out + done);
        }
        at = behind;
        if (fits && most < MOST_SLICES) most *= 2;
    }
}
