#include "trace/wire/tiles_apart.h"

#include "base/thread.h"

enum { MOST_THREADS = 16 };

/* The least entries for a thread: some 1 ms of work, twenty times as long as a thread takes to start. */
static const double THREAD_WORK = 12000;

/* One tile and the result. */
typedef struct TileJob {
    Bytes    bytes; /* the size and the tile */
    LodReads reads;
    bool     done;
    Err      err;
} TileJob;

typedef struct TileJobs {
    const TilesRequest *request;
    TileJob            *jobs;
} TileJobs;

static void run_job(void *context, size_t i)
{
    const TileJobs     *jobs = context;
    const TilesRequest *request = jobs->request;
    TileJob            *job = &jobs->jobs[i];
    job->done = tile_put_sized(request->trace, request->filter, request->keys[i], &job->bytes, &job->reads,
                               &job->err);
}

/* Returns about the number of entries of a tile: those of a row if its slices were spread evenly over the trace, at most one a
 * bucket. */
static double work_of(const Trace *trace, TileKey key)
{
    if (key.track == 0 || key.track > trace->track_count || key.level > TILE_MAX_LEVEL ||
        key.band & TILE_FLOWS)
        return 0;
    const Track   *track = &trace->tracks[key.track];
    const uint32_t rows = track_row_count(track);
    const double   span = (double)trace_span(trace) + 1;
    const double   window = (double)(tile_end(key, trace->lead) - tile_begin(key, trace->lead));
    const double   share = window < span ? window / span : 1;
    const double   most = TILE_BUCKETS;
    double         work = 0;
    for (uint32_t r = 0; r < TILE_BAND_ROWS && (uint64_t)key.band * TILE_BAND_ROWS + r < rows; r++) {
        const Row   *row = &trace->rows[track->first_row + key.band * TILE_BAND_ROWS + r];
        const double slices = row->slice_count * share;
        work += slices < most ? slices : most;
    }
    return work;
}

unsigned tiles_threads(const TilesRequest *request)
{
    unsigned threads = request->threads == 0 ? thread_count_default() : request->threads;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads > request->count) threads = (unsigned)request->count;
    if (threads < 2) return 1;
    double work = 0;
    for (size_t i = 0; i < request->count; i++)
        work += work_of(request->trace, request->keys[i]);
    const double helped = work / THREAD_WORK;
    return helped < 2 ? 1 : helped < threads ? (unsigned)helped : threads;
}

bool tiles_encode_apart(const TilesRequest *request, unsigned threads, Bytes *out, LodReads *reads, Err *err)
{
    const size_t count = request->count;
    Arena        arena = arena_create(0);
    TileJob     *jobs = ARENA_ARRAY(&arena, TileJob, count);
    size_t       size = 0;
    bool         done = jobs != NULL || err_set(err, ERR_MEMORY, "out of memory for the tiles");
    if (done) thread_run(threads, count, run_job, &(TileJobs){ request, jobs });
    for (size_t i = 0; done && i < count; i++) {
        done = jobs[i].done;
        if (!done) *err = jobs[i].err;
        size += jobs[i].bytes.size;
        if (reads != NULL) lod_reads_add(reads, &jobs[i].reads);
    }
    if (done && bytes_reserve(out, size) == NULL)
        done = err_set(err, ERR_MEMORY, "out of memory for the tiles");
    for (size_t i = 0; jobs != NULL && i < count; i++) {
        if (done) bytes_append(out, jobs[i].bytes.data, jobs[i].bytes.size);
        bytes_release(&jobs[i].bytes);
    }
    arena_release(&arena);
    return done;
}
