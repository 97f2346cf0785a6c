/* Compares two captures call by call.
 *
 * A first pass over each file hashes the text of every call. The hashes are aligned. A second pass prints the calls
 * that only one file has. */
#include "base/hash.h"
#include "base/vec.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/diff_lines.h"
#include "format/apitrace/stream.h"
#include "format/apitrace/text.h"
#include "format/apitrace/tools.h"

#include <inttypes.h>

typedef struct Side {
    const DiffOptions *options;
    const CallStream  *stream;
    TextStyle          style;
    VEC(uint64_t) hashes;   /* from the first pass */
    const uint8_t *changed; /* for the second pass: a byte for each call */
    Bytes          texts;   /* of the changed calls: for each its size (uint32_t) and its text */
    uint64_t       at;      /* calls read so far */
    bool           failed;
} Side;

static bool side_header(void *context, const CallStream *stream, Err *err)
{
    (void)err;
    ((Side *)context)->stream = stream;
    return true;
}

static bool side_wants(void *context, const CallEvents *call)
{
    const Side *side = (const Side *)context;
    if ((call->function->flags & CALL_VERBOSE) && !side->options->verbose) return false;
    return side->options->calls == NULL ||
           call_set_holds(side->options->calls, call->number, call->function->flags);
}

static size_t side_begin(void *context, const CallBatch *batch)
{
    (void)context;
    return batch_count(batch) > 0;
}

static void take_text(Side *side, const CallEvents *call, Bytes *text, size_t prefix)
{
    if (side->changed == NULL) {
        uint64_t hash = hash_bytes(text->data + prefix, text->size - prefix, 3);
        vec_push(&side->hashes, hash);
    } else if (side->changed[side->at]) {
        uint32_t size = (uint32_t)text->size;
        bytes_append(&side->texts, &size, sizeof size);
        bytes_append(&side->texts, text->data, text->size);
    }
    (void)call;
    side->at++;
}

static void side_job(void *context, const CallBatch *batch, size_t i)
{
    Side      *side = (Side *)context;
    Grammar    grammar = call_stream_grammar(side->stream);
    Bytes      text = { NULL, 0, 0, false };
    TextWriter writer = { .g = &grammar, .style = &side->style, .out = &text };
    (void)i;
    for (size_t at = 0; at < batch_count(batch) && !side->failed; at++) {
        const CallEvents *call = batch_call(batch, at);
        bytes_clear(&text);
        bytes_printf(&text, "%" PRIu64 " ", call->number);
        size_t prefix = text.size;
        if (!call_parts_of(&grammar, call, &writer.parts)) {
            side->failed = true;
            break;
        }
        text_append_signature(&writer, call, 0);
        if (text.failed) side->failed = true;
        if (!side->failed) take_text(side, call, &text, prefix);
    }
    text_writer_release(&writer);
    bytes_release(&text);
}

static bool side_end(void *context, const CallBatch *batch)
{
    const Side *side = (const Side *)context;
    (void)batch;
    return !side->failed && !side->hashes.bytes.failed && !side->texts.failed;
}

static bool read_side(const char *path, Side *side, ToolResult *result, Err *err)
{
    Arena        arena = arena_create(0);
    CallStream   stream = { .call_count = 0 };
    CallConsumer consumer = { side_header, side_wants, side_begin, side_job, side_end, side };
    bool         found;
    Input       *input = input_open_file(&arena, path, NULL, err);
    side->at = 0;
    bool done = input != NULL && input_begin_part(input, NULL, &found, err) &&
                call_stream_run(&stream, &arena, input, side->options->threads, &consumer, err);
    if (done && !side_end(side, NULL)) done = err_set(err, ERR_MEMORY, "out of memory");
    *result = (ToolResult){ stream.complete, stream.why, side->at };
    call_stream_release(&stream);
    input_close(input);
    arena_release(&arena);
    return done;
}

/* -- the differences, in the order of both files -- */

/* Reads a side's next text. */
static bool next_text(const Side *side, size_t *at, Bytes *out)
{
    uint32_t size;
    if (*at >= side->texts.size) return false;
    memcpy(&size, side->texts.data + *at, sizeof size);
    bytes_clear(out);
    bytes_append(out, side->texts.data + *at + sizeof size, size);
    *at += sizeof size + size;
    return !out->failed;
}

