/* record/sender.h - the thread that writes a stream, and the addresses that it writes to. */

/* -- conversion -- */

static void varve_begin_stream_(VarveStream_ *stream)
{
    const VarveMoment_ start = varve_recorder_.start, now = varve_read_clocks_();
    stream->is_begun = 1;
    stream->unit = varve_recorder_.counter == 0 || now.ticks == start.ticks
                       ? 1
                       : (double)(now.ns - start.ns) / (double)(now.ticks - start.ticks);
    if (stream->format == VARVE_RECORD_HEPH) varve_heph_start_(stream);
    if (stream->format != VARVE_RECORD_SPALL) return;
    varve_write_header_(stream->out, now);
    stream->out_size = VARVE_HEADER_;
}

/* Writes records of a chunk as a buffer of .spall. */
static void varve_send_buffer_(VarveStream_ *stream, const VarveStreamChunk_ *chunk, const uint8_t *end)
{
    const uint8_t *at = chunk->sent;
    varve_make_room_(stream);
    uint8_t *const header = stream->out + stream->out_size;
    memcpy(header, chunk->bytes, VARVE_BUFFER_HEADER_);
    varve_store32_(header, (uint32_t)(end - at));
    stream->out_size += VARVE_BUFFER_HEADER_;
    while (at < end) {
        const size_t left = (size_t)(end - at), room = VARVE_OUT_BYTES_ - stream->out_size;
        const size_t size = left < room ? left : room;
        varve_put_(stream, at, size);
        at += size;
        if (at < end) varve_send_(stream, stream->out_size);
    }
}

static void varve_convert_(VarveStream_ *stream, VarveStreamChunk_ *chunk, const uint8_t *end)
{
    VarveEvent_    event;
    const uint8_t *at = chunk->sent;
    if (at == end) return;
    if (stream->format == VARVE_RECORD_SPALL) {
        varve_send_buffer_(stream, chunk, end);
        return;
    }
    while (at < end) {
        at = varve_read_event_(at, &event);
        varve_make_room_(stream);
        if (event.time > stream->latest) stream->latest = event.time;
        if (stream->format == VARVE_RECORD_JSON)
            varve_json_event_(stream, chunk->source, &event);
        else
            varve_heph_event_(stream, chunk->source, &event);
    }
}

/* Ends the open slices of all threads, and the output. */
static void varve_end_stream_(VarveStream_ *stream)
{
    for (VarveStreamSource_ *source = stream->sources; source != NULL; source = source->next) {
        while (source->depth > 0) {
            varve_make_room_(stream);
            varve_heph_pop_(stream, source, stream->latest);
        }
    }
    if (stream->format == VARVE_RECORD_JSON) varve_json_end_(stream);
}

/* -- the sender -- */

/* Removes the written chunks without an owner. The caller has the lock. */
static void varve_remove_chunks_(VarveStream_ *stream)
{
    VarveStreamChunk_ **place = &stream->first;
    stream->last = NULL;
    while (*place != NULL) {
        VarveStreamChunk_ *const chunk = *place;
        if (chunk->owner == NULL && chunk->sent == chunk->end) {
            *place = chunk->next;
            stream->waiting--;
            free(chunk);
        } else {
            stream->last = chunk;
            place = &chunk->next;
        }
    }
    pthread_cond_broadcast(&stream->room);
}

/* Converts all complete records. The caller has the lock, which is released meanwhile. */
static void varve_send_chunks_(VarveStream_ *stream)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    if (stream->is_begun == 0) varve_begin_stream_(stream);
    for (VarveStreamChunk_ *chunk = stream->first; chunk != NULL; chunk = chunk->next) {
        const VarveThread_ *const owner = chunk->owner;
        uint8_t *const end = owner == NULL ? chunk->end : __atomic_load_n(&owner->at, __ATOMIC_ACQUIRE);
        pthread_mutex_unlock(&recorder->lock);
        varve_convert_(stream, chunk, end);
        pthread_mutex_lock(&recorder->lock);
        chunk->sent = end;
    }
    varve_remove_chunks_(stream);
    if (stream->failure == 0) return;
    if (recorder->failure == 0) recorder->failure = stream->failure;
    __atomic_store_n(&recorder->is_on, 0u, __ATOMIC_RELEASE);
}

static void *varve_run_sender_(void *stream_)
{
    VarveStream_ *const   stream = (VarveStream_ *)stream_;
    VarveRecorder_ *const recorder = &varve_recorder_;
    varve_thread_.busy = 1; /* this thread records nothing */
    pthread_mutex_lock(&recorder->lock);
    while (stream->has_ended == 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += VARVE_SEND_NS_;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&stream->wake, &recorder->lock, &until);
        varve_send_chunks_(stream);
        pthread_mutex_unlock(&recorder->lock);
        varve_send_(stream, stream->out_size);
        pthread_mutex_lock(&recorder->lock);
    }
    varve_send_chunks_(stream);
    pthread_mutex_unlock(&recorder->lock);
    varve_end_stream_(stream);
    varve_send_(stream, stream->out_size);
    return NULL;
}

/* Starts the sender, to which no signal of the program is delivered. */
static int varve_start_sender_(VarveStream_ *stream)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&stream->sender, NULL, varve_run_sender_, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

/* -- addresses -- */

typedef union VarveSocketAddress_ {
    struct sockaddr     any;
    struct sockaddr_in  v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un  path;
} VarveSocketAddress_;

