#include "format/input.h"

#include "base/file.h"

#include <assert.h>
#include <string.h>

enum { RAW_BLOCK = 256 << 10 };

typedef enum { RAW_FILE, RAW_PIPE, RAW_BYTES, RAW_STORE } RawKind;

typedef struct MemoryView {
    const uint8_t *bytes; /* borrowed */
    size_t         size;
} MemoryView;

struct Input {
    RawKind    kind;
    FileMap   *file;   /* RAW_FILE; in the arena; open until taken as a store */
    MemoryView memory; /* RAW_BYTES */
    InputStore given;  /* RAW_STORE: owned until taken */
    uint64_t   raw_size, raw_read;
    CodecKind  codec;
    Decoder   *decoder; /* owned; NULL = plain */
    uint8_t   *raw;     /* RAW_BLOCK bytes in the arena: what was read but not yet given on */
    size_t     raw_at, raw_end;
    bool       raw_ended, decoder_ended, decoder_failed;
    Err        decoder_err; /* once decoder_failed */
    FileSpool *spool;       /* in the arena; NULL = not needed */
    bool       spool_failed;
    Err        spool_err;
    Arena     *arena; /* borrowed */
};

/* ---- raw bytes ---- */

static bool raw_read(Input *input, void *buffer, size_t size, size_t *got, Err *err)
{
    int64_t count = 0;
    switch (input->kind) {
    case RAW_FILE:
        count = file_map_read(input->file, input->raw_read, buffer, size);
        break;
    case RAW_PIPE:
        count = file_read_fd(0, buffer, size);
        break;
    case RAW_BYTES: {
        size_t left = input->memory.size - (size_t)input->raw_read;
        count = (int64_t)(left < size ? left : size);
        if (count > 0) memcpy(buffer, input->memory.bytes + input->raw_read, (size_t)count);
        break;
    }
    case RAW_STORE:
        count = (int64_t)input->given.read(input->given.context, input->raw_read, buffer, size);
        break;
    }
    if (count < 0)
        return err_set_at(err, ERR_IO, input->raw_read, ERR_NOWHERE, "the input cannot be read further");
    input->raw_read += (uint64_t)count;
    *got = (size_t)count;
    return true;
}

static bool raw_refill(Input *input, Err *err)
{
    size_t got = 0;
    if (!raw_read(input, input->raw, RAW_BLOCK, &got, err)) return false;
    input->raw_at = 0;
    input->raw_end = got;
    if (got == 0) input->raw_ended = true;
    return true;
}

/* ---- opening ---- */

static bool needs_spool(const Input *input)
{
    return input->codec != CODEC_NONE || input->kind == RAW_PIPE;
}

/* Reads the first block and sees what the bytes are. */
static Input *start(Input *input, Err *err)
{
    input->raw = (uint8_t *)arena_push_raw(input->arena, RAW_BLOCK, 1);
    if (input->raw == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto failed;
    }
    enum { HEAD_BYTES = 8 };
    while (input->raw_end < HEAD_BYTES) { /* a pipe may bring its first bytes one by one */
        size_t got = 0;
        if (!raw_read(input, input->raw + input->raw_end, RAW_BLOCK - input->raw_end, &got, err)) goto failed;
        if (got == 0) break;
        input->raw_end += got;
    }
    if (input->raw_end == 0) {
        err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "it is empty: there is no trace in it");
        goto failed;
    }
    input->codec = codec_detect(input->raw, input->raw_end);
    if (input->codec != CODEC_NONE) {
        input->decoder = decoder_open(input->codec, err);
        if (input->decoder == NULL) goto failed;
    }
    if (needs_spool(input)) {
        input->spool = ARENA_NEW(input->arena, FileSpool);
        input->spool_failed = input->spool == NULL || !file_spool_open(input->spool, &input->spool_err);
    }
    return input;
failed:
    input_close(input);
    return NULL;
}

