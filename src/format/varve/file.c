#include "format/varve/file.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "codec/codec.h"

#include <stdatomic.h>
#include <string.h>

/* ---- the directory ---- */

static bool refuse(Err *err, uint64_t offset, const char *message)
{
    return err_set_at(err, ERR_CORRUPT, offset, ERR_NOWHERE, "%s", message);
}

static uint64_t blocks_of(const VarveArray *array)
{
    return array->count / array->items_per_block + (array->count % array->items_per_block != 0);
}

static bool is_inside(uint64_t first, uint64_t count, uint64_t all)
{
    return first <= all && count <= all - first;
}

/* Reads an array. Its blocks follow those of the arrays before it, *used: no two arrays share a block. */
static bool read_array(VarveFile *file, ByteCursor *c, VarveArray *array, uint64_t *used, Err *err)
{
    array->place = cursor_offset(c);
    const uint8_t *name = cursor_take(c, ARRAY_NAME_BYTES);
    const uint32_t type = cursor_u32le(c);
    array->items_per_block = cursor_u32le(c);
    array->count = cursor_u64le(c);
    array->first_block = cursor_u64le(c);
    if (c->failed || name == NULL) return refuse(err, array->place, "the directory ends inside an array");
    memcpy(array->name, name, ARRAY_NAME_BYTES);
    if (type == 0 || type >= ARRAY_TYPES_END || array->items_per_block == 0 ||
        array->items_per_block > 1 << 24)
        return refuse(err, array->place, "an array of unknown type or block size");
    array->type = (ArrayType)type;
    if (!is_inside(array->first_block, blocks_of(array), file->block_count))
        return refuse(err, array->place, "the blocks of an array are not in the directory");
    if (array->first_block < *used)
        return refuse(err, array->place, "an array has blocks of the array before it");
    *used = array->first_block + blocks_of(array);
    return true;
}

static bool read_block(VarveFile *file, ByteCursor *c, VarveBlock *block, Err *err)
{
    const uint64_t place = cursor_offset(c);
    block->offset = cursor_u64le(c);
    block->stored = cursor_u32le(c);
    block->plain = cursor_u32le(c);
    block->encoding = cursor_u32le(c);
    (void)cursor_u32le(c);
    block->checksum = cursor_u64le(c);
    return (!c->failed && is_inside(block->offset, block->stored, file->size)) ||
           refuse(err, place, "a block outside of the file");
}

/* Checks that each block of an array has the size of its items, and that all arrays together are not larger than
 * reasonable: a small file cannot fill the memory. */
static bool check_sizes(const VarveFile *file, Err *err)
{
    const uint64_t harmless = UINT64_C(64) << 20, most = 4096;
    uint64_t       sum = 0;
    for (uint32_t a = 0; a < file->array_count; a++) {
        const VarveArray *array = &file->arrays[a];
        uint64_t          left = array->count;
        for (uint64_t b = 0; b < blocks_of(array); b++) {
            const uint64_t items = left < array->items_per_block ? left : array->items_per_block;
            if (file->blocks[array->first_block + b].plain != items * array_item_bytes(array->type))
                return refuse(err, array->place, "a block has another size than the items of its array");
            left -= items;
            sum += items * array_item_bytes(array->type);
        }
        if (sum > harmless && sum / most > file->size)
            return refuse(err, array->place, "the arrays are larger than 4096 times the file");
    }
    return true;
}

static bool read_facts(VarveFile *file, Err *err);

