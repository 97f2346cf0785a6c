/* record/stream_heph.h - events as packets of Heph. The process is a stream, its threads are the substreams. All integers
 * are big-endian. */

enum { VARVE_HEPH_U64_ = 1, VARVE_HEPH_I64_ = 2, VARVE_HEPH_F64_ = 3, VARVE_HEPH_STRING_ = 4 };

static size_t varve_big_endian_(uint8_t *to, uint64_t value, size_t size)
{
    for (size_t i = size; i-- > 0; value >>= 8)
        to[i] = (uint8_t)value;
    return size;
}

static void varve_heph_uint_(VarveStream_ *stream, uint64_t value, size_t size)
{
    stream->out_size += varve_big_endian_(stream->out + stream->out_size, value, size);
}

static void varve_heph_string_(VarveStream_ *stream, const char *text, size_t size)
{
    varve_heph_uint_(stream, size, 2);
    varve_put_(stream, text, size);
}

/* Begins a packet. Returns its place for varve_heph_end_. */
static size_t varve_heph_begin_(VarveStream_ *stream, uint32_t magic)
{
    varve_heph_uint_(stream, magic, 4);
    varve_heph_uint_(stream, 0, 4);
    return stream->out_size - 8;
}

/* Completes a packet. If it does not fit into the datagram, the packets before it are sent. */
static void varve_heph_end_(VarveStream_ *stream, size_t packet)
{
    varve_big_endian_(stream->out + packet + 4, stream->out_size - packet, 4);
    if (stream->is_datagram && stream->out_size > VARVE_DATAGRAM_ && packet > 0) varve_send_(stream, packet);
}

static size_t varve_heph_option_(VarveStream_ *stream, const char *name)
{
    const size_t packet = varve_heph_begin_(stream, 0x75D11D4D);
    varve_heph_string_(stream, name, strlen(name));
    return packet;
}

/* Writes the time of the recording's start since 1970. */
static void varve_heph_start_(VarveStream_ *stream)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    const size_t   packet = varve_heph_option_(stream, "epoch");
    varve_heph_uint_(stream, now_ns - (varve_clock_ns_() - varve_recorder_.start.ns), 8);
    varve_heph_end_(stream, packet);
}

static void varve_heph_name_(VarveStream_ *stream, const VarveStreamSource_ *source, const VarveEvent_ *event)
{
    const int    is_thread = event->type == VARVE_TYPE_THREAD_;
    const size_t packet = varve_heph_option_(stream, is_thread ? "substream-name" : "stream-name");
    varve_heph_uint_(stream, (uint64_t)getpid(), 4);
    if (is_thread) varve_heph_uint_(stream, source->id, 8);
    varve_heph_string_(stream, event->name, event->name_size);
    varve_heph_end_(stream, packet);
}

static size_t varve_heph_attribute_(uint8_t *to, const char *name, size_t name_size, unsigned type)
{
    varve_big_endian_(to, name_size, 2);
    memcpy(to + 2, name, name_size);
    to[2 + name_size] = (uint8_t)type;
    return 3 + name_size;
}

static size_t varve_heph_text_(uint8_t *to, const char *name, size_t name_size, const char *text, size_t size)
{
    const size_t head = varve_heph_attribute_(to, name, name_size, VARVE_HEPH_STRING_);
    varve_big_endian_(to + head, size, 2);
    memcpy(to + head + 2, text, size);
    return head + 2 + size;
}

static size_t varve_heph_number_(uint8_t *to, const char *name, size_t name_size, unsigned type,
                                 uint64_t bits)
{
    const size_t head = varve_heph_attribute_(to, name, name_size, type);
    return head + varve_big_endian_(to + head, bits, 8);
}

