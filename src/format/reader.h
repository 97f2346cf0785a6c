/* format/reader.h - what a format must bring. One format, one FormatReader, one row in format.c.
 *
 * A reader knows bytes and the builder: not columns, not tiles, not other formats. It keeps no global state. */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H
#include "base/arena.h"
#include "base/err.h"
#include "format/symbols.h"
#include "trace/builder.h"

/* INPUT_PART_ENDS: a file ends here, and another of the same trace follows (of an archive, say); for readers that take
 * parts. */
typedef enum { INPUT_CONTINUES, INPUT_PART_ENDS, INPUT_ENDS } InputState;
typedef enum { PARTS_ONE, PARTS_SEVERAL } PartRule;

typedef struct Input       Input;       /* format/input.h */
typedef struct TextRequest TextRequest; /* format/text.h */
typedef struct TextResult  TextResult;

/* The bytes of one event's record: from its first byte to at least its end, if they are there. */
typedef struct EventBytes {
    const uint8_t *bytes; /* borrowed; NULL = there is no such event */
    size_t         size;  /* may reach into following records */
    uint64_t       offset;
    size_t         lead; /* so many bytes in front of `bytes` can be read as well: FormatReader.lead */
    int64_t        tick; /* when it happened; 0 where it has no time */
    bool           ends_input; /* the input has no byte after these */
} EventBytes;

/* Where there is no time: every event, or every call, is one tick. */
typedef enum { WIDTHS_OF_EVENTS, WIDTHS_OF_CALLS } WidthRule;

/* Bytes that have gone by, once more: up to `size` at `offset`; gives how many there were. */
typedef struct ReadAgain {
    size_t (*read)(void *context, uint64_t offset, void *buffer, size_t size); /* NULL = they cannot be had */
    void *context;
} ReadAgain;

/* What surrounds an input, for readers that look beyond it. All texts are borrowed for as long as the load takes. */
typedef struct ReadContext {
    const char  *path;    /* the input's; NULL = it is no file */
    SymbolSource symbols; /* where names of addresses come from */
    WidthRule    widths;  /* for formats without times */
    const char *
        range; /* trace/time_spec.h: the part that is wanted; NULL = all. Who can leave the rest out says so with
                           builder_set_window; else it is the trace's window all the same, and others leave it out */
    ReadAgain again;           /* good while it is read */
    uint32_t     record_limit; /* of a live input: what claims to be longer is damage; 0 = as the format has it */
} ReadContext;

/* What can be read while it is being made. STREAM_OF_PACKETS: also datagram by datagram, where no record goes
 * on in the next one; then INPUT_PART_ENDS is the end of a datagram. */
typedef enum { STREAM_NEVER, STREAM_OF_BYTES, STREAM_OF_PACKETS } StreamRule;

/* What the source's own numbering says about events so far. */
typedef struct ReadLosses {
    uint64_t missing;       /* and not come late either */
    uint64_t late;          /* came behind later ones */
    uint64_t twice;         /* came again, and are there once */
    uint64_t skipped_bytes; /* in which no record was found */
} ReadLosses;

/* What somebody looks for in arguments, so that those of most events need not be written out. */
typedef struct DetailTest {
    /* Whether a value of this text is found. `key` NULL: it might be anybody's. `value` with NULL for bytes:
     * whether any number might be, or what looks like one: hexadecimal digits, true, NaN. */
    bool (*finds)(const void *context, const StringView *key, StringView value);
    const void *context;
} DetailTest;

/* How much of binary data the arguments hold: its first bytes, or all. */
typedef enum { BLOBS_BEGIN, BLOBS_WHOLE } BlobRule;

/* What an event says beyond name, category, time and place. Each is valid JSON or empty. */
typedef struct EventDetails {
    Bytes args;  /* the value of its arguments: mostly an object, in the order of the source */
    Bytes other; /* an object of the fields that have no key of their own in `dump --json`, or empty */
    char  old_phase; /* Trace Event: S, T, p or F of an old-style asynchronous event; 0 = any other event */
    /* Asked for: binary data, which the arguments hold as {"bytes": size, "hex", "blob": number}. */
    BlobRule blob_rule;
    uint64_t blob_wanted; /* number + 1; 0 = none */
    Bytes    blob;        /* the bytes of the wanted one */
    /* An event in which this finds nothing may be left without all of these; NULL = it may not. */
    const DetailTest *test;
} EventDetails;

