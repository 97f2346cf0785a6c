/* base/arena.h - memory: arenas, pages, and the growable buffer Bytes.
 *
 * An arena allocates zeroed memory and releases all of it at once. There is one arena per trace, one per frame (cleared
 * each frame) and one for scratch. An arena is not thread-safe: one thread at a time uses it. The engine calls malloc
 * only in arena.c.
 *
 * Blocks grow geometrically. A push that is larger than the next block gets a separate block. Large blocks use huge
 * pages (memory_map), because the page faults of fresh 4 KiB pages take a loader more time than reading the input. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include "base/attr.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *head;        /* owned; newest block */
    size_t      held_bytes;  /* bytes allocated from the system */
    size_t      limit_bytes; /* bound of held_bytes; pushes beyond it return NULL; 0 = no bound */
} Arena;

/* Returns an empty arena. A zeroed Arena is valid, too. */
Arena arena_create(size_t limit_bytes);
/* Returns `count * size` zeroed bytes, aligned to 16. Returns NULL at the limit, when out of memory, or when the
 * product overflows. A push of 0 bytes returns a valid pointer. */
void *arena_push(Arena *arena, size_t count, size_t size) WARN_UNUSED;
/* As arena_push, but the bytes are not zeroed. */
void *arena_push_raw(Arena *arena, size_t count, size_t size) WARN_UNUSED;
/* As arena_push, for an array that may be replaced by a larger one before the arena is released. A large array gets a
 * separate block, so that arena_give_back can free it at once. */
void *arena_push_own(Arena *arena, size_t count, size_t size) WARN_UNUSED;
/* Frees an array of arena_push_own if it has a separate block. `array` may be NULL. `count` and `size` are those of the
 * push. */
void arena_give_back(Arena *arena, void *array, size_t count, size_t size);
/* header before such an array; an array of n pages minus this fills n pages */
enum { ARENA_HEAD_BYTES = 32 };
/* Returns a copy of `size` bytes, followed by a zero byte. NULL as arena_push. */
char *arena_push_copy(Arena *arena, const void *bytes, size_t size) WARN_UNUSED;
/* Releases everything that was pushed; keeps the largest block for reuse. */
void arena_clear(Arena *arena);
void arena_release(Arena *arena);

#define ARENA_NEW(arena, Type) ((Type *)arena_push((arena), 1, sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) ((Type *)arena_push((arena), (count), sizeof(Type)))

/* Returns an array of more than `count` items that begins with the *capacity items of `items` (NULL if *capacity is 0),
 * and sets *capacity. This is `items` itself if it has room; else a copy that is larger by half or more, with the new
 * items zeroed. `count` may be any index: a sparse array grows beyond its old end. After a copy, pointers into `items`
 * are invalid. NULL when out of memory; `items` is then unchanged. */
static inline void *arena_grow(Arena *arena, void *items, uint32_t count, uint32_t *capacity,
                               size_t item_size)
{
    enum { FIRST = 16, MANY = 1 << 12 };
    if (count < *capacity) return items;
    if (count > UINT32_MAX / 2) return NULL;
    uint32_t more = count < FIRST / 2 ? FIRST : count < MANY ? count * 2 : count + count / 2;
    uint8_t *grown = (uint8_t *)arena_push_own(arena, more, item_size);
    if (grown == NULL) return NULL;
    if (items != NULL) memcpy(grown, items, (size_t)*capacity * item_size);
    arena_give_back(arena, items, *capacity, item_size);
    *capacity = more;
    return grown;
}

/* An array that grows in an arena by doubling. The smaller arrays stay allocated until the arena is released. A zeroed
 * list is empty. */
typedef struct ArenaList {
    void  *items;
    size_t count, capacity;
} ArenaList;
/* A list of one type: `any` is the same list without the type. */
#define ARENA_LIST(T)                                                                                        \
    union {                                                                                                  \
        ArenaList any;                                                                                       \
        struct {                                                                                             \
            T     *items;                                                                                    \
            size_t count, capacity;                                                                          \
        };                                                                                                   \
    }
/* Appends a zeroed item and returns it. Returns NULL and changes nothing when out of memory. A list has one
 * item_size. */
void *arena_list_push(ArenaList *list, Arena *arena, size_t item_size) WARN_UNUSED;
#define ARENA_LIST_PUSH(list, arena)                                                                         \
    (arena_list_push(&(list)->any, (arena), sizeof *(list)->items) == NULL                                   \
         ? NULL                                                                                              \
         : &(list)->items[(list)->count - 1])

/* Returns `size` zeroed bytes for a column or a log, or NULL when out of memory. 64 KiB and more are separate pages,
 * and from 2 MiB on huge pages, unless the system has provided huge pages slowly. Smaller requests come from the
 * heap: a small trace has dozens of columns, and a system call for each would take most of its time. The caller frees
 * the bytes with memory_unmap and the same size. */
void *memory_map(size_t size) WARN_UNUSED;
void  memory_unmap(void *bytes, size_t size); /* accepts NULL */
/* Grows an allocation of memory_map from `size` to `new_size` bytes; the new bytes are zeroed. Moves pages instead of
 * copying where the system can; else frees each part after it is copied, so that peak memory is not doubled. Returns
 * the new address. Returns NULL and changes nothing when out of memory. */
void *memory_remap(void *pages, size_t size, size_t new_size) WARN_UNUSED;
/* Frees the end of an allocation of memory_map, which keeps its first `new_size` > 0 bytes. Returns the new address. Returns
 * NULL and changes nothing when out of memory. */
