#include "trace/log/arrow_log.h"

#include <assert.h>

static_assert(sizeof(NarrowArrow) == 20 && FLOW_BIND_OUTERMOST >> NARROW_BINDING_BITS == 0, "as said");

/* Returns the number of flows in the last piece. */
static uint32_t last_count(const ArrowLog *log)
{
    const ArrowPiece *last = vec_last(&log->pieces);
    return last->is_wide ? last->count : (uint32_t)(log->at - (const NarrowArrow *)last->arrows);
}

void arrow_log_settle(ArrowLog *log)
{
    if (vec_count(&log->pieces) > 0) vec_last(&log->pieces)->count = last_count(log);
}

size_t arrow_log_count(const ArrowLog *log)
{
    if (vec_count(&log->pieces) == 0) return 0;
    size_t count = last_count(log);
    for (size_t i = 0; i + 1 < vec_count(&log->pieces); i++)
        count += log->pieces.items[i].count;
    return count;
}

static void *take_memory(ArrowLog *log, Arena *arena)
{
    const size_t spare = vec_count(&log->spare);
    if (spare == 0) return arena_push_raw(arena, 1, ARROW_PIECE_BYTES);
    vec_cut(&log->spare, spare - 1);
    return log->spare.items[spare - 1];
}

static bool add_piece(ArrowLog *log, Arena *arena, int64_t to_tick, bool is_wide)
{
    const uint64_t base =
        (uint64_t)to_tick - (UINT64_C(1) << 30); /* a margin: later arrows can end earlier */
    ArrowPiece piece = { .arrows = take_memory(log, arena), .base = (int64_t)base, .is_wide = is_wide };
    if (piece.arrows == NULL) return false;
    vec_push(&log->pieces, piece);
    log->base = piece.base;
    log->at = (NarrowArrow *)piece.arrows;
    log->end = is_wide ? log->at : log->at + NARROW_A_PIECE;
    return !log->pieces.bytes.failed;
}

static bool put_wide(ArrowLog *log, FlowPoint from, FlowPoint to, uint32_t label)
{
    ArrowPiece *last = vec_last(&log->pieces);
    ((ArrowRecord *)last->arrows)[last->count++] = (ArrowRecord){ .from_tick = from.tick,
                                                                  .to_tick = to.tick,
                                                                  .from = from.thread.index,
                                                                  .to = to.thread.index,
                                                                  .label = label,
                                                                  .from_binding = (uint8_t)from.binding,
                                                                  .to_binding = (uint8_t)to.binding };
    return true;
}

/* Appends a wide piece if the narrow one is at least half full; otherwise the memory left in it would be wasted. */
bool arrow_log_add(ArrowLog *log, Arena *arena, FlowPoint from, FlowPoint to, uint32_t label)
{
    const size_t count = vec_count(&log->pieces);
    if (arrow_log_put(log, from, to, label)) return true;
    bool is_wide = !arrow_is_narrow((uint64_t)to.tick - (uint64_t)from.tick,
                                    from.thread.index | to.thread.index | label, from.binding, to.binding);
    arrow_log_settle(log);
    if (count > 0) {
        const ArrowPiece *last = &log->pieces.items[count - 1];
        if (last->is_wide && last->count < WIDE_A_PIECE) return put_wide(log, from, to, label);
        if (!last->is_wide && last->count < NARROW_A_PIECE / 2) is_wide = true;
    }
    if (!add_piece(log, arena, to.tick, is_wide)) return false;
    return is_wide ? put_wide(log, from, to, label) : arrow_log_put(log, from, to, label);
}

/* Returns flow `i` of a piece, before binding. */
static ArrowRecord arrow_fed(const ArrowPiece *piece, uint32_t i)
{
    enum { BINDING = (1 << NARROW_BINDING_BITS) - 1 };
    if (piece->is_wide) return ((const ArrowRecord *)piece->arrows)[i];
    const NarrowArrow *arrow = &((const NarrowArrow *)piece->arrows)[i];
    return (ArrowRecord){ .from_tick = narrow_from_tick(piece, arrow),
                          .to_tick = narrow_to_tick(piece, arrow),
                          .from = arrow->from >> NARROW_BINDING_BITS,
                          .to = arrow->to >> NARROW_BINDING_BITS,
                          .label = arrow->label,
                          .from_binding = arrow->from & BINDING,
                          .to_binding = arrow->to & BINDING };
}

