/* record/stream.h - the chunks, events and output bytes of a stream.
 *
 * A thread records to chunks of memory; `at` of its VarveThread_ is the end of its complete records. The sender, a thread
 * of the recorder, converts the records before it. A chunk that is full, or whose thread has exited, has no owner; the
 * sender releases it when its records are written. */

enum {
    VARVE_OUT_BYTES_ = 1 << 16,
    VARVE_OUT_EVENT_ = 1 << 13,    /* an event becomes fewer bytes in every format */
    VARVE_DATAGRAM_ = 1400,        /* bytes of a datagram with more than one packet */
    VARVE_WAITING_CHUNKS_ = 64,    /* full chunks that are not written yet; with more, threads wait */
    VARVE_SEND_NS_ = 50 * 1000000, /* between two looks at the chunks */
    VARVE_DEPTH_MAX_ =
        4096 /* open slices of a thread in a stream of Heph packets; deeper ones are left out */
};

/* An open slice, for Heph packets, which are written at the end of a slice. */
typedef struct VarveOpenSlice_ {
    uint64_t time;
    size_t   name_size, attributes_size;
    uint8_t  bytes[VARVE_TEXT_MAX_ + 1024]; /* name, attributes */
} VarveOpenSlice_;

/* A thread of the program. */
typedef struct VarveStreamSource_ {
    struct VarveStreamSource_ *next;
    uint32_t                   id;
    uint32_t                   depth, capacity;
    VarveOpenSlice_           *open; /* owned; `capacity` slices */
} VarveStreamSource_;

typedef struct VarveStreamChunk_ {
    struct VarveStreamChunk_ *next;
    struct VarveStream_      *stream; /* NULL: the recording has ended, and the owner releases the chunk */
    VarveStreamSource_       *source;
    VarveThread_             *owner; /* NULL: no thread writes to it */
    uint8_t *sent, *end;             /* the next byte to convert; the end of the records if it has no owner */
    uint8_t  bytes[VARVE_CHUNK_];
} VarveStreamChunk_;

typedef struct VarveStream_ {
    VarveStreamChunk_  *first, *last; /* in the order in which they were taken */
    VarveStreamSource_ *sources;
    size_t              waiting; /* chunks without an owner */
    pthread_cond_t      wake;    /* of the sender: a chunk has lost its owner, or the recording ends */
    pthread_cond_t      room;    /* a chunk was released */
    pthread_t           sender;
    VarveRecordFormat   format;
    uint32_t            has_ended; /* with `waiting`, the lists and `owner`: the caller has the lock */
    /* The others belong to the sender. */
    int      file, is_datagram;
    int      failure;     /* errno of the first failure; nothing is written after it */
    uint32_t is_begun;    /* the file's header is written */
    double   unit;        /* ns of a tick */
    uint64_t latest;      /* time of an event */
    uint64_t event_count; /* of written events */
    size_t   out_size;
    uint8_t  out[VARVE_OUT_BYTES_];
} VarveStream_;

/* -- chunks; the caller has the lock -- */

static VarveStreamSource_ *varve_find_source_(VarveStream_ *stream, VarveThread_ *thread)
{
    if (thread->source != NULL) return thread->source;
    VarveStreamSource_ *const source = (VarveStreamSource_ *)calloc(1, sizeof *source);
    if (source == NULL) return NULL;
    source->id = varve_thread_id_();
    source->next = stream->sources;
    stream->sources = source;
    thread->source = source;
    return source;
}

/* Takes a new chunk. Waits while too many chunks are not written. Returns EAGAIN if the recording ends meanwhile. */
static int varve_take_streamed_(VarveThread_ *thread)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    while (recorder->is_on != 0 && recorder->stream != NULL &&
           recorder->stream->waiting >= VARVE_WAITING_CHUNKS_)
        pthread_cond_wait(&recorder->stream->room, &recorder->lock);
    if (recorder->is_on == 0 || recorder->stream == NULL) return EAGAIN;
    VarveStream_ *const       stream = recorder->stream;
    VarveStreamSource_ *const source = varve_find_source_(stream, thread);
    VarveStreamChunk_ *const  chunk = (VarveStreamChunk_ *)malloc(sizeof *chunk);
    if (source == NULL || chunk == NULL) {
        free(chunk);
        return ENOMEM;
    }
    chunk->next = NULL;
    chunk->stream = stream;
    chunk->source = source;
    chunk->owner = thread;
    chunk->sent = chunk->end = chunk->bytes + VARVE_BUFFER_HEADER_;
    thread->streamed = chunk;
    varve_begin_chunk_(thread, chunk->bytes, VARVE_CHUNK_);
    if (stream->last != NULL) stream->last->next = chunk;
    if (stream->first == NULL) stream->first = chunk;
    stream->last = chunk;
    return 0;
}

static void varve_leave_streamed_(VarveThread_ *thread)
{
    VarveStreamChunk_ *const chunk = thread->streamed;
    thread->streamed = NULL;
    if (chunk->stream == NULL) {
        free(chunk);
        return;
    }
    chunk->end = thread->at;
    chunk->owner = NULL;
    if (++chunk->stream->waiting >= VARVE_WAITING_CHUNKS_ / 2) pthread_cond_signal(&chunk->stream->wake);
}

