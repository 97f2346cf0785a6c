/* codec/zip.h - the members of a zip archive, one after the other, as they come.
 *
 * APPNOTE.TXT 6.3.10 of PKWARE: local headers (4.3.7), data descriptors (4.3.9), zip64 (4.5.3). The archive is walked
 * from its beginning by its local headers and never by its directory, so that it can come through a pipe and be cut off
 * anywhere; no library of Debian reads it so. Stored and deflated members are read, the latter through zlib; one
 * compressed with zstd (method 93) is given as the zstd stream that it is. In the browser build the page takes archives
 * apart, and codec_wasm.c answers ERR_VERSION. */
#ifndef CODEC_ZIP_H
#define CODEC_ZIP_H
#include "codec/source.h"

typedef struct ZipReader ZipReader;

enum { ZIP_NAME_BYTES = 128 };
typedef struct ZipMember {
    char        name[ZIP_NAME_BYTES]; /* valid UTF-8, cut where it is longer */
    uint64_t    offset;               /* of its header in the archive */
    bool        is_directory;
    const char *unreadable; /* why zip_source gives nothing of it, or NULL */
} ZipMember;

/* Lives in `arena`; NULL on failure. zip_close before the arena goes. */
ZipReader *zip_open(Arena *arena, HeldSource *archive, Err *err) WARN_UNUSED;
void       zip_close(ZipReader *zip); /* NULL is allowed */

/* Passes over the rest of the current member. *found false: there are no more, behind which the directory was met, else
 * false with ERR_TRUNCATED (the archive is cut off) or what reading failed with. */
bool zip_next(ZipReader *zip, ZipMember *member, bool *found, Err *err) WARN_UNUSED;
/* The bytes of the current member. Wrong checksums and sizes come as failures behind the data. */
ByteSource zip_source(ZipReader *zip);

enum {
    ZIP_HEADER_BYTES = 30,
    ZIP_LOOK_BYTES = 1 << 17
}; /* `archive` must hold so much: a header and its name */

#endif
