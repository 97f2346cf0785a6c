/* format/spool.h - bytes that can be read only once, kept in temporary files. For src/format only.
 *
 * The files have no name and vanish when they are closed or the program ends. The first is in $TMPDIR, else in /var/tmp
 * or /tmp. Where it has no more room, the next bytes go to a file in the next of these directories that is on another
 * file system. Of each file system at most half of the space that is free at the time is used. */
#ifndef FORMAT_SPOOL_H
#define FORMAT_SPOOL_H
#include "base/file.h"

typedef struct SpoolPart {
    FileSpool file;
    uint64_t  begin;      /* offset of its first byte in the spool */
    uint64_t  most_bytes; /* half of the space that was free */
    uint64_t  device;     /* of the file system */
} SpoolPart;

/* A zeroed Spool is empty. Any thread may read once nothing is appended any more. */
typedef struct Spool {
    SpoolPart parts[FILE_TEMPORARY_PLACES];
    unsigned  count; /* of parts */
    unsigned  next_place;
    uint64_t  size;
} Spool;

/* Keeps `size` bytes after those before. Returns false, with ERR_IO, if there is no more room. */
bool spool_append(Spool *spool, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Reads as InputStore.read. */
size_t spool_read(const Spool *spool, uint64_t offset, void *buffer, size_t size);
/* Gives the space of the files back. */
void spool_close(Spool *spool);

#endif
