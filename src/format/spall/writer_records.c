#include "format/spall/writer_records.h"

#include "base/utf8.h"
#include "format/spall/writer_text.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <string.h>

enum { RECORD_MOST_BYTES = LAYOUT_MAX_RECORD + 2 * LAYOUT_MAX_TEXT };

WriterLabel *spall_labels(const Trace *trace, Arena *arena)
{
    WriterLabel *labels = writer_labels(trace, arena);
    Bytes        scratch = { 0 };
    bool         done = labels != NULL;
    for (uint32_t i = 0; done && i <= trace->label_count; i++) {
        WriterLabel *label = &labels[i];
        label->name = spall_text(label->name, &scratch, &label->is_cut);
        if (label->name.bytes != (const char *)scratch.data) continue;
        label->name.bytes = arena_push_copy(arena, label->name.bytes, label->name.size);
        done = label->name.bytes != NULL && !scratch.failed;
    }
    done = done && !scratch.failed;
    bytes_release(&scratch);
    return done ? labels : NULL;
}

void spall_heads_make(SpallHeads *heads, const SpallLayout *layout, uint32_t pid, uint32_t tid)
{
    for (unsigned type = 0; type < LAYOUT_TYPES; type++) {
        const RecordShape *shape = &layout->shapes[layout->kinds[type]];
        uint8_t           *head = heads->bytes[layout->kinds[type]];
        head[0] = (uint8_t)type;
        if (shape->pid != 0) bits_store_u32(head + shape->pid, pid);
        if (shape->tid != 0) bits_store_u32(head + shape->tid, tid);
    }
}

/* Appends a record without time and texts. Returns it, with room for its texts behind it; NULL when out of memory. */
static uint8_t *put_head(const SpallHeads *heads, const SpallLayout *layout, RecordKind kind, Bytes *out)
{
    uint8_t *at = bytes_reserve(out, RECORD_MOST_BYTES);
    if (at == NULL) return NULL;
    memcpy(at, heads->bytes[kind],
           LAYOUT_MAX_RECORD); /* a size that the compiler knows; the texts overwrite the rest */
    bytes_grow(out, layout->shapes[kind].size);
    return at;
}

/* Sets the texts of the last record, which is at `at`; `args` is empty if its kind does not have arguments. */
static void put_texts(const RecordShape *shape, uint8_t *at, StringView name, StringView args, Bytes *out)
{
    assert(name.size <= LAYOUT_MAX_TEXT && args.size <= LAYOUT_MAX_TEXT);
    at[shape->name_length] = (uint8_t)name.size;
    if (shape->args_length != 0) at[shape->args_length] = (uint8_t)args.size;
    memcpy(at + shape->size, name.bytes, name.size);
    if (args.size > 0) memcpy(at + shape->size + name.size, args.bytes, args.size);
    bytes_grow(out, name.size + args.size);
}

void spall_put_name(const SpallHeads *heads, const SpallLayout *layout, RecordKind kind, StringView name,
                    Bytes *out)
{
    uint8_t *at = put_head(heads, layout, kind, out);
    if (at != NULL) put_texts(&layout->shapes[kind], at, name, STRING_LITERAL(""), out);
}

/* Appends the record of an item without texts; see put_head. */
static uint8_t *put_record(SpallEncoder *encoder, RecordKind kind, int64_t tick, Bytes *out)
{
    uint8_t *at = put_head(&encoder->heads, encoder->layout, kind, out);
    bool     is_inexact = false;
    if (at == NULL) return NULL;
    bits_store_u64(at + encoder->layout->shapes[kind].time,
                   spall_clock_time(&encoder->clock, encoder->layout, tick, &is_inexact));
    encoder->losses.inexact += is_inexact;
    return at;
}

