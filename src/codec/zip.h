/* codec/zip.h - reads the members of a zip archive in the order of the file.
 *
 * Source: PKWARE's APPNOTE.TXT 6.3.10: local headers (4.3.7), data descriptors (4.3.9), zip64 (4.5.3).
 *
 * The reader follows the local headers from the beginning and does not use the central directory. So it reads from a
 * pipe, and it reads the members before the end of a truncated archive.
 * Supported members: stored, deflated (codec/inflate.h), and zstd (method 93), whose bytes are returned still compressed.
 * In the browser build the page unpacks archives, and these functions fail with ERR_VERSION (codec_wasm.c). */
#ifndef CODEC_ZIP_H
#define CODEC_ZIP_H
#include "codec/source.h"

typedef struct ZipReader ZipReader;

enum { ZIP_NAME_BYTES = 128 };
typedef struct ZipMember {
    char        name[ZIP_NAME_BYTES]; /* valid UTF-8, truncated at a character boundary */
    uint64_t    offset;               /* of its local header in the archive */
    bool        is_directory;
    const char *unreadable; /* the reason why zip_source returns no bytes of it, or NULL; static storage */
} ZipMember;

/* Creates a reader in `arena`. `archive` is borrowed; its capacity is at least ZIP_LOOK_BYTES. Returns NULL with
 * ERR_MEMORY on failure. */
ZipReader *zip_open(Arena *arena, HeldSource *archive, Err *err) WARN_UNUSED;

/* Skips the rest of the current member and reads the next local header into `member`. *found == false: no member
 * follows; the directory was reached, or the end of a truncated archive whose truncation was already reported. Fails with
 * ERR_TRUNCATED if the archive ends without a directory, or with the error of `archive`. */
bool zip_next(ZipReader *zip, ZipMember *member, bool *found, Err *err) WARN_UNUSED;
/* Returns a source of the current member's bytes. A wrong checksum or size is an error after the last byte. */
ByteSource zip_source(ZipReader *zip);

enum {
    ZIP_HEADER_BYTES = 30,
    ZIP_LOOK_BYTES = 1 << 17 /* a local header with the longest name and extra field: 30 + 2 * 65535 */
};

#endif
