/* format/reading.h - a reader at work on a builder, fed piece by piece. For src/format only: load.c
 * and stream.c both feed so. */
#ifndef FORMAT_READING_H
#define FORMAT_READING_H
#include "format/reader.h"
#include "trace/observe.h"

typedef struct Reading {
    const FormatReader *reader;
    TraceBuilder       *builder;          /* owned, unless */
    bool                builder_is_taken; /* by somebody who keeps it until reading_close */
    void               *state;            /* the reader's, in arena */
    Arena               arena;            /* owned */
    uint64_t            offset;           /* in the input, of the first byte that was not used yet */
    size_t              used;             /* by the last reading_read */
    size_t              refused;          /* the reader used nothing of so many bytes: it wants more */
    uint64_t            record_limit;     /* more than so many are not collected for it; 0 = any number */
} Reading;

typedef struct ReadingOptions {
    uint64_t             memory_limit; /* of the builder; 0 = no bound */
    uint64_t             reader_limit; /* of what the reader itself keeps; 0 = no bound */
    uint64_t             record_limit;
    const EventObserver *observer;    /* copied; NULL = a trace is to be made */
    const char          *perspective; /* as builder_want_perspective */
    const ReadContext   *context;     /* borrowed until reading_close */
} ReadingOptions;

/* Makes the builder and opens the reader. reading_close afterwards in any case. */
bool reading_open(Reading *reading, const FormatReader *reader, const ReadingOptions *options,
                  Err *err) WARN_UNUSED;
/* Hands bytes to the reader; what it did not use comes again in front of the next ones. */
bool reading_read(Reading *reading, const uint8_t *bytes, size_t size, InputState input,
                  Err *err) WARN_UNUSED;
/* Lets the reader go; the builder stays. */
void reading_end(Reading *reading);
/* The builder too, unless it was taken. */
void reading_close(Reading *reading);

#endif
