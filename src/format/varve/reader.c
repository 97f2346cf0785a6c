#include "format/varve/varve.h"

#include "format/container.h"
#include "format/varve/store.h"

#include <string.h>

static int probe(const uint8_t *head, size_t size)
{
    return size >= sizeof VARVE_MAGIC && memcmp(head, VARVE_MAGIC, sizeof VARVE_MAGIC) == 0 ? 100 : 0;
}

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for a .varve file");
}

/* Sets the names and sizes of the parts of an archive. */
static bool set_parts(VarveFile *file, Container *out, Err *err)
{
    const VarveArray *sizes = trace_file_array(file, "file.part_sizes");
    if (sizes == NULL || sizes->count == 0) return true;
    const VarveBlock *block = &file->blocks[sizes->first_block];
    const uint64_t    input = file->facts[FACT_INPUT_SIZE];
    Bytes             scratch = { 0 };
    uint64_t         *items = NULL, sum = 0;
    if (sizes->type == ARRAY_U64 && sizes->count <= sizes->items_per_block)
        items = ARENA_ARRAY(file->arena, uint64_t, (size_t)sizes->count);
    out->parts = items == NULL ? NULL : ARENA_ARRAY(file->arena, InputPart, (size_t)sizes->count);
    if (out->parts == NULL ||
        trace_file_checksum(file->bytes + block->offset, block->stored) != block->checksum ||
        !trace_file_decode(ARRAY_U64, block, file->bytes + block->offset, items, &scratch)) {
        bytes_release(&scratch);
        return err_set_at(err, ERR_CORRUPT, sizes->place, ERR_NOWHERE, "file.part_sizes: damaged");
    }
    bytes_release(&scratch);
    for (size_t i = 0; i < sizes->count; i++) {
        if (items[i] > input - sum)
            return err_set_at(err, ERR_CORRUPT, sizes->place, ERR_NOWHERE,
                              "file.part_sizes: more bytes than the input");
        sum += items[i];
        out->parts[i] = (InputPart){ trace_file_text(file, TEXT_FIRST_PART + i), items[i] };
    }
    out->part_count = (size_t)sizes->count;
    return true;
}

/* Copies the texts to the arena: the mapping may be released before it. */
static bool keep_texts(VarveFile *file, Err *err)
{
    file->texts = arena_push_copy(file->arena, file->texts == NULL ? "" : file->texts, file->texts_size);
    return file->texts != NULL || no_memory(err);
}

/* Decides whether the trace of the file is used, and makes it. A damaged trace is made again of the input. */
static bool make_trace(VarveFile *file, ContainerWant want, Container *out, Err *err)
{
    if (file->facts[FACT_IS_READ] != 0)
        return out->reader != NULL || out->fault.code != ERR_NONE ||
               err_set_at(err, ERR_UNKNOWN, file->fault.offset, ERR_NOWHERE,
                          "file.texts: a reader of an unknown format");
    if (out->reader == NULL)
        return err_set_at(err, ERR_UNKNOWN, file->fault.offset, ERR_NOWHERE,
                          "file.texts: a reader of an unknown format");
    out->trace = trace_file_trace(file, err);
    if (out->trace != NULL) {
        out->trace->source.format_name = out->reader->name;
        return true;
    }
    if (err->code != ERR_CORRUPT || out->store_fault.code != ERR_NONE || want == CONTAINER_TRACE_ALONE)
        return false;
    out->fault = *err;
    return true;
}

/* Makes the requested parts. */
static bool make_parts(VarveFile *file, ContainerWant want, Container *out, Err *err)
{
    const bool is_alone = want == CONTAINER_TRACE_ALONE;
    if (is_alone && file->facts[FACT_IS_READ] != 0)
        return err_set(err, ERR_CORRUPT, "the file holds only the input of the trace");
    if (is_alone && out->store_fault.code != ERR_NONE)
        return err_set(err, ERR_CORRUPT, "%s", out->store_fault.message);
    return set_parts(file, out, err) && (want == CONTAINER_INPUT || make_trace(file, want, out, err));
}

static bool unpack(Arena *arena, TraceMapping bytes, const UnpackRequest *request, Container *out, Err *err)
{
    VarveFile file;
    *out = (Container){ .fault = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE } };
    bool       done = trace_file_open(&file, bytes.bytes, bytes.size, arena, err);
    const bool is_recovered = request->want == CONTAINER_TRACE || request->want == CONTAINER_INPUT;
    if (!done && err->code == ERR_TRUNCATED && is_recovered) {
        out->fault = *err;
        done = trace_file_recover(&file, bytes.bytes, bytes.size, arena, err);
    }
    if (!done || !keep_texts(&file, err)) {
        mapping_release(&bytes);
        return false;
    }
    static const char *const DETAILS[] = { "none", "stored", "source" };
    out->from = (LoadedFrom){ .name = trace_file_text(&file, TEXT_NAME),
                              .bytes = file.facts[FACT_BYTES],
                              .codec = (CodecKind)file.facts[FACT_CODEC],
                              .details = DETAILS[file.facts[FACT_DETAILS]] };
    if (request->want == CONTAINER_FACTS) {
        mapping_release(&bytes);
        return true;
    }
    out->store = trace_file_store(&file, bytes, request, &out->store_fault);
    if (out->store.read == NULL) return no_memory(err);
    out->is_plain = file.facts[FACT_IS_PLAIN] != 0;
    out->reader = format_find(trace_file_text(&file, TEXT_READER));
    if (file.facts[FACT_CUT] != 0) {
        out->cut_message = trace_file_text(&file, TEXT_CUT);
        out->cut_offset = file.facts[FACT_CUT] - 1;
    }
    if (out->reader != NULL && out->reader->unpack != NULL) out->reader = NULL;
    if (make_parts(&file, request->want, out, err)) return true;
    container_release(out);
    return false;
}

const FormatReader VARVE_READER = {
    .name = "varve",
    .spec = "docs/formats/varve.md, version 2",
    .about = "Files of Varve: a loaded trace with its index and its input.\n"
             "Usual name: *.varve.",
    .probe = probe,
    .unpack = unpack,
};
