/* The commands trim and repack. */
#include "base/file.h"
#include "codec/encoder.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/stream.h"
#include "format/apitrace/tools.h"
#include "format/blocks.h"

#include <assert.h>
#include <string.h>

/* -- a compressed output file -- */

typedef struct Out {
    Encoder   *encoder; /* owned */
    FileWriter writer;
    Bytes      plain, packed;
    bool       failed;
    Err        err;
} Out;

static bool out_open(Out *out, const char *path, CodecKind kind, int level, Err *err)
{
    *out = (Out){ .encoder = encoder_open(kind, level, err) };
    return out->encoder != NULL && file_writer_open(&out->writer, path, err);
}

static bool out_put(Out *out, const void *bytes, size_t size)
{
    if (out->failed) return false;
    bool done = encoder_run(out->encoder, (const uint8_t *)bytes, size, &out->packed, &out->err) &&
                (out->packed.size == 0 ||
                 file_writer_append(&out->writer, out->packed.data, out->packed.size, &out->err));
    bytes_clear(&out->packed);
    out->failed = !done;
    return done;
}

static bool out_commit(Out *out, Err *err)
{
    bool done = !out->failed && encoder_finish(out->encoder, &out->packed, &out->err) &&
                (out->packed.size == 0 ||
                 file_writer_append(&out->writer, out->packed.data, out->packed.size, &out->err)) &&
                file_writer_commit(&out->writer, &out->err);
    if (!done) *err = out->err;
    return done;
}

static void out_close(Out *out)
{
    encoder_close(out->encoder);
    file_writer_abort(&out->writer);
    bytes_release(&out->plain);
    bytes_release(&out->packed);
}

/* -- repack -- */

static bool copy_stream(Input *input, Arena *arena, unsigned threads, Out *out, ToolResult *result, Err *err)
{
    bool found, is_first = true;
    if (!input_begin_part(input, NULL, &found, err)) return false;
    Blocks *blocks = blocks_create(arena, input, threads, NULL, NULL);
    bool    done = blocks != NULL || err_set(err, ERR_MEMORY, "out of memory");
    while (done && !blocks_current(blocks)->is_last) {
        done = blocks_next(blocks, blocks_current(blocks)->size, 0, err);
        const Block *block = blocks_current(blocks);
        if (done && is_first && api_probe(block->bytes, block->size) == 0)
            done = err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "it is not an apitrace capture");
        is_first = false;
        if (done && block->size > 0 && !out_put(out, block->bytes, block->size)) {
            *err = out->err;
            done = false;
        }
    }
    *result = (ToolResult){ .complete = true };
    if (blocks != NULL && blocks_current(blocks)->failed)
        *result = (ToolResult){ .why = blocks_current(blocks)->err };
    blocks_release(blocks);
    return done;
}

bool apitrace_repack(const char *path, CodecKind kind, int level, const char *out_path, unsigned threads,
                     ToolResult *result, Err *err)
{
    Arena  arena = arena_create(0);
    Out    out = { .encoder = NULL };
    Input *input = input_open_file(&arena, path, NULL, err);
    bool   done = input != NULL && out_open(&out, out_path, kind, level, err) &&
                copy_stream(input, &arena, threads, &out, result, err) && out_commit(&out, err);
    out_close(&out);
    input_close(input);
    arena_release(&arena);
    return done;
}

/* -- trim: a definition is written before its first use in the output -- */

typedef struct Trim {
    const TrimChoice *choice;
    const CallStream *stream;
    Grammar           grammar;
    Out               out;
    uint8_t          *written[SPACE_COUNT]; /* bits by id, in the arena */
    uint64_t          frame;                /* frame of the next call */
    uint64_t          call_count;           /* calls written */
} Trim;

static void put_byte(Trim *t, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    bytes_append(&t->out.plain, &b, 1);
}

static void put_string(Trim *t, StringView text)
{
    bytes_append_uleb(&t->out.plain, text.size);
    bytes_append(&t->out.plain, text.bytes, text.size);
}

