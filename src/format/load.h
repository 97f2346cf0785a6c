/* format/load.h - from a file, pipe or any source of bytes to a finished trace, and back to the bytes of an event.
 *
 * The walk: bytes -> codec -> reader -> builder -> trace. The input is read in blocks into one reused buffer; the
 * file stays open (or, where it was compressed or piped, its decompressed bytes stand in an unlinked temporary
 * file) for the arguments someone may ask for. */
#ifndef FORMAT_LOAD_H
#define FORMAT_LOAD_H
#include "base/progress.h"
#include "codec/codec.h"
#include "format/format.h"

/* Where the (decompressed) input's bytes can be read again. */
typedef struct InputStore {
    /* Up to `size` bytes at `offset` into `buffer`; how many there were, 0 at the end or on failure. Any thread. */
    size_t (*read)(void *context, uint64_t offset, void *buffer, size_t size);
    void (*close)(void *context);
    void *context; /* owned; closed by loaded_release */
} InputStore;

typedef struct LoadOptions {
    const char *format_name;  /* NULL = probe */
    unsigned    threads;      /* 0 = default */
    uint64_t    memory_limit; /* bytes; 0 = three quarters of the machine's */
    Progress   *progress;     /* borrowed, may be NULL */
} LoadOptions;

typedef struct Loaded {
    Trace              *trace;  /* owned */
    const FormatReader *reader; /* static */
    InputStore          store;  /* owned */
    const char         *name;   /* in arena; the file's name as given, "-" for standard input */
    uint64_t            bytes;  /* size of the input as it was, compressed or not */
    CodecKind           codec;
    Arena               arena; /* owned */
} Loaded;

/* Loads a file ("-" = standard input). True also for a damaged trace: see trace->complete and its warnings.
 * False when it cannot be opened, nothing in it is recognised, it is cancelled, or memory is out. */
bool load_file(const char *path, const LoadOptions *options, Loaded *loaded, Err *err) WARN_UNUSED;

/* The same for bytes already in memory, which must outlive `loaded`. For tests, fuzzing and small inputs. */
bool load_bytes(const void *bytes, size_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err) WARN_UNUSED;

/* The same for a store of known size that holds plain (not compressed) bytes: the browser's files. The store is
 * closed also on failure. */
bool load_store(InputStore store, uint64_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err) WARN_UNUSED;

void loaded_release(Loaded *loaded);

/* What slice `slice`, or the instant or other event of index i, says beyond its columns, merged from its begin and
 * its end. Empty details when it has no more to say. The caller releases details->args and details->other. */
bool load_slice_details(const Loaded *loaded, uint64_t slice, EventDetails *details, Err *err) WARN_UNUSED;
bool load_instant_details(const Loaded *loaded, uint64_t instant, EventDetails *details,
                          Err *err) WARN_UNUSED;
bool load_other_details(const Loaded *loaded, uint64_t other, EventDetails *details, Err *err) WARN_UNUSED;

#endif
