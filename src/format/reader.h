/* format/reader.h - the interface of a format's reader. Each format has one FormatReader and one row in format.c.
 *
 * A reader uses only bytes and the builder, not columns, tiles or other formats. It has no global state. */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H
#include "base/arena.h"
#include "base/err.h"
#include "format/symbols.h"
#include "trace/log/builder.h"

/* INPUT_PART_ENDS: a file ends here and another file of the same trace follows, for example in an archive. Only readers
 * with PARTS_SEVERAL get it, and readers of datagrams. */
typedef enum { INPUT_CONTINUES, INPUT_PART_ENDS, INPUT_ENDS } InputState;
typedef enum { PARTS_ONE, PARTS_SEVERAL } PartRule;

typedef struct Input         Input;     /* format/input.h */
typedef struct Container     Container; /* format/container.h */
typedef struct UnpackRequest UnpackRequest;
typedef struct TextRequest   TextRequest; /* format/text.h */
typedef struct TextResult    TextResult;

/* The bytes of one event's record, from its first byte to at least its end where the input has them. */
typedef struct EventBytes {
    const uint8_t *bytes;      /* borrowed; NULL = no such event */
    size_t         size;       /* may extend into the following records */
    uint64_t       offset;     /* of bytes[0] in the input */
    size_t         lead;       /* number of readable bytes before `bytes`: FormatReader.lead */
    int64_t        tick;       /* time of the event; 0 without a time */
    bool           ends_input; /* no byte of the input follows */
} EventBytes;

/* For formats without times: the event or the call is one tick wide. */
typedef enum { WIDTHS_OF_EVENTS, WIDTHS_OF_CALLS } WidthRule;

/* Reads bytes of the input that the reader has already used. */
typedef struct ReadAgain {
    /* Reads up to `size` bytes at `offset`. Returns their number. NULL = the input cannot be read again. */
    size_t (*read)(void *context, uint64_t offset, void *buffer, size_t size);
    void *context;
} ReadAgain;

/* The surroundings of an input. All texts are borrowed until the load ends. */
typedef struct ReadContext {
    const char  *path;    /* of the input; NULL = the input is not a file */
    SymbolSource symbols; /* source of the names of code addresses */
    WidthRule    widths;  /* for formats without times */
    /* The requested part of the trace (trace/store/time_spec.h); NULL = all. A reader that leaves out the rest calls
     * builder_set_window. Otherwise load.c sets the window after the load. */
    const char *range;
    ReadAgain   again;        /* valid during the load */
    bool        is_live;      /* the input is read while it is written */
    uint32_t    record_limit; /* live input: longer records are damaged; 0 = the format's own limit */
} ReadContext;

/* Losses of events so far, by the source's sequence numbers. */
typedef struct ReadLosses {
    uint64_t missing;       /* not received */
    uint64_t late;          /* received after an event with a higher number */
    uint64_t twice;         /* received again; the trace has them once */
    uint64_t skipped_bytes; /* bytes outside of recognised records */
} ReadLosses;

/* A search in arguments. It lets a reader skip the conversion of arguments to JSON for most events. */
typedef struct DetailTest {
    /* True if the value matches. `key` NULL: the value may belong to any key. `value.bytes` NULL: asks if any number
     * may match, including texts like hexadecimal digits, true and NaN. */
    bool (*finds)(const void *context, const StringView *key, StringView value);
    const void *context;
} DetailTest;

/* The part of binary data that the arguments contain: the first bytes or all. */
typedef enum { BLOBS_BEGIN, BLOBS_WHOLE } BlobRule;

/* The data of an event beside name, category, time and track. Each text is valid JSON or empty. */
typedef struct EventDetails {
    Bytes args;      /* the value of its arguments: mostly an object, in the order of the source */
    Bytes other;     /* an object of the fields that have no key of their own in `dump --json`, or empty */
    char  old_phase; /* Trace Event: S, T, p or F of an old-style asynchronous event; 0 = any other event */
    /* Input: the treatment of binary data, which the arguments contain as {"bytes": size, "hex", "blob": number}. */
    BlobRule blob_rule;
    uint64_t blob_wanted; /* input: number of the requested blob + 1; 0 = none */
    Bytes    blob;        /* the bytes of the requested blob */
    /* Input: if not NULL, the reader may leave out the details of an event in which the test finds nothing. */
    const DetailTest *test;
} EventDetails;

/* A place in code, as texts. Unknown texts are empty, unknown numbers 0. */
typedef struct FrameText {
    StringView function, file, module;
    uint64_t   line, column; /* from 1 */
    uint64_t   address;
} FrameText;

/* The circumstances of a slice's begin or end. */
typedef struct SliceEnd {
    const FrameText *frames; /* the call stack, innermost frame first */
    size_t           frame_count;
    StringView       why; /* the reason, as text for display; empty: not known */
} SliceEnd;

#define SLICE_NOWHERE UINT64_MAX

typedef struct SliceEnds {
    SliceEnd begin, end;
    uint64_t previous,
        next; /* the slices with the same cross-view id before and after this one; SLICE_NOWHERE: none */
} SliceEnds;

