#include "format/spall/native_names.h"

#include "base/json_writer.h"

#include <inttypes.h>

enum { PAGE_MASK = 0xFFF, HEX_BYTES = 24 };

/* -- the load address of the program -- */

/* Sets the bias by the address of spall_auto_init, which versions 1 and 2 record. For some hours of 2024-08-07
 * version 2 recorded the base address of the program instead. A base address is a multiple of the page size, which
 * the address of a function is not. */
static bool place_by_function(NativeKept *kept, uint64_t known, Err *err)
{
    static const char FUNCTION[] = "spall_auto_init";
    uint64_t          address = 0;
    bool              is_page = (known & PAGE_MASK) == 0;
    bool              found = symbols_find(kept->symbols, FUNCTION, &address);
    if (found && ((address - known) & PAGE_MASK) == 0) {
        kept->bias = address - known;
        return true;
    }
    if (is_page && strcmp(kept->layout->version, "2") == 0) {
        kept->bias = symbols_image_base(kept->symbols) - known;
        return true;
    }
    return err_set(err, ERR_CORRUPT, "%s: %s", symbols_path(kept->symbols),
                   found ? "it is not the program that was recorded: spall_auto_init lies elsewhere"
                         : "it has no symbol spall_auto_init, by which functions are found");
}

void native_names_open(NativeNames *names, TraceBuilder *builder, Arena *arena, NativeKept *kept,
                       const ReadContext *context, const NativeProgram *program)
{
    *names = (NativeNames){ .builder = builder, .kept = kept, .labels = { .arena = arena } };
    names->searched = context->symbols.policy == SYMBOLS_SEARCH;
    kept->symbols = symbols_search(&context->symbols, program->path, context->path, &names->missing);
    if (kept->symbols == NULL) return;
    if (kept->layout->has_base) {
        kept->bias = symbols_image_base(kept->symbols) - program->address;
    } else if (!place_by_function(kept, program->address, &names->missing)) {
        symbols_close(kept->symbols);
        kept->symbols = NULL;
    }
}

/* -- addresses -- */

/* Appends the name of a function. An address that is not the start of a function shows that the trace is of another
 * executable: its name gets the distance from the function's start, and it is counted. */
static void append_name(NativeNames *names, uint64_t address, Bytes *out)
{
    Symbols       *symbols = names->kept->symbols;
    uint64_t       in_file = address + names->kept->bias;
    SymbolFunction function;
    if (symbols != NULL && symbols_function(symbols, in_file, &function)) {
        symbols_append_name(symbols, function.name, out);
        if (function.offset != 0) bytes_printf(out, "+0x%" PRIx64, function.offset);
        names->exact += function.offset == 0;
        names->inside += function.offset != 0;
        return;
    }
    bool has_code = symbols != NULL && symbols_has_code(symbols, in_file);
    names->nameless += has_code;
    names->outside += !has_code;
    bytes_printf(out, "0x%" PRIx64, address);
}

static LabelId make_label(NativeNames *names, uint64_t address)
{
    Bytes   text = { 0 };
    LabelId label = LABEL_NONE;
    append_name(names, address, &text);
    if (text.failed) {
        names->out_of_memory = true;
    } else {
        label = builder_label(
            names->builder, builder_string(names->builder, (const char *)text.data, text.size), STRING_NONE);
    }
    bytes_release(&text);
    return label;
}

LabelId native_names_find(NativeNames *names, uint64_t address, EventPos pos)
{
    const uint32_t known = id_map_find(&names->labels, address);
    if (known != 0) return (LabelId){ known };
    LabelId label = make_label(names, address);
    if (label.index == 0) return label; /* out of memory: here, or in the builder */
    if (!id_map_put(&names->labels, address, label.index)) {
        names->out_of_memory = true;
        return LABEL_NONE;
    }
    if (names->count == 0) names->first = pos;
    names->count++;
    return label;
}

/* -- the end -- */

static void put_property(NativeNames *names)
{
    Bytes      json = { 0 };
    JsonWriter w = json_writer_to(&json, 0);
    json_object_begin(&w);
    json_put_string(&w, "path", symbols_path(names->kept->symbols));
    json_put_u64(&w, "functions", names->count);
    json_put_u64(&w, "named", names->exact + names->inside);
    json_object_end(&w);
    if (json.failed) {
        names->out_of_memory = true;
    } else {
        builder_property(names->builder, builder_string(names->builder, "executable", 10),
                         (const char *)json.data, json.size);
    }
    bytes_release(&json);
}

void native_names_report(NativeNames *names)
{
    const Symbols *symbols = names->kept->symbols;
    uint64_t       unnamed = names->nameless + names->outside;
    if (symbols != NULL) put_property(names);
    if (names->count == 0) return;
    if (symbols == NULL) {
        builder_warn(names->builder, "no-symbols", names->first, "functions are shown by address%s: %s",
                     names->searched ? " (--exe=PATH gives them names)" : "", names->missing.message);
    } else if (names->inside > 0) {
        builder_warn(names->builder, "executable-mismatch", names->first,
                     "%" PRIu64 " of %" PRIu32 " functions do not begin where the executable has one: it was "
                     "built anew or is another program, and names are wrong (%s)",
                     names->inside, names->count, symbols_path(symbols));
    } else if (names->exact == 0 && names->nameless == 0) {
        builder_warn(names->builder, "executable-mismatch", names->first,
                     "the executable contains 0 of %" PRIu32 " functions: it is another program (%s)",
                     names->count, symbols_path(symbols));
    } else if (unnamed > 0) {
        builder_warn(names->builder, "no-symbols", names->first,
                     "%" PRIu64 " of %" PRIu32
                     " functions are shown by address: the executable has no symbol "
                     "for them (%s)",
                     unnamed, names->count, symbols_path(symbols));
    }
}
