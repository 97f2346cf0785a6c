/* format/load.h - loads a file, pipe or other source of bytes as a trace, and reads the bytes of events again.
 *
 * The steps of a load: bytes -> codec -> reader -> builder -> trace. The input is read in blocks into one reused
 * buffer. The file stays open, because the arguments of events are read from it later. For a compressed or piped
 * input the decompressed bytes are kept in temporary files (format/spool.h) if there is enough disk space. The
 * members of an archive that are traces of one format become one trace if the reader supports parts; offsets count
 * through all members. */
#ifndef FORMAT_LOAD_H
#define FORMAT_LOAD_H
#include "base/progress.h"
#include "codec/codec.h"
#include "format/format.h"
#include "trace/log/observe.h"

/* Gives access to the bytes of the decompressed input after the load. */
typedef struct InputStore {
    /* Reads up to `size` bytes at `offset` into `buffer`. Returns their number, 0 at the end or on failure.
     * Thread-safe. */
    size_t (*read)(void *context, uint64_t offset, void *buffer, size_t size);
    void (*close)(void *context);
    void *context; /* owned; closed by loaded_release */
} InputStore;

/* One of several traces that a store holds one after the other: the members of an unpacked archive. */
typedef struct InputPart {
    const char *name; /* in load_parts: borrowed until it returns */
    uint64_t    size;
} InputPart;

/* LoadOptions.perspective: the perspective in which the format counts its events, FormatReader.counted_perspective. */
#define PERSPECTIVE_COUNTED ":counted"

/* STORE_UNUSED: the caller does not read the input again. No temporary files are written, and Loaded.store may return
 * no bytes. */
typedef enum { STORE_KEPT, STORE_UNUSED } StoreUse;

/* READ_WHOLE: a `.varve` file at an address is loaded as a whole, not read by ranges. For app/session. */
typedef enum { READ_BY_RANGES, READ_WHOLE } AddressUse;

typedef struct LoadOptions {
    const char *format_name;  /* NULL = probe */
    unsigned    threads;      /* 0 = default */
    uint64_t    record_limit; /* bytes per record; 0 = the reader's default: see docs/options.md */
    /* reading ends after about this many decompressed bytes, with the warning "begin-only"; 0 = no bound */
    uint64_t     most_bytes;
    StoreUse     store;
    AddressUse   address_use;
    Progress    *progress; /* borrowed, may be NULL */
    SymbolSource symbols;  /* zeroed: no executable is opened */
    WidthRule    widths;   /* for formats without times */
    /* Name of the perspective to load; "" = the format's first; PERSPECTIVE_COUNTED; NULL = all. Tracks that only other
     * perspectives show are not loaded (Trace.perspectives.made). Formats without perspectives ignore it. */
    const char *perspective;
    /* the part to load, in the syntax of trace/store/time_spec.h; NULL = all. Invalid: ERR_USAGE */
    const char *range;
    /* chooses the tracks of the trace (trace/store/window.h) by choose_tracks_matching; NULL = all. No such track:
     * ERR_USAGE */
    const char *tracks;
} LoadOptions;

/* The input of which a `.varve` file was made. */
typedef struct LoadedFrom {
    const char *name; /* NULL: the trace is not from such a file */
    uint64_t    bytes;
    CodecKind   codec;
    const char *details; /* static: "stored", "source" or "none" */
} LoadedFrom;

typedef struct Loaded {
    Trace              *trace;  /* owned */
    const FormatReader *reader; /* static */
    InputStore          store;  /* owned */
    /* the reason why the store returns no bytes; ERR_NONE = it returns them */
    Err         store_fault;
    const char *name;    /* in arena; load_shown_path of the file, "-" for standard input */
    ReadContext context; /* as passed to the reader, in arena */
    uint64_t    bytes;   /* size of the input before decompression */
    CodecKind   codec;
    bool        is_plain;   /* the reader got the bytes of the source unchanged */
    InputPart  *parts;      /* in arena: the names and sizes of an archive's traces */
    size_t      part_count; /* 0 = not from an archive */
    LoadedFrom  from;
    Arena       arena; /* owned */
} Loaded;

/* True for an address, "http://..." or "https://...": the functions below read it like a pipe. */
bool load_is_address(const char *path);
/* Returns the shown name of an input, in `arena`: the path; an address without user, query and fragment, which may be
 * secret. NULL when out of memory. */
const char *load_shown_path(Arena *arena, const char *path);

/* Loads a file ("-" = standard input) or an address. Returns true also for a damaged trace: see trace->complete and the warnings.
 * Returns false if the file cannot be opened, its format is not recognised, the load is cancelled, or memory is
 * exhausted. If memory_limit() allows only a part of the trace, loads that part with the warning "memory-limit".
 * `options` may be NULL. The caller releases `loaded` with loaded_release. */