/* Loads the arguments of a slice. Counts arguments that cannot be decoded. Returns false on other errors. */
static bool load_args(SpallEncoder *encoder, uint64_t slice, StringView *args, Err *err)
{
    SpallRecordLosses *losses = &encoder->losses;
    *args = STRING_LITERAL("");
    if (!(trace_slice_flags(encoder->trace, slice) & (SLICE_SOURCE | SLICE_END_SOURCE))) return true;
    if (!detail_reader_slice(encoder->reader, slice, &encoder->details, err)) {
        losses->unreadable++;
        return err->code != ERR_IO && err->code != ERR_MEMORY;
    }
    *args = spall_args(&encoder->details.args, &encoder->args);
    losses->cut_args += args->size > LAYOUT_MAX_TEXT;
    args->size = utf8_cut(args->bytes, args->size, LAYOUT_MAX_TEXT);
    losses->fields += !encoder->is_own && encoder->details.other.size > 2;
    return true;
}

static bool put_begin(SpallEncoder *encoder, const SpallItem *item, Bytes *out, Err *err)
{
    const Trace       *trace = encoder->trace;
    const WriterLabel *label = &encoder->labels[trace_slice_label(trace, item->slice)];
    const uint8_t      flags = trace_slice_flags(trace, item->slice);
    SpallRecordLosses *losses = &encoder->losses;
    StringView         args;
    if (!load_args(encoder, item->slice, &args, err)) return false;
    uint8_t *at = put_record(encoder, RECORD_BEGIN, item->tick, out);
    if (at != NULL) put_texts(&encoder->layout->shapes[RECORD_BEGIN], at, label->name, args, out);
    losses->cut_names += label->is_cut;
    losses->categories += label->has_category;
    losses->no_end += (flags & SLICE_NO_END) != 0;
    losses->repaired += (flags & SLICE_REPAIRED) != 0;
    return true;
}

/* Encodes the items of a part up to `end`. */
static bool encode_items(SpallEncoder *encoder, SpallPiece *piece, size_t first, size_t end, Err *err)
{
    for (size_t i = first; i < end; i++) {
        const SpallItem *item = &piece->items[i];
        if (!item->is_begin)
            (void)put_record(encoder, RECORD_END, item->tick, &piece->out);
        else if (!put_begin(encoder, item, &piece->out, err))
            return false;
        piece->ends[i] = (uint32_t)piece->out.size;
    }
    return true;
}

bool spall_encode(SpallEncoder *encoder, SpallPiece *piece, Err *err)
{
    const StringView names = bytes_view(&piece->names);
    size_t           names_at = 0;
    for (size_t p = 0; p < vec_count(&piece->parts); p++) {
        SpallPart   *part = &piece->parts.items[p];
        const size_t end = p + 1 < vec_count(&piece->parts) ? part[1].first_item : piece->count;
        spall_heads_make(&encoder->heads, encoder->layout, part->pid, part->tid);
        bytes_append(&piece->out, names.bytes + names_at, part->names_end - names_at);
        names_at = part->names_end;
        part->records_at = piece->out.size;
        if (!encode_items(encoder, piece, part->first_item, end, err)) return false;
        part->out_end = piece->out.size;
    }
    return (!piece->out.failed && !piece->names.failed && !piece->parts.bytes.failed &&
            !encoder->args.failed) ||
           err_set(err, ERR_MEMORY, "out of memory for the output");
}

void spall_piece_clear(SpallPiece *piece)
{
    piece->count = 0;
    vec_clear(&piece->parts);
    bytes_clear(&piece->names);
    bytes_clear(&piece->out);
}

void spall_encoder_release(SpallEncoder *encoder)
{
    detail_reader_release(encoder->reader);
    bytes_release(&encoder->details.args);
    bytes_release(&encoder->details.other);
    bytes_release(&encoder->args);
    arena_release(&encoder->arena);
}

void spall_piece_release(SpallPiece *piece)
{
    vec_release(&piece->parts);
    bytes_release(&piece->names);
    bytes_release(&piece->out);
}