/* A place in code, as texts. What is not known is empty or 0. */
typedef struct FrameText {
    StringView function, file, module;
    uint64_t   line, column; /* from 1 */
    uint64_t   address;
} FrameText;

/* What happened when a slice began or ended. */
typedef struct SliceEnd {
    const FrameText *frames; /* where the code stood, the innermost first */
    size_t           frame_count;
    StringView       why; /* for people; empty: not known */
} SliceEnd;

#define SLICE_NOWHERE UINT64_MAX

typedef struct SliceEnds {
    SliceEnd begin, end;
    uint64_t previous, next; /* slices of the same, where it was before and is afterwards; SLICE_NOWHERE: there is none */
} SliceEnds;

typedef struct FormatReader {
    const char *name; /* as in --format=, lower case */
    const char *spec; /* where the format is defined, with version or date */
    /* Name of the perspective (builder_perspective) in which events are counted; NULL = the format has one view. */
    const char *counted_perspective;
    /* How sure, 0-100, from the first bytes alone. Cheap, no allocation. */
    int (*probe)(const uint8_t *head, size_t size);
    /* The reader's state lives in `arena`; the builder must outlive it. NULL = failed, err filled. */
    void *(*open)(Arena *arena, TraceBuilder *builder, Err *err);
    /* Decodes the complete records at the start of `bytes` and sets *used to their size. The caller brings the rest
     * again with more bytes after it. Any chunking gives the same builder calls. With INPUT_PART_ENDS and INPUT_ENDS
     * a rest is a record that was cut short. Returns false only when nothing can be recognised or memory is out:
     * damage is a warning and builder_set_incomplete. */
    bool (*read)(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used, Err *err);
    /* Gives up the record that begins at the first byte not used, because it is too long: the next calls of `read`
     * step over its bytes without keeping them. False: the reader cannot do that here. NULL = it never can. */
    bool (*skip)(void *state);
    /* Decodes arguments when someone looks. `begin` or `end` has NULL for bytes where there is no such event with more
     * to say; an event that is no slice's comes as `begin`, even if it is an end. The trace gives version, properties
     * and warnings; it may have no events yet. ERR_TRUNCATED: more bytes behind these would help; other failures are
     * final. `details` comes empty but for blob_wanted and test, maybe with memory; the caller releases its Bytes. */
    bool (*details)(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                    Err *err);
    /* Told once, between `open` and `read`; without it a reader looks at nothing but the input.
     * NULL = it never does. */
    void (*configure)(void *state, const ReadContext *context);
    /* Where `details` must start to read in order to understand the event at `offset`: at or before it. The bytes from
     * there come as EventBytes.lead, except for an event that is being observed, of which the reader knows all. NULL =
     * at the event itself. */
    uint64_t (*lead)(const Trace *trace, uint64_t offset);
    /* How a slice begins and ends, where that takes more than the bytes of two events and too much memory to keep:
     * found by reading what is around them again. Asked for one slice, of which has_ends, which costs nothing, is
     * true. What is found lives in `arena`, which takes the work as well. NULL = there is no such thing. */
    bool (*has_ends)(const Trace *trace, uint64_t slice);
    bool (*ends)(const Trace *trace, uint64_t slice, const ReadAgain *again, Arena *arena, SliceEnds *ends,
                 Err *err);
    /* What a slice is about that is shown in every perspective, each time on another lane, as a short text ("G7"):
     * appended. False: it is about nothing of that kind. And the slice about it on a lane of one of these
     * perspectives (bits; 0: of any) that holds this tick, or the nearest to it. NULL = there is no such thing. */
    bool (*subject)(const Trace *trace, uint64_t slice, Bytes *out);
    bool (*find_subject)(const Trace *trace, StringView subject, uint8_t perspectives, int64_t tick,
                         uint64_t *slice);
    /* Asked again with more behind what it did not use, it goes on where it stopped: it can be asked often. */
    bool       goes_on;
    PartRule   parts;  /* whether several files can be one trace */
    StreamRule stream; /* whether it can be looked at while it is being written */
    /* What is known of losses while reading goes on; costs nothing. NULL = the format does not number its events. */
    ReadLosses (*losses)(const void *state);
    /* The text that the format's own tools print, decoded from the start of `input`; NULL: they print none.
     * True also for damaged input: *result says so. ERR_USAGE: an option has no such value. */
    bool (*text)(Input *input, const TextRequest *request, TextResult *result, Err *err);
} FormatReader;

#endif
