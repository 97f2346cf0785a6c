#include "format/apitrace/diff_lines.h"

enum { MOST_EDITS = 1500 };

typedef struct Range {
    int64_t a, a_end, b, b_end;
} Range;

static void mark(uint8_t *changed, int64_t from, int64_t to)
{
    for (; from < to; from++)
        changed[from] = 1;
}

/* Return the end of the equal lines from (x, y) on, and the begin of the equal lines before it. */
static int64_t follow(const DiffLines *d, const Range *r, int64_t x, int64_t y)
{
    while (x < r->a_end && y < r->b_end && d->lines[0][x] == d->lines[1][y])
        x++, y++;
    return x;
}

static int64_t follow_back(const DiffLines *d, const Range *r, int64_t x, int64_t y)
{
    while (x > r->a && y > r->b && d->lines[0][x - 1] == d->lines[1][y - 1])
        x--, y--;
    return x;
}

/* The search for a middle. A diagonal is x - y. The arrays have an item for each diagonal of both inputs, and a
 * sentinel at each end. */
typedef struct Search {
    const DiffLines *d;
    const Range     *r;
    int64_t          lowest, highest;   /* diagonals of the range */
    int64_t          first[2], last[2]; /* diagonals reached: forward, backward */
    int64_t         *ahead, *back;
} Search;

/* Extends the forward paths by one edit. True: a path met a backward one at (*x, *y). */
static bool step_ahead(Search *s, bool odd, int64_t *x, int64_t *y)
{
    const Range *r = s->r;
    if (s->first[0] > s->lowest)
        s->ahead[--s->first[0] - 1] = -1;
    else
        s->first[0]++;
    if (s->last[0] < s->highest)
        s->ahead[++s->last[0] + 1] = -1;
    else
        s->last[0]--;
    for (int64_t k = s->last[0]; k >= s->first[0]; k -= 2) {
        int64_t low = s->ahead[k - 1], high = s->ahead[k + 1];
        int64_t from = low >= high ? low + 1 : high;
        int64_t to = follow(s->d, r, from, from - k);
        s->ahead[k] = to;
        if (odd && s->first[1] <= k && k <= s->last[1] && s->back[k] <= to) {
            *x = to, *y = to - k;
            return true;
        }
    }
    return false;
}

static bool step_back(Search *s, bool odd, int64_t *x, int64_t *y)
{
    if (s->first[1] > s->lowest)
        s->back[--s->first[1] - 1] = INT64_MAX;
    else
        s->first[1]++;
    if (s->last[1] < s->highest)
        s->back[++s->last[1] + 1] = INT64_MAX;
    else
        s->last[1]--;
    for (int64_t k = s->last[1]; k >= s->first[1]; k -= 2) {
        int64_t low = s->back[k - 1], high = s->back[k + 1];
        int64_t from = low < high ? low : high - 1;
        int64_t to = follow_back(s->d, s->r, from, from - k);
        s->back[k] = to;
        if (!odd && s->first[0] <= k && k <= s->last[0] && to <= s->ahead[k]) {
            *x = to, *y = to - k;
            return true;
        }
    }
    return false;
}

/* Returns the end of the longest forward path: it is on a good path, but perhaps not on the shortest. */
static void give_up(const Search *s, int64_t *x, int64_t *y)
{
    int64_t best = -1;
    for (int64_t k = s->last[0]; k >= s->first[0]; k -= 2) {
        int64_t to = s->ahead[k] < s->r->a_end ? s->ahead[k] : s->r->a_end, other = to - k;
        if (other > s->r->b_end) to = s->r->b_end + k, other = s->r->b_end;
        if (to + other > best) {
            best = to + other;
            *x = to, *y = other;
        }
    }
}

/* Finds a point on the shortest path through the range. */
static void middle(const DiffLines *d, const Range *r, int64_t *x, int64_t *y)
{
    int64_t begin = r->a - r->b, end = r->a_end - r->b_end;
    bool    odd = ((begin - end) & 1) != 0;
    Search  s = { .d = d,
                  .r = r,
                  .lowest = r->a - r->b_end,
                  .highest = r->a_end - r->b,
                  .first = { begin, end },
                  .last = { begin, end },
                  .ahead = d->ahead,
                  .back = d->back };
    s.ahead[begin] = r->a;
    s.back[end] = r->a_end;
    for (int edits = 0; edits < MOST_EDITS; edits++) {
        if (step_ahead(&s, odd, x, y) || step_back(&s, odd, x, y)) return;
    }
    give_up(&s, x, y);
}

/* Marks the changed lines of a range. It recurses into the smaller part and loops over the larger, which limits the
 * depth. */
static void compare(const DiffLines *d, Range r)
{
    for (;;) {
        while (r.a < r.a_end && r.b < r.b_end && d->lines[0][r.a] == d->lines[1][r.b])
            r.a++, r.b++;
        while (r.a < r.a_end && r.b < r.b_end && d->lines[0][r.a_end - 1] == d->lines[1][r.b_end - 1])
            r.a_end--, r.b_end--;
        if (r.a == r.a_end || r.b == r.b_end) {
            mark(d->changed[0], r.a, r.a_end);
            mark(d->changed[1], r.b, r.b_end);
            return;
        }
        int64_t x = r.a, y = r.b;
        middle(d, &r, &x, &y);
        Range first = { r.a, x, r.b, y }, second = { x, r.a_end, y, r.b_end };
        bool  first_is_smaller = (x - r.a) + (y - r.b) < (r.a_end - x) + (r.b_end - y);
        compare(d, first_is_smaller ? first : second);
        r = first_is_smaller ? second : first;
    }
}

bool diff_lines(DiffLines *lines, Arena *arena)
{
    size_t diagonals = lines->counts[0] + lines->counts[1] + 3;
    lines->ahead = ARENA_ARRAY(arena, int64_t, diagonals);
    lines->back = ARENA_ARRAY(arena, int64_t, diagonals);
    if (lines->ahead == NULL || lines->back == NULL) return false;
    lines->ahead += lines->counts[1] + 1;
    lines->back += lines->counts[1] + 1;
    compare(lines, (Range){ 0, (int64_t)lines->counts[0], 0, (int64_t)lines->counts[1] });
    return true;
}