/* Parses [HOST:]PORT. HOST is numeric; that of version 6 is in brackets. Returns the size of the address, or 0. */
static socklen_t varve_parse_host_(const char *text, VarveSocketAddress_ *address)
{
    const char *const colon = strrchr(text, ':'), *const digits = colon == NULL ? text : colon + 1;
    char        *end, host[64] = "127.0.0.1";
    const long   port = strtol(digits, &end, 10);
    const size_t size = colon == NULL ? 0 : (size_t)(colon - text);
    memset(address, 0, sizeof *address);
    if (end == digits || *end != 0 || port <= 0 || port > 65535 || size >= sizeof host) return 0;
    if (size > 0) {
        memcpy(host, text, size);
        host[size] = 0;
    }
    if (size > 2 && host[0] == '[' && host[size - 1] == ']') {
        host[size - 1] = 0;
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t)port);
        return inet_pton(AF_INET6, host + 1, &address->v6.sin6_addr) == 1 ? sizeof address->v6 : 0;
    }
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons((uint16_t)port);
    return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1 ? sizeof address->v4 : 0;
}

static int varve_connect_(VarveStream_ *stream, const VarveSocketAddress_ *address, socklen_t size)
{
    if (size == 0) return EINVAL;
    stream->file = socket(address->any.sa_family, stream->is_datagram ? SOCK_DGRAM : SOCK_STREAM, 0);
    if (stream->file < 0) return errno;
    (void)fcntl(stream->file, F_SETFD, FD_CLOEXEC);
    return connect(stream->file, &address->any, size) == 0 ? 0 : errno;
}

static int varve_open_path_(VarveStream_ *stream, const char *path, int flags)
{
    stream->file = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    return stream->file < 0 ? errno : 0;
}

/* Opens the address, whose kind is before the first colon. Returns 0, or an errno. */
static int varve_open_address_(VarveStream_ *stream, const char *address)
{
    VarveSocketAddress_ parsed;
    const char *const   colon = strchr(address, ':');
    if (colon == NULL || (unsigned)stream->format > VARVE_RECORD_HEPH) return EINVAL;
    const size_t      size = (size_t)(colon - address);
    const char *const rest = colon + 1;
    if (size == 4 && memcmp(address, "file", size) == 0)
        return varve_open_path_(stream, rest, O_CREAT | O_TRUNC);
    if (size == 4 && memcmp(address, "pipe", size) == 0) return varve_open_path_(stream, rest, 0);
    stream->is_datagram = size == 3 && memcmp(address, "udp", size) == 0;
    if (stream->is_datagram && stream->format != VARVE_RECORD_HEPH) return EINVAL;
    memset(&parsed, 0, sizeof parsed);
    if (stream->is_datagram || (size == 3 && memcmp(address, "tcp", size) == 0))
        return varve_connect_(stream, &parsed, varve_parse_host_(rest, &parsed));
    parsed.path.sun_family = AF_UNIX;
    if (size != 4 || memcmp(address, "unix", size) != 0 || strlen(rest) >= sizeof parsed.path.sun_path)
        return EINVAL;
    memcpy(parsed.path.sun_path, rest, strlen(rest));
    return varve_connect_(stream, &parsed, sizeof parsed.path);
}

/* -- start and stop; the caller has the lock -- */

static void varve_free_stream_(VarveStream_ *stream)
{
    while (stream->sources != NULL) {
        VarveStreamSource_ *const source = stream->sources;
        stream->sources = source->next;
        free(source->open);
        free(source);
    }
    pthread_cond_destroy(&stream->wake);
    pthread_cond_destroy(&stream->room);
    free(stream);
}

static int varve_create_stream_(const char *address, VarveRecordFormat format)
{
    VarveStream_ *const stream = (VarveStream_ *)calloc(1, sizeof *stream);
    if (stream == NULL) return ENOMEM;
    stream->format = format;
    stream->file = -1;
    pthread_cond_init(&stream->wake, NULL);
    pthread_cond_init(&stream->room, NULL);
    int failure = varve_open_address_(stream, address);
    if (failure == 0) failure = varve_start_sender_(stream);
    if (failure == 0) {
        varve_recorder_.stream = stream;
        varve_recorder_.file = stream->file;
        return 0;
    }
    if (stream->file >= 0) close(stream->file);
    varve_free_stream_(stream);
    return failure;
}

/* Writes the last events. The lock is released meanwhile; no other thread changes the stream, because the recording is
 * off. Threads keep their chunks until they record again or exit. */
static void varve_end_streaming_(void)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    VarveStream_ *const   stream = recorder->stream;
    stream->has_ended = 1;
    pthread_cond_signal(&stream->wake);
    pthread_cond_broadcast(&stream->room);
    pthread_mutex_unlock(&recorder->lock);
    pthread_join(stream->sender, NULL);
    pthread_mutex_lock(&recorder->lock);
    if (recorder->failure == 0) recorder->failure = stream->failure;
    for (VarveThread_ *thread = recorder->threads; thread != NULL; thread = thread->next)
        thread->source = NULL;
    while (stream->first != NULL) {
        VarveStreamChunk_ *const chunk = stream->first;
        stream->first = chunk->next;
        chunk->stream = NULL;
        if (chunk->owner == NULL) free(chunk);
    }
    recorder->stream = NULL;
    varve_free_stream_(stream);
}

/* In a child process, which has no sender: the memory stays as the parent's threads left it. */
static VarveStream_ *varve_stream_of_parent_;

static void varve_forget_stream_(VarveThread_ *thread)
{
    varve_stream_of_parent_ = varve_recorder_.stream;
    varve_recorder_.is_on = 0;
    varve_recorder_.stream = NULL;
    close(varve_recorder_.file);
    varve_recorder_.file = -1;
    thread->streamed = NULL;
    thread->source = NULL;
    thread->at = NULL;
}
