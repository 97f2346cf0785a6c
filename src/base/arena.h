/* base/arena.h - lifetimes instead of objects.
 *
 * An arena gives out zeroed memory and takes it back all at once. One per trace,
 * one per frame (cleared each frame), one for scratch. Not thread-safe: one arena,
 * one thread at a time. malloc appears here and nowhere else in the engine.
 *
 * Blocks grow geometrically; big pushes get a block of their own. Large blocks ask
 * for huge pages (memory_map), because a fresh 4 KiB page costs a loader more than
 * reading it does. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *head;        /* owned; newest block */
    size_t      held_bytes;  /* memory taken from the system */
    size_t      limit_bytes; /* pushes beyond it give NULL; 0 = no limit */
} Arena;

/* A zeroed Arena is valid and empty. */
Arena arena_create(size_t limit_bytes);
/* `count * size` zeroed bytes, aligned to 16. NULL at the limit, when the system
 * has no more, or when the product overflows. A push of 0 bytes gives a valid pointer. */
void *arena_push(Arena *arena, size_t count, size_t size) WARN_UNUSED;
/* The same, not zeroed. */
void *arena_push_raw(Arena *arena, size_t count, size_t size) WARN_UNUSED;
/* As arena_push, for an array that may be outgrown before the arena goes: where it is large it has
 * memory of its own, which arena_give_back returns at once. `array` may be NULL; `count` and `size`
 * are those it was made with. */
enum { ARENA_HEAD_BYTES = 32 }; /* what stands before it there: with that, it can fill pages */
void *arena_push_own(Arena *arena, size_t count, size_t size) WARN_UNUSED;
void  arena_give_back(Arena *arena, void *array, size_t count, size_t size);
/* A copy of `size` bytes with a zero byte behind them. */
char *arena_push_copy(Arena *arena, const void *bytes, size_t size) WARN_UNUSED;
/* Forgets everything pushed; keeps one block for reuse. */
void arena_clear(Arena *arena);
void arena_release(Arena *arena);

#define ARENA_NEW(arena, Type) ((Type *)arena_push((arena), 1, sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) ((Type *)arena_push((arena), (count), sizeof(Type)))

/* An array that grows in an arena, doubling: what it outgrows stays there until the arena goes. A zeroed one
 * is empty. */
typedef struct ArenaList {
    void  *items;
    size_t count, capacity;
} ArenaList;
/* A zeroed item at the end; NULL, and nothing changed, when out of memory. One list, one item_size. */
void *arena_list_push(ArenaList *list, Arena *arena, size_t item_size) WARN_UNUSED;
#define ARENA_LIST_PUSH(list, arena, Type) ((Type *)arena_list_push((list), (arena), sizeof(Type)))

/* Returns `size` zeroed bytes for a column or a log, or NULL when out of memory. 64 KiB and more are pages of their own,
 * and from 2 MiB on huge pages, unless the system has given these slowly. Less comes from the heap: a small trace has
 * dozens of columns, and a system call for each would take most of its time. Free with the same size. */
void *memory_map(size_t size) WARN_UNUSED;
void  memory_unmap(void *bytes, size_t size);
/* Grows what memory_map gave from `size` to `new_size` bytes, which are never in memory twice. Returns the new address;
 * NULL, and nothing changed, when there is no memory. The new bytes are zeroed. */
void *memory_remap(void *pages, size_t size, size_t new_size) WARN_UNUSED;

/* Address space for arrays that grow without moving: zeroed pages, which take memory once they are touched. NULL where
 * there is no such thing (the browser build). Free with memory_unreserve, the same size. */
void *memory_reserve(size_t size) WARN_UNUSED;
void  memory_unreserve(void *pages, size_t size);
/* Gives back what whole pages of it take: they are zeroed when they are touched again. */
void memory_discard(void *pages, size_t size);

/* An aligned huge page of what memory_map gave changes places with another: `to`, which was not touched so
 * far, holds what `from` held, and that is fresh. False where the system can't, or where it would be too
 * many; then nothing has changed. */
enum { MEMORY_HUGE_PAGE = 2 << 20 };
bool memory_move_huge(void *from, void *to);
/* One that is about to be written for the first time: it is huge as long as those come quickly. Of a large mapping
 * memory_map has tried the first one at most. */
void memory_take_huge(void *page);

/* Bytes of memory the machine has; 0 = not known. What is free of them: base/memory_free.h. */
uint64_t memory_total(void);

/* Bounds the bytes that arenas, pages and Bytes hold together; 0 = no bound, as at first. A request beyond it fails as
 * if the system had no more. Address space of memory_reserve does not count. Any thread. */
void     memory_set_limit(uint64_t bytes);
uint64_t memory_limit(void);
uint64_t memory_held(void); /* bytes now */
bool     memory_limit_was_reached(void); /* by a request since memory_set_limit */

/* For tests: `requests` further requests to the system succeed, those of all threads counted together; then every
 * request fails until the next call. UINT64_MAX: every request succeeds, as at first. Any thread. */
void memory_fail_after(uint64_t requests);
/* For tests: the most bytes that arenas, pages and Bytes held together since the last call of memory_watch. */
void     memory_watch(void);
uint64_t memory_peak(void);

/* A growable byte buffer on the heap: outputs, messages, decompressed input.
 * A zeroed Bytes is valid and empty. Failure is sticky: once `failed`, appends do nothing. */
typedef struct Bytes {
    uint8_t *data; /* owned */
    size_t   size;
    size_t   capacity;
    bool     failed;
} Bytes;

void               bytes_append_slow(Bytes *bytes, const void *data,
                                     size_t size); /* bytes_append where there is no room yet */
static inline void bytes_append(Bytes *bytes, const void *data, size_t size)
{
    if (UNLIKELY(bytes->failed || size == 0 || size > bytes->capacity - bytes->size)) {
        bytes_append_slow(bytes, data, size);
        return;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}
void bytes_append_text(Bytes *bytes, const char *text); /* a C string, without its NUL */
void bytes_printf(Bytes *bytes, const char *format, ...) PRINTF_LIKE(2, 3);
/* Room for `size` more bytes at the end, not yet counted; NULL if failed. bytes_grow(b, n) counts them. */
void *bytes_reserve(Bytes *bytes, size_t size);
void  bytes_grow(Bytes *bytes, size_t size);
void  bytes_clear(Bytes *bytes);   /* keeps the memory */
void  bytes_release(Bytes *bytes); /* frees; the buffer is valid and empty again */

#endif