static void put_typed(Trim *t, int64_t value)
{
    put_byte(t, value < 0 ? VALUE_SINT : VALUE_UINT);
    bytes_append_uleb(&t->out.plain, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void put_names(Trim *t, StringView name, const StringView *names, uint32_t count)
{
    put_string(t, name);
    bytes_append_uleb(&t->out.plain, count);
    for (uint32_t i = 0; i < count; i++)
        put_string(t, names[i]);
}

static void put_frame(Trim *t, const FrameSig *frame)
{
    enum { ITEM_END, ITEM_MODULE, ITEM_FUNCTION, ITEM_FILE, ITEM_LINE, ITEM_OFFSET };
    if (frame->module.bytes != NULL) put_byte(t, ITEM_MODULE), put_string(t, frame->module);
    if (frame->function.bytes != NULL) put_byte(t, ITEM_FUNCTION), put_string(t, frame->function);
    if (frame->file.bytes != NULL) put_byte(t, ITEM_FILE), put_string(t, frame->file);
    if (frame->has_line) put_byte(t, ITEM_LINE), bytes_append_uleb(&t->out.plain, frame->line);
    if (frame->has_offset) put_byte(t, ITEM_OFFSET), bytes_append_uleb(&t->out.plain, frame->offset);
    put_byte(t, ITEM_END);
}

static void put_definition(Trim *t, SigSpace space, const void *sig)
{
    switch (space) {
    case SPACE_FUNCTION: {
        const FunctionSig *function = (const FunctionSig *)sig;
        put_names(t, function->name, function->args, function->arg_count);
        return;
    }
    case SPACE_STRUCT: {
        const StructSig *s = (const StructSig *)sig;
        put_names(t, s->name, s->members, s->member_count);
        return;
    }
    case SPACE_ENUM: {
        const EnumSig *e = (const EnumSig *)sig;
        bytes_append_uleb(&t->out.plain, e->count);
        for (uint32_t i = 0; i < e->count; i++)
            put_string(t, e->entries[i].name), put_typed(t, e->entries[i].value);
        return;
    }
    case SPACE_BITMASK: {
        const BitmaskSig *b = (const BitmaskSig *)sig;
        bytes_append_uleb(&t->out.plain, b->count);
        for (uint32_t i = 0; i < b->count; i++)
            put_string(t, b->entries[i].name), bytes_append_uleb(&t->out.plain, b->entries[i].value);
        return;
    }
    case SPACE_FRAME:
        put_frame(t, (const FrameSig *)sig);
        return;
    case SPACE_COUNT:
        return;
    }
}

static void put_signature(Trim *t, SigSpace space, uint32_t id, const void *sig)
{
    assert(space < SPACE_COUNT && id < SIG_MOST);
    uint8_t *bits = &t->written[space][id / 8], bit = (uint8_t)(1 << id % 8);
    bytes_append_uleb(&t->out.plain, id);
    if (*bits & bit) return;
    *bits |= bit;
    put_definition(t, space, sig);
}

static void copy_value(Trim *t, ByteCursor *c, unsigned depth);

static void copy_values(Trim *t, ByteCursor *c, uint64_t count, unsigned depth)
{
    for (uint64_t i = 0; i < count && depth < API_DEPTH_MOST && !api_failed(&t->grammar, c); i++)
        copy_value(t, c, depth + 1);
}

static void copy_value(Trim *t, ByteCursor *c, unsigned depth)
{
    assert(depth <= API_DEPTH_MOST);
    Grammar *g = &t->grammar;
    size_t   from = c->at;
    uint8_t  tag = cursor_u8(c);
    if (tag == VALUE_ENUM) {
        const EnumSig *sig = (const EnumSig *)api_signature(g, c, SPACE_ENUM);
        if (sig == NULL) return;
        put_byte(t, tag);
        put_signature(t, SPACE_ENUM, sig->id, sig);
        put_typed(t, api_enum_value(g, c, sig));
    } else if (tag == VALUE_BITMASK) {
        const BitmaskSig *sig = (const BitmaskSig *)api_signature(g, c, SPACE_BITMASK);
        if (sig == NULL) return;
        put_byte(t, tag);
        put_signature(t, SPACE_BITMASK, sig->id, sig);
        bytes_append_uleb(&t->out.plain, api_uint(g, c));
    } else if (tag == VALUE_STRUCT) {
        const StructSig *sig = (const StructSig *)api_signature(g, c, SPACE_STRUCT);
        if (sig == NULL) return;
        put_byte(t, tag);
        put_signature(t, SPACE_STRUCT, sig->id, sig);
        copy_values(t, c, sig->member_count, depth);
    } else if (tag == VALUE_ARRAY || tag == VALUE_REPR) {
        uint64_t count = tag == VALUE_ARRAY ? api_uint(g, c) : 2;
        put_byte(t, tag);
        if (tag == VALUE_ARRAY) bytes_append_uleb(&t->out.plain, count);
        copy_values(t, c, count, depth);
    } else {
        c->at = from;
        api_skip_value(g, c, depth);
        bytes_append(&t->out.plain, c->bytes + from, c->at - from);
    }
}

static void copy_backtrace(Trim *t, ByteCursor *c)
{
    uint64_t count = api_uint(&t->grammar, c);
    put_byte(t, DETAIL_BACKTRACE);
    bytes_append_uleb(&t->out.plain, count);
    for (uint64_t i = 0; i < count && !api_failed(&t->grammar, c); i++) {
        const FrameSig *frame = (const FrameSig *)api_signature(&t->grammar, c, SPACE_FRAME);
        if (frame != NULL) put_signature(t, SPACE_FRAME, frame->id, frame);
    }
}

static void copy_details(Trim *t, StreamBytes bytes)
{
    ByteCursor c = cursor_over(bytes.bytes, bytes.size, bytes.offset);
    for (uint8_t tag; (tag = cursor_u8(&c)) != DETAIL_END && !api_failed(&t->grammar, &c);) {
        if (tag == DETAIL_BACKTRACE) {
            copy_backtrace(t, &c);
        } else if (tag == DETAIL_THREAD) {
            (void)api_uint(&t->grammar, &c);
        } else {
            put_byte(t, tag);
            if (tag != DETAIL_RETURN) bytes_append_uleb(&t->out.plain, api_uint(&t->grammar, &c));
            if (tag != DETAIL_FLAGS) copy_value(t, &c, 0);
        }
    }
    put_byte(t, DETAIL_END);
}

static bool trim_header(void *context, const CallStream *stream, Err *err)
{
    Trim *t = (Trim *)context;
    t->stream = stream;
    t->grammar = call_stream_grammar(stream);
    bytes_append_uleb(&t->out.plain, API_VERSION_MOST);
    bytes_append_uleb(&t->out.plain, stream->header.semantic_version);
    if (stream->header.version == API_VERSION_MOST) {
        bytes_append(&t->out.plain, stream->properties.data, stream->properties.size);
    } else {
        put_byte(t, 0);
    }
    return !t->out.plain.failed || err_set(err, ERR_MEMORY, "out of memory");
}

static bool trim_wants(void *context, const CallEvents *call)
{
    Trim             *t = (Trim *)context;
    const TrimChoice *choice = t->choice;
    uint64_t          frame = t->frame;
    if (call->function->flags & CALL_END_FRAME) t->frame++;
    if (choice->has_thread && call->thread != choice->thread) return false;
    if (choice->calls == NULL && choice->frames == NULL) return true;
    return (choice->calls != NULL && call_set_holds(choice->calls, call->number, call->function->flags)) ||
           (choice->frames != NULL && call_set_holds(choice->frames, frame, call->function->flags));
}

static size_t trim_begin(void *context, const CallBatch *batch)
{
    (void)context;
    return batch_count(batch) > 0;
}

static void trim_job(void *context, const CallBatch *batch, size_t i)
{
    enum { FLUSH_BYTES = 1 << 20 };
    Trim *t = (Trim *)context;
    (void)i;
    for (size_t at = 0; at < batch_count(batch); at++) {
        const CallEvents *call = batch_call(batch, at);
        put_byte(t, EVENT_ENTER);
        bytes_append_uleb(&t->out.plain, call->thread);
        put_signature(t, SPACE_FUNCTION, call->function->id, call->function);
        copy_details(t, call->enter);
        if (!call->incomplete) {
            put_byte(t, EVENT_LEAVE);
            bytes_append_uleb(&t->out.plain, t->call_count);
            copy_details(t, call->leave);
        }
        t->call_count++;
        if (t->out.plain.size < FLUSH_BYTES) continue;
        (void)out_put(&t->out, t->out.plain.data, t->out.plain.size);
        bytes_clear(&t->out.plain);
    }
}

static bool trim_end(void *context, const CallBatch *batch)
{
    Trim *t = (Trim *)context;
    (void)batch;
    if (t->out.plain.failed) t->out.failed = !err_set(&t->out.err, ERR_MEMORY, "out of memory");
    return !t->out.failed;
}

/* False: no call was chosen. */
static bool check_chosen(const Trim *t, Err *err)
{
    const TrimChoice *choice = t->choice;
    const bool        is_all = choice->calls == NULL && choice->frames == NULL && !choice->has_thread;
    if (is_all || t->call_count > 0) return true;
    return err_set(err, ERR_USAGE, "%s: the capture does not have these calls",
                   choice->frames != NULL  ? "frames"
                   : choice->calls != NULL ? "calls"
                                           : "thread");
}

bool apitrace_trim(const char *path, const TrimChoice *choice, const char *out_path, unsigned threads,
                   ToolResult *result, Err *err)
{
    Arena        arena = arena_create(0);
    Trim         trim = { .choice = choice };
    CallStream   stream = { .call_count = 0 };
    CallConsumer consumer = { trim_header, trim_wants, trim_begin, trim_job, trim_end, &trim };
    bool         found, done = true;
    for (size_t i = 0; i < SPACE_COUNT; i++) {
        trim.written[i] = ARENA_ARRAY(&arena, uint8_t, SIG_MOST / 8);
        done = done && (trim.written[i] != NULL || err_set(err, ERR_MEMORY, "out of memory"));
    }
    Input *input = done ? input_open_file(&arena, path, NULL, err) : NULL;
    done = input != NULL && input_begin_part(input, NULL, &found, err) &&
           out_open(&trim.out, out_path, CODEC_SNAPPY, 0, err) &&
           call_stream_run(&stream, &arena, input, threads, &consumer, err);
    if (done) done = check_chosen(&trim, err);
    if (done) {
        (void)out_put(&trim.out, trim.out.plain.data, trim.out.plain.size);
        done = out_commit(&trim.out, err);
    }
    *result = (ToolResult){ stream.complete, stream.why, trim.call_count };
    out_close(&trim.out);
    call_stream_release(&stream);
    input_close(input);
    arena_release(&arena);
    return done;
}
