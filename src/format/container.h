/* format/container.h - a file that holds an input together with its finished trace. For src/format only.
 *
 * load.c opens such a file with FormatReader.unpack in the place of `open` and `read`. The trace is used as it is in the
 * file, or, if the file has none, the bytes of the input are read again by the reader of its format. */
#ifndef FORMAT_CONTAINER_H
#define FORMAT_CONTAINER_H
#include "format/load.h"

/* The parts to open: the trace and its input, or only the input. CONTAINER_TRACE_ALONE: a file without a sound trace and its input
 * is refused, with ERR_CORRUPT; it is not recovered. CONTAINER_FACTS: only Container.from. */
typedef enum { CONTAINER_TRACE, CONTAINER_INPUT, CONTAINER_TRACE_ALONE, CONTAINER_FACTS } ContainerWant;

struct UnpackRequest {
    ContainerWant want;
    const char   *path; /* of the file; NULL = it is not a file */
    const char *
        source; /* the input, where only its path is in the file; NULL = the path in it, or beside the file */
};

struct Container {
    Trace              *trace;  /* owned; NULL: to be read from the store */
    const FormatReader *reader; /* of the input; NULL: to be recognised by its bytes */
    InputStore          store;  /* owned: the bytes of the input. Open as long as the trace */
    Err                 store_fault;
    LoadedFrom          from;     /* the input; its name is in the arena */
    bool                is_plain; /* the reader got the bytes of the input unchanged */
    const char
            *cut_message; /* NULL; or the input ended early when the file was written: the warning about it */
    uint64_t cut_offset;
    InputPart *parts; /* in the arena */
    size_t     part_count;
    Err        fault; /* ERR_NONE; else the damage because of which the input is read again */
};

/* Releases the trace and the store. */
void container_release(Container *container);

#endif
