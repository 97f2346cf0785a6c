#include "format/raw_source.h"

#include <assert.h>
#include <string.h>

static size_t copy_memory(const MemoryView *memory, uint64_t offset, void *buffer, size_t size)
{
    if (offset >= memory->size) return 0;
    const size_t left = memory->size - (size_t)offset;
    if (size > left) size = left;
    memcpy(buffer, memory->bytes + offset, size);
    return size;
}

bool raw_source_can_read_at(const RawSource *source, size_t size)
{
    return (source->kind == RAW_FILE || source->kind == RAW_BYTES) && source->page == NULL &&
           source->read <= source->size && size <= source->size - source->read;
}

int64_t raw_source_read_at(const RawSource *source, uint64_t offset, void *buffer, size_t size)
{
    assert(source->kind == RAW_FILE || source->kind == RAW_BYTES);
    if (source->kind == RAW_FILE) return file_reader_read(source->file, offset, buffer, size);
    return (int64_t)copy_memory(&source->memory, offset, buffer, size);
}

bool raw_source_read(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    RawSource *source = (RawSource *)context;
    int64_t    count = 0;
    uint64_t   limit = source->limit - source->read;
    *got = 0;
    if (size > limit) size = (size_t)limit;
    if (size == 0) return true;
    switch (source->kind) {
    case RAW_FILE:
    case RAW_BYTES:
        count = raw_source_read_at(source, source->read, buffer, size);
        break;
    case RAW_PIPE:
        count = file_read_fd(0, buffer, size);
        break;
    case RAW_HTTP:
        if (!http_read(source->http, buffer, size, got, err)) {
            err->offset = source->read;
            return false;
        }
        count = (int64_t)*got;
        break;
    case RAW_STORE:
        count = (int64_t)source->given.read(source->given.context, source->read, buffer, size);
        break;
    }
    if (count < 0) return err_set_at(err, ERR_IO, source->read, ERR_NOWHERE, "reading the input failed");
    source->read += (uint64_t)count;
    *got = (size_t)count;
    return true;
}

bool raw_source_is_sequential(const RawSource *source)
{
    return source->kind == RAW_PIPE || source->kind == RAW_HTTP || source->page != NULL;
}

bool raw_source_open_page(RawSource *source, Arena *arena, const HeldSource *head, ByteSource *trace,
                          Err *err)
{
    source->page_bytes = *head;
    source->page = page_open(arena, &source->page_bytes, err);
    if (source->page != NULL) *trace = page_source(source->page);
    return source->page != NULL;
}

bool raw_source_finish_page(RawSource *source, PageOthers *others, Err *err)
{
    *others = (PageOthers){ .count = 0 };
    if (source->page_is_finished) return true;
    source->page_is_finished = true;
    return page_finish(source->page, others, err);
}

uint64_t raw_source_read_bytes(const RawSource *source, const HeldSource *held)
{
    if (source->page != NULL) held = &source->page_bytes;
    return source->read - (held->end - held->at);
}

static size_t read_file(void *context, uint64_t offset, void *buffer, size_t size)
{
    int64_t got = file_reader_read((const FileReader *)context, offset, buffer, size);
    return got < 0 ? 0 : (size_t)got;
}

static void close_file(void *context)
{
    file_reader_close((FileReader *)context);
}

static size_t read_memory(void *context, uint64_t offset, void *buffer, size_t size)
{
    return copy_memory((const MemoryView *)context, offset, buffer, size);
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

InputStore empty_store(void)
{
    return (InputStore){ read_nothing, close_nothing, NULL };
}

InputStore raw_source_take(RawSource *source)
{
    InputStore store = empty_store();
    if (source->kind == RAW_FILE) {
        store = (InputStore){ read_file, close_file, source->file };
        source->file = NULL;
    } else if (source->kind == RAW_BYTES) {
        store = (InputStore){ read_memory, close_nothing, &source->memory };
    } else if (source->kind == RAW_STORE) {
        store = source->given;
        source->given = (InputStore){ NULL, NULL, NULL };
    }
    return store;
}

ReadAgain raw_source_again(RawSource *source)
{
    switch (source->kind) {
    case RAW_FILE:
        return (ReadAgain){ read_file, source->file };
    case RAW_BYTES:
        return (ReadAgain){ read_memory, &source->memory };
    case RAW_STORE:
        return (ReadAgain){ source->given.read, source->given.context };
    case RAW_PIPE:
    case RAW_HTTP:
        break;
    }
    return (ReadAgain){ NULL, NULL };
}

void raw_source_close(RawSource *source)
{
    if (source->file != NULL) file_reader_close(source->file);
    source->file = NULL;
    http_close(source->http);
    source->http = NULL;
    if (source->given.close != NULL) source->given.close(source->given.context);
    source->given = (InputStore){ NULL, NULL, NULL };
}
