#include "format/source.h"

#include "trace/store/trace.h"

#include <assert.h>
#include <string.h>

static bool has_executable(const Trace *trace)
{
    for (uint32_t i = 0; i < trace->records.property_count; i++)
        if (string_equal(trace_string(trace, trace->records.properties[i].key), STRING_LITERAL("executable")))
            return true;
    return false;
}

bool source_is_file(const Loaded *loaded)
{
    return loaded->codec != CODEC_PAGE && file_is_regular(loaded->name);
}

bool source_is_enough(const Loaded *loaded)
{
    const TraceWindow *window = &loaded->trace->window;
    if (window->is_set || window->tracks != NULL || has_executable(loaded->trace)) return false;
    if (loaded->from.name != NULL && strcmp(loaded->from.details, "source") == 0) return false;
    return loaded->part_count == 0 || source_is_file(loaded);
}

static bool copy_file(const FileReader *file, const OutputSink *sink, Bytes *buffer, Err *err)
{
    for (uint64_t offset = 0; offset < file->size;) {
        uint8_t *room = bytes_reserve(buffer, WRITER_BLOCK_BYTES);
        if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory for a block");
        const uint64_t left = file->size - offset;
        const size_t   want = left < WRITER_BLOCK_BYTES ? (size_t)left : WRITER_BLOCK_BYTES;
        const int64_t  got = file_reader_read(file, offset, room, want);
        if (got <= 0) return err_set(err, ERR_IO, "the file cannot be read again");
        assert((uint64_t)got <= left);
        if (!sink->append(sink->context, room, (size_t)got, err)) return false;
        offset += (uint64_t)got;
    }
    return true;
}

static bool copy_store(const InputStore *store, const OutputSink *sink, Bytes *buffer, Err *err)
{
    for (uint64_t offset = 0;;) {
        uint8_t *room = bytes_reserve(buffer, WRITER_BLOCK_BYTES);
        if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory for a block");
        const size_t got = store->read(store->context, offset, room, WRITER_BLOCK_BYTES);
        assert(got <= WRITER_BLOCK_BYTES);
        if (got == 0) return true;
        if (!sink->append(sink->context, room, got, err)) return false;
        offset += got;
    }
}

bool source_copy(const Loaded *loaded, const OutputSink *sink, Err *err)
{
    Bytes      buffer = { 0 };
    FileReader file;
    bool       done;
    if (source_is_file(loaded) && file_reader_open(loaded->name, &file, err)) {
        done = file.size == loaded->bytes ? copy_file(&file, sink, &buffer, err)
                                          : err_set(err, ERR_IO, "the file has changed since it was read");
        file_reader_close(&file);
    } else if (loaded->store_fault.code != ERR_NONE || loaded->store.read == NULL) {
        *err = loaded->store_fault;
        done = loaded->store_fault.code == ERR_NONE && err_set(err, ERR_IO, "the input was not kept");
    } else {
        done = copy_store(&loaded->store, sink, &buffer, err);
    }
    bytes_release(&buffer);
    return done;
}