/* -- events: records of a chunk -- */

typedef struct VarveEvent_ {
    unsigned       type, role;
    uint64_t       time, duration, id;
    double         value;
    const char    *name, *text; /* `text`: the argument text */
    size_t         name_size, text_size;
    const uint8_t *arguments; /* with types */
    size_t         arguments_size;
} VarveEvent_;

VARVE_INLINE_ uint64_t varve_load64_(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return VARVE_LE64_(value);
}

/* Reads an event with the records around it. Returns the place of the next one. */
static const uint8_t *varve_read_event_(const uint8_t *at, VarveEvent_ *event)
{
    memset(event, 0, sizeof *event);
    if (at[0] == VARVE_TYPE_PAD_) at += VARVE_SKIP_SIZE_;
    if (at[0] == VARVE_TYPE_ARGUMENTS_) {
        event->arguments = at + VARVE_ARGUMENTS_SIZE_;
        event->arguments_size = at[2] | (size_t)at[3] << 8;
        at = event->arguments + event->arguments_size;
    }
    event->type = at[0];
    const size_t fixed = event->type == VARVE_TYPE_PROCESS_ || event->type == VARVE_TYPE_THREAD_ ? 2
                         : event->type == VARVE_TYPE_END_ ? VARVE_END_SIZE_
                         : event->type == VARVE_TYPE_BEGIN_ || event->type == VARVE_TYPE_INSTANT_
                             ? VARVE_BEGIN_SIZE_
                         : event->type == VARVE_TYPE_COUNTER_ ? VARVE_COUNTER_SIZE_
                         : event->type == VARVE_TYPE_WHOLE_   ? VARVE_WHOLE_SIZE_
                                                              : VARVE_ID_SIZE_;
    if (fixed > 2) event->time = varve_load64_(at + 1);
    if (fixed == 2) event->name_size = at[1];
    if (fixed == VARVE_BEGIN_SIZE_) {
        event->name_size = at[9];
        event->text_size = at[10];
    } else if (fixed == VARVE_COUNTER_SIZE_) {
        const uint64_t bits = varve_load64_(at + 10);
        memcpy(&event->value, &bits, sizeof bits);
        event->name_size = at[9];
    } else if (event->type == VARVE_TYPE_WHOLE_) {
        event->duration = varve_load64_(at + 9);
        event->name_size = at[17];
        event->text_size = at[18];
    } else if (fixed == VARVE_ID_SIZE_) {
        event->id = varve_load64_(at + 9);
        event->role = at[17];
        event->name_size = at[18];
    }
    event->name = (const char *)at + fixed;
    event->text = event->name + event->name_size;
    return at + fixed + event->name_size + event->text_size;
}

/* Reads the first argument of the event, and removes it. Returns 0 if the event has no more arguments with a type. The
 * key and a text are not terminated. */
static int varve_next_argument_(VarveEvent_ *event, VarveArgument *argument, size_t *key_size,
                                size_t *text_size)
{
    const uint8_t *at = event->arguments;
    *key_size = *text_size = 0;
    if (event->arguments_size == 0) return 0;
    argument->kind = *at++;
    *key_size = *at++;
    argument->key = (const char *)at;
    at += *key_size;
    if (argument->kind == VARVE_STRING_) {
        *text_size = *at++;
        argument->value.text = (const char *)at;
        at += *text_size;
    } else if (argument->kind == VARVE_BOOL_) {
        argument->value.natural = *at++;
    } else {
        argument->value.natural = varve_load64_(at);
        at += 8;
    }
    event->arguments_size -= (size_t)(at - event->arguments);
    event->arguments = at;
    return 1;
}

/* -- output -- */

/* Writes the first `size` output bytes. */
static void varve_send_(VarveStream_ *stream, size_t size)
{
    const uint8_t *bytes = stream->out;
    size_t         left = size;
    while (left > 0 && stream->failure == 0) {
        const ssize_t written = write(stream->file, bytes, left); /* SIGPIPE is blocked in the sender */
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && stream->is_datagram && errno == ECONNREFUSED)
            break; /* nothing listens: it is lost */
        if (written < 0) stream->failure = errno;
        bytes += written < 0 ? 0 : written;
        left -= written < 0 ? 0 : (size_t)written;
    }
    memmove(stream->out, stream->out + size, stream->out_size - size);
    stream->out_size -= size;
}

static void varve_put_(VarveStream_ *stream, const void *bytes, size_t size)
{
    memcpy(stream->out + stream->out_size, bytes, size);
    stream->out_size += size;
}

static void varve_put_text_(VarveStream_ *stream, const char *text)
{
    varve_put_(stream, text, strlen(text));
}

/* Makes room for an event. */
static void varve_make_room_(VarveStream_ *stream)
{
    if (stream->out_size > VARVE_OUT_BYTES_ - VARVE_OUT_EVENT_) varve_send_(stream, stream->out_size);
}

/* Returns the time since the start in ns. */
static uint64_t varve_stream_ns_(const VarveStream_ *stream, uint64_t ticks)
{
    const uint64_t start = varve_recorder_.start.ticks;
    return ticks < start ? 0 : (uint64_t)((double)(ticks - start) * stream->unit + 0.5);
}
