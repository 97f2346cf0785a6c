#include "base/arena.h"

#include "base/checked.h"
#include "base/digits.h"
#include "base/os.h"
#include "base/overflow.h"
#include "base/uleb.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, BYTES_FIRST_CAPACITY = 256 };
static const size_t FIRST_BLOCK_BYTES = (size_t)4 << 10;
static const size_t LEAST_ZEROED_BYTES = (size_t)512 << 10; /* the system zeroes the pages of larger blocks */
static const size_t LARGEST_GROWN_BLOCK_BYTES = (size_t)32 << 20;
/* blocks of this size and more come from memory_map */
static const size_t MAPPED_BLOCK_BYTES = (size_t)2 << 20;
/* memory_map: smaller requests come from the heap */
static const size_t LEAST_MAPPED_BYTES = (size_t)64 << 10;

/* -- failure injection -- */

static _Atomic uint64_t requests_until_failure = UINT64_MAX; /* test hook, see memory_fail_after */

void memory_fail_after(uint64_t requests)
{
    atomic_store(&requests_until_failure, requests);
}

static bool request_fails(void)
{
    uint64_t left = atomic_load_explicit(&requests_until_failure, memory_order_relaxed);
    do {
        if (LIKELY(left == UINT64_MAX)) return false;
        if (left == 0) return true;
    } while (!atomic_compare_exchange_weak_explicit(&requests_until_failure, &left, left - 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return false;
}

/* -- accounting -- */

static _Atomic uint64_t held_bytes, peak_bytes, most_bytes;
static _Atomic bool     limit_was_reached;
static _Atomic uint64_t
    most_pages; /* held bytes beyond which pages come from the overflow file; 0 = no bound */

void memory_set_limit(uint64_t bytes)
{
    atomic_store(&most_bytes, bytes);
    atomic_store(&limit_was_reached, false);
    memory_set_overflow(MEMORY_STAYS);
}

void memory_set_overflow(MemoryOverflow overflow)
{
    /* An eighth of the limit is for small requests, and for pages of the file that are in use. */
    const uint64_t limit = memory_limit();
    atomic_store(&most_pages, overflow == MEMORY_OVERFLOWS ? limit - limit / 8 : 0);
    overflow_set_resident(overflow == MEMORY_OVERFLOWS ? limit / 8 : 0);
}

uint64_t memory_limit(void)
{
    return atomic_load_explicit(&most_bytes, memory_order_relaxed);
}

uint64_t memory_held(void)
{
    return atomic_load_explicit(&held_bytes, memory_order_relaxed);
}

uint64_t memory_spare(void)
{
    const uint64_t limit = memory_limit(), held = memory_held();
    if (limit == 0) return 0;
    return limit > held ? limit - held : 1;
}

uint64_t memory_used(void)
{
    return memory_held() + overflow_used();
}

uint64_t memory_left(void)
{
    const uint64_t limit = memory_limit(), held = memory_held(), left = limit > held ? limit - held : 0;
    if (limit == 0) return UINT64_MAX;
    const bool may_overflow = atomic_load(&most_pages) != 0 && held > limit / 2;
    return may_overflow ? left + overflow_left() : left;
}

bool memory_limit_was_reached(void)
{
    return atomic_load(&limit_was_reached);
}

static void note_given(size_t size)
{
    atomic_fetch_sub_explicit(&held_bytes, size, memory_order_relaxed);
}

/* Adds `size` bytes that are about to be allocated to the count. Returns false and counts nothing if there would be more
 * than `limit` then. */
static bool count_below(size_t size, uint64_t limit)
{
    uint64_t held = atomic_fetch_add_explicit(&held_bytes, size, memory_order_relaxed) + size;
    if (UNLIKELY(limit != 0 && held > limit)) {
        note_given(size);
        return false;
    }
    uint64_t peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);
    while (held > peak && !atomic_compare_exchange_weak_explicit(
                              &peak_bytes, &peak, held, memory_order_relaxed, memory_order_relaxed)) {
    }
    return true;
}

/* As count_below, with the limit of the process. */
static bool count_taken(size_t size)
{
    if (LIKELY(count_below(size, atomic_load_explicit(&most_bytes, memory_order_relaxed)))) return true;
    atomic_store(&limit_was_reached, true);
    return false;
}

/* The place of an allocation. */
typedef enum {
    PLACE_NONE,   /* the request fails */
    PLACE_MEMORY, /* and the bytes are counted */
    PLACE_OVERFLOW
} Place;

/* Chooses the place of `size` bytes, of which `more` are not counted yet. Sets *pages to the zeroed pages of
 * PLACE_OVERFLOW, otherwise to NULL. */
static Place choose_place(size_t size, size_t more, void **pages)
{
    const uint64_t bound = atomic_load_explicit(&most_pages, memory_order_relaxed);
    *pages = NULL;
    if (request_fails()) return PLACE_NONE;
    if (bound != 0 && size >= LEAST_MAPPED_BYTES) {
        if (count_below(more, bound)) return PLACE_MEMORY;
        *pages = overflow_map(size);
        if (*pages != NULL) return PLACE_OVERFLOW;
    }
    return count_taken(more) ? PLACE_MEMORY : PLACE_NONE;
}

void memory_watch(void)
{
    atomic_store(&peak_bytes, atomic_load(&held_bytes));
}

uint64_t memory_peak(void)
{
    return atomic_load(&peak_bytes);
}

void *memory_map(size_t size)
{
    void *bytes;
    if (choose_place(size, size, &bytes) != PLACE_MEMORY) return bytes;
    bytes = size < LEAST_MAPPED_BYTES ? calloc(1, size == 0 ? 1 : size) : os_pages_map(size);
    if (bytes == NULL) note_given(size);
    return bytes;
}

void memory_unmap(void *bytes, size_t size)
{
    if (bytes == NULL) return;
    if (overflow_holds(bytes)) {
        overflow_unmap(bytes, size);
        return;
    }
    note_given(size);
    if (size < LEAST_MAPPED_BYTES) {
        free(bytes);
    } else {
        os_pages_unmap(bytes, size);
    }
}

/* Copies pages to other pages. Frees each part of the source after it is copied. */
static void pages_hand_over(uint8_t *from, uint8_t *to, size_t size)
{
    const size_t step = MEMORY_HUGE_PAGE;
    for (size_t at = 0; at < size; at += step) {
        const size_t part = size - at < step ? size - at : step;
        memcpy(to + at, from + at, part);
        memory_discard(from + at, part);
    }
}

void *memory_remap(void *pages, size_t size, size_t new_size)
{
    assert(size > 0 && new_size >= size);
    void *grown;
    if (size < LEAST_MAPPED_BYTES || overflow_holds(pages)) {
        grown = memory_map(new_size);
        if (grown == NULL) return NULL;
        memcpy(grown, pages, size);
        memory_unmap(pages, size);
        return grown;
    }
    const Place place = choose_place(new_size, new_size - size, &grown);
    if (place == PLACE_NONE) return NULL;
    if (place == PLACE_MEMORY) {
        grown = os_pages_remap(pages, size, new_size);
        if (grown != NULL) return grown;
        grown = os_pages_map(new_size);
        if (grown == NULL) {
            note_given(new_size - size);
            return NULL;
        }
    }
    pages_hand_over((uint8_t *)pages, (uint8_t *)grown, size);
    os_pages_unmap(pages, size);
    if (place == PLACE_OVERFLOW) note_given(size);
    return grown;
}

void *memory_reserve(size_t size)
{
    return request_fails() ? NULL : os_pages_reserve(size);
}

void memory_unreserve(void *pages, size_t size)
{
    if (pages != NULL) os_pages_unmap(pages, size);
}

void *memory_shrink(void *pages, size_t size, size_t new_size)
{
    assert(new_size > 0 && new_size <= size);
    if (overflow_holds(pages)) {
        overflow_shrink(pages, size, new_size);
        return pages;
    }
    if (size >= LEAST_MAPPED_BYTES && new_size < LEAST_MAPPED_BYTES) {
        void *fewer = memory_map(new_size);
        if (fewer == NULL) return NULL;
        memcpy(fewer, pages, new_size);
        memory_unmap(pages, size);
        return fewer;
    }
    void *kept =
        size < LEAST_MAPPED_BYTES ? realloc(pages, new_size) : os_pages_shrink(pages, size, new_size);
    if (kept != NULL) note_given(size - new_size);
    return kept;
}

void memory_discard(void *pages, size_t size)
{
    if (overflow_holds(pages)) {
        overflow_discard(pages, size);
    } else {
        os_pages_discard(pages, size);
    }
}

bool memory_count(size_t size)
{
    return !request_fails() && count_taken(size);
}

void memory_uncount(size_t size)
{
    note_given(size);
}

static _Atomic uint32_t moved_count; /* calls of memory_move_huge */

void memory_take_huge(void *page)
{
    if (!overflow_holds(page)) os_pages_take(page);
}

bool memory_move_huge(void *from, void *to)
{
    enum { MOST_MOVED = 16384 };
    if (overflow_holds(from) || overflow_holds(to)) return false;
    if (atomic_fetch_add(&moved_count, 1) >= MOST_MOVED) return false;
    return os_pages_move(from, to, MEMORY_HUGE_PAGE);
}

/* -- arena -- */

struct ArenaBlock {
    ArenaBlock *next;  /* owned; an older block, or one with less room left than `head` */
    size_t      size;  /* bytes after this header */
    size_t      used;  /* always a multiple of ALIGNMENT */
    size_t      dirty; /* offset of the first byte that is known to be zero, with all after it */
};

/* malloc of 32-bit machines may align to 8 only */
enum { MALLOC_ALIGNS = alignof(max_align_t) >= ALIGNMENT };
enum { HEADER_BYTES = (sizeof(ArenaBlock) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

static_assert((int)HEADER_BYTES == (int)ARENA_HEAD_BYTES || sizeof(void *) < 8, "arena.h has the size");

static char *block_bytes(ArenaBlock *block)
{
    return (char *)block + HEADER_BYTES;
}

static void block_free(ArenaBlock *block)
{
    size_t total = block->size + HEADER_BYTES;
    if (total >= MAPPED_BLOCK_BYTES || overflow_holds(block)) {
        memory_unmap(block, total);
    } else {
        note_given(total);
        free(block);
    }
}

/* Returns an empty block of `total` bytes including the header; NULL when out of memory. A small block is not zeroed
 * here but by each push, because much of it may never be used. */
static ArenaBlock *block_request(size_t total)
{
    bool  is_zeroed = true;
    void *bytes;
    if (total >= MAPPED_BLOCK_BYTES) {
        bytes = memory_map(total);
    } else if (choose_place(total, total, &bytes) == PLACE_MEMORY) {
        is_zeroed = MALLOC_ALIGNS && total >= LEAST_ZEROED_BYTES;
        bytes = is_zeroed       ? calloc(1, total)
                : MALLOC_ALIGNS ? malloc(total)
                                : aligned_alloc(ALIGNMENT, total);
        if (bytes == NULL) note_given(total);
    }
    ArenaBlock *const block = (ArenaBlock *)bytes;
    if (block == NULL) return NULL;
    *block = (ArenaBlock){ .size = total - HEADER_BYTES, .dirty = is_zeroed ? 0 : total - HEADER_BYTES };
    return block;
}

/* Returns an empty block for at least `need` bytes, of `wanted` bytes if the limit allows. The block is counted in
 * held_bytes but not linked. */
static ArenaBlock *block_create(Arena *arena, size_t need, size_t wanted)
{
    size_t least, room = SIZE_MAX;
    if (!size_add(need, HEADER_BYTES, &least)) return NULL;
    if (arena->limit_bytes != 0) {
        room = arena->limit_bytes > arena->held_bytes ? arena->limit_bytes - arena->held_bytes : 0;
    }
    if (least > room) return NULL;

    size_t total = wanted > room ? room : wanted;
    if (total < least) total = least;

    ArenaBlock *block = block_request(total);
    if (block == NULL && total > least) { /* tries again without room for later pushes */
        total = least;
        block = block_request(total);
    }
    if (block != NULL) arena->held_bytes += total;
    return block;
}

/* Returns the size of the next block for several pushes: all that the arena holds, but at most twice the last such
 * block. So a large array, which has a block of its own, does not make the arena take as much again. */
static size_t next_block_bytes(const Arena *arena)
{
    size_t wanted = arena->held_bytes;
    if (arena->head != NULL && wanted / 2 > arena->head->size) wanted = 2 * arena->head->size;
    if (wanted < FIRST_BLOCK_BYTES) return FIRST_BLOCK_BYTES;
    return wanted < LARGEST_GROWN_BLOCK_BYTES ? wanted : LARGEST_GROWN_BLOCK_BYTES;
}

/* Returns a block with room for `need` bytes, the head or a new one; NULL when out of memory. */
static ArenaBlock *block_with_room(Arena *arena, size_t need)
{
    ArenaBlock *head = arena->head;
    if (LIKELY(head != NULL && head->size - head->used >= need)) return head;

    const size_t wanted = next_block_bytes(arena);
    ArenaBlock  *block = block_create(arena, need, wanted);
    if (block == NULL) return NULL;
    const bool is_own = need >= wanted || (head != NULL && head->size - head->used > block->size - need);
    if (head != NULL && is_own) {
        block->next = head->next; /* the rest of head is worth more than that of a block of one array */
        head->next = block;
    } else {
        block->next = head;
        arena->head = block;
    }
    return block;
}

static void *push(Arena *arena, size_t size, bool zeroed)
{
    size_t need;
    if (!size_add(size, ALIGNMENT - 1, &need)) return NULL;
    need -= need % ALIGNMENT;
    if (need == 0) need = ALIGNMENT; /* pushes of 0 bytes return distinct pointers */

    ArenaBlock *block = block_with_room(arena, need);
    if (UNLIKELY(block == NULL)) return NULL;
    char  *bytes = block_bytes(block) + block->used;
    size_t end = block->used + need;
    if (zeroed && block->used < block->dirty) {
        memset(bytes, 0, (end < block->dirty ? end : block->dirty) - block->used);
    }
    block->used = end;
    if (block->dirty < end) block->dirty = end;
    return bytes;
}

Arena arena_create(size_t limit_bytes)
{
    return (Arena){ .limit_bytes = limit_bytes };
}

void *arena_push(Arena *arena, size_t count, size_t size)
{
    size_t total;
    return size_mul(count, size, &total) ? push(arena, total, true) : NULL;
}

void *arena_push_raw(Arena *arena, size_t count, size_t size)
{
    size_t total;
    return size_mul(count, size, &total) ? push(arena, total, false) : NULL;
}

/* arena_push_own: arrays of this size and more get a separate block. */
enum { OWN_BLOCK_BYTES = 16 << 10 };

void *arena_push_own(Arena *arena, size_t count, size_t size)
{
    size_t total;
    if (!size_mul(count, size, &total)) return NULL;
    if (total < OWN_BLOCK_BYTES || total > SIZE_MAX - ALIGNMENT) return push(arena, total, true);
    total = (total + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    ArenaBlock *block = block_create(arena, total, 0);
    if (block == NULL) return NULL;
    if (block->dirty > 0) memset(block_bytes(block), 0, total);
    block->used = block->dirty = total;
    if (arena->head == NULL) {
        arena->head = block;
    } else {
        block->next = arena->head->next;
        arena->head->next = block;
    }
    return block_bytes(block);
}

void arena_give_back(Arena *arena, void *array, size_t count, size_t size)
{
    if (array == NULL || count * size < OWN_BLOCK_BYTES) return;
    ArenaBlock **link = &arena->head;
    while (*link != NULL && block_bytes(*link) != (char *)array)
        link = &(*link)->next;
    assert(*link != NULL);
    ArenaBlock *block = *link;
    *link = block->next;
    arena->held_bytes -= block->size + HEADER_BYTES;
    block_free(block);
}

char *arena_push_copy(Arena *arena, const void *bytes, size_t size)
{
    size_t total;
    if (!size_add(size, 1, &total)) return NULL;
    char *copy = (char *)push(arena, total, false);
    if (copy == NULL) return NULL;
    if (size > 0) memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

void *arena_list_push(ArenaList *list, Arena *arena, size_t item_size)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        void  *items = capacity <= list->capacity ? NULL : arena_push(arena, capacity, item_size);
        if (items == NULL) return NULL;
        if (list->count > 0) memcpy(items, list->items, list->count * item_size);
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + item_size * list->count++;
}

void arena_clear(Arena *arena)
{
    ArenaBlock *largest = arena->head;
    for (ArenaBlock *b = arena->head; b != NULL; b = b->next) {
        if (b->size > largest->size) largest = b;
    }
    for (ArenaBlock *b = arena->head, *next; b != NULL; b = next) {
        next = b->next;
        if (b != largest) block_free(b);
    }
    arena->head = largest;
    arena->held_bytes = 0;
    if (largest == NULL) return;
    largest->next = NULL;
    largest->used = 0;
    arena->held_bytes = largest->size + HEADER_BYTES;
}

void arena_release(Arena *arena)
{
    for (ArenaBlock *b = arena->head, *next; b != NULL; b = next) {
        next = b->next;
        block_free(b);
    }
    arena->head = NULL;
    arena->held_bytes = 0;
}

/* -- bytes -- */

static void bytes_free(const Bytes *bytes)
{
    if (bytes->data == NULL) return;
    if (overflow_holds(bytes->data)) {
        overflow_unmap(bytes->data, bytes->capacity);
    } else {
        note_given(bytes->capacity);
        free(bytes->data);
    }
}

/* Returns the data in a place of `capacity` bytes. Returns NULL and changes nothing when out of memory. */
static uint8_t *bytes_move(Bytes *bytes, size_t capacity)
{
    void       *moved;
    const bool  is_on_heap = !overflow_holds(bytes->data);
    const Place place = choose_place(capacity, capacity, &moved);
    if (place == PLACE_NONE) return NULL;
    if (place == PLACE_MEMORY) {
        moved = is_on_heap ? realloc(bytes->data, capacity) : malloc(capacity);
        if (moved == NULL) {
            note_given(capacity);
            return NULL;
        }
    }
    if (place == PLACE_MEMORY && is_on_heap) {
        if (bytes->data != NULL) note_given(bytes->capacity);
    } else {
        if (bytes->size > 0) memcpy(moved, bytes->data, bytes->size);
        bytes_free(bytes);
    }
    return (uint8_t *)moved;
}

void *bytes_reserve_slow(Bytes *bytes, size_t size)
{
    if (bytes->failed) return NULL;

    size_t need, capacity;
    if (!size_add(bytes->size, size, &need)) {
        bytes->failed = true;
        return NULL;
    }
    if (!size_add(bytes->capacity, bytes->capacity / 2, &capacity)) capacity = need;
    if (capacity < BYTES_FIRST_CAPACITY) capacity = BYTES_FIRST_CAPACITY;
    if (capacity < need) capacity = need;
    uint8_t *data = bytes_move(bytes, capacity);
    if (data == NULL) {
        bytes->failed = true;
        return NULL;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return data + bytes->size;
}

void bytes_append_slow(Bytes *bytes, const void *data, size_t size)
{
    void *room = bytes_reserve(bytes, size);
    if (room == NULL) return;
    if (size > 0) memcpy(room, data, size);
    bytes->size += size;
}

void bytes_append_text(Bytes *bytes, const char *text)
{
    bytes_append(bytes, text, strlen(text));
}

const char *bytes_text(Bytes *bytes)
{
    uint8_t *end = bytes_reserve(bytes, 1);
    if (end == NULL) return NULL;
    *end = '\0';
    return (const char *)bytes->data;
}

void bytes_append_uleb(Bytes *bytes, uint64_t value)
{
    uint8_t *at = (uint8_t *)bytes_reserve(bytes, ULEB_MOST_BYTES);
    if (at == NULL) return;
    bytes->size = (size_t)(uleb_store(at, value) - bytes->data);
}

void bytes_append_u64(Bytes *bytes, uint64_t value)
{
    char *room = (char *)bytes_reserve(bytes, DIGITS_ROOM);
    if (room != NULL) bytes->size += (size_t)(digits_put(room, value) - room);
}

void bytes_printf(Bytes *bytes, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        bytes->failed = true;
    } else {
        char *room = (char *)bytes_reserve(bytes, (size_t)length + 1); /* vsnprintf also writes a zero byte */
        if (room != NULL) {
            (void)vsnprintf(room, (size_t)length + 1, format, again);
            bytes->size += (size_t)length;
        }
    }
    va_end(again);
}

void bytes_clear(Bytes *bytes)
{
    bytes->size = 0;
    bytes->failed = false;
}

void bytes_release(Bytes *bytes)
{
    bytes_free(bytes);
    *bytes = (Bytes){ 0 };
}
