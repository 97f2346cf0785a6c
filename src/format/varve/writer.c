#include "format/varve/writer.h"

#include "base/bits.h"
#include "base/thread.h"
#include "codec/zstd_block.h"
#include "format/identity.h"
#include "format/varve/write_file.h"
#include "trace/store/lookup.h"

#include <string.h>

typedef struct ArrayEntry {
    char     name[ARRAY_NAME_BYTES];
    uint32_t type, items_per_block;
    uint64_t count, first_block;
} ArrayEntry;

typedef struct Write {
    WriteFile file;
    VEC(ArrayEntry) arrays;
    VEC(VarveBlock) blocks;
} Write;

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the file");
}

/* Appends a block and its entry of the directory. */
static bool append_block(Write *write, const WriteBlock *block, Err *err)
{
    VarveBlock entry;
    if (!write_block(&write->file, block, &entry, err)) return false;
    vec_push(&write->blocks, entry);
    return true;
}

static ArrayEntry *add_array(Write *write, const char *name, ArrayType type, uint64_t count)
{
    ArrayEntry *entry = vec_add(&write->arrays);
    if (entry == NULL) return NULL;
    const size_t size = strlen(name);
    memcpy(entry->name, name, size < ARRAY_NAME_BYTES ? size : ARRAY_NAME_BYTES - 1);
    entry->type = type;
    entry->items_per_block = VARVE_BLOCK_ITEMS;
    entry->count = count;
    entry->first_block = vec_count(&write->blocks);
    return entry;
}

/* Appends the blocks of an array. A PutArray. */
static bool put_array(void *context, const TraceArray *array, Err *err)
{
    Write       *write = context;
    const size_t bytes = array_item_bytes(array->type), block_bytes = bytes * VARVE_BLOCK_ITEMS;
    const size_t size = (size_t)array->count * bytes;
    WriteBlock   blocks[WRITE_BATCH] = { { .failed = false } };
    if (add_array(write, array->name, array->type, array->count) == NULL) return no_memory(err);
    bool done = write_align(&write->file, VARVE_ALIGNMENT, err);
    for (size_t at = 0; done && at < size;) {
        size_t count = 0;
        for (; count < WRITE_BATCH && at < size; count++) {
            WriteBlock *block = &blocks[count];
            block->array = array;
            block->packing = write->file.options->packing;
            block->items = (const uint8_t *)array->items + at;
            block->size = size - at < block_bytes ? size - at : block_bytes;
            at += block->size;
        }
        write_encode(blocks, count,
                     write->file.options->packing == VARVE_MAPPED ? 1 : write->file.options->threads);
        for (size_t i = 0; done && i < count; i++)
            done = append_block(write, &blocks[i], err);
    }
    write_blocks_release(blocks, WRITE_BATCH);
    return done;
}

/* ---- the input ---- */

/* Reads up to WRITE_BATCH blocks of the input from `offset` on into `buffer`. Returns their bytes. */
static size_t read_input(const InputStore *store, uint64_t offset, uint8_t *buffer)
{
    size_t size = 0;
    while (size < (size_t)WRITE_BATCH * VARVE_INPUT_BLOCK) {
        const size_t more = store->read(store->context, offset + size, buffer + size,
                                        (size_t)WRITE_BATCH * VARVE_INPUT_BLOCK - size);
        if (more == 0) break;
        size += more;
    }
    return size;
}

static bool append_input_header(Write *write, const WriteBlock *block, uint64_t offset, Err *err)
{
    uint8_t header[VARVE_INPUT_HEADER_BYTES];
    bits_store_u32(header, VARVE_INPUT_MAGIC);
    bits_store_u32(header + 4, block->encoding);
    bits_store_u64(header + 8, offset);
    bits_store_u32(header + 16, (uint32_t)block->size);
    bits_store_u32(header + 20, (uint32_t)(block->encoding == VARVE_RAW ? block->size : block->packed.size));
    bits_store_u64(header + 24, block->checksum);
    return write_align(&write->file, 8, err) && write_bytes(&write->file, header, sizeof header, err);
}

/* Appends all bytes of the input; *size = their number. */
static bool write_input(Write *write, uint64_t *size, Err *err)
{
    const InputStore *store = &write->file.loaded->store;
    const TraceArray  bytes = { .name = "input", .type = ARRAY_U8 };
    uint8_t          *buffer = memory_map((size_t)WRITE_BATCH * VARVE_INPUT_BLOCK);
    WriteBlock        blocks[WRITE_BATCH] = { { .failed = false } };
    ArrayEntry       *entry = add_array(write, "input", ARRAY_U8, 0);
    bool              done = (buffer != NULL && entry != NULL) || no_memory(err);
    size_t            got = 1;
    for (*size = 0; done && got > 0; *size += got) {
        got = read_input(store, *size, buffer);
        const size_t count = (got + VARVE_INPUT_BLOCK - 1) / VARVE_INPUT_BLOCK;
        for (size_t i = 0; i < count; i++) {
            const size_t at = i * VARVE_INPUT_BLOCK;
            blocks[i].array = &bytes;
            blocks[i].packing = VARVE_PACKED;
            blocks[i].items = buffer + at;
            blocks[i].size = got - at < VARVE_INPUT_BLOCK ? got - at : VARVE_INPUT_BLOCK;
        }
        write_encode(blocks, count, write->file.options->threads);
        for (size_t i = 0; done && i < count; i++)
            done = append_input_header(write, &blocks[i], *size + i * VARVE_INPUT_BLOCK, err) &&
                   append_block(write, &blocks[i], err);
    }
    if (done) {
        entry = vec_last(&write->arrays);
        entry->count = *size;
        entry->items_per_block = VARVE_INPUT_BLOCK;
    }
    write_blocks_release(blocks, WRITE_BATCH);
    memory_unmap(buffer, (size_t)WRITE_BATCH * VARVE_INPUT_BLOCK);
    return done;
}

