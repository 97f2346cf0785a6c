/* format/container.h - a file that holds an input together with its finished trace. For src/format only.
 *
 * load.c opens such a file with FormatReader.unpack in the place of `open` and `read`. The trace is used as it is in the
 * file, or, if the file has none, the bytes of the input are read again by the reader of its format. */
#ifndef FORMAT_CONTAINER_H
#define FORMAT_CONTAINER_H
#include "format/load.h"

/* The parts to open: the trace and its input, or only the input. */
typedef enum { CONTAINER_TRACE, CONTAINER_INPUT } ContainerWant;

struct UnpackRequest {
    ContainerWant want;
    const char   *path; /* of the file; NULL = it is not a file */
};

struct Container {
    Trace              *trace;  /* owned; NULL: to be read from the store */
    const FormatReader *reader; /* of the input; NULL: to be recognised by its bytes */
    InputStore          store;  /* owned: the bytes of the input. Open as long as the trace */
    Err                 store_fault;
    LoadedFrom          from; /* the input; its name is in the arena */
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