bool load_file(const char *path, const LoadOptions *options, Loaded *loaded, Err *err) WARN_UNUSED;

/* As load_file, for bytes in memory, which must outlive `loaded`. For tests, fuzzing and small inputs. */
bool load_bytes(const void *bytes, size_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err) WARN_UNUSED;

/* As load_file, for a store of known size with uncompressed bytes: the browser's files. Takes ownership of the store,
 * also on failure. */
bool load_store(InputStore store, uint64_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err) WARN_UNUSED;
/* As load_store, for a store with `count` parts. The parts that are traces are read like the members of an archive. */
bool load_parts(InputStore store, const InputPart *parts, size_t count, const char *name,
                const LoadOptions *options, Loaded *loaded, Err *err) WARN_UNUSED;

void loaded_release(Loaded *loaded);

/* ---- the events of an input in file order, without a trace ---- */

/* An event and the bytes of its record, during reading. All pointers are borrowed until the observer returns. */
typedef struct ObservedRecord {
    const TraceBuilder  *builder; /* for names and threads: trace/log/observe.h */
    const FormatReader  *reader;
    const ObservedEvent *event;
    EventBytes           bytes;
} ObservedRecord;

typedef struct LoadObserver {
    /* If not NULL: formats with a text form (FormatReader.text) write that text instead of reporting events. */
    const TextRequest *text;
    void (*text_end)(void *context, const TextResult *result); /* called after the text */
    /* Receives an event. Returns false to stop reading. */
    bool (*event)(void *context, const ObservedRecord *record);
    /* Called once after the last event. so_far has the warnings and `complete`. May be NULL. */
    void (*end)(void *context, const Trace *so_far);
    void *context;
} LoadObserver;

/* Reads a file ("-" = standard input) and passes each event to the observer. Memory grows with names, not with events.
 * Returns true also if the observer stopped it. Returns false as load_file, after the events before the failure. */
bool load_observe(const char *path, const LoadOptions *options, const LoadObserver *observer,
                  Err *err) WARN_UNUSED;
/* As load_observe, for the input of a loaded trace. Fails with ERR_IO if its bytes were not kept. */
bool load_observe_again(const Loaded *loaded, const LoadObserver *observer, Err *err) WARN_UNUSED;
/* Decodes the details of an observed event. `details` is empty before the call; the caller releases its Bytes. */
bool load_observed_details(const ObservedRecord *record, EventDetails *details, Err *err) WARN_UNUSED;

/* ---- back to the bytes of an event ---- */

/* Decode the details of a slice (merged from its begin and end event), an instant or a raw event, by its index. The
 * details are empty if the event has none. The caller releases details->args and details->other. Thread-safe. */
bool load_slice_details(const Loaded *loaded, uint64_t slice, EventDetails *details, Err *err) WARN_UNUSED;
bool load_instant_details(const Loaded *loaded, uint64_t instant, EventDetails *details,
                          Err *err) WARN_UNUSED;
bool load_other_details(const Loaded *loaded, uint64_t other, EventDetails *details, Err *err) WARN_UNUSED;

/* Sets *blob to the binary data with this number in the slice's arguments; empty if there is no such blob. The caller
 * releases it, also after a failure. */
bool load_slice_blob(const Loaded *loaded, uint64_t slice, uint64_t number, Bytes *blob,
                     Err *err) WARN_UNUSED;

/* load_has_ends: true if load_slice_ends may find something. load_slice_ends: sets `ends` to the call stacks and
 * reasons at the slice's begin and end, allocated in `arena`. It reads up to some megabytes of the input. */
bool load_has_ends(const Loaded *loaded, uint64_t slice);
bool load_slice_ends(const Loaded *loaded, uint64_t slice, Arena *arena, SliceEnds *ends,
                     Err *err) WARN_UNUSED;

/* Decodes the details of many events: caches the blocks of input read last. One thread uses a DetailReader. */
typedef struct DetailReader DetailReader;
/* Creates a reader in `arena`; `loaded` must outlive it. Returns NULL when out of memory. Release it before the
 * arena. */
DetailReader *detail_reader_create(Arena *arena, const Loaded *loaded) WARN_UNUSED;
void          detail_reader_release(DetailReader *reader); /* accepts NULL */
/* As load_slice_details and its siblings. `details` may hold the result of an earlier call: its memory is reused. */
bool detail_reader_slice(DetailReader *reader, uint64_t slice, EventDetails *details, Err *err) WARN_UNUSED;
bool detail_reader_instant(DetailReader *reader, uint64_t instant, EventDetails *details,
                           Err *err) WARN_UNUSED;
bool detail_reader_other(DetailReader *reader, uint64_t other, EventDetails *details, Err *err) WARN_UNUSED;
/* One of the three. */
typedef bool (*ReadDetails)(DetailReader *reader, uint64_t id, EventDetails *details, Err *err);

#endif