typedef struct Printer {
    const DiffSink *sink;
    Side           *sides;
    size_t          text_at[2];
    uint64_t        at[2];
    bool            more;
} Printer;

static void print_run(Printer *p, unsigned side, uint64_t end)
{
    Bytes text = { NULL, 0, 0, false };
    for (; p->at[side] < end && p->more; p->at[side]++) {
        if (!next_text(&p->sides[side], &p->text_at[side], &text)) break;
        p->more = p->sink->line(p->sink->context, side == 0 ? '-' : '+', &text);
    }
    bytes_release(&text);
}

static uint64_t run_end(const uint8_t *changed, uint64_t at, uint64_t count)
{
    while (at < count && changed[at])
        at++;
    return at;
}

static void print_all(Printer *p, const uint8_t *const changed[2], const uint64_t counts[2])
{
    while (p->more && (p->at[0] < counts[0] || p->at[1] < counts[1])) {
        uint64_t ends[2] = { run_end(changed[0], p->at[0], counts[0]),
                             run_end(changed[1], p->at[1], counts[1]) };
        if (ends[0] > p->at[0] || ends[1] > p->at[1]) {
            Bytes where = { NULL, 0, 0, false };
            bytes_printf(&where, "%" PRIu64 ",%" PRIu64 " %" PRIu64 ",%" PRIu64, p->at[0], ends[0] - p->at[0],
                         p->at[1], ends[1] - p->at[1]);
            p->more = !where.failed && p->sink->line(p->sink->context, '@', &where);
            bytes_release(&where);
            print_run(p, 0, ends[0]);
            print_run(p, 1, ends[1]);
        }
        p->at[0] = ends[0] < counts[0] ? ends[0] + 1 : counts[0]; /* both files have this call */
        p->at[1] = ends[1] < counts[1] ? ends[1] + 1 : counts[1];
    }
}

static bool compare(const char *const paths[2], Side sides[2], Arena *arena, const DiffSink *sink,
                    uint64_t *differing, ToolResult results[2], Err *err)
{
    uint64_t counts[2];
    uint8_t *changed[2];
    for (int i = 0; i < 2; i++) {
        if (!read_side(paths[i], &sides[i], &results[i], err)) return false;
        counts[i] = vec_count(&sides[i].hashes);
        changed[i] = ARENA_ARRAY(arena, uint8_t, (size_t)counts[i] + 1);
        if (changed[i] == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    }
    DiffLines lines = { .lines = { sides[0].hashes.items, sides[1].hashes.items },
                        .counts = { (size_t)counts[0], (size_t)counts[1] },
                        .changed = { changed[0], changed[1] } };
    if (!diff_lines(&lines, arena)) return err_set(err, ERR_MEMORY, "out of memory");
    *differing = 0;
    for (int i = 0; i < 2; i++) {
        for (uint64_t at = 0; at < counts[i]; at++)
            *differing += changed[i][at];
    }
    if (*differing == 0) return true;
    for (int i = 0; i < 2; i++) {
        ToolResult again;
        vec_release(&sides[i].hashes);
        sides[i].changed = changed[i];
        if (!read_side(paths[i], &sides[i], &again, err)) return false;
    }
    Printer printer = { .sink = sink, .sides = sides, .more = true };
    print_all(&printer, (const uint8_t *const[2]){ changed[0], changed[1] }, counts);
    return true;
}

bool apitrace_diff(const char *path_a, const char *path_b, const DiffOptions *options, const DiffSink *sink,
                   uint64_t *differing, ToolResult results[2], Err *err)
{
    Arena arena = arena_create(0);
    Side  sides[2] = { { .options = options, .style = { .no_addresses = options->no_addresses } },
                       { .options = options, .style = { .no_addresses = options->no_addresses } } };
    bool  done =
        compare((const char *const[2]){ path_a, path_b }, sides, &arena, sink, differing, results, err);
    for (int i = 0; i < 2; i++) {
        vec_release(&sides[i].hashes);
        bytes_release(&sides[i].texts);
    }
    arena_release(&arena);
    return done;
}
