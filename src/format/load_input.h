/* format/load_input.h - reads an input with the reader for its format: part by part, in blocks, ahead of the reader where that is
 * faster, up to the limits of memory and of the request. For load.c, which makes a trace of it, or observes its events. */
#ifndef FORMAT_LOAD_INPUT_H
#define FORMAT_LOAD_INPUT_H
#include "base/vec.h"
#include "format/container.h"
#include "format/load.h"
#include "format/reading.h"

enum { LEAST_BLOCK_BYTES = 16 << 10 /* with a low limit of memory */ };

/* Limits of reading when memory has a limit. builder_finish takes between a quarter and six times of the memory that
 * reading took. So reading may take most of the memory and of the temporary file. If the finished trace does not fit, the
 * input is read again, up to half of the offset, if it can be read again. */
typedef struct MemoryPlan {
    uint64_t
        left_part; /* reading ends when memory_left() is less than memory_used() / left_part; 0 = no bound */
    uint64_t most_input; /* reading ends before this offset, except for a long record; 0 = no bound */
} MemoryPlan;

/* The state of a load. The buffer holds the bytes that the reader has not used yet. */
typedef struct Load {
    const LoadOptions  *options;
    ReadContext         context;
    Input              *input;
    const FormatReader *reader;     /* NULL until it is chosen */
    Reading             reading;    /* reading.offset is the offset of bytes[0] in the decompressed input */
    Bytes               buffer;     /* empty if blocks.h holds the bytes */
    const uint8_t      *bytes;      /* the bytes for the reader: in the buffer or a block */
    size_t              size;       /* number of bytes at `bytes` */
    size_t              used;       /* bytes used from the begin of the buffer or block */
    uint64_t            raw_read;   /* bytes of the source read for these */
    bool                part_ended; /* these are the last bytes of a part */
    bool                ended;      /* and of the input */
    bool                has_fault;  /* the part ended by `fault`, which is not reported yet */
    Err                 fault;
    uint64_t            part_begin; /* offset of the part in the decompressed input */
    VEC(InputPart) parts;           /* the parts of an archive so far */
    Arena              *part_names; /* borrowed; holds the names of `parts`; NULL = parts are not recorded */
    const LoadObserver *observer;   /* NULL: a trace is built */
    bool                stopped;    /* by the observer, the reader or the memory limit */
    MemoryPlan          memory;
    const Container    *container; /* of the input, or NULL */
} Load;

/* Reads the first bytes of the first part and chooses the reader for them. */
bool load_choose_reader(Load *load, Err *err) WARN_UNUSED;
/* Reads the input with the chosen reader, to its end or a limit. */
bool load_read(Load *load, Err *err) WARN_UNUSED;
void load_close(Load *load);

#endif
