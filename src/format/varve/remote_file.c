/* The tiles of a `.varve` file of this machine. */
#include "base/file.h"
#include "format/varve/remote.h"

typedef struct FileRanges {
    Arena      arena; /* holds this struct */
    FileReader reader;
} FileRanges;

static bool read_range(void *context, uint64_t offset, void *buffer, size_t size, Err *err)
{
    const FileRanges *ranges = context;
    for (size_t at = 0; at < size;) {
        const int64_t got = file_reader_read(&ranges->reader, offset + at, (uint8_t *)buffer + at, size - at);
        if (got <= 0)
            return err_set_at(err, ERR_IO, offset + at, ERR_NOWHERE,
                              "the file cannot be read, or is shorter than before");
        at += (size_t)got;
    }
    return true;
}

static void close_ranges(void *context)
{
    FileRanges *ranges = context;
    file_reader_close(&ranges->reader);
    Arena arena = ranges->arena; /* the struct lives in it */
    arena_release(&arena);
}

RemoteFile *remote_open_file(const char *path, VarveLevels levels, Err *err)
{
    Arena       arena = arena_create(0);
    FileRanges *ranges = ARENA_NEW(&arena, FileRanges);
    if (ranges == NULL || !file_reader_open(path, &ranges->reader, err)) {
        if (ranges == NULL) (void)err_set(err, ERR_MEMORY, "out of memory");
        arena_release(&arena);
        return NULL;
    }
    ranges->arena = arena;
    const RangeSource source = {
        .read = read_range, .close = close_ranges, .context = ranges, .size = ranges->reader.size
    };
    return remote_open(&source, levels, err);
}