/* ---- facts ---- */

bool trace_file_holds(const Trace *trace)
{
    return trace->source.kept == NULL && trace->perspectives.count == 0;
}

static void append_text(Bytes *texts, const char *text)
{
    bytes_append(texts, text, strlen(text) + 1);
}

/* Returns the warning about the end of an input that could not be read to its end, or NULL. */
static const Warning *cut_of(const Trace *trace)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        if (strcmp(trace->records.warnings[i].kind, "input-cut-short") == 0)
            return &trace->records.warnings[i];
    return NULL;
}

static bool put_facts(Write *write, VarveDetails details, uint64_t input_size, Err *err)
{
    const Loaded *loaded = write->file.loaded;
    const char   *path = loaded->context.path;
    char          identity[IDENTITY_TEXT + 1] = "";
    uint64_t      facts[FACT_COUNT] = {
        [FACT_DETAILS] = details,           [FACT_IS_READ] = !trace_file_holds(loaded->trace),
        [FACT_BYTES] = loaded->bytes,       [FACT_CODEC] = loaded->codec,
        [FACT_IS_PLAIN] = loaded->is_plain, [FACT_INPUT_SIZE] = input_size
    };
    const Warning *cut = cut_of(loaded->trace);
    Bytes          texts = { 0 };
    VEC(uint64_t) sizes = VEC_EMPTY;
    if (details != VARVE_DETAILS_NONE && load_identity(loaded, identity))
        facts[FACT_IDENTITY] = identity_number(identity);
    if (cut != NULL) facts[FACT_CUT] = cut->first.offset + 1;
    append_text(&texts, file_name_of(loaded->name));
    append_text(&texts, details == VARVE_DETAILS_SOURCE && path != NULL ? path : "");
    append_text(&texts, loaded->reader->name);
    append_text(&texts, cut == NULL ? "" : cut->first.message);
    for (size_t i = 0; i < loaded->part_count; i++) {
        append_text(&texts, loaded->parts[i].name);
        vec_push(&sizes, loaded->parts[i].size);
    }
    const TraceArray fact_array = { "file.facts", ARRAY_U64, ARRAY_UNORDERED, facts, FACT_COUNT };
    const TraceArray text_array = { "file.texts", ARRAY_U8, ARRAY_UNORDERED, texts.data, texts.size };
    const TraceArray size_array = { "file.part_sizes", ARRAY_U64, ARRAY_UNORDERED, sizes.items,
                                    vec_count(&sizes) };
    const bool       done = !texts.failed && !sizes.bytes.failed ? true : no_memory(err);
    const bool is_put = done && put_array(write, &fact_array, err) && put_array(write, &text_array, err) &&
                        (vec_count(&sizes) == 0 || put_array(write, &size_array, err));
    bytes_release(&texts);
    vec_release(&sizes);
    return is_put;
}

/* ---- the file ---- */

static bool write_header(Write *write, Err *err)
{
    uint8_t header[VARVE_HEADER_BYTES] = { 0 };
    memcpy(header, VARVE_MAGIC, sizeof VARVE_MAGIC);
    bits_store_u32(header + 8, VARVE_FILE_VERSION);
    return write_bytes(&write->file, header, sizeof header, err);
}

static void append_array_entry(Bytes *out, const ArrayEntry *entry)
{
    uint8_t bytes[VARVE_ARRAY_BYTES] = { 0 };
    memcpy(bytes, entry->name, ARRAY_NAME_BYTES);
    bits_store_u32(bytes + 40, entry->type);
    bits_store_u32(bytes + 44, entry->items_per_block);
    bits_store_u64(bytes + 48, entry->count);
    bits_store_u64(bytes + 56, entry->first_block);
    bytes_append(out, bytes, sizeof bytes);
}

static void append_block_entry(Bytes *out, const VarveBlock *entry)
{
    uint8_t bytes[VARVE_BLOCK_BYTES] = { 0 };
    bits_store_u64(bytes, entry->offset);
    bits_store_u32(bytes + 8, entry->stored);
    bits_store_u32(bytes + 12, entry->plain);
    bits_store_u32(bytes + 16, entry->encoding);
    bits_store_u64(bytes + 24, entry->checksum);
    bytes_append(out, bytes, sizeof bytes);
}

