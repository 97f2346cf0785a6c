/* base/vec.h - a growable array with a type.
 *
 *     VEC(Label) labels = VEC_EMPTY;
 *     vec_push(&labels, label);
 *     for (size_t i = 0; i < vec_count(&labels); i++)
 *         print(labels.items[i]);
 *     vec_release(&labels);
 *
 * The memory is that of a Bytes (base/arena.h), with the same rules: zeroed is valid and empty, a failed growth sets
 * `bytes.failed`, and after that nothing is added until vec_clear. `items` points to the bytes with the right type, so
 * the compiler checks the items that go in and out. A function for any vector takes its `bytes`.
 *
 * The macros evaluate the vector several times. */
#ifndef BASE_VEC_H
#define BASE_VEC_H
#include "base/arena.h"

#define VEC(T)                                                                                               \
    union {                                                                                                  \
        Bytes bytes;                                                                                         \
        T    *items; /* the same pointer as bytes.data */                                                    \
    }

/* Initialises a vector. `{ .items = NULL }` would leave the size undefined: it initialises one member of the union. */
#define VEC_EMPTY                                                                                            \
    {                                                                                                        \
        .bytes = {.data = NULL }                                                                             \
    }

/* Returns the number of items. */
#define vec_count(v) ((v)->bytes.size / sizeof *(v)->items)
/* Returns a pointer to the last item; there must be one. */
#define vec_last(v) (&(v)->items[vec_count(v) - 1])
/* Appends a zeroed item and returns a pointer to it; NULL when out of memory. */
#define vec_add(v) (vec_extend(&(v)->bytes, sizeof *(v)->items) ? vec_last(v) : NULL)
/* Appends an item, an expression of the items' type. */
#define vec_push(v, ...)                                                                                     \
    ((void)(vec_extend(&(v)->bytes, sizeof *(v)->items) && (*vec_last(v) = (__VA_ARGS__), true)))
/* Appends a copy of `count` items. */
#define vec_append(v, from, count)                                                                           \
    bytes_append(&(v)->bytes, 1 ? (from) : (v)->items, (count) * sizeof *(v)->items)
/* Returns room for `count` more items after the last one; NULL if failed. vec_grow adds the written ones. */
#define vec_reserve(v, count)                                                                                \
    (bytes_reserve(&(v)->bytes, (count) * sizeof *(v)->items) == NULL ? NULL : (v)->items + vec_count(v))
#define vec_grow(v, count) bytes_grow(&(v)->bytes, (count) * sizeof *(v)->items)
/* Removes all items but the first `count`. */
#define vec_cut(v, count) ((void)((v)->bytes.size = (count) * sizeof *(v)->items))
/* Returns a copy of the items in an arena; NULL if failed, or when out of memory. */
#define vec_copy(v, arena) vec_copy_bytes(&(v)->bytes, arena)
#define vec_clear(v) bytes_clear(&(v)->bytes)
#define vec_release(v) bytes_release(&(v)->bytes)

/* Returns a copy of the bytes in an arena; NULL if failed, or when out of memory. */
static inline void *vec_copy_bytes(const Bytes *bytes, Arena *arena)
{
    return bytes->failed ? NULL : arena_push_copy(arena, bytes->data, bytes->size);
}

/* Appends `size` zero bytes. Returns false when out of memory. */
static inline bool vec_extend(Bytes *bytes, size_t size)
{
    void *room = bytes_reserve(bytes, size);
    if (room == NULL) return false;
    memset(room, 0, size);
    bytes->size += size;
    return true;
}

#endif