static bool add_record(ArrowLog *log, Arena *arena, const ArrowRecord *arrow)
{
    const FlowPoint from = { { arrow->from }, (FlowBinding)arrow->from_binding, arrow->from_tick },
                    to = { { arrow->to }, (FlowBinding)arrow->to_binding, arrow->to_tick };
    return arrow_log_add(log, arena, from, to, arrow->label);
}

/* Memory of the old pieces that were read is reused for the new log. */
static bool rewrite_pieces(ArrowLog *log, Arena *arena,
                           bool (*rewrite)(ArrowLog *log, Arena *arena, const ArrowPiece *piece,
                                           void *context),
                           void *context)
{
    arrow_log_settle(log);
    ArrowLog old = *log;
    bool     done = true;
    *log = (ArrowLog){ .spare = old.spare };
    for (size_t p = 0; p < vec_count(&old.pieces) && done; p++) {
        const ArrowPiece *piece = &old.pieces.items[p];
        done = rewrite(log, arena, piece, context);
        vec_push(&log->spare, piece->arrows);
    }
    vec_release(&old.pieces);
    return done && !log->spare.bytes.failed;
}

typedef struct ArrowChange {
    bool (*change)(void *context, ArrowRecord *arrow);
    void *context;
} ArrowChange;

static bool change_piece(ArrowLog *log, Arena *arena, const ArrowPiece *piece, void *context)
{
    const ArrowChange *how = (const ArrowChange *)context;
    for (uint32_t i = 0; i < piece->count; i++) {
        ArrowRecord arrow = arrow_fed(piece, i);
        if (how->change(how->context, &arrow) && !add_record(log, arena, &arrow)) return false;
    }
    return true;
}

bool arrow_log_rewrite(ArrowLog *log, Arena *arena, bool (*change)(void *context, ArrowRecord *arrow),
                       void *context)
{
    ArrowChange how = { change, context };
    return rewrite_pieces(log, arena, change_piece, &how);
}

/* Copies a narrow flow of another piece if there is room for it; otherwise returns false without any effect. */
static inline bool put_again(ArrowLog *log, const ArrowPiece *piece, uint32_t i)
{
    if (UNLIKELY(piece->is_wide || log->at == log->end)) return false;
    NarrowArrow    arrow = ((const NarrowArrow *)piece->arrows)[i];
    const uint64_t passed = (uint64_t)piece->base - (uint64_t)log->base + arrow.to_tick;
    if (UNLIKELY(passed >> 32 != 0)) return false;
    arrow.to_tick = (uint32_t)passed;
    *log->at++ = arrow;
    return true;
}

/* context: uint32_t *, for the next flow: 1 = remove it, 0 = keep it. */
static bool thin_piece(ArrowLog *log, Arena *arena, const ArrowPiece *piece, void *context)
{
    uint32_t *skipped = (uint32_t *)context;
    for (uint32_t i = *skipped; i < piece->count; i += 2) {
        if (LIKELY(put_again(log, piece, i))) continue;
        const ArrowRecord arrow = arrow_fed(piece, i);
        if (!add_record(log, arena, &arrow)) return false;
    }
    *skipped = (*skipped + piece->count) & 1;
    return true;
}

bool arrow_log_thin(ArrowLog *log, Arena *arena)
{
    uint32_t skipped = 0;
    return rewrite_pieces(log, arena, thin_piece, &skipped);
}

/* Adjacent pieces are given to the pool together. */
void arrow_log_give(const ArrowLog *log, PagePool *pool)
{
    const ArrowPiece *pieces = log->pieces.items;
    for (size_t i = 0, next; i < vec_count(&log->pieces); i = next) {
        for (next = i + 1; next < vec_count(&log->pieces); next++) {
            if ((uint8_t *)pieces[next].arrows != (uint8_t *)pieces[next - 1].arrows + ARROW_PIECE_BYTES)
                break;
        }
        const ArrowPiece *last = &pieces[next - 1];
        const size_t      size = last->is_wide ? sizeof(ArrowRecord) : sizeof(NarrowArrow);
        page_pool_give(pool, pieces[i].arrows, (next - 1 - i) * ARROW_PIECE_BYTES + last->count * size);
    }
}

void arrow_log_clear(ArrowLog *log)
{
    vec_clear(&log->pieces);
    vec_clear(&log->spare);
    log->base = 0;
    log->at = log->end = NULL;
}

void arrow_log_release(ArrowLog *log)
{
    vec_release(&log->pieces);
    vec_release(&log->spare);
    *log = (ArrowLog){ .base = 0 };
}
