#include "trace/page_turn.h"

#include "trace/builder_log.h"

#include <assert.h>
#include <stdlib.h>

/* Of so many pages that are read one waits for who may need it, and some in any case: what waits is memory,
 * too, but the columns of the next thread begin with more pages than its rows have given by then. */
enum { PAGES_A_SPARE = 8, FEWEST_SPARES = 4 };
/* Fewer pages go back to the system, and at once what is read of them: the half-full ones would be the most of them. */
enum { FEWEST_TO_MOVE = 4 };

void page_turn_open(PageTurn *turn, Arena *arena, PagePool *pool)
{
    *turn = (PageTurn){ .arena = arena, .pool = pool, .lock = lock_create(arena) };
    turn->failed = turn->lock == NULL;
}

void page_turn_name(PageTurn *turn, void *bytes, size_t size)
{
    const PageRun run = page_run(bytes, size);
    for (size_t i = 0; i < run.count; i++) {
        void *const page = run.first + i * MEMORY_HUGE_PAGE;
        bytes_append(&turn->named, &page, sizeof page);
    }
    turn->failed |= turn->named.failed;
}

static int compare_pages(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)*(void *const *)left, b = (uintptr_t)*(void *const *)right;
    return a < b ? -1 : a > b;
}

static bool settle(PageTurn *turn)
{
    void       **named = VECTOR(turn->named, void *);
    const size_t count = VECTOR_COUNT(turn->named, void *);
    if (count > 0) qsort(named, count, sizeof *named, compare_pages);
    turn->pages = ARENA_ARRAY(turn->arena, TurnPage, count);
    if (turn->pages == NULL) return false;
    turn->page_count = count;
    for (size_t i = 0; i < count; i++)
        turn->pages[i].bytes = (uint8_t *)named[i];
    return true;
}

/* The first page that ends behind `byte`. */
static size_t find_page(const PageTurn *turn, uintptr_t byte)
{
    size_t low = 0, high = turn->page_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)turn->pages[middle].bytes + MEMORY_HUGE_PAGE <= byte) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool reaches_into(const PageTurn *turn, size_t page, uintptr_t end)
{
    return page < turn->page_count && (uintptr_t)turn->pages[page].bytes < end;
}

void page_turn_expect(PageTurn *turn, const void *bytes, size_t size)
{
    if (turn->failed) return;
    if (turn->pages == NULL && !settle(turn)) {
        turn->failed = true;
        return;
    }
    const uintptr_t end = (uintptr_t)bytes + size;
    for (size_t i = find_page(turn, (uintptr_t)bytes); reaches_into(turn, i, end); i++)
        atomic_fetch_add(&turn->pages[i].unread, 1);
}

void page_turn_bed(PageTurn *turn, TurnBedKind kind, void *column, size_t size)
{
    if (turn->failed) return;
    const PageRun run = page_run(column, size);
    TurnBed      *bed = &turn->beds[kind];
    *bed = (TurnBed){ .column = (uint8_t *)column,
                      .first = run.count == 0 ? 0 : (size_t)(run.first - (uint8_t *)column),
                      .count = run.count,
                      .ready = ARENA_ARRAY(turn->arena, atomic_bool, run.count) };
    turn->failed = bed->ready == NULL;
}

/* With the lock. */
static void keep(PageTurn *turn, uint8_t *page)
{
    const bool wanted =
        !turn->cannot_move && turn->page_count >= FEWEST_TO_MOVE &&
        VECTOR_COUNT(turn->pool->pages, void *) < FEWEST_SPARES + turn->page_count / PAGES_A_SPARE;
    if (wanted) {
        page_pool_give(turn->pool, page, MEMORY_HUGE_PAGE);
    } else {
        memory_discard(page, MEMORY_HUGE_PAGE);
    }
}

void page_turn_done(PageTurn *turn, const void *bytes, size_t size)
{
    if (turn == NULL) return;
    if (turn->page_count < FEWEST_TO_MOVE) memory_discard((void *)(uintptr_t)bytes, size);
    const uintptr_t end = (uintptr_t)bytes + size;
    for (size_t i = find_page(turn, (uintptr_t)bytes); reaches_into(turn, i, end); i++) {
        const int before = atomic_fetch_sub(&turn->pages[i].unread, 1);
        assert(before > 0);
        if (before != 1) continue;
        lock_take(turn->lock);
        keep(turn, turn->pages[i].bytes);
        lock_give(turn->lock);
    }
}

static void lay(PageTurn *turn, const TurnBed *bed, size_t page)
{
    lock_take(turn->lock);
    if (!atomic_load(&bed->ready[page])) {
        if (VECTOR_COUNT(turn->pool->pages, void *) > 0 &&
            !page_pool_lay(turn->pool, bed->column + bed->first + page * MEMORY_HUGE_PAGE,
                           MEMORY_HUGE_PAGE)) {
            turn->cannot_move = true;
            page_pool_release(turn->pool);
        }
        atomic_store_explicit(&bed->ready[page], true, memory_order_release);
    }
    lock_give(turn->lock);
}

size_t page_turn_reach(PageTurn *turn, TurnBedKind kind, size_t at)
{
    const TurnBed *bed = &turn->beds[kind];
    if (bed->count == 0) return SIZE_MAX;
    if (at < bed->first) return bed->first;
    const size_t page = (at - bed->first) / MEMORY_HUGE_PAGE;
    if (page >= bed->count) return SIZE_MAX;
    if (!atomic_load_explicit(&bed->ready[page], memory_order_acquire)) lay(turn, bed, page);
    return bed->first + (page + 1) * MEMORY_HUGE_PAGE;
}

void page_turn_reach_all(PageTurn *turn, TurnBedKind kind, size_t begin, size_t end)
{
    while (turn != NULL && begin < end)
        begin = page_turn_reach(turn, kind, begin);
}

void page_turn_close(PageTurn *turn)
{
    for (size_t i = 0; i < turn->page_count; i++)
        if (atomic_load(&turn->pages[i].unread) > 0) keep(turn, turn->pages[i].bytes);
    bytes_release(&turn->named);
    lock_destroy(turn->lock);
}
