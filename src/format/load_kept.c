#include "format/load_kept.h"

#include "base/file.h"
#include "format/container.h"
#include "format/load_part.h"

/* Maps a whole file; the caller releases the mapping. */
static bool map_file(const char *path, TraceMapping *out, Err *err)
{
    FileReader reader;
    if (!file_reader_open(path, &reader, err)) return false;
    void *bytes = file_reader_map(&reader);
    *out = (TraceMapping){ bytes, (size_t)reader.size, (size_t)reader.size, file_unmap };
    file_reader_close(&reader);
    return bytes != NULL || err_set(err, ERR_CORRUPT, "the file is empty, or cannot be mapped");
}

/* Sets the trace and the facts about the source. Takes over the container, also on failure. */
static bool take_container(Loaded *loaded, const Container *container, const char *source, Err *err)
{
    FileReader file;
    loaded->trace = container->trace;
    loaded->store = container->store;
    loaded->store_fault = container->store_fault;
    loaded->reader = container->reader;
    loaded->parts = container->parts;
    loaded->part_count = container->part_count;
    loaded->bytes = container->from.bytes;
    loaded->codec = container->from.codec;
    loaded->is_plain = container->is_plain;
    if (!file_reader_open(source, &file, err)) return false;
    const bool is_same = file.size == loaded->bytes;
    file_reader_close(&file);
    return is_same || err_set(err, ERR_CORRUPT, "the source has another size");
}

bool load_kept(const char *kept, const char *source, const LoadOptions *options, Loaded *loaded, Err *err)
{
    const UnpackRequest request = { CONTAINER_TRACE_ALONE, kept, source };
    TraceMapping        bytes;
    Container           container;
    *loaded = (Loaded){ .trace = NULL };
    if (!load_name_input(loaded, source, NAME_OF_FILE, options)) {
        arena_release(&loaded->arena);
        return err_set(err, ERR_MEMORY, "out of memory");
    }
    bool done = map_file(kept, &bytes, err) &&
                format_find("varve")->unpack(&loaded->arena, bytes, &request, &container, err);
    done = done && take_container(loaded, &container, source, err) &&
           load_choose_part(loaded, options->tracks, err);
    if (!done) loaded_release(loaded);
    return done;
}

bool load_kept_from(const char *kept, Arena *arena, LoadedFrom *from, Err *err)
{
    const UnpackRequest request = { CONTAINER_FACTS, kept, NULL };
    TraceMapping        bytes;
    Container           container;
    const bool          done =
        map_file(kept, &bytes, err) && format_find("varve")->unpack(arena, bytes, &request, &container, err);
    if (done) *from = container.from;
    return done;
}
