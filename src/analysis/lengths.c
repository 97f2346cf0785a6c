#include "analysis/lengths.h"

/* Follows the words of a block, so that Lengths.end leads to it. */
typedef struct LengthBlock LengthBlock;
struct LengthBlock {
    LengthBlock *before;
    uint64_t     words_before; /* used words of all blocks before */
    uint32_t     words;        /* of the block */
    uint32_t     used;         /* words of lengths; of the newest block not yet set */
    bool         has_long;     /* this block or one before has a long length */
};

/* A block and the members behind it fill 64, 128, ... bytes. */
enum {
    LONG_WORDS = 3,
    HEAD_WORDS = sizeof(LengthBlock) / sizeof(uint32_t),
    FIRST_WORDS = 16 - HEAD_WORDS,
    MOST_WORDS = 1 << 11
};

static LengthBlock *newest_block(const Lengths *lengths)
{
    return (LengthBlock *)(void *)lengths->end;
}

static const uint32_t *block_words(const LengthBlock *block)
{
    return (const uint32_t *)(const void *)block - block->words;
}

/* Sets the number of used words of the newest block. */
static void settle_newest(const Lengths *lengths)
{
    LengthBlock *newest = newest_block(lengths);
    if (newest != NULL) newest->used = (uint32_t)(lengths->at - block_words(newest));
}

static bool begin_block(Lengths *lengths, Arena *arena)
{
    LengthBlock *before = newest_block(lengths), block = { .before = before, .words = FIRST_WORDS };
    settle_newest(lengths);
    if (before != NULL) {
        block.words = before->words < MOST_WORDS ? before->words * 2 + HEAD_WORDS : before->words;
        block.words_before = before->words_before + before->used;
        block.has_long = before->has_long;
    }
    uint32_t *first = (uint32_t *)arena_push_raw(arena, block.words + HEAD_WORDS, sizeof *first);
    if (first == NULL) return false;
    *lengths = (Lengths){ .at = first, .end = first + block.words };
    *newest_block(lengths) = block;
    return true;
}

bool lengths_append_slow(Lengths *lengths, Arena *arena, uint64_t length)
{
    const bool is_long = length >= LENGTHS_LONG;
    if (lengths->end - lengths->at < (is_long ? LONG_WORDS : 1) && !begin_block(lengths, arena)) return false;
    if (!is_long) {
        *lengths->at++ = (uint32_t)length;
        return true;
    }
    newest_block(lengths)->has_long = true;
    *lengths->at++ = LENGTHS_LONG;
    *lengths->at++ = (uint32_t)length;
    *lengths->at++ = (uint32_t)(length >> 32);
    return true;
}

uint64_t lengths_words(const Lengths *lengths)
{
    const LengthBlock *newest = newest_block(lengths);
    return newest == NULL ? 0 : newest->words_before + (uint64_t)(lengths->at - block_words(newest));
}

/* Returns the number of lengths of a block with long ones. */
static uint32_t count_lengths(const LengthBlock *block)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < block->used; at += block_words(block)[at] == LENGTHS_LONG ? LONG_WORDS : 1)
        count++;
    return count;
}

/* Copies the lengths of a block. `out` has room for them, and for nothing else. */
static void copy_words(const uint32_t *restrict words, uint32_t count, uint64_t *restrict out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = words[i];
}

static void copy_long(const uint32_t *words, uint32_t count, uint64_t *out)
{
    for (uint32_t at = 0; at < count; out++) {
        const bool is_long = words[at] == LENGTHS_LONG;
        *out = is_long ? words[at + 1] | (uint64_t)words[at + 2] << 32 : words[at];
        at += is_long ? LONG_WORDS : 1;
    }
}

uint64_t lengths_copy(const Lengths *lengths, uint64_t *out)
{
    const LengthBlock *newest = newest_block(lengths);
    uint64_t           count = lengths_words(lengths);
    if (newest == NULL) return 0;
    settle_newest(lengths);
    if (!newest->has_long) {
        for (const LengthBlock *block = newest; block != NULL; block = block->before)
            copy_words(block_words(block), block->used, out + block->words_before);
        return count;
    }
    count = 0;
    for (const LengthBlock *block = newest; block != NULL; block = block->before)
        count += count_lengths(block);
    uint64_t at = count;
    for (const LengthBlock *block = newest; block != NULL; block = block->before) {
        at -= count_lengths(block);
        copy_long(block_words(block), block->used, out + at);
    }
    return count;
}
