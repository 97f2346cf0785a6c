/* base/heap.h - a binary heap in an array: items[0] comes before all others.
 *
 * The macros need the item's type and `before(const Item *a, const Item *b)`, a function or macro that orders the items.
 * If it orders all items, they leave the heap in one order, however they were added. They contain no jump out of the
 * macro. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H
#include <stddef.h>

/* Restores the heap after items[at] was added at the end, or now comes before more items. */
#define HEAP_RISE(Item, items, at, before) HEAP_RISE_FROM(Item, items, at, heap_[at_], before)
/* Adds an item in the place of items[at], the last one. */
#define HEAP_RISE_FROM(Item, items, at, item, before)                                                        \
    do {                                                                                                     \
        Item *const heap_ = (items);                                                                         \
        size_t      at_ = (at);                                                                              \
        const Item  moved_ = (item);                                                                         \
        for (; at_ > 0 && before(&moved_, &heap_[(at_ - 1) / 2]); at_ = (at_ - 1) / 2)                       \
            heap_[at_] = heap_[(at_ - 1) / 2];                                                               \
        heap_[at_] = moved_;                                                                                 \
    } while (0)

/* Restores the heap of `count` items after items[at] was replaced, or now comes after more items. */
#define HEAP_SINK(Item, items, count, at, before) HEAP_SINK_FROM(Item, items, count, at, heap_[at_], before)
/* Replaces items[at] by an item that comes after it, or after more items. */
#define HEAP_SINK_FROM(Item, items, count, at, item, before)                                                 \
    do {                                                                                                     \
        Item *const  heap_ = (items);                                                                        \
        const size_t count_ = (count);                                                                       \
        size_t       at_ = (at);                                                                             \
        const Item   moved_ = (item);                                                                        \
        for (size_t child_; (child_ = 2 * at_ + 1) < count_; at_ = child_) {                                 \
            if (child_ + 1 < count_ && before(&heap_[child_ + 1], &heap_[child_])) child_++;                 \
            if (!before(&heap_[child_], &moved_)) break;                                                     \
            heap_[at_] = heap_[child_];                                                                      \
        }                                                                                                    \
        heap_[at_] = moved_;                                                                                 \
    } while (0)

#endif
