/* format/load.h - from a file, pipe or any source of bytes to a finished trace, and back to the bytes of an event.
 *
 * The walk: bytes -> codec -> reader -> builder -> trace. The input is read in blocks into one reused buffer. For the
 * arguments of events the file stays open; of a compressed or piped input the plain bytes are kept in temporary files
 * (format/spool.h), as far as there is room. The members of an archive that are traces of one format are one
 * trace, if the format's reader takes parts; offsets count through all of them. */
#ifndef FORMAT_LOAD_H
#define FORMAT_LOAD_H
#include "base/progress.h"
#include "codec/codec.h"
#include "format/format.h"
#include "trace/observe.h"

/* Where the (decompressed) input's bytes can be read again. */
typedef struct InputStore {
    /* Up to `size` bytes at `offset` into `buffer`; how many there were, 0 at the end or on failure. Any thread. */
    size_t (*read)(void *context, uint64_t offset, void *buffer, size_t size);
    void (*close)(void *context);
    void *context; /* owned; closed by loaded_release */
} InputStore;

/* A trace among several that one store holds one after the other: the members of an archive that was unpacked. */
typedef struct InputPart {
    const char *name; /* for load_parts borrowed while loading */
    uint64_t    size;
} InputPart;

/* Instead of a name: the perspective in which the format counts its events, FormatReader.counted_perspective. */
#define PERSPECTIVE_COUNTED ":counted"

/* STORE_UNUSED: nothing reads the bytes of the input again: no temporary file is written for them, and Loaded.store
 * may read nothing. */
typedef enum { STORE_KEPT, STORE_UNUSED } StoreUse;

typedef struct LoadOptions {
    const char  *format_name;  /* NULL = probe */
    unsigned     threads;      /* 0 = default */
    uint64_t     record_limit; /* bytes of one record; 0 = the reader's default: see docs/options.md */
    StoreUse     store;
    Progress    *progress;     /* borrowed, may be NULL */
    SymbolSource symbols;      /* zeroed: no file but the input is opened */
    WidthRule    widths;       /* of formats without times */
    /* Name of the perspective to load; "" = the format's first; PERSPECTIVE_COUNTED; NULL = all. Tracks that only
     * other perspectives show are then missing: Trace.perspectives_made. Formats without perspectives ignore it. */
    const char *perspective;
    const char *range; /* only this part, as trace/time_spec.h has it; NULL = all. ERR_USAGE if it is none */
} LoadOptions;

typedef struct Loaded {
    Trace              *trace;   /* owned */
    const FormatReader *reader;  /* static */
    InputStore          store;   /* owned */
    Err                 store_fault; /* why it reads nothing; ERR_NONE = it reads */
    const char         *name;    /* in arena; the file's name as given, "-" for standard input */
    ReadContext         context; /* what the reader was told, in arena */
    uint64_t            bytes;   /* size of the input as it was, compressed or not */
    CodecKind           codec;
    bool                is_plain; /* the source's bytes are those the reader got */
    InputPart          *parts;    /* in arena: what an archive's traces were called, and how long they are */
    size_t              part_count; /* 0 = not from an archive */
    Arena               arena;      /* owned */
} Loaded;

/* Loads a file ("-" = standard input). True also for a damaged trace: see trace->complete and its warnings.
 * False when it cannot be opened, nothing in it is recognised, it is cancelled, or memory is out. Where memory_limit()
 * allows only a part of the trace, the trace is that part, with the warning "memory-limit". */
bool load_file(const char *path, const LoadOptions *options, Loaded *loaded, Err *err) WARN_UNUSED;

/* The same for bytes already in memory, which must outlive `loaded`. For tests, fuzzing and small inputs. */
bool load_bytes(const void *bytes, size_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err) WARN_UNUSED;

/* The same for a store of known size that holds plain (not compressed) bytes: the browser's files. The store is
 * closed also on failure. */
