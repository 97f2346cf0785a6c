#include "format/writer_ids.h"

#include "base/compare.h"

#include <stdlib.h>

bool writer_id_fits(Ident ident, uint64_t most)
{
    if (ident.kind == IDENT_INT) return ident.bits <= INT64_MAX && ident.bits <= most;
    return ident.kind == IDENT_UINT && ident.bits <= most;
}

static void pool_start(IdPool *pool, uint64_t most)
{
    const uint64_t high = most - most / 16; /* above it too few numbers may be left */
    if (pool->count > 0) qsort(pool->taken, pool->count, sizeof pool->taken[0], compare_first_u64);
    uint64_t last = pool->count > 0 ? pool->taken[pool->count - 1] : 0;
    pool->next = last < high ? last + 1 : 1;
    pool->at = last < high ? pool->count : 0;
}

static uint64_t pool_take(IdPool *pool)
{
    for (; pool->at < pool->count && pool->taken[pool->at] <= pool->next; pool->at++) {
        if (pool->taken[pool->at] == pool->next) pool->next++;
    }
    return pool->next++;
}

bool writer_ids_open(WriterIds *ids, const Trace *trace, uint64_t most_pid, uint64_t most_tid, Arena *arena)
{
    *ids = (WriterIds){ .trace = trace, .most_pid = most_pid, .most_tid = most_tid };
    size_t   most = trace->process_count > trace->track_count ? trace->process_count : trace->track_count;
    uint32_t count = trace->process_count;
    ids->pids = ARENA_ARRAY(arena, uint64_t, (size_t)count + 1);
    ids->pool.taken = ARENA_ARRAY(arena, uint64_t, most + 1);
    if (ids->pids == NULL || ids->pool.taken == NULL) return false;
    for (uint32_t i = 1; i <= count; i++) {
        Ident pid = trace->processes[i].pid;
        if (writer_id_fits(pid, most_pid)) ids->pool.taken[ids->pool.count++] = pid.bits;
    }
    pool_start(&ids->pool, most_pid);
    for (uint32_t i = 1; i <= count; i++) {
        Ident pid = trace->processes[i].pid;
        bool  fits = writer_id_fits(pid, most_pid);
        ids->pids[i] = fits ? pid.bits : pool_take(&ids->pool);
        ids->replaced_count += !fits;
    }
    ids->pids[0] = pool_take(&ids->pool);
    return true;
}

void writer_ids_enter(WriterIds *ids, uint32_t process)
{
    const Process *p = &ids->trace->processes[process];
    ids->pool.count = 0;
    for (uint32_t i = p->first_track; i < p->first_track + p->track_count; i++) {
        Ident tid = track_tid(&ids->trace->tracks[i]);
        if (writer_id_fits(tid, ids->most_tid)) ids->pool.taken[ids->pool.count++] = tid.bits;
    }
    pool_start(&ids->pool, ids->most_tid);
}

uint64_t writer_ids_thread(WriterIds *ids, uint32_t track)
{
    Ident tid = track_tid(&ids->trace->tracks[track]);
    if (writer_id_fits(tid, ids->most_tid)) return tid.bits;
    ids->replaced_count++;
    return pool_take(&ids->pool);
}

uint64_t writer_ids_new(WriterIds *ids)
{
    return pool_take(&ids->pool);
}
