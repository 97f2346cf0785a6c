/* record/stop.h - the end of a recording, and dumps of a ring. */

/* True if an event of the recording can have this time. The margin is for counters of processors that differ. */
static int varve_is_time_(const uint8_t *field, uint64_t now)
{
    uint64_t time;
    memcpy(&time, field, sizeof time);
    return VARVE_LE64_(time) - varve_recorder_.start.ticks <= now - varve_recorder_.start.ticks + 0x40000000;
}

/* Returns the size of an event with the records around it; 0 for other bytes. *time is its time field, NULL for a name. */
static size_t varve_event_size_(const uint8_t *record, const uint8_t **time)
{
    *time = record + 1;
    if (record[0] == VARVE_TYPE_BEGIN_) return VARVE_BEGIN_SIZE_ + (size_t)record[9] + record[10];
    if (record[0] == VARVE_TYPE_END_) return VARVE_END_SIZE_;
    if (record[0] == VARVE_TYPE_PROCESS_ || record[0] == VARVE_TYPE_THREAD_) {
        *time = NULL;
        return 2 + (size_t)record[1];
    }
    if (record[0] != VARVE_TYPE_PAD_ || varve_load32_(record + 5) != VARVE_MAGIC_) return 0;
    const size_t         skip_size = 5 + (size_t)varve_load32_(record + 1);
    const uint8_t *const skipped = record + VARVE_SKIP_SIZE_;
    const size_t         arguments_size = skipped[0] == VARVE_TYPE_ARGUMENTS_
                                              ? VARVE_ARGUMENTS_SIZE_ + (skipped[2] | (size_t)skipped[3] << 8)
                                              : 0;
    const uint8_t *const event = skipped + arguments_size;
    *time = event + 1;
    if (arguments_size == 0 || skip_size > VARVE_SKIP_SIZE_ + arguments_size) return skip_size;
    return skip_size + VARVE_BEGIN_SIZE_ + (size_t)event[9] + event[10]; /* a Begin follows */
}

/* Returns the size of a chunk's header and records, without the padding at its end. If its thread wrote while the chunk
 * was copied, the copy may contain half of a store; the time of this last record is then out of range. */
static size_t varve_used_(const uint8_t *chunk, uint64_t now)
{
    size_t at = VARVE_BUFFER_HEADER_;
    while (at < VARVE_CHUNK_ - VARVE_RECORD_MAX_) {
        const uint8_t *time;
        const size_t   size = varve_event_size_(chunk + at, &time);
        if (size == 0 || size > VARVE_RECORD_MAX_ || (time != NULL && !varve_is_time_(time, now))) break;
        at += size;
    }
    return at;
}

static int varve_write_all_(int file, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Returns the offset of the next chunk in order of time, or -1 at the end of a ring; at the end of a file the offset is
 * that of the end. *number is the number of the chunk before, and at first 0. */
static off_t varve_chunk_after_(uint64_t *number, uint64_t latest)
{
    const VarveRing_ *const ring = varve_recorder_.ring;
    if (ring == NULL) return (off_t)(VARVE_CONTROL_ + (*number)++ * VARVE_CHUNK_);
    uint64_t least = UINT64_MAX;
    uint32_t index = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        const uint64_t found = ring->chunks[i].number;
        if (found <= *number || found > latest || found >= least) continue;
        least = found;
        index = i;
    }
    *number = least;
    return least == UINT64_MAX ? -1 : (off_t)index * VARVE_CHUNK_;
}

/* Copies the records to another file, chunk by chunk, in order of time. */
static int varve_copy_records_(int to)
{
    const VarveRecorder_ *const recorder = &varve_recorder_;
    const VarveMoment_          now = varve_read_clocks_();
    uint8_t *const              chunk = varve_scratch_;
    const uint64_t              latest = recorder->ring == NULL ? 0 : recorder->ring->latest;
    uint64_t                    number = 0;
    varve_write_header_(chunk, now);
    int failure = varve_write_all_(to, chunk, VARVE_HEADER_);
    while (failure == 0) {
        const off_t offset = varve_chunk_after_(&number, latest);
        if (offset < 0) break;
        const ssize_t size = pread(recorder->file, chunk, VARVE_CHUNK_, offset);
        if (size < 0) return errno;
        if (size < VARVE_CHUNK_) break; /* the end of the file */
        const size_t used = varve_used_(chunk, now.ticks);
        if (used == VARVE_BUFFER_HEADER_ || varve_load32_(chunk) == 0) continue;
        varve_store32_(chunk, (uint32_t)(used - VARVE_BUFFER_HEADER_));
        failure = varve_write_all_(to, chunk, used);
    }
    return failure;
}

/* Writes the records to a new file without padding, which replaces the file at `path`. */
static int varve_write_file_(const char *path)
{
    const size_t size = strlen(path) + sizeof ".part";
    char *const  part = (char *)malloc(size);
    if (part == NULL) return ENOMEM;
    snprintf(part, size, "%s.part", path);
    const int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int       failure = file < 0 ? errno : varve_copy_records_(file);
    if (file >= 0 && close(file) != 0 && failure == 0) failure = errno;
    if (failure == 0 && rename(part, path) != 0) failure = errno;
    if (failure != 0 && file >= 0) unlink(part);
    free(part);
    return failure;
}

VARVE_COLD_ int varve_record_stop(void)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    int                   failure = 0;
    varve_lock_();
    __atomic_store_n(&recorder->is_on, 0u, __ATOMIC_RELEASE);
    for (VarveThread_ *thread = recorder->threads; thread != NULL; thread = thread->next)
        __atomic_store_n(&thread->full, (uint8_t *)NULL, __ATOMIC_RELAXED);
    varve_release_chunk_(&varve_thread_);
    if (recorder->stream != NULL) varve_end_streaming_();
    if (recorder->file >= 0) {
        failure = recorder->failure;
        if (recorder->path != NULL && recorder->owner == getpid()) {
            const int copy_failure = varve_write_file_(recorder->path);
            if (failure == 0) failure = copy_failure;
        }
        varve_close_file_();
    }
    varve_unlock_();
    return failure;
}

VARVE_COLD_ int varve_record_dump(const char *path)
{
    varve_lock_();
    const int failure = varve_recorder_.ring == NULL ? EINVAL : varve_write_file_(path);
    varve_unlock_();
    return failure;
}