bool load_store(InputStore store, uint64_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err) WARN_UNUSED;
/* The same where the store holds so many parts: those that are traces are read as the members of an archive are. */
bool load_parts(InputStore store, const InputPart *parts, size_t count, const char *name,
                const LoadOptions *options, Loaded *loaded, Err *err) WARN_UNUSED;

void loaded_release(Loaded *loaded);

/* ---- the events of an input in file order, without a trace ---- */

/* An event as it is read, and the bytes of its record. All borrowed until the observer returns. */
typedef struct ObservedRecord {
    const TraceBuilder  *builder; /* knows names and threads: trace/observe.h */
    const FormatReader  *reader;
    const ObservedEvent *event;
    EventBytes           bytes;
} ObservedRecord;

typedef struct LoadObserver {
    /* Asked for: the text of formats that have their own, instead of events. Else NULL. */
    const TextRequest *text;
    void (*text_end)(void *context, const TextResult *result); /* that was printed */
    /* False: no more events are wanted. */
    bool (*event)(void *context, const ObservedRecord *record);
    /* Once, behind the last event: warnings, and whether the input was complete. NULL = not wanted. */
    void (*end)(void *context, const Trace *so_far);
    void *context;
} LoadObserver;

/* Reads a file ("-" = standard input) and hands on every event as it comes. Memory grows with names, not events. True
 * also when the observer stopped it; false as load_file, after the events that were read. */
bool load_observe(const char *path, const LoadOptions *options, const LoadObserver *observer,
                  Err *err) WARN_UNUSED;
/* The same for the bytes of a trace that is loaded. Fails with ERR_IO if they were not kept. */
bool load_observe_again(const Loaded *loaded, const LoadObserver *observer, Err *err) WARN_UNUSED;
/* What the event says beyond its columns, as load_slice_details. `details` comes empty. */
bool load_observed_details(const ObservedRecord *record, EventDetails *details, Err *err) WARN_UNUSED;

/* ---- back to the bytes of an event ---- */

/* What slice `slice`, or the instant or other event of index i, says beyond its columns, merged from its begin and
 * its end. Empty details when it has no more to say. The caller releases details->args and details->other. */
bool load_slice_details(const Loaded *loaded, uint64_t slice, EventDetails *details, Err *err) WARN_UNUSED;
bool load_instant_details(const Loaded *loaded, uint64_t instant, EventDetails *details,
                          Err *err) WARN_UNUSED;
bool load_other_details(const Loaded *loaded, uint64_t other, EventDetails *details, Err *err) WARN_UNUSED;

/* The bytes of the blob that the slice's arguments give this number: empty where there is none. The caller
 * releases them, also after a failure. */
bool load_slice_blob(const Loaded *loaded, uint64_t slice, uint64_t number, Bytes *blob, Err *err) WARN_UNUSED;

/* Whether there is more to be found about how the slice begins and ends; and that, which reads up to some
 * megabytes. What is found lives in `arena`. */
bool load_has_ends(const Loaded *loaded, uint64_t slice);
bool load_slice_ends(const Loaded *loaded, uint64_t slice, Arena *arena, SliceEnds *ends,
                     Err *err) WARN_UNUSED;

/* The same for who asks for many: keeps the blocks of input that it read last. One thread, one DetailReader. */
typedef struct DetailReader DetailReader;
/* Lives in `arena`; `loaded` must outlive it. NULL when out of memory. Release it before the arena. */
DetailReader *detail_reader_create(Arena *arena, const Loaded *loaded) WARN_UNUSED;
void          detail_reader_release(DetailReader *reader); /* NULL is allowed */
/* `details` may hold what was there before: it is overwritten, its memory used again. */
bool detail_reader_slice(DetailReader *reader, uint64_t slice, EventDetails *details, Err *err) WARN_UNUSED;
bool detail_reader_instant(DetailReader *reader, uint64_t instant, EventDetails *details,
                           Err *err) WARN_UNUSED;
bool detail_reader_other(DetailReader *reader, uint64_t other, EventDetails *details, Err *err) WARN_UNUSED;

#endif