/* Appends the directory; `footer` gets the bytes of the footer. */
static bool write_directory(Write *write, uint8_t *footer, Err *err)
{
    uint8_t header[VARVE_DIRECTORY_HEADER_BYTES] = { 0 };
    Bytes   out = { 0 };
    if (!write_align(&write->file, 8, err)) return false;
    bits_store_u32(header, VARVE_DIRECTORY_MAGIC);
    bits_store_u32(header + 4, (uint32_t)vec_count(&write->arrays));
    bits_store_u64(header + 8, vec_count(&write->blocks));
    bytes_append(&out, header, sizeof header);
    for (size_t i = 0; i < vec_count(&write->arrays); i++)
        append_array_entry(&out, &write->arrays.items[i]);
    for (size_t i = 0; i < vec_count(&write->blocks); i++)
        append_block_entry(&out, &write->blocks.items[i]);
    bits_store_u64(footer, write->file.at);
    bits_store_u64(footer + 8, out.size);
    bits_store_u64(footer + 16, out.failed ? 0 : trace_file_checksum(out.data, out.size));
    memcpy(footer + 24, VARVE_END_MAGIC, sizeof VARVE_END_MAGIC);
    const bool done = !out.failed && !write->arrays.bytes.failed && !write->blocks.bytes.failed
                          ? write_bytes(&write->file, out.data, out.size, err)
                          : no_memory(err);
    bytes_release(&out);
    return done;
}

/* Returns where the arguments will be, and reports them if they are left out. */
static VarveDetails details_of(const Write *write, WriterReport *report)
{
    const Loaded *loaded = write->file.loaded;
    const bool    is_kept = loaded->store.read != NULL && loaded->store_fault.code == ERR_NONE;
    if (is_kept && write->file.options->details == VARVE_DETAILS_SOURCE && loaded->is_plain &&
        loaded->context.path != NULL)
        return VARVE_DETAILS_SOURCE;
    if (is_kept && write->file.options->details != VARVE_DETAILS_NONE) return VARVE_DETAILS_STORED;
    writer_report(report, trace_slice_count(loaded->trace),
                  "arguments of slices are left out, because the input was not kept");
    return VARVE_DETAILS_NONE;
}

static bool refuse_parts_of_traces(const Loaded *loaded, Err *err)
{
    if (!arrays_host_is_supported())
        return err_set(err, ERR_USAGE, "varve: not written on a big-endian machine");
    if (loaded->trace->live != NULL)
        return err_set(err, ERR_USAGE,
                       "varve: the trace is still growing: save it when its recording has ended");
    if (loaded->trace->window.is_set || loaded->trace->window.tracks != NULL)
        return err_set(
            err, ERR_USAGE,
            "varve: the file holds a whole trace: write the part as json first, then convert that");
    return true;
}

/* Appends the parts of a file behind the input. */
static bool write_trace(Write *write, VarveDetails details, uint64_t input_size, Err *err)
{
    const Loaded *loaded = write->file.loaded;
    const bool    has_tiles = write->file.options->tiles != NULL;
    WriteTiles    tiles = { .base_level = 0 };
    uint8_t       footer[VARVE_FOOTER_BYTES];
    const bool    done =
        put_facts(write, details, input_size, err) &&
        (!trace_file_holds(loaded->trace) || arrays_put(loaded->trace, put_array, write, err)) &&
        (!has_tiles || write_tiles(&write->file, &tiles, err)) && write_directory(write, footer, err) &&
        (!has_tiles || write_tiles_head(&write->file, &tiles, err)) &&
        write_bytes(&write->file, footer, sizeof footer, err) &&
        writer_flush(write->file.sink, &write->file.buffer, 1, err);
    bytes_release(&tiles.roots);
    return done;
}

bool trace_file_write(const Loaded *loaded, const VarveFileOptions *options, const OutputSink *sink,
                      WriterReport *report, Err *err)
{
    Write    write = { .file = { .options = options, .sink = sink, .loaded = loaded } };
    uint64_t input_size = 0;
    if (!refuse_parts_of_traces(loaded, err)) return false;
    const VarveDetails details = details_of(&write, report);
    const bool         is_read = !trace_file_holds(loaded->trace);
    bool               done = write_header(&write, err);
    if (is_read && details == VARVE_DETAILS_NONE)
        done = err_set(err, ERR_USAGE, "varve: a trace of this format needs its input, which was not kept");
    if (is_read && options->tiles != NULL)
        done = err_set(err, ERR_USAGE,
                       "varve: the file of a trace of this format has only its input, without tiles");
    done = done && (details != VARVE_DETAILS_STORED || write_input(&write, &input_size, err)) &&
           write_trace(&write, details, input_size, err);
    bytes_release(&write.file.buffer);
    vec_release(&write.arrays);
    vec_release(&write.blocks);
    return done;
}

static bool write_packed(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    const VarveFileOptions options = { .packing = VARVE_PACKED, .details = VARVE_DETAILS_STORED };
    return trace_file_write(loaded, &options, sink, report, err);
}

const FormatWriter VARVE_WRITER = {
    .name = "varve",
    .suffix = "varve",
    .what = "the trace with its input, compressed; opens at once",
    .write = write_packed,
};
