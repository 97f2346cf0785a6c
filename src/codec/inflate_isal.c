#include "codec/inflate.h"

#include <isa-l/igzip_lib.h>
#include <limits.h>
#include <string.h>

struct Inflater {
    struct inflate_state    state, before; /* `before`: at the begin of the call */
    struct isal_gzip_header header;        /* read so far: a header may be in several parts of the input */
    bool                    in_header;     /* the header of a gzip member is not complete */
    const char *failure; /* the error behind the bytes that still wait in tmp_out_buffer; NULL = none */
};

void inflater_restart(Inflater *inflater)
{
    isal_inflate_reset(&inflater->state);
    inflater->failure = NULL;
    inflater->in_header = inflater->state.crc_flag != ISAL_DEFLATE;
    if (inflater->in_header) isal_gzip_header_init(&inflater->header);
}

Inflater *inflater_create(Arena *arena, InflateForm form)
{
    Inflater *inflater = ARENA_NEW(arena, Inflater);
    if (inflater == NULL) return NULL;
    isal_inflate_init(&inflater->state);
    inflater->state.crc_flag = form == INFLATE_GZIP ? ISAL_GZIP_NO_HDR_VER : ISAL_DEFLATE;
    inflater_restart(inflater);
    return inflater;
}

/* Returns the text of an error. */
static const char *text_of(int result)
{
    switch (result) {
    case ISAL_INVALID_BLOCK:
        return "invalid block";
    case ISAL_INVALID_SYMBOL:
        return "invalid code";
    case ISAL_INVALID_LOOKBACK:
        return "invalid distance too far back";
    case ISAL_UNSUPPORTED_METHOD:
        return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
        return "incorrect data check";
    default:
        return "incorrect header";
    }
}

/* Gives bytes back that ISA-L has read ahead: up to eight, all of them from the input of this call. It is done where the rest
 * of the input is passed again, or belongs to another reader. While the input is used up before the room they stay in
 * `state`. */
static void give_back(struct inflate_state *state)
{
    const bool is_done =
        state->block_state == ISAL_BLOCK_INPUT_DONE || state->block_state == ISAL_BLOCK_FINISH;
    if (state->read_in_length < 8 || (state->avail_out > 0 && !is_done)) return;
    const uint32_t count = (uint32_t)state->read_in_length / 8;
    state->next_in -= count;
    state->avail_in += count;
    state->read_in_length %= 8;
    state->read_in &= ((uint64_t)1 << state->read_in_length) - 1;
}

/* Moves bytes that were decoded before an error out of the state. isal_inflate would decode again, and fail again. */
static void take_waiting(struct inflate_state *state)
{
    size_t count = (size_t)(state->tmp_out_valid - state->tmp_out_processed);
    if (count > state->avail_out) count = state->avail_out;
    memcpy(state->next_out, state->tmp_out_buffer + state->tmp_out_processed, count);
    state->tmp_out_processed += (int32_t)count;
    state->next_out += count;
    state->avail_out -= (uint32_t)count;
}

static bool is_damage(int result)
{
    return result == ISAL_INVALID_BLOCK || result == ISAL_INVALID_SYMBOL || result == ISAL_INVALID_LOOKBACK;
}

/* Repeats a call that failed, byte by byte. With a longer input ISA-L may write some wrong bytes in front of an error. */
static int advance_in_bytes(Inflater *inflater)
{
    struct inflate_state *state = &inflater->state;
    *state = inflater->before;
    uint32_t rest = state->avail_in;
    int      result;
    do {
        state->avail_in = rest > 0 ? 1 : 0;
        rest -= state->avail_in;
        result = isal_inflate(state);
        give_back(state);
        rest += state->avail_in;
    } while (rest > 0 && state->avail_out > 0 && result == ISAL_DECOMP_OK);
    state->avail_in = rest;
    return result;
}

/* Returns ISA-L's result: 0, or a negative error. */
static int advance(Inflater *inflater)
{
    struct inflate_state *state = &inflater->state;
    if (inflater->in_header) {
        const int result = isal_read_gzip_header(state, &inflater->header);
        if (result != ISAL_DECOMP_OK) return result == ISAL_END_INPUT ? ISAL_DECOMP_OK : result;
        inflater->in_header = false;
    }
    inflater->before = *state;
    const int result = isal_inflate(state);
    if (is_damage(result)) return advance_in_bytes(inflater);
    give_back(state);
    return result;
}

static uint32_t clamp_to_int(size_t size)
{
    return size > INT_MAX ? INT_MAX : (uint32_t)size;
}

InflateState inflater_run(Inflater *inflater, CodecStream *stream, const char **failure)
{
    struct inflate_state *state = &inflater->state;
    const uint32_t        in_size = clamp_to_int(stream->in_size), out_size = clamp_to_int(stream->out_size);
    state->next_in = (uint8_t *)(uintptr_t)stream->in;
    state->avail_in = in_size;
    state->next_out = stream->out;
    state->avail_out = out_size;
    if (inflater->failure == NULL) {
        const int result = advance(inflater);
        if (result < 0) inflater->failure = text_of(result);
    }
    if (inflater->failure != NULL) take_waiting(state);
    stream->in += in_size - state->avail_in, stream->in_size -= in_size - state->avail_in;
    stream->out += out_size - state->avail_out, stream->out_size -= out_size - state->avail_out;

    if (inflater->failure != NULL && state->tmp_out_processed == state->tmp_out_valid) {
        *failure = inflater->failure;
        return INFLATE_FAILED;
    }
    return inflater->failure == NULL && state->block_state == ISAL_BLOCK_FINISH ? INFLATE_END : INFLATE_MORE;
}
