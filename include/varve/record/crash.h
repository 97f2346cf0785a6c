/* record/crash.h - dumps of a ring by fatal signals. */

static const int        VARVE_CRASHES_[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static struct sigaction varve_before_crash_[sizeof VARVE_CRASHES_ / sizeof VARVE_CRASHES_[0]];

/* Waits up to a second for the lock: its owner may be the thread that crashed. Returns 0 if it has the lock. */
static int varve_lock_after_crash_(void)
{
    const struct timespec pause = { 0, 1000000 };
    int                   failure = pthread_mutex_trylock(&varve_recorder_.lock);
    for (int attempt = 0; attempt < 1000 && failure != 0; attempt++) {
        nanosleep(&pause, NULL);
        failure = pthread_mutex_trylock(&varve_recorder_.lock);
    }
    return failure;
}

/* Writes the ring, and delivers the signal again, to the handler that was installed before. */
static void varve_handle_crash_(int number)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    const uint32_t        was_busy = varve_thread_.busy;
    varve_thread_.busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (size_t i = 0; i < sizeof VARVE_CRASHES_ / sizeof VARVE_CRASHES_[0]; i++)
        sigaction(VARVE_CRASHES_[i], &varve_before_crash_[i], NULL);
    if (recorder->ring != NULL && recorder->owner == getpid()) {
        const int no_lock = varve_lock_after_crash_();
        const int file = open(recorder->crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file >= 0) {
            (void)varve_copy_records_(file);
            close(file);
        }
        if (no_lock == 0) pthread_mutex_unlock(&recorder->lock);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    varve_thread_.busy = was_busy;
    raise(number);
}

VARVE_COLD_ int varve_record_dump_on_crash(const char *path)
{
    struct sigaction action;
    char *const      copy = strdup(path);
    if (copy == NULL) return ENOMEM;
    memset(&action, 0, sizeof action);
    action.sa_handler = varve_handle_crash_;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    varve_lock_();
    char *const old = varve_recorder_.crash_path;
    varve_recorder_.crash_path = copy;
    for (size_t i = 0; old == NULL && i < sizeof VARVE_CRASHES_ / sizeof VARVE_CRASHES_[0]; i++)
        sigaction(VARVE_CRASHES_[i], &action, &varve_before_crash_[i]);
    varve_unlock_();
    free(old);
    return 0;
}
