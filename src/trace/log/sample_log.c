#include "trace/log/sample_log.h"

#include "trace/log/builder_log.h"

enum { FIRST_PIECE = 16, LARGEST_PIECE = 2048 };

static_assert(LARGEST_PIECE * sizeof(SampleRecord) % 16 == 0, "an arena puts them one behind the other");

size_t sample_log_pieces(const SampleLog *log)
{
    return vec_count(&log->pieces);
}

SamplePiece sample_log_piece(const SampleLog *log, size_t index)
{
    SamplePiece piece = log->pieces.items[index];
    if (index + 1 == sample_log_pieces(log)) piece.count -= (size_t)(log->end - log->at);
    return piece;
}

bool sample_log_grow(SampleLog *log, Arena *arena)
{
    const size_t pieces = sample_log_pieces(log);
    size_t       count = pieces == 0 ? FIRST_PIECE : 2 * log->pieces.items[pieces - 1].count;
    if (count > LARGEST_PIECE) count = LARGEST_PIECE;
    SamplePiece piece = { (SampleRecord *)arena_push_raw(arena, count, sizeof(SampleRecord)), count };
    if (piece.samples == NULL) return false;
    vec_push(&log->pieces, piece);
    if (log->pieces.bytes.failed) return false;
    log->at = piece.samples;
    log->end = log->at + count;
    return true;
}

/* Adjacent pieces are given together. */
void sample_log_give(SampleLog *log, PagePool *pool)
{
    const size_t pieces = sample_log_pieces(log);
    for (size_t i = 0, next; i < pieces; i = next) {
        const SamplePiece first = sample_log_piece(log, i);
        SampleRecord     *end = first.samples + first.count;
        for (next = i + 1; next < pieces && sample_log_piece(log, next).samples == end; next++)
            end += sample_log_piece(log, next).count;
        page_pool_give(pool, first.samples, (size_t)(end - first.samples) * sizeof *end);
    }
    sample_log_clear(log);
}

void sample_log_clear(SampleLog *log)
{
    vec_clear(&log->pieces);
    log->at = log->end = NULL;
}

void sample_log_release(SampleLog *log)
{
    vec_release(&log->pieces);
    *log = (SampleLog){ .at = NULL };
}
