/* format/spall/ahead.h - decodes the Begins and Ends of a piece of the input before the reader gets to it. For format/spall only.
 *
 * A piece may begin inside a record. So the decoder searches for the first byte from which several records follow one another,
 * and continues from there in runs of one thread. The reader uses a run only if it expects a record at exactly the place of the
 * first one, and if the run ends inside the buffer. Then all of them are records of the file, because the decoding of a Begin or an
 * End depends on its own bytes alone. The reader decodes all other bytes itself. */
#ifndef FORMAT_SPALL_AHEAD_H
#define FORMAT_SPALL_AHEAD_H
#include "format/spall/layout.h"
#include "format/spall/names.h"

#include <stdatomic.h>

/* The most names with numbers, and their text: each thread has its own, beside the memory of the trace. */
enum { AHEAD_NAMES = 1 << 14, AHEAD_NAME_BYTES = 256 << 10, AHEAD_UNNUMBERED = AHEAD_NAMES + 1 };

/* The state of a thread that decodes pieces. Zeroed memory is valid. The thread finds the number of a name, and the reader finds the
 * label by the number, because it is slow to find by the bytes. */
typedef struct SpallAhead {
    const SpallLayout *layout;   /* static; NULL = no piece is decoded */
    atomic_uint        sub_bits; /* of the clock, as SpallTime: the reader stores it for the next pieces */
    Arena              arena;
    NameCache          names; /* the label is the number; in the arena */
    uint32_t           name_count;
    size_t             text_bytes; /* of the names */
    /* of the reader alone, by number; LABEL_NONE = not known yet. Those of 0 (no name) and AHEAD_UNNUMBERED stay so */
    LabelId labels[AHEAD_NAMES + 2];
} SpallAhead;

/* Begins and Ends of one thread, consecutive in the piece. Behind it are, for each record, the ticks (int64_t), then the offsets
 * from the first one (uint32_t), then AHEAD_NUMBER_ values (uint32_t). */
typedef struct AheadRun {
    uint32_t at, size; /* in the piece: the first record; the bytes of all */
    uint16_t count, begin_count;
    uint8_t  sub_bits; /* of the ticks */
    bool     is_usual; /* the ticks are valid, and ascend */
    uint32_t pid, tid; /* in layouts without buffers */
} AheadRun;

/* The number of the name, 0 of an End, with the flags of a MarkBatch in the lowest bits. */
enum { AHEAD_NUMBER_SHIFT = 4, AHEAD_NUMBER_FLAGS = (1 << AHEAD_NUMBER_SHIFT) - 1, AHEAD_MARK_BYTES = 16 };

/* The runs of a piece that the reader has not passed yet. Zeroed memory has none. */
typedef struct AheadRuns {
    SpallAhead    *state;
    uint64_t       begin;      /* offset of the piece in the input */
    const uint8_t *next, *end; /* borrowed */
} AheadRuns;

/* As the functions of AheadDecoding. */
bool spall_ahead_begin(void *state, const uint8_t *head, size_t size);
void spall_ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out);
void spall_ahead_release(void *state);
/* Returns the runs of a result for the piece at `offset`. */
AheadRuns spall_ahead_runs(uint64_t offset, const Bytes *decoded);

/* Returns the next run, NULL = no run is left. */
static inline const AheadRun *ahead_run(const AheadRuns *runs)
{
    return runs->next == runs->end ? NULL : (const AheadRun *)(const void *)runs->next;
}

static inline void ahead_pass(AheadRuns *runs, const AheadRun *run)
{
    runs->next += sizeof *run + run->count * (size_t)AHEAD_MARK_BYTES;
}

#endif
