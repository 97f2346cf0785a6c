/* format/spool.h - keeps bytes that can be read only once, in temporary files. For src/format only.
 *
 * The files have no name; the system removes them when they are closed or the program ends. The first file is in
 * $TMPDIR, else in /var/tmp or /tmp. When it is full, the next file is in the next of these directories that is on
 * another file system. A file takes at most half of the space that was free when it was opened. */
#ifndef FORMAT_SPOOL_H
#define FORMAT_SPOOL_H
#include "base/file.h"

typedef struct SpoolPart {
    FileSpool file;
    uint64_t  begin;      /* offset of its first byte in the spool */
    uint64_t  most_bytes; /* half of the space that was free */
    uint64_t  device;     /* of the file system */
} SpoolPart;

/* A zeroed Spool is empty. After the last append several threads may read it. */
typedef struct Spool {
    SpoolPart parts[FILE_TEMPORARY_PLACES];
    unsigned  count; /* of parts */
    unsigned  next_place;
    uint64_t  size;
} Spool;

/* Appends `size` bytes. Returns false with ERR_IO if there is no room. */
bool spool_append(Spool *spool, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Reads up to `size` bytes at `offset`. Returns their number, 0 at the end or on failure. */
size_t spool_read(const Spool *spool, uint64_t offset, void *buffer, size_t size);
/* Closes the files, which frees their space. */
void spool_close(Spool *spool);

#endif