/* Encodes the arguments of an event as attributes. Returns their size, at most 1024 bytes. */
static size_t varve_heph_attributes_(VarveEvent_ *event, uint8_t *to)
{
    static const char *const ASYNC[] = { "begin", "end", "instant" }, *const FLOW[] = { "begin", "end",
                                                                                        "step" };
    VarveArgument argument;
    uint64_t      bits;
    size_t        size = 0, key_size, text_size;
    if (event->text_size > 0) size += varve_heph_text_(to, "args", 4, event->text, event->text_size);
    while (varve_next_argument_(event, &argument, &key_size, &text_size)) {
        static const uint8_t TYPES[] = { VARVE_HEPH_I64_, VARVE_HEPH_U64_, VARVE_HEPH_F64_ };
        if (argument.kind == VARVE_STRING_) {
            size += varve_heph_text_(to + size, argument.key, key_size, argument.value.text, text_size);
        } else if (argument.kind == VARVE_BOOL_) {
            const char *const text = argument.value.natural != 0 ? "true" : "false";
            size += varve_heph_text_(to + size, argument.key, key_size, text, strlen(text));
        } else {
            size += varve_heph_number_(to + size, argument.key, key_size, TYPES[argument.kind],
                                       argument.value.natural);
        }
    }
    if (event->type == VARVE_TYPE_COUNTER_) {
        memcpy(&bits, &event->value, sizeof bits);
        size += varve_heph_number_(to + size, "value", 5, VARVE_HEPH_F64_, bits);
    } else if (event->type == VARVE_TYPE_ASYNC_ || event->type == VARVE_TYPE_FLOW_) {
        const int         is_flow = event->type == VARVE_TYPE_FLOW_;
        const char *const role = is_flow ? FLOW[event->role] : ASYNC[event->role];
        size += varve_heph_text_(to + size, is_flow ? "flow" : "async", is_flow ? 4 : 5, role, strlen(role));
        size += varve_heph_number_(to + size, "id", 2, VARVE_HEPH_U64_, event->id);
    }
    return size;
}

/* Writes a slice. `bytes` are its name and its attributes. */
static void varve_heph_slice_(VarveStream_ *stream, const VarveStreamSource_ *source, uint64_t begin,
                              uint64_t end, const VarveOpenSlice_ *slice)
{
    const size_t packet = varve_heph_begin_(stream, 0xC1FC1FB7);
    varve_heph_uint_(stream, (uint64_t)getpid(), 4);
    varve_heph_uint_(stream, stream->event_count++, 4);
    varve_heph_uint_(stream, source->id, 8);
    varve_heph_uint_(stream, varve_stream_ns_(stream, begin), 8);
    varve_heph_uint_(stream, varve_stream_ns_(stream, end), 8);
    varve_heph_string_(stream, (const char *)slice->bytes, slice->name_size);
    varve_put_(stream, slice->bytes + slice->name_size, slice->attributes_size);
    varve_heph_end_(stream, packet);
}

static void varve_heph_fill_(VarveOpenSlice_ *slice, VarveEvent_ *event)
{
    slice->time = event->time;
    slice->name_size = event->name_size;
    memcpy(slice->bytes, event->name, event->name_size);
    slice->attributes_size = varve_heph_attributes_(event, slice->bytes + event->name_size);
}

/* Keeps a slice that has begun. Too deep ones are counted only, so that the ends match. */
static void varve_heph_push_(VarveStream_ *stream, VarveStreamSource_ *source, VarveEvent_ *event)
{
    if (source->depth == source->capacity && source->capacity < VARVE_DEPTH_MAX_) {
        const uint32_t         capacity = source->capacity == 0 ? 16 : 2 * source->capacity;
        VarveOpenSlice_ *const open = (VarveOpenSlice_ *)realloc(source->open, capacity * sizeof *open);
        if (open == NULL) {
            if (stream->failure == 0) stream->failure = ENOMEM;
            return;
        }
        source->open = open;
        source->capacity = capacity;
    }
    if (source->depth < source->capacity) varve_heph_fill_(&source->open[source->depth], event);
    source->depth++;
}

static void varve_heph_pop_(VarveStream_ *stream, VarveStreamSource_ *source, uint64_t end)
{
    if (source->depth == 0) return;
    if (--source->depth < source->capacity)
        varve_heph_slice_(stream, source, source->open[source->depth].time, end,
                          &source->open[source->depth]);
}

static void varve_heph_event_(VarveStream_ *stream, VarveStreamSource_ *source, VarveEvent_ *event)
{
    VarveOpenSlice_ slice;
    if (event->type == VARVE_TYPE_PROCESS_ || event->type == VARVE_TYPE_THREAD_) {
        varve_heph_name_(stream, source, event);
    } else if (event->type == VARVE_TYPE_BEGIN_) {
        varve_heph_push_(stream, source, event);
    } else if (event->type == VARVE_TYPE_END_) {
        varve_heph_pop_(stream, source, event->time);
    } else {
        varve_heph_fill_(&slice, event);
        varve_heph_slice_(stream, source, event->time - event->duration, event->time, &slice);
    }
}
