#include "format/spool.h"

#include <assert.h>

/* True if a part is on this file system. */
static bool uses_device(const Spool *spool, uint64_t device)
{
    for (unsigned i = 0; i < spool->count; i++)
        if (spool->parts[i].device == device) return true;
    return false;
}

/* Opens a file in the next directory on a file system that has no part yet. Returns false if there is no such
 * directory; *why is the last failure, if any. */
static bool open_next(Spool *spool, Err *why)
{
    while (spool->next_place < FILE_TEMPORARY_PLACES) {
        SpoolPart *part = &spool->parts[spool->count];
        assert(spool->count < FILE_TEMPORARY_PLACES);
        FileRoom room;
        if (!file_spool_open_in(&part->file, spool->next_place++, &room, why)) continue;
        if (uses_device(spool, room.device)) {
            file_spool_close(&part->file);
            continue;
        }
        part->begin = spool->size;
        part->most_bytes = room.free_bytes / 2;
        part->device = room.device;
        spool->count++;
        return true;
    }
    return false;
}

/* Appends up to `size` bytes to the last file. Returns their number; if it is less than `size`, *why is the reason. */
static size_t append_to_last(Spool *spool, const uint8_t *bytes, size_t size, Err *why)
{
    assert(spool->count > 0);
    SpoolPart     *part = &spool->parts[spool->count - 1];
    const uint64_t before = part->file.size, room = part->most_bytes - before;
    assert(before <= part->most_bytes);
    const size_t wanted = size < room ? size : (size_t)room;
    Err          cause;
    if (wanted > 0 && !file_spool_append(&part->file, bytes, wanted, &cause))
        (void)err_set(why, ERR_IO, "temporary files cannot be written: %.140s", cause.message);
    else if (wanted < size)
        (void)err_set(why, ERR_IO, "temporary files would take more than half of the free space");
    return (size_t)(part->file.size - before);
}

bool spool_append(Spool *spool, const void *bytes, size_t size, Err *err)
{
    const uint8_t *at = (const uint8_t *)bytes;
    Err            why, ignored;
    bool           done = size == 0 || spool->count > 0 || open_next(spool, &why);
    while (done && size > 0) {
        const size_t put = append_to_last(spool, at, size, &why);
        spool->size += put;
        at += put;
        size -= put;
        done = size == 0 || open_next(spool, &ignored);
    }
    if (!done) *err = why;
    return done;
}

size_t spool_read(const Spool *spool, uint64_t offset, void *buffer, size_t size)
{
    const unsigned count = spool->count;
    uint8_t       *out = (uint8_t *)buffer;
    size_t         done = 0;
    for (unsigned i = 0; i < count && done < size; i++) {
        const SpoolPart *part = &spool->parts[i];
        const uint64_t   from = offset + done;
        size_t           wanted = size - done;
        if (i + 1 < count && from >= spool->parts[i + 1].begin) continue;
        if (i + 1 < count && wanted > spool->parts[i + 1].begin - from)
            wanted = (size_t)(spool->parts[i + 1].begin - from);
        assert(from >= part->begin);
        int64_t got = file_spool_read(&part->file, from - part->begin, out + done, wanted);
        if (got <= 0) break;
        done += (size_t)got;
    }
    return done;
}

void spool_close(Spool *spool)
{
    for (unsigned i = 0; i < spool->count; i++)
        file_spool_close(&spool->parts[i].file);
    *spool = (Spool){ .size = 0 };
}