void *memory_shrink(void *pages, size_t size, size_t new_size) WARN_UNUSED;

/* Reserves address space for arrays that grow without moving. The pages are zeroed and take memory when first touched.
 * Returns NULL where the system has no reservations (the browser build). Free it with memory_unreserve and the same
 * size. The pages count as held memory only after memory_count. */
void *memory_reserve(size_t size) WARN_UNUSED;
void  memory_unreserve(void *pages, size_t size); /* accepts NULL */
/* Returns the memory of the whole pages in the range to the system. They read as zeros afterwards. */
void memory_discard(void *pages, size_t size);
/* Counts `size` bytes of reserved address space as held, before they are touched. Returns false and counts nothing if they
 * would exceed the limit. memory_uncount ends the count, after memory_discard or memory_unreserve. Thread-safe. */
bool memory_count(size_t size) WARN_UNUSED;
void memory_uncount(size_t size);

/* Moves an aligned huge page of memory_map to the address of another, `to`, that was never written. `from` reads as
 * zeros afterwards. Returns false and changes nothing if the system cannot move pages, or after 16,384 moves in this
 * process: each makes a separate mapping, and Linux allows 65,530. */
enum { MEMORY_HUGE_PAGE = 2 << 20 };
bool memory_move_huge(void *from, void *to);
/* Prepares an aligned huge page of memory_map for its first write: requests a huge page as long as the system provides
 * them quickly. memory_map has touched at most the first page of a mapping. */
void memory_take_huge(void *page);

/* Returns the machine's memory in bytes; 0 = not known. base/memory_free.h has the free part of it. */
uint64_t memory_total(void);

/* Sets a bound on the bytes that arenas, pages and Bytes hold together; 0 = no bound, the initial state. A request
 * beyond it fails like a request without free memory. Thread-safe. */
void     memory_set_limit(uint64_t bytes);
uint64_t memory_limit(void);
uint64_t memory_held(void); /* bytes held now */
/* Returns the bytes between memory_held and the bound, at least 1; 0 = no bound. For a library that allocates on its own
 * and has a limit of the same form. */
uint64_t memory_spare(void);
/* Chooses the behaviour at the bound. MEMORY_STAYS: requests fail; the initial state, also after each memory_set_limit.
 * MEMORY_OVERFLOWS: pages beyond seven eighths of the bound come from a temporary file (base/overflow.h); requests fail
 * when that has no more room. Only requests below 64 KiB may take the last eighth. Pages of the file are not part of
 * memory_held. */
typedef enum { MEMORY_STAYS, MEMORY_OVERFLOWS } MemoryOverflow;
void     memory_set_overflow(MemoryOverflow overflow);
uint64_t memory_used(void); /* bytes held now, and those in the temporary file */
/* Returns the bytes that further requests may take, in the temporary file, too; UINT64_MAX = no bound. */
uint64_t memory_left(void);
bool     memory_limit_was_reached(void); /* true if a request since memory_set_limit exceeded the bound */

/* For tests: lets the next `requests` requests to the system succeed, counted over all threads. Later requests fail
 * until the next call. UINT64_MAX: every request succeeds, the initial state. Thread-safe. */
void memory_fail_after(uint64_t requests);
/* For tests: memory_peak returns the maximum of memory_held since the last memory_watch. */
void     memory_watch(void);
uint64_t memory_peak(void);

/* A growable byte buffer on the heap, for outputs, messages and decompressed input. A zeroed Bytes is valid and empty.
 * Failure is sticky: after it sets `failed`, appends do nothing. */
typedef struct Bytes {
    uint8_t *data; /* owned */
    size_t   size;
    size_t   capacity;
    bool     failed;
} Bytes;

/* bytes_append, out of line: grows the buffer first. */
void               bytes_append_slow(Bytes *bytes, const void *data, size_t size);
static inline void bytes_append(Bytes *bytes, const void *data, size_t size)
{
    if (UNLIKELY(bytes->failed || size == 0 || size > bytes->capacity - bytes->size)) {
        bytes_append_slow(bytes, data, size);
        return;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}
void bytes_append_text(Bytes *bytes, const char *text); /* a C string, without its zero byte */
/* Appends an unsigned LEB128 number: 7 bits a byte, the lowest first. cursor_uleb (base/cursor.h) reads it. */
void bytes_append_uleb(Bytes *bytes, uint64_t value);
void bytes_append_u64(Bytes *bytes, uint64_t value); /* its decimal digits */
void bytes_printf(Bytes *bytes, const char *format, ...) PRINTF_LIKE(2, 3);
/* bytes_reserve, out of line: grows the buffer. */
void *bytes_reserve_slow(Bytes *bytes, size_t size);
/* Returns the bytes as a C string: a final \0, not counted, follows the last one. NULL: failed. Valid until the next change. */
const char *bytes_text(Bytes *bytes);
/* Returns room for `size` more bytes after the last one; NULL if failed. bytes_grow adds the written ones to the
 * size. */
static inline void *bytes_reserve(Bytes *bytes, size_t size)
{
    if (LIKELY(!bytes->failed && bytes->data != NULL && size <= bytes->capacity - bytes->size))
        return bytes->data + bytes->size;
    return bytes_reserve_slow(bytes, size);
}
static inline void bytes_grow(Bytes *bytes, size_t size)
{
    if (UNLIKELY(bytes->failed)) return;
    assert(size <= bytes->capacity - bytes->size);
    bytes->size += size;
}
void bytes_clear(Bytes *bytes);   /* keeps the memory */
void bytes_release(Bytes *bytes); /* frees; the buffer is valid and empty again */

#endif
