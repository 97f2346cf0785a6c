/* record/chunks.h - the chunk that a thread writes to: of the file, the ring or the stream. The caller has the lock. */

/* -- records that are rare -- */

/* Appends a Name_Process or Name_Thread record. It may be shorter than the eight bytes that complete a record; these
 * then include padding. The chunk has room. */
static void varve_append_name_(VarveThread_ *thread, uint8_t type, const char *name)
{
    const size_t size = varve_text_size_(name);
    uint8_t      record[2 + VARVE_TEXT_MAX_ + VARVE_PAD_SIZE_];
    uint8_t     *end = thread->at + 2 + size;
    uint64_t     head;
    record[0] = type;
    record[1] = (uint8_t)size;
    memcpy(record + 2, name, size);
    varve_store64_(record + 2 + size, VARVE_TYPE_PAD_ | (uint64_t)(thread->end - end - 5) << 8);
    memcpy(&head, record, sizeof head);
    memcpy(thread->at + 8, record + 8, 2 + size + VARVE_PAD_SIZE_ - 8);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(thread->at, &head, sizeof head);
    __atomic_store_n(&thread->at, end, __ATOMIC_RELEASE);
}

/* Reads the name of a process or thread from a file of /proc. Sets an empty text if the file is missing. */
static void varve_read_name_(const char *path, char name[32])
{
    const int     file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? 0 : read(file, name, 31);
    name[size > 0 ? size : 0] = 0;
    name[strcspn(name, "\n")] = 0;
    if (file >= 0) close(file);
}

/* Appends the names to each chunk: those in the first chunk of a ring are overwritten. */
static void varve_append_names_(VarveThread_ *thread)
{
    char process[32];
    varve_read_name_("/proc/self/comm", process);
    if (thread->name[0] == 0) varve_read_name_("/proc/thread-self/comm", thread->name);
    if (process[0] != 0) varve_append_name_(thread, VARVE_TYPE_PROCESS_, process);
    if (thread->name[0] != 0 && strcmp(thread->name, process) != 0)
        varve_append_name_(thread, VARVE_TYPE_THREAD_, thread->name);
}

/* -- chunks -- */

/* Makes a chunk the thread's, which may write to its first `size` bytes. The header is written before the padding: without
 * its size the padding would be read as the header of another buffer. */
static void varve_begin_chunk_(VarveThread_ *thread, uint8_t *chunk, size_t size)
{
    thread->counter = varve_recorder_.counter;
    varve_store32_(chunk + 8, (uint32_t)getpid());
    varve_store64_(chunk + 12, varve_now_(thread));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    varve_store64_(chunk, (VARVE_CHUNK_ - VARVE_BUFFER_HEADER_) | (uint64_t)varve_thread_id_() << 32);
    uint8_t *const at = chunk + VARVE_BUFFER_HEADER_;
    thread->end = chunk + VARVE_CHUNK_;
    varve_store64_(at, VARVE_TYPE_PAD_ | (uint64_t)(thread->end - at - 5) << 8);
    __atomic_store_n(&thread->at, at, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->full, chunk + size - VARVE_RECORD_MAX_, __ATOMIC_RELAXED);
}

/* Takes the pages of a piece of the file, which has no records yet, into the page cache. One write of zeros costs the kernel
 * less than half of a fault for each page. The faults take the pages that this does not. */
static void varve_take_pages_(uint64_t offset)
{
    const ssize_t size = pwrite(varve_recorder_.file, varve_zeros_, VARVE_PIECE_, (off_t)offset);
    (void)size;
}

/* Lets the thread write to the next piece of its chunk of the file. Returns 0 without a next piece. */
static int varve_next_piece_(VarveThread_ *thread)
{
    uint8_t *const full = __atomic_load_n(&thread->full, __ATOMIC_RELAXED);
    if (full == NULL || full + VARVE_RECORD_MAX_ == thread->end) return 0;
    varve_take_pages_(thread->file_end - (uint64_t)(thread->end - full - VARVE_RECORD_MAX_));
    __atomic_store_n(&thread->full, full + VARVE_PIECE_, __ATOMIC_RELAXED);
    return 1;
}

/* Reserves the next chunk of the file and maps it. */
static int varve_map_chunk_(VarveThread_ *thread)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    uint64_t *const       count = (uint64_t *)(void *)(recorder->control + VARVE_COUNT_AT_);
    const uint64_t        index = __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    const off_t           offset = (off_t)(VARVE_CONTROL_ + index * VARVE_CHUNK_);
    const int             failure = posix_fallocate(recorder->file, offset, VARVE_CHUNK_);
    if (failure != 0) return failure;
    void *const mapped = mmap(NULL, VARVE_CHUNK_, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->file, offset);
    if (mapped == MAP_FAILED) return errno;
    varve_take_pages_((uint64_t)offset);
    thread->file_end = (uint64_t)offset + VARVE_CHUNK_;
    varve_begin_chunk_(thread, (uint8_t *)mapped, VARVE_PIECE_);
    return 0;
}

/* Defined in ring.h and stream.h. */
static int  varve_take_chunk_(VarveThread_ *thread);
static void varve_leave_ring_chunk_(VarveThread_ *thread);
static int  varve_take_streamed_(VarveThread_ *thread);
static void varve_leave_streamed_(VarveThread_ *thread);

static void varve_release_chunk_(VarveThread_ *thread)
{
    if (thread->ring != NULL) {
        varve_leave_ring_chunk_(thread);
    } else if (thread->streamed != NULL) {
        varve_leave_streamed_(thread);
    } else if (thread->at != NULL) {
        munmap(thread->end - VARVE_CHUNK_, VARVE_CHUNK_);
    }
    __atomic_store_n(&thread->at, (uint8_t *)NULL, __ATOMIC_RELAXED);
    thread->end = NULL;
    __atomic_store_n(&thread->full, (uint8_t *)NULL, __ATOMIC_RELAXED);
}

static int varve_find_chunk_(VarveThread_ *thread)
{
    if (varve_recorder_.ring != NULL) return varve_take_chunk_(thread);
    if (varve_recorder_.stream != NULL) return varve_take_streamed_(thread);
    return varve_map_chunk_(thread);
}

VARVE_COLD_ int varve_next_chunk_(VarveThread_ *thread)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    if (__atomic_load_n(&recorder->is_on, __ATOMIC_ACQUIRE) == 0 && thread->at == NULL) return 0;
    pthread_mutex_lock(&recorder->lock);
    if (recorder->is_on != 0 && varve_next_piece_(thread) != 0) {
        pthread_mutex_unlock(&recorder->lock);
        return 1;
    }
    varve_release_chunk_(thread);
    if (recorder->is_on != 0) {
        const int failure = varve_find_chunk_(thread);
        if (failure == 0) {
            varve_remember_thread_(thread);
            varve_refine_unit_();
            varve_append_names_(thread);
        } else if (failure == EAGAIN) {
            thread->lost++;
        } else {
            if (recorder->failure == 0) recorder->failure = failure;
            __atomic_store_n(&recorder->is_on, 0u, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&recorder->lock);
    return thread->at != NULL;
}

VARVE_COLD_ void varve_thread_name(const char *name)
{
    VarveThread_ *const thread = &varve_thread_;
    snprintf(thread->name, sizeof thread->name, "%s", name);
    if (varve_enter_(thread) == NULL) return;
    varve_append_name_(thread, VARVE_TYPE_THREAD_, thread->name);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = 0;
}

VARVE_COLD_ uint64_t varve_record_lost(void)
{
    return varve_thread_.lost;
}
