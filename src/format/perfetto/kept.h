/* format/perfetto/kept.h - the data that `details` needs from other packets than that of the event: texts that packets name by
 * a number (interned data), and decompressed packets. For format/perfetto only.
 *
 * Numbers are valid in a sequence of packets until its incremental state is cleared: that begins a generation. Generations of all
 * sequences have different numbers, from 1. */
#ifndef FORMAT_PERFETTO_KEPT_H
#define FORMAT_PERFETTO_KEPT_H
#include "base/hash_index.h"
#include "base/id_map.h"
#include "base/lock.h"
#include "format/perfetto/ftrace_decode.h"
#include "format/perfetto/unpacked.h"
#include "trace/log/builder.h"

typedef struct Interned {
    uint64_t       iid;
    uint32_t       generation;
    uint32_t       kind;  /* INTERNED_ of fields.h */
    const uint8_t *bytes; /* in the arena: the text, or all of a message without one */
    size_t         size;
    uint32_t       made; /* the index of a FrameId or StackId of the builder; 0 until the reader sets it */
} Interned;

typedef struct GenerationBegin {
    uint64_t offset; /* of the first packet */
    uint32_t generation;
} GenerationBegin;

/* The generations of a sequence, in order of their begins. */
typedef struct KeptSequence {
    ARENA_LIST(GenerationBegin) begins;
} KeptSequence;

typedef struct PerfettoKept {
    Arena     arena; /* owned: has all of this, too */
    uint64_t  hash_key;
    HashIndex index;                    /* of `interned` */
    ARENA_LIST(Interned) interned;      /* [0] is unused */
    IdMap sequence_of;                  /* by sequence id: index into `sequences` */
    ARENA_LIST(KeptSequence) sequences; /* [0] is unused */
    uint32_t      generation_count;
    Unpacked      unpacked;
    FtraceMachine machine;
    Arena         bundles; /* owned: of system.h, until the end of the input */
} PerfettoKept;

/* Returns an empty state that the builder owns. NULL: out of memory. */
PerfettoKept *kept_create(TraceBuilder *builder) WARN_UNUSED;
/* Returns the index of a sequence, added on first use; 0 when out of memory. */
uint32_t kept_sequence(PerfettoKept *kept, uint64_t id);
/* Begins a generation of a sequence. Returns its number; 0 when out of memory. */
uint32_t kept_begin_generation(PerfettoKept *kept, uint32_t sequence, uint64_t offset);
/* Returns the generation of a sequence at an offset; 0 = none. */
uint32_t kept_generation_at(const PerfettoKept *kept, uint64_t sequence_id, uint64_t offset);
/* Adds interned data; the first of a number counts. The bytes are copied. False: out of memory. */
bool kept_intern(PerfettoKept *kept, const Interned *interned) WARN_UNUSED;
/* Returns interned data, or NULL. */
Interned *kept_find(const PerfettoKept *kept, uint32_t generation, uint32_t kind, uint64_t iid);
/* As kept_find, but the text; { NULL, 0 } if it is missing. */
StringView kept_text(const PerfettoKept *kept, uint32_t generation, uint32_t kind, uint64_t iid);

#endif
