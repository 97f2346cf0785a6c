/* base/file.h - files as bytes: read at any offset, written out whole or not at all.
 *
 * base/os_posix.c implements it natively, base/os_wasm.c in the browser build, where
 * there are no files and every call fails with ERR_IO. */
#ifndef BASE_FILE_H
#define BASE_FILE_H
#include "base/arena.h"
#include "base/err.h"

/* A file that is open for reading. A zeroed FileReader is closed. */
typedef struct FileReader {
    int      handle_plus_one; /* 0 = closed */
    uint64_t size;            /* when it was opened; nothing beyond it is read */
} FileReader;

/* Opens a regular file. Fails with ERR_IO: the message is the system's, or says that it is not a regular file. */
bool file_reader_open(const char *path, FileReader *reader, Err *err) WARN_UNUSED;
/* Reads up to `size` bytes at `offset` into `buffer`. Returns the number of bytes, 0 at the end, -1 on error. Any
 * thread. */
int64_t file_reader_read(const FileReader *reader, uint64_t offset, void *buffer, size_t size);
void    file_reader_close(FileReader *reader);
/* Appends the whole regular file to `out`. Fails as file_reader_open, or with ERR_MEMORY. */
bool file_read_whole(const char *path, Bytes *out, Err *err) WARN_UNUSED;

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

/* Opens one in the first directory for temporary files that allows it: $TMPDIR, /var/tmp, /tmp. */
bool file_spool_open(FileSpool *spool, Err *err) WARN_UNUSED;
/* The same in the directory of this number alone; *room is the space there. */
enum { FILE_TEMPORARY_PLACES = 3 };
typedef struct FileRoom {
    uint64_t free_bytes; /* for this user; UINT64_MAX = not known */
    uint64_t device;     /* differs from one file system to another */
} FileRoom;
bool file_spool_open_in(FileSpool *spool, unsigned place, FileRoom *room, Err *err) WARN_UNUSED;
/* The same in a file of this name, which stays. What it held before is gone at once. A new file can be read and written by
 * its owner alone. Fails with ERR_IO for what is not a regular file. */
bool file_spool_create(FileSpool *spool, const char *path, Err *err) WARN_UNUSED;
/* As file_spool_create, but never touches what has this name already, be it a symbolic link. */
typedef enum { SPOOL_CREATED, SPOOL_EXISTS, SPOOL_FAILED } SpoolOutcome; /* err is filled by SPOOL_FAILED */
SpoolOutcome file_spool_create_new(FileSpool *spool, const char *path, Err *err) WARN_UNUSED;
bool file_spool_append(FileSpool *spool, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Gives the room of what stands before `offset` back, where the system can: it reads as zeros
 * then. Sizes and offsets stay. */
void file_spool_forget(FileSpool *spool, uint64_t offset);
/* As file_reader_read. */
int64_t file_spool_read(const FileSpool *spool, uint64_t offset, void *buffer, size_t size);
void    file_spool_close(FileSpool *spool);

/* The one way to write a file: under a temporary name beside `path`, synchronised and renamed when it is complete, so
 * that `path` never holds a part. "-" is standard output; a device or a pipe is written to directly. A zeroed FileWriter
 * is closed. An open one must not move in memory. It keeps no buffer: append large pieces. Failures are ERR_OUTPUT. */
enum { FILE_PATH_BYTES = 4096 };
typedef struct FileWriter {
    int  handle_plus_one;            /* 0 = closed */
    char target[FILE_PATH_BYTES];    /* the final name; "" = written to as it is */
    char temporary[FILE_PATH_BYTES]; /* its name until then */
} FileWriter;

bool file_writer_open(FileWriter *writer, const char *path, Err *err) WARN_UNUSED;
bool file_writer_append(FileWriter *writer, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Closes the writer and gives the file its name. On failure `path` is as it was before. */
bool file_writer_commit(FileWriter *writer, Err *err) WARN_UNUSED;
/* Closes the writer and removes the temporary file. Does nothing to a closed writer. */
void file_writer_abort(FileWriter *writer);
/* Removes the temporary files of all open writers of the process: for a signal handler that ends it. Safe in one. */
void file_writers_clean_up(void);

/* All of that for `bytes` that are there already. */
bool file_write_whole(const char *path, const void *bytes, size_t size, Err *err) WARN_UNUSED;

#endif