/* Optional: the surroundings of a slice, for formats that know more of it than the trace keeps. */
typedef struct SliceContext {
    /* True if `ends` may find something; cheap. */
    bool (*has_ends)(const Trace *trace, uint64_t slice);
    /* Sets `ends` to the call stacks and reasons at a slice's begin and end, which would take too much memory to keep.
     * Reads the input around the slice again. Allocates the result and work memory in `arena`. */
    bool (*ends)(const Trace *trace, uint64_t slice, const ReadAgain *again, Arena *arena, SliceEnds *ends,
                 Err *err);
    /* Appends the cross-view id of a slice: the id that it has in all perspectives, for example "G7". False: it has none. */
    bool (*cross_view_id)(const Trace *trace, uint64_t slice, Bytes *out);
    /* Sets *slice to the slice with a cross-view id in one of the `perspectives` (bits; 0 = any) that contains `tick`, or
     * to the nearest one. */
    bool (*find_cross_view_id)(const Trace *trace, StringView id, uint8_t perspectives, int64_t tick,
                               uint64_t *slice);
} SliceContext;

/* Optional: reading of input that is being written. */
typedef struct StreamReading {
    /* no record continues in the next datagram; INPUT_PART_ENDS marks the end of a datagram */
    bool takes_datagrams;
    /* Returns the losses so far; cheap. NULL = the format does not number its events. */
    ReadLosses (*losses)(const void *state);
} StreamReading;

/* Optional: decoding of pieces of the input on any thread, before `read` gets their bytes. It makes `read` faster and changes
 * no call of the builder. */
typedef struct AheadDecoding {
    size_t state_bytes; /* of each thread's own state, zeroed before its first piece */
    /* Prepares a state (NULL: only asks) by the first bytes of the input. False: its pieces cannot be decoded. NULL = not needed. */
    bool (*begin)(void *state, const uint8_t *head, size_t size);
    /* Decodes a piece, which begins and ends anywhere in the input, for example inside a record. Replaces the contents of `out`. */
    void (*decode)(void *state, const uint8_t *bytes, size_t size, Bytes *out);
    /* Releases the memory of a state, when no further result is used. */
    void (*release)(void *state);
    /* Passes the result for the piece at `offset` to the reader, which may use it in `read` until the next call. `decoded`
     * and the states are borrowed for that time. */
    void (*give)(void *reader_state, uint64_t offset, const Bytes *decoded);
} AheadDecoding;

typedef struct FormatReader {
    const char *name;  /* as in --format=, lower case */
    const char *spec;  /* the format's definition, with version or date */
    const char *about; /* title, producers and usual suffixes: lines for `varve help NAME` */
    /* Name of the perspective (builder_perspective) in which events are counted; NULL = the format has one
     * perspective. */
    const char *counted_perspective;
    /* Returns the confidence, 0-100, that the input has this format, by its first bytes. Cheap, does not allocate. */
    int (*probe)(const uint8_t *head, size_t size);
    /* Returns the reader's state, allocated in `arena`. The builder must outlive it. NULL = failed, err filled. */
    void *(*open)(Arena *arena, TraceBuilder *builder, Err *err);
    /* Decodes the complete records at the start of `bytes` and sets *used to their size. The caller passes the
     * remaining bytes again, followed by more. Any chunking gives the same builder calls. With INPUT_PART_ENDS and
     * INPUT_ENDS the remaining bytes are a truncated record. Returns false only if the format is not recognised or
     * memory is exhausted: damage is reported by a warning and builder_set_incomplete. */
    bool (*read)(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used, Err *err);
    /* Skips the record at the first unused byte because it is too long: the next calls of `read` discard its bytes.
     * False: the reader cannot skip this record. NULL = it cannot skip records. */
    bool (*skip)(void *state);
    /* Decodes the arguments of an event or a slice. `begin->bytes` or `end->bytes` is NULL if the slice has no such
     * event or the event has no details. An event that is not part of a slice is passed as `begin`, even if it is an
     * end event. `trace` has the version, properties and warnings; during a load it has no events yet. ERR_TRUNCATED:
     * more bytes are needed; other errors are final. The caller empties `details` except for the input members, and
     * releases its Bytes. */
    bool (*details)(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                    Err *err);
    /* Passes the surroundings of the input, once, between `open` and `read`. NULL = the reader does not use them. */
    void (*configure)(void *state, const ReadContext *context);
    /* Returns the offset, at or before `offset`, from which `details` must read to decode the event at `offset`. These
     * bytes precede EventBytes.bytes (EventBytes.lead), except during load_observe, where the reader's state has all it
     * needs. NULL = `offset` itself. */
    uint64_t (*lead)(const Trace *trace, uint64_t offset);
    /* When `read` gets an incomplete record again with more bytes, it continues at the byte where it stopped. So the
     * caller may pass small pieces. */
    bool                 goes_on;
    PartRule             parts;         /* several files can be one trace */
    const SliceContext  *slice_context; /* NULL = none */
    const StreamReading *stream;        /* NULL = the input must be complete */
    const AheadDecoding *ahead;         /* NULL = only `read` decodes */
    /* Writes the text that the format's own tools print, decoded from the start of `input`. Returns true also for
     * damaged input: see *result. ERR_USAGE: invalid value of an option. NULL = the format has no text form. */
    bool (*text)(Input *input, const TextRequest *request, TextResult *result, Err *err);
    /* Opens a file that holds an input and its trace (format/container.h), from all its bytes, aligned to 8. Takes ownership of
     * `bytes`, also on failure; allocates in `arena`, which outlives the container. A reader has this function or `open`,
     * `read` and `details`. */
    bool (*unpack)(Arena *arena, TraceMapping bytes, const UnpackRequest *request, Container *out, Err *err);
} FormatReader;

#endif
