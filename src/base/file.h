/* base/file.h - reads files at any offset, and writes files that are complete or absent.
 *
 * base/os_posix.c implements it natively. base/os_wasm.c implements it in the browser build, which has no files: every
 * call fails with ERR_IO. */
#ifndef BASE_FILE_H
#define BASE_FILE_H
#include "base/arena.h"
#include "base/err.h"

#include <string.h>

enum { FILE_PATH_BYTES = 4096 };

/* Returns the part of a path behind the last '/', borrowed from it; the whole path if that part is empty. */
static inline const char *file_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* True if a file name ends with a point and `suffix`. */
static inline bool path_has_suffix(const char *path, const char *suffix)
{
    const char  *name = file_name_of(path);
    const size_t name_size = strlen(name), size = strlen(suffix);
    return name_size > size && name[name_size - size - 1] == '.' &&
           strcmp(name + name_size - size, suffix) == 0;
}

/* A file that is open for reading. A zeroed FileReader is closed. */
typedef struct FileReader {
    int      handle_plus_one; /* 0 = closed */
    uint64_t size;            /* size when it was opened; later bytes are not read */
} FileReader;

/* Opens a regular file. Fails with ERR_IO: the message is the system's, or says that it is not a regular file. */
bool file_reader_open(const char *path, FileReader *reader, Err *err) WARN_UNUSED;
/* Reads up to `size` bytes at `offset` into `buffer`. Returns the number of bytes, 0 at the end, -1 on error. Any
 * thread. */
int64_t file_reader_read(const FileReader *reader, uint64_t offset, void *buffer, size_t size);
void    file_reader_close(FileReader *reader);
/* Maps the whole file for reading; the mapping stays when the reader is closed. NULL if the system cannot: read it instead. Access
 * to the mapping ends the process (SIGBUS) if the file has been truncated since. */
void *file_reader_map(const FileReader *reader);
void  file_unmap(void *bytes, size_t size);
/* Appends the whole regular file to `out`. Fails as file_reader_open, or with ERR_MEMORY. */
bool file_read_whole(const char *path, Bytes *out, Err *err) WARN_UNUSED;

/* Reads from a pipe, terminal or socket; fd 0 is standard input. Returns as file_reader_read. */
int64_t file_read_fd(int fd, void *buffer, size_t size);
/* True for a regular file. */
bool file_is_regular(const char *path);
/* Sets `real` to the absolute path of a file, without symbolic links. False if it does not exist, or the path is too long. */
bool file_real_path(const char *path, char real[FILE_PATH_BYTES]) WARN_UNUSED;

/* A file for bytes that must be read again: input from a pipe, or decompressed input. It is temporary and has no name
 * (file_spool_open), so the system removes it when the process ends, also when it is killed; or it has a name and stays
 * (file_spool_create). A zeroed FileSpool is closed. */
typedef struct FileSpool {
    int      handle_plus_one; /* 0 = closed */
    uint64_t size;
} FileSpool;

/* Opens a temporary file in the first directory that allows it: $TMPDIR, /var/tmp, /tmp. */
bool file_spool_open(FileSpool *spool, Err *err) WARN_UNUSED;
/* Opens a temporary file in the directory with index `place` of that list. Sets *room to the space there. */
enum { FILE_TEMPORARY_PLACES = 3 };
typedef struct FileRoom {
    uint64_t free_bytes; /* for this user; UINT64_MAX = not known */
    uint64_t device;     /* identifies the file system */
} FileRoom;
bool file_spool_open_in(FileSpool *spool, unsigned place, FileRoom *room, Err *err) WARN_UNUSED;
/* Opens the file at `path`, truncated or new; it is not removed. Only its owner can read and write a new file. Fails
 * with ERR_IO if `path` is not a regular file. */
bool file_spool_create(FileSpool *spool, const char *path, Err *err) WARN_UNUSED;
/* Creates a new file at `path`. Does not change an existing file or follow a symbolic link there. */
typedef enum { SPOOL_CREATED, SPOOL_EXISTS, SPOOL_FAILED } SpoolOutcome; /* err is filled by SPOOL_FAILED */
SpoolOutcome file_spool_create_new(FileSpool *spool, const char *path, Err *err) WARN_UNUSED;
bool         file_spool_append(FileSpool *spool, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Frees the disk space of the bytes before `offset`, where the file system can; they read as zeros afterwards. The size
 * and the offsets of later bytes do not change. */
void file_spool_forget(FileSpool *spool, uint64_t offset);
/* As file_reader_read. */
int64_t file_spool_read(const FileSpool *spool, uint64_t offset, void *buffer, size_t size);
void    file_spool_close(FileSpool *spool);

/* Writes an output file. The bytes go to a temporary file beside `path`; the commit synchronises and renames it, so
 * that `path` never holds an incomplete file. "-" is standard output; devices and pipes are written directly. The writer
 * has no buffer: append large pieces. Failures are ERR_OUTPUT. A zeroed FileWriter is closed. An open writer must not
 * move in memory, because the signal handler has a pointer to `temporary`. */
typedef struct FileWriter {
    int  handle_plus_one;            /* 0 = closed */
    char target[FILE_PATH_BYTES];    /* the final name; "" = no temporary file */
    char temporary[FILE_PATH_BYTES]; /* the name until the commit */
} FileWriter;

bool file_writer_open(FileWriter *writer, const char *path, Err *err) WARN_UNUSED;
bool file_writer_append(FileWriter *writer, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Closes the writer and renames the temporary file. A failure leaves the file at `path` unchanged. */
bool file_writer_commit(FileWriter *writer, Err *err) WARN_UNUSED;
/* Closes the writer and removes the temporary file. Does nothing to a closed writer. */
void file_writer_abort(FileWriter *writer);
/* Removes the temporary files of the process's open writers (the first 16). Async-signal-safe: for a signal handler
 * that ends the process. */
void file_writers_clean_up(void);

/* Opens a writer, appends `bytes` and commits. */
bool file_write_whole(const char *path, const void *bytes, size_t size, Err *err) WARN_UNUSED;

/* Sets `path` to that of a file of the user's state, $XDG_STATE_HOME/varve/NAME or ~/.local/state/varve/NAME. False if there is
 * no such folder, or its path is too long. */
bool file_state_path(const char *name, char path[FILE_PATH_BYTES]) WARN_UNUSED;
/* Replaces a file of the user's state, which only its owner can read and write. Creates the folders to it. Size 0: removes the
 * file. */
bool file_state_write(const char *path, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Creates the missing folders to a file; only their owner can enter them. A failure shows when the file is opened. */
void file_make_folders(const char *path);

#endif
