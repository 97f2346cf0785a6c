/* record/ring.h - a ring of chunks in memory. A new chunk overwrites the oldest one that no thread writes to. */

static void varve_leave_ring_(VarveRing_ *ring)
{
    if (--ring->users > 0) return;
    munmap(ring->memory, (size_t)ring->count * VARVE_CHUNK_);
    free(ring->chunks);
    free(ring);
}

static void varve_leave_ring_chunk_(VarveThread_ *thread)
{
    const size_t index = (size_t)(thread->end - thread->ring->memory) / VARVE_CHUNK_ - 1;
    thread->ring->chunks[index].owner = NULL;
    varve_leave_ring_(thread->ring);
    thread->ring = NULL;
}

/* Takes the oldest chunk of the ring that no thread writes to. Returns EAGAIN if every chunk has a thread. */
static int varve_take_chunk_(VarveThread_ *thread)
{
    VarveRing_ *const ring = varve_recorder_.ring;
    VarveRingChunk_  *oldest = NULL;
    for (uint32_t i = 0; i < ring->count; i++) {
        VarveRingChunk_ *const chunk = &ring->chunks[i];
        if (chunk->owner == NULL && (oldest == NULL || chunk->number < oldest->number)) oldest = chunk;
    }
    if (oldest == NULL) return EAGAIN;
    oldest->number = 0; /* a dump after a crash skips it until it is complete */
    oldest->owner = thread;
    thread->ring = ring;
    ring->users++;
    varve_begin_chunk_(thread, ring->memory + (size_t)(oldest - ring->chunks) * VARVE_CHUNK_, VARVE_CHUNK_);
    oldest->number = ++ring->latest;
    return 0;
}

/* Creates the ring: memory that a file descriptor names, so that a dump reads it as it reads a file. */
static int varve_create_ring_(size_t size)
{
#ifdef __linux__
    VarveRecorder_ *const recorder = &varve_recorder_;
    const size_t          wanted = size / VARVE_CHUNK_ < 4 ? 4 : size / VARVE_CHUNK_;
    const uint32_t        count = wanted > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted;
    const size_t          bytes = (size_t)count * VARVE_CHUNK_;
    recorder->file = memfd_create("varve-record", MFD_CLOEXEC);
    if (recorder->file < 0) return errno;
    const int failure = posix_fallocate(recorder->file, 0, (off_t)bytes);
    if (failure != 0) return failure;
    VarveRing_ *const      ring = (VarveRing_ *)calloc(1, sizeof *ring);
    VarveRingChunk_ *const chunks = (VarveRingChunk_ *)calloc(count, sizeof *chunks);
    void *const            mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->file, 0);
    if (ring == NULL || chunks == NULL || mapped == MAP_FAILED) {
        if (mapped != MAP_FAILED) munmap(mapped, bytes);
        free(chunks);
        free(ring);
        return ENOMEM;
    }
    ring->memory = (uint8_t *)mapped;
    ring->chunks = chunks;
    ring->count = count;
    ring->users = 1;
    recorder->ring = ring;
    return 0;
#else
    (void)size;
    return ENOTSUP;
#endif
}
