/* record/start.h - the start of a recording, and the handlers of the exits of threads and processes. */

/* -- exits of threads and processes -- */

static void varve_leave_thread_(void *of_key)
{
    VarveThread_ *const thread = (VarveThread_ *)of_key;
    varve_lock_();
    varve_release_chunk_(thread);
    varve_forget_thread_(thread);
    varve_unlock_();
}

static void varve_leave_process_(void)
{
    (void)varve_record_stop();
}

/* The child has one thread; the chunks belong to the threads of the parent. A ring and a stream are the parent's. */
static void varve_begin_child_(void)
{
    VarveThread_ *const thread = &varve_thread_;
    if (varve_recorder_.stream != NULL) varve_forget_stream_(thread);
    varve_release_chunk_(thread);
    thread->is_known = 0;
    varve_recorder_.threads = NULL;
    if (varve_recorder_.ring != NULL) varve_recorder_.is_on = 0;
    varve_unlock_();
}

/* -- start -- */

static int varve_prepare_process_(void)
{
    if (varve_recorder_.is_prepared != 0) return 0;
    const int failure = pthread_key_create(&varve_recorder_.key, varve_leave_thread_);
    if (failure != 0) return failure;
    varve_recorder_.is_prepared = 1;
    if (atexit(varve_leave_process_) != 0) return ENOMEM;
    return pthread_atfork(varve_lock_, varve_unlock_, varve_begin_child_);
}

/* Creates the file with its control pages. */
static int varve_create_file_(const char *path)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    recorder->path = strdup(path);
    if (recorder->path == NULL) return ENOMEM;
    recorder->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (recorder->file < 0) return errno;
    const int failure = posix_fallocate(recorder->file, 0, VARVE_CONTROL_);
    if (failure != 0) return failure;
    void *const mapped = mmap(NULL, VARVE_CONTROL_, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->file, 0);
    if (mapped == MAP_FAILED) return errno;
    recorder->control = (uint8_t *)mapped;
    uint8_t *const buffer = recorder->control + VARVE_HEADER_;
    varve_store32_(buffer, VARVE_CONTROL_ - VARVE_HEADER_ - VARVE_BUFFER_HEADER_);
    varve_store32_(buffer + 4, varve_thread_id_());
    varve_store32_(buffer + 8, (uint32_t)getpid());
    varve_store64_(buffer + VARVE_BUFFER_HEADER_,
                   VARVE_TYPE_PAD_ | (uint64_t)(VARVE_CONTROL_ - VARVE_HEADER_ - VARVE_BUFFER_HEADER_ - 5)
                                         << 8);
    varve_write_header_(recorder->control, varve_read_clocks_());
    return 0;
}

static void varve_close_file_(void)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    if (recorder->control != NULL) munmap(recorder->control, VARVE_CONTROL_);
    if (recorder->ring != NULL) varve_leave_ring_(recorder->ring);
    if (recorder->file >= 0) close(recorder->file);
    free(recorder->path);
    recorder->ring = NULL;
    recorder->control = NULL;
    recorder->file = -1;
    recorder->path = NULL;
}

typedef struct VarveOutput_ { /* of a recording: one of three */
    const char       *path;
    size_t            ring_size;
    const char       *address;
    VarveRecordFormat format; /* of the address */
} VarveOutput_;

static int varve_create_output_(const VarveOutput_ *output)
{
    if (output->path != NULL) return varve_create_file_(output->path);
    if (output->address != NULL) return varve_create_stream_(output->address, output->format);
    return varve_create_ring_(output->ring_size);
}

static int varve_start_(const VarveOutput_ *output)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    int                   failure = varve_prepare_process_();
    if (failure != 0) return failure;
    recorder->counter = varve_has_counter_();
    recorder->start = varve_read_clocks_();
    recorder->owner = getpid();
    recorder->failure = 0;
    do
        recorder->refined = varve_read_clocks_();
    while (recorder->counter != 0 && recorder->refined.ns - recorder->start.ns < 2000000);
    failure = varve_create_output_(output);
    if (failure != 0)
        varve_close_file_();
    else
        __atomic_store_n(&recorder->is_on, 1u, __ATOMIC_RELEASE);
    return failure;
}

static int varve_start_unless_busy_(const VarveOutput_ *output)
{
    varve_lock_();
    const int failure = varve_recorder_.file < 0 ? varve_start_(output) : EBUSY;
    varve_unlock_();
    return failure;
}

VARVE_COLD_ int varve_record_start(const char *path)
{
    const VarveOutput_ output = { path, 0, NULL, VARVE_RECORD_SPALL };
    return varve_start_unless_busy_(&output);
}

VARVE_COLD_ int varve_record_start_ring(size_t size)
{
    const VarveOutput_ output = { NULL, size, NULL, VARVE_RECORD_SPALL };
    return varve_start_unless_busy_(&output);
}

VARVE_COLD_ int varve_record_start_stream(const char *address, VarveRecordFormat format)
{
    const VarveOutput_ output = { NULL, 0, address, format };
    return varve_start_unless_busy_(&output);
}