static bool read_directory(VarveFile *file, ByteCursor *c, Err *err)
{
    if (cursor_u32le(c) != VARVE_DIRECTORY_MAGIC)
        return refuse(err, c->origin, "no directory where the footer says");
    file->array_count = cursor_u32le(c);
    file->block_count = cursor_u64le(c);
    (void)cursor_take(c, VARVE_DIRECTORY_HEADER_BYTES - 16);
    if (c->failed || !cursor_can_hold(c, file->array_count, VARVE_ARRAY_BYTES) ||
        !cursor_can_hold(c, file->block_count, VARVE_BLOCK_BYTES))
        return refuse(err, c->origin, "the directory is too short for its arrays");
    file->arrays = ARENA_ARRAY(file->arena, VarveArray, (size_t)file->array_count + 1);
    file->blocks = ARENA_ARRAY(file->arena, VarveBlock, (size_t)file->block_count + 1);
    if (file->arrays == NULL || file->blocks == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the directory");
    uint64_t used = 0;
    for (uint32_t i = 0; i < file->array_count; i++)
        if (!read_array(file, c, &file->arrays[i], &used, err)) return false;
    for (uint64_t i = 0; i < file->block_count; i++)
        if (!read_block(file, c, &file->blocks[i], err)) return false;
    return check_sizes(file, err);
}

static bool check_header(const uint8_t *bytes, uint64_t size, Err *err)
{
    ByteCursor     c = cursor_over(bytes, size < VARVE_HEADER_BYTES ? (size_t)size : VARVE_HEADER_BYTES, 0);
    const uint8_t *magic = cursor_take(&c, sizeof VARVE_MAGIC);
    const uint32_t version = cursor_u32le(&c);
    if (magic == NULL || memcmp(magic, VARVE_MAGIC, sizeof VARVE_MAGIC) != 0)
        return refuse(err, 0, "not a .varve file: it does not begin with 89 56 41 52 56 45 0d 0a");
    if (!c.failed && version != VARVE_FILE_VERSION)
        return err_set_at(err, ERR_VERSION, 8, ERR_NOWHERE,
                          "a .varve file of version %u: this program reads version %u", version,
                          VARVE_FILE_VERSION);
    if (!arrays_host_is_supported())
        return err_set_at(err, ERR_VERSION, 0, ERR_NOWHERE,
                          ".varve files are not read on a big-endian machine");
    return (!c.failed && size >= VARVE_HEADER_BYTES) ||
           err_set_at(err, ERR_TRUNCATED, size, ERR_NOWHERE, "the file ends inside its header");
}

bool trace_file_open(VarveFile *file, const uint8_t *bytes, uint64_t size, Arena *arena, Err *err)
{
    *file = (VarveFile){ .bytes = bytes, .size = size, .arena = arena };
    if (!check_header(bytes, size, err)) return false;
    if (size < VARVE_HEADER_BYTES + VARVE_FOOTER_BYTES)
        return err_set_at(err, ERR_TRUNCATED, size, ERR_NOWHERE, "the file ends before its directory");
    const uint64_t end = size - VARVE_FOOTER_BYTES;
    ByteCursor     footer = cursor_over(bytes + end, VARVE_FOOTER_BYTES, end);
    const uint64_t at = cursor_u64le(&footer), directory_size = cursor_u64le(&footer),
                   checksum = cursor_u64le(&footer);
    if (memcmp(bytes + end + 24, VARVE_END_MAGIC, sizeof VARVE_END_MAGIC) != 0)
        return err_set_at(err, ERR_TRUNCATED, size, ERR_NOWHERE, "the file ends before its directory");
    if (at < VARVE_HEADER_BYTES || !is_inside(at, directory_size, end))
        return refuse(err, end, "the directory is not inside the file");
    if (trace_file_checksum(bytes + at, (size_t)directory_size) != checksum)
        return refuse(err, at, "the directory is damaged: its checksum is wrong");
    ByteCursor c = cursor_over(bytes + at, (size_t)directory_size, at);
    return read_directory(file, &c, err) && read_facts(file, err);
}

/* ---- without a directory ---- */

bool trace_file_recover(VarveFile *file, const uint8_t *bytes, uint64_t size, Arena *arena, Err *err)
{
    VEC(VarveBlock) blocks = VEC_EMPTY;
    uint64_t at = VARVE_HEADER_BYTES, input = 0;
    *file = (VarveFile){ .bytes = bytes, .size = size, .arena = arena, .texts = "" };
    if (!check_header(bytes, size, err)) return false;
    while (is_inside(at, VARVE_INPUT_HEADER_BYTES, size)) {
        ByteCursor     c = cursor_over(bytes + at, VARVE_INPUT_HEADER_BYTES, at);
        const uint32_t magic = cursor_u32le(&c);
        VarveBlock     block = { .encoding = cursor_u32le(&c) };
        const uint64_t offset = cursor_u64le(&c);
        block.plain = cursor_u32le(&c);
        block.stored = cursor_u32le(&c);
        block.checksum = cursor_u64le(&c);
        block.offset = at + VARVE_INPUT_HEADER_BYTES;
        if (magic != VARVE_INPUT_MAGIC || offset != input || block.plain == 0 ||
            block.plain > VARVE_INPUT_BLOCK || !is_inside(block.offset, block.stored, size) ||
            trace_file_checksum(bytes + block.offset, block.stored) != block.checksum)
            break;
        vec_push(&blocks, block);
        input += block.plain;
        at = (block.offset + block.stored + 7) / 8 * 8;
        if (block.plain != VARVE_INPUT_BLOCK) break;
    }
    file->block_count = vec_count(&blocks);
    file->blocks = vec_copy(&blocks, arena);
    vec_release(&blocks);
    file->arrays = ARENA_NEW(arena, VarveArray);
    if (file->blocks == NULL || file->arrays == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the directory");
    if (file->block_count == 0)
        return err_set_at(err, ERR_TRUNCATED, size, ERR_NOWHERE,
                          "the file ends before its directory, and has no whole block of its input");
    file->array_count = 1;
    file->arrays[0] = (VarveArray){
        .name = "input", .type = ARRAY_U8, .items_per_block = VARVE_INPUT_BLOCK, .count = input
    };
    file->facts[FACT_DETAILS] = VARVE_DETAILS_STORED;
    file->facts[FACT_IS_READ] = 1;
    file->facts[FACT_INPUT_SIZE] = file->facts[FACT_BYTES] = input;
    return true;
}

/* ---- arrays ---- */

const VarveArray *trace_file_array(const VarveFile *file, const char *name)
{
    for (uint32_t i = 0; i < file->array_count; i++)
        if (strcmp(file->arrays[i].name, name) == 0) return &file->arrays[i];
    return NULL;
}

/* True if the items of an array are in the file as in memory. */
static bool is_in_place(const VarveFile *file, const VarveArray *array)
{
    const VarveBlock *blocks = &file->blocks[array->first_block];
    if (blocks[0].offset % 8 != 0) return false;
    for (uint64_t b = 0; b < blocks_of(array); b++) {
        if (blocks[b].encoding != VARVE_RAW || blocks[b].stored != blocks[b].plain) return false;
        if (b > 0 && blocks[b].offset != blocks[b - 1].offset + blocks[b - 1].stored) return false;
    }
    return true;
}

/* The blocks of an array while they are checked and decoded. */
typedef struct ArrayWork {
    const VarveFile  *file;
    const VarveArray *array;
    uint8_t          *items;   /* NULL: in place, only checked */
    _Atomic uint64_t  damaged; /* the first one, UINT64_MAX = none */
} ArrayWork;

static void read_one_block(void *context, size_t b)
{
    ArrayWork        *work = context;
    const VarveArray *array = work->array;
    const VarveBlock *block = &work->file->blocks[array->first_block + b];
    const uint8_t    *stored = work->file->bytes + block->offset;
    const uint64_t    at = (uint64_t)b * array->items_per_block * array_item_bytes(array->type);
    Bytes             scratch = { 0 };
    bool              is_good = trace_file_checksum(stored, block->stored) == block->checksum;
    if (is_good && work->items != NULL)
        is_good = trace_file_decode(array->type, block, stored, work->items + at, &scratch);
    bytes_release(&scratch);
    if (!is_good) atomic_store(&work->damaged, b);
}

static bool read_blocks(VarveFile *file, const VarveArray *array, uint8_t *items, Err *err)
{
    ArrayWork      work = { .file = file, .array = array, .items = items, .damaged = UINT64_MAX };
    const uint64_t count = blocks_of(array);
    thread_run(count < 4 ? 1 : 0, (size_t)count, read_one_block, &work);
    const uint64_t damaged = atomic_load(&work.damaged);
    return damaged == UINT64_MAX ||
           err_set_at(err, ERR_CORRUPT, file->blocks[array->first_block + damaged].offset, ERR_NOWHERE,
                      "%s: a block is damaged: its checksum is wrong", array->name);
}

/* As ArraySource.get. */
static bool get_array(void *context, TraceArray *wanted, ArrayUse use, Err *err)
{
    VarveFile        *file = context;
    const VarveArray *array = trace_file_array(file, wanted->name);
    wanted->items = NULL;
    wanted->count = 0;
    if (array == NULL || array->count == 0) return true;
    file->fault.offset = array->place;
    if (array->type != wanted->type)
        return err_set_at(err, ERR_CORRUPT, array->place, ERR_NOWHERE,
                          "%s: an array of another type than expected", array->name);
    wanted->count = array->count;
    if (is_in_place(file, array)) {
        wanted->items = file->bytes + file->blocks[array->first_block].offset;
        return read_blocks(file, array, NULL, err);
    }
    size_t size;
    if (array->count > SIZE_MAX || !size_mul((size_t)array->count, array_item_bytes(array->type), &size))
        return err_set(err, ERR_MEMORY, "out of memory for %s", array->name);
    uint8_t *items = use == ARRAY_KEPT ? memory_map(size) : arena_push_raw(file->arena, 1, size);
    if (items == NULL) return err_set(err, ERR_MEMORY, "out of memory for %s", array->name);
    if (!read_blocks(file, array, items, err)) {
        if (use == ARRAY_KEPT) memory_unmap(items, size);
        return false;
    }
    wanted->items = items;
    return true;
}

static bool read_facts(VarveFile *file, Err *err)
{
    TraceArray facts = { .name = "file.facts", .type = ARRAY_U64 },
               texts = { .name = "file.texts", .type = ARRAY_U8 };
    if (!get_array(file, &facts, ARRAY_READ, err) || !get_array(file, &texts, ARRAY_READ, err)) return false;
    const uint64_t count = facts.count < FACT_COUNT ? facts.count : FACT_COUNT;
    if (count > 0) memcpy(file->facts, facts.items, (size_t)count * sizeof file->facts[0]);
    file->texts = (const char *)texts.items;
    file->texts_size = (size_t)texts.count;
    if (texts.count > 0 && file->texts[texts.count - 1] != '\0')
        return refuse(err, file->fault.offset, "file.texts: the last text has no end");
    if (utf8_valid_prefix(file->texts, file->texts_size) != file->texts_size)
        return refuse(err, file->fault.offset, "file.texts: not UTF-8");
    return (file->facts[FACT_DETAILS] <= VARVE_DETAILS_SOURCE && file->facts[FACT_CODEC] <= CODEC_PAGE) ||
           refuse(err, file->fault.offset, "file.facts: an unknown value");
}

const char *trace_file_text(const VarveFile *file, size_t index)
{
    size_t at = 0;
    while (at < file->texts_size && index > 0) {
        at += strlen(file->texts + at) + 1;
        index--;
    }
    return at < file->texts_size ? file->texts + at : "";
}

Trace *trace_file_trace(VarveFile *file, Err *err)
{
    Arena       scratch = arena_create(0), *arena = file->arena;
    ArraySource source = { .get = get_array,
                           .context = file,
                           .mapping = { .bytes = (void *)(uintptr_t)file->bytes,
                                        .size = (size_t)file->size } };
    *err = (Err){ .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    file->arena = &scratch;
    Trace *trace = arrays_take(&source, err);
    file->arena = arena;
    arena_release(&scratch);
    if (trace == NULL && err->code == ERR_CORRUPT && err->offset == ERR_NOWHERE)
        err->offset = file->fault.offset;
    return trace;
}
