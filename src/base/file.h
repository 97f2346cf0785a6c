/* base/file.h - files as bytes: mapped in, written out whole or not at all.
 *
 * base/os_posix.c implements it natively, base/os_wasm.c in the browser build, where
 * there are no files and every call fails with ERR_IO. */
#ifndef BASE_FILE_H
#define BASE_FILE_H
#include "base/err.h"

typedef struct FileMap {
    const uint8_t *bytes; /* owned mapping; NULL when size is 0 */
    uint64_t       size;
    int            handle; /* kept open for file_map_read; -1 = none */
} FileMap;

/* Maps a regular file read-only. Fails with ERR_IO (message: the system's words) and for
 * what is not a regular file. */
bool file_map(const char *path, FileMap *map, Err *err) WARN_UNUSED;
void file_unmap(FileMap *map);
/* Reads up to `size` bytes at `offset` into `buffer` with read(2): cheaper than touching a fresh mapping.
 * Returns bytes read, 0 at the end, -1 on error. */
int64_t file_map_read(const FileMap *map, uint64_t offset, void *buffer, size_t size);

/* Reads from a pipe, terminal or socket; fd 0 is standard input. Same returns. */
int64_t file_read_fd(int fd, void *buffer, size_t size);
/* True for a regular file. */
bool file_is_regular(const char *path);

/* A temporary file without a name, for bytes that must be read again: what came from a pipe or compressed.
 * It vanishes when closed, also when the program is killed. A zeroed FileSpool is closed. */
typedef struct FileSpool {
    int      handle_plus_one; /* 0 = closed */
    uint64_t size;
} FileSpool;

/* In $TMPDIR, else in the system's place for large temporary files. */
bool file_spool_open(FileSpool *spool, Err *err) WARN_UNUSED;
bool file_spool_append(FileSpool *spool, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* As file_map_read. */
int64_t file_spool_read(const FileSpool *spool, uint64_t offset, void *buffer, size_t size);
void    file_spool_close(FileSpool *spool);

/* Writes the whole of `bytes` under a temporary name beside `path` and renames it when
 * complete, so that `path` never holds a part. "-" writes to standard output; what is no regular
 * file (/dev/null, a pipe) is written to as it is. */
bool file_write_whole(const char *path, const void *bytes, size_t size, Err *err) WARN_UNUSED;

#endif
