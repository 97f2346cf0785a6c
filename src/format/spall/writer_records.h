/* format/spall/writer_records.h - encodes the begins and ends of slices as records, in pieces (format/writer_pieces.h). */
#ifndef FORMAT_SPALL_WRITER_RECORDS_H
#define FORMAT_SPALL_WRITER_RECORDS_H
#include "base/vec.h"
#include "format/spall/writer_clock.h"
#include "trace/store/lane_walk.h"

/* Losses, counted during encoding. */
typedef struct SpallRecordLosses {
    uint64_t cut_names, cut_args, inexact, categories, fields, unreadable, no_end, repaired;
} SpallRecordLosses;

/* The records of a kind without time and texts, by RecordKind. */
typedef struct SpallHeads {
    uint8_t bytes[RECORD_KINDS][LAYOUT_MAX_RECORD];
} SpallHeads;

/* The state of a thread that encodes. The pointers are borrowed. */
typedef struct SpallEncoder {
    const Trace       *trace;
    const SpallLayout *layout;
    const WriterLabel *labels; /* spall_labels */
    SpallClock         clock;
    bool               is_own; /* the source is a .spall file */
    Arena              arena;  /* of the reader */
    DetailReader      *reader;
    EventDetails       details;
    Bytes              args; /* scratch */
    SpallHeads         heads;
    SpallRecordLosses  losses;
} SpallEncoder;

/* The begin or the end of a slice. */
typedef struct SpallItem {
    uint64_t slice;
    int64_t  tick;
    bool     is_begin;
} SpallItem;

/* Adjacent items of a thread. It ends with the next part, or with the piece. */
typedef struct SpallPart {
    size_t   first_item;
    uint32_t pid, tid;
    bool     begins_thread; /* the first part of the thread */
    size_t   names_end;     /* in SpallPiece.names: the end of the records to write first */
    size_t   records_at;    /* in SpallPiece.out: the first record of an item */
    size_t   out_end;       /* in SpallPiece.out */
} SpallPart;

/* Adjacent records of the output. */
enum { SPALL_PIECE_ITEMS = 2048 };
typedef struct SpallPiece {
    SpallItem items[SPALL_PIECE_ITEMS];
    size_t    count;
    VEC(SpallPart) parts;
    Bytes    names; /* records with the names of processes and threads */
    Bytes    out;
    uint32_t ends[SPALL_PIECE_ITEMS]; /* in `out`: the end of each item's record */
} SpallPiece;

/* Returns the labels with the names that records have. NULL when out of memory. */
WriterLabel *spall_labels(const Trace *trace, Arena *arena) WARN_UNUSED;
/* Makes the heads of the records of a thread. */
void spall_heads_make(SpallHeads *heads, const SpallLayout *layout, uint32_t pid, uint32_t tid);
/* Appends a record without a time: with a name. */
void spall_put_name(const SpallHeads *heads, const SpallLayout *layout, RecordKind kind, StringView name,
                    Bytes *out);
/* Encodes the parts of a piece. Fails if the arguments cannot be read. */
bool spall_encode(SpallEncoder *encoder, SpallPiece *piece, Err *err) WARN_UNUSED;
/* Empties a piece. */
void spall_piece_clear(SpallPiece *piece);

void spall_encoder_release(SpallEncoder *encoder);
void spall_piece_release(SpallPiece *piece);

#endif
