/* format/reading.h - feeds a reader with bytes and owns its builder. For load_input.c and stream.c. */
#ifndef FORMAT_READING_H
#define FORMAT_READING_H
#include "format/reader.h"
#include "trace/log/observe.h"

typedef struct Reading {
    const FormatReader *reader;
    TraceBuilder       *builder;          /* owned, unless builder_is_taken */
    bool                builder_is_taken; /* the new owner keeps the builder until reading_close */
    void               *state;            /* of the reader, in arena */
    Arena               arena;            /* owned */
    uint64_t            offset;           /* of the first unused byte in the input */
    size_t              used;             /* bytes used by the last reading_read */
    /* size of the last input if the reader used no byte of it, else 0 */
    size_t   refused;
    uint64_t record_limit; /* longer records are an error; 0 = no limit */
} Reading;

typedef struct ReadingOptions {
    uint64_t             memory_limit; /* of the builder; 0 = no bound */
    uint64_t             reader_limit; /* of the reader's own memory; 0 = no bound */
    uint64_t             record_limit;
    const EventObserver *observer;    /* copied; NULL = a trace is built */
    const char          *perspective; /* as builder_want_perspective */
    const ReadContext   *context;     /* borrowed until reading_close */
} ReadingOptions;

/* Creates the builder and opens the reader. Call reading_close afterwards, also on failure. */
bool reading_open(Reading *reading, const FormatReader *reader, const ReadingOptions *options,
                  Err *err) WARN_UNUSED;
/* Passes bytes to the reader. The caller passes the unused ones again, followed by more. */
bool reading_read(Reading *reading, const uint8_t *bytes, size_t size, InputState input,
                  Err *err) WARN_UNUSED;
/* Releases the reader and keeps the builder. */
void reading_end(Reading *reading);
/* Releases the reader, and the builder unless it was taken. */
void reading_close(Reading *reading);

#endif