static Input *input_create(Arena *arena, RawKind kind, Err *err)
{
    Input *input = ARENA_NEW(arena, Input);
    if (input == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    input->kind = kind;
    input->arena = arena;
    return input;
}

Input *input_open_file(Arena *arena, const char *path, Err *err)
{
    bool   is_pipe = strcmp(path, "-") == 0;
    Input *input = input_create(arena, is_pipe ? RAW_PIPE : RAW_FILE, err);
    if (input == NULL) return NULL;
    if (!is_pipe) {
        input->file = ARENA_NEW(arena, FileMap);
        if (input->file == NULL) {
            err_set(err, ERR_MEMORY, "out of memory");
            return NULL;
        }
        if (!file_map(path, input->file, err)) {
            input->file = NULL;
            return NULL;
        }
        input->raw_size = input->file->size;
    }
    return start(input, err);
}

Input *input_open_bytes(Arena *arena, const void *bytes, size_t size, Err *err)
{
    Input *input = input_create(arena, RAW_BYTES, err);
    if (input == NULL) return NULL;
    input->memory = (MemoryView){ (const uint8_t *)bytes, size };
    input->raw_size = size;
    return start(input, err);
}

Input *input_open_store(Arena *arena, InputStore store, uint64_t size, Err *err)
{
    Input *input = input_create(arena, RAW_STORE, err);
    if (input == NULL) {
        store.close(store.context);
        return NULL;
    }
    input->given = store;
    input->raw_size = size;
    return start(input, err);
}

/* ---- filling ---- */

static bool fill_plain(Input *input, void *buffer, size_t size, size_t *got, Err *err)
{
    size_t waiting = input->raw_end - input->raw_at;
    if (waiting == 0) return raw_read(input, buffer, size, got, err);
    *got = waiting < size ? waiting : size;
    memcpy(buffer, input->raw + input->raw_at, *got);
    input->raw_at += *got;
    return true;
}

/* What a damaged stream gave before its fault stays good: the fault comes with the call after. */
static bool fill_decoded(Input *input, void *buffer, size_t size, size_t *got, Err *err)
{
    *got = 0;
    while (*got == 0 && !input->decoder_ended) {
        if (input->raw_at == input->raw_end && !input->raw_ended && !raw_refill(input, err)) return false;
        size_t      used;
        DecodeState state =
            decoder_run(input->decoder, input->raw + input->raw_at, input->raw_end - input->raw_at, &used,
                        (uint8_t *)buffer, size, got, &input->decoder_err);
        input->raw_at += used;
        bool starved = state == DECODE_MORE && *got == 0 && input->raw_ended;
        if (starved && !decoder_finish(input->decoder, &input->decoder_err)) state = DECODE_FAILED;
        if (state == DECODE_FAILED) input->decoder_failed = true;
        if (state != DECODE_MORE || starved) input->decoder_ended = true;
    }
    if (*got > 0 || !input->decoder_failed) return true;
    *err = input->decoder_err;
    return false;
}

/* Keeps what was given, so that it can be read again. A full disk costs the arguments, not the trace. */
static void spool_bytes(Input *input, const void *bytes, size_t size)
{
    if (input->spool == NULL || input->spool_failed) return;
    if (file_spool_append(input->spool, bytes, size, &input->spool_err)) return;
    input->spool_failed = true;
    file_spool_close(input->spool);
}

bool input_fill(Input *input, void *buffer, size_t size, size_t *got, Err *err)
{
    assert(size > 0);
    *got = 0;
    bool filled = input->decoder != NULL ? fill_decoded(input, buffer, size, got, err)
                                         : fill_plain(input, buffer, size, got, err);
    if (*got > 0) spool_bytes(input, buffer, *got);
    return filled;
}

void input_drop_store(Input *input)
{
    if (input->spool != NULL && !input->spool_failed) file_spool_close(input->spool);
    input->spool = NULL;
    input->spool_failed = false;
}

uint64_t input_raw_size(const Input *input)
{
    return input->raw_size;
}

uint64_t input_raw_read(const Input *input)
{
    return input->raw_read - (input->raw_end - input->raw_at);
}

CodecKind input_codec(const Input *input)
{
    return input->codec;
}

const Err *input_store_error(const Input *input)
{
    return input->spool_failed ? &input->spool_err : NULL;
}

/* ---- reading again ---- */

static size_t read_file_again(void *context, uint64_t offset, void *buffer, size_t size)
{
    int64_t got = file_map_read((const FileMap *)context, offset, buffer, size);
    return got < 0 ? 0 : (size_t)got;
}

static void close_file(void *context)
{
    file_unmap((FileMap *)context);
}

static size_t read_spool_again(void *context, uint64_t offset, void *buffer, size_t size)
{
    int64_t got = file_spool_read((const FileSpool *)context, offset, buffer, size);
    return got < 0 ? 0 : (size_t)got;
}

static void close_spool(void *context)
{
    file_spool_close((FileSpool *)context);
}

static size_t read_memory_again(void *context, uint64_t offset, void *buffer, size_t size)
{
    const MemoryView *memory = (const MemoryView *)context;
    if (offset >= memory->size) return 0;
    size_t left = memory->size - (size_t)offset;
    if (size > left) size = left;
    memcpy(buffer, memory->bytes + offset, size);
    return size;
}

static size_t read_nothing(void *context, uint64_t offset, void *buffer, size_t size)
{
    (void)context, (void)offset, (void)buffer, (void)size;
    return 0;
}

static void close_nothing(void *context)
{
    (void)context;
}

InputStore input_take_store(Input *input)
{
    InputStore store = { read_nothing, close_nothing, NULL };
    if (needs_spool(input)) {
        if (!input->spool_failed) {
            store = (InputStore){ read_spool_again, close_spool, input->spool };
            input->spool = NULL;
        }
    } else if (input->kind == RAW_FILE) {
        store = (InputStore){ read_file_again, close_file, input->file };
        input->file = NULL;
    } else if (input->kind == RAW_BYTES) {
        store = (InputStore){ read_memory_again, close_nothing, &input->memory };
    } else if (input->kind == RAW_STORE) {
        store = input->given;
        input->given = (InputStore){ NULL, NULL, NULL };
    }
    input_close(input);
    return store;
}

void input_close(Input *input)
{
    if (input == NULL) return;
    if (input->decoder != NULL) decoder_close(input->decoder);
    input->decoder = NULL;
    if (input->file != NULL) file_unmap(input->file);
    input->file = NULL;
    if (input->spool != NULL && !input->spool_failed) file_spool_close(input->spool);
    input->spool = NULL;
    if (input->given.close != NULL) input->given.close(input->given.context);
    input->given = (InputStore){ NULL, NULL, NULL };
}
