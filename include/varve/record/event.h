/* record/event.h - the functions that record an event: its bytes are written to the chunk of the thread.
 *
 * docs/formats/spall.md has the layouts of the records. */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    VARVE_TYPE_BEGIN_ = 3, /* of records */
    VARVE_TYPE_END_ = 4,
    VARVE_TYPE_PAD_ = 7,
    VARVE_TYPE_PROCESS_ = 8,
    VARVE_TYPE_THREAD_ = 9,
    VARVE_TYPE_INSTANT_ = 10, /* inside a Pad_Skip: other readers skip it */
    VARVE_TYPE_COUNTER_ = 11,
    VARVE_TYPE_WHOLE_ = 12,
    VARVE_TYPE_ASYNC_ = 13,
    VARVE_TYPE_FLOW_ = 14,
    VARVE_TYPE_ARGUMENTS_ = 15, /* of the event after it */
    VARVE_MAGIC_ = 0x31767256,  /* the first four bytes of the filler of such a Pad_Skip */
    VARVE_TEXT_MAX_ = 255,      /* bytes of a name, and of the arguments */
    VARVE_BEGIN_SIZE_ = 11,     /* type u8, time u64, name size u8, arguments size u8 */
    VARVE_END_SIZE_ = 9,        /* type u8, time u64 */
    VARVE_COUNTER_SIZE_ = 18,   /* type u8, time u64, name size u8, value f64 */
    VARVE_SKIP_SIZE_ = 9,       /* type u8, size u32, magic u32 */
    VARVE_PAD_SIZE_ = 8,        /* type u8, size u32, three zeros of the filler */
    VARVE_ID_SIZE_ = 19,        /* type u8, time u64, id u64, role u8, name size u8 */
    VARVE_WHOLE_SIZE_ = 19,     /* type u8, time u64, duration u64, name size u8, arguments size u8 */
    VARVE_ARGUMENTS_SIZE_ = 4,  /* type u8, zero u8, size of the arguments u16 */
    VARVE_ARGUMENTS_MAX_ = 500,
    VARVE_RECORD_MAX_ = VARVE_SKIP_SIZE_ + VARVE_ARGUMENTS_SIZE_ + VARVE_ARGUMENTS_MAX_ + VARVE_WHOLE_SIZE_ +
                        2 * VARVE_TEXT_MAX_ + VARVE_PAD_SIZE_,
    VARVE_HEADER_ = 32, /* of the file */
    VARVE_UNIT_AT_ = 16,
    VARVE_BUFFER_HEADER_ = 20,
    VARVE_CONTROL_ = 8192, /* see the implementation */
    VARVE_COUNT_AT_ = 4096,
    VARVE_CHUNK_ = 327680,
    VARVE_PIECE_ = 65536 /* of a chunk of the file */
};

struct VarveRing_;
struct VarveStreamChunk_;
struct VarveStreamSource_;

typedef struct VarveThread_ {
    uint8_t *at;       /* the padding after the last record; NULL without a chunk */
    uint8_t *full;     /* a record fits if at < full; NULL without a chunk, and after varve_record_stop */
    uint8_t *end;      /* of the chunk */
    uint64_t file_end; /* of the chunk in the file */
    uint32_t busy;     /* 1 while the thread is inside this header */
    uint32_t counter;  /* 1: times are of the processor's counter, 0: of CLOCK_MONOTONIC */
    uint64_t lost;
    uint32_t is_known; /* 1 if the thread is in the list of threads */
    struct VarveThread_       *next, *before;
    struct VarveRing_         *ring;     /* that contains the chunk, or NULL */
    struct VarveStreamChunk_  *streamed; /* the chunk, or NULL; if both are NULL, a file contains it */
    struct VarveStreamSource_ *source;   /* the thread in the running stream, or NULL */
    char                       name[64]; /* "" = not known yet */
} VarveThread_;

extern __thread VarveThread_ varve_thread_;

/* Gives the thread a chunk with room for a record. Returns 0 if no recording runs. */
int varve_next_chunk_(VarveThread_ *thread);
/* Returns CLOCK_MONOTONIC in ns. */
uint64_t varve_clock_ns_(void);
/* Returns the size of the longest part of a text of up to VARVE_TEXT_MAX_ bytes that ends between two characters. */
size_t varve_cut_text_(const char *text);

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define VARVE_LE32_(x) __builtin_bswap32(x)
#define VARVE_LE64_(x) __builtin_bswap64(x)
#else
#define VARVE_LE32_(x) (x)
#define VARVE_LE64_(x) (x)
#endif

VARVE_INLINE_ void varve_store64_(uint8_t *to, uint64_t value)
{
    value = VARVE_LE64_(value);
    memcpy(to, &value, sizeof value);
}

VARVE_INLINE_ uint64_t varve_now_(const VarveThread_ *thread)
{
#if defined __x86_64__
    if (thread->counter != 0) return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    if (thread->counter != 0) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#else
    (void)thread;
#endif
    return varve_clock_ns_();
}

/* Returns the place of the next record, which has at most VARVE_RECORD_MAX_ bytes with the padding after it, or NULL
 * if the event cannot be recorded. After a place varve_leave_ must follow. */
VARVE_INLINE_ uint8_t *varve_enter_(VarveThread_ *thread)
{
    if (__builtin_expect(thread->busy != 0, 0)) { /* a signal interrupted this header */
        thread->lost++;
        return NULL;
    }
    thread->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(thread->at >= __atomic_load_n(&thread->full, __ATOMIC_RELAXED), 0) &&
        varve_next_chunk_(thread) == 0) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread->busy = 0;
        return NULL;
    }
    return thread->at;
}

/* Completes the record from thread->at to `end`, of at least 8 bytes: its first eight bytes are `head`, the others
 * are written. */
VARVE_INLINE_ void varve_leave_(VarveThread_ *thread, uint64_t head, uint8_t *end)
{
    varve_store64_(end, VARVE_TYPE_PAD_ | (uint64_t)(thread->end - end - 5) << 8);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    varve_store64_(thread->at, head);
    __atomic_store_n(&thread->at, end, __ATOMIC_RELEASE); /* a stream reads the bytes before `at` */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = 0;
}

VARVE_INLINE_ size_t varve_text_size_(const char *text)
{
    const size_t size = strlen(text);
    return size <= VARVE_TEXT_MAX_ ? size : varve_cut_text_(text);
}

VARVE_INLINE_ void varve_begin_sized_(const char *name, size_t name_size, const char *args, size_t args_size)
{
    VarveThread_ *const thread = &varve_thread_;
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    memcpy(at + VARVE_BEGIN_SIZE_, name, name_size);
    if (args_size > 0) memcpy(at + VARVE_BEGIN_SIZE_ + name_size, args, args_size);
    at[9] = (uint8_t)name_size;
    at[10] = (uint8_t)args_size;
    const uint64_t now = varve_now_(thread);
    at[8] = (uint8_t)(now >> 56);
    varve_leave_(thread, VARVE_TYPE_BEGIN_ | now << 8, at + VARVE_BEGIN_SIZE_ + name_size + args_size);
}

VARVE_INLINE_ void varve_begin(const char *name)
{
    varve_begin_sized_(name, varve_text_size_(name), NULL, 0);
}

VARVE_INLINE_ void varve_begin_args(const char *name, const char *args)
{
    varve_begin_sized_(name, varve_text_size_(name), args, varve_text_size_(args));
}

VARVE_INLINE_ void varve_end(void)
{
    VarveThread_ *const thread = &varve_thread_;
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    const uint64_t now = varve_now_(thread);
    at[8] = (uint8_t)(now >> 56);
    varve_leave_(thread, VARVE_TYPE_END_ | now << 8, at + VARVE_END_SIZE_);
}

/* -- events that version 3 of .spall has no records for: each is inside a Pad_Skip -- */

/* Completes the bytes from thread->at to `end`, which begin with a Pad_Skip that contains `size` bytes of records; all but
 * its first eight bytes are written. */
VARVE_INLINE_ void varve_leave_skip_(VarveThread_ *thread, size_t size, uint8_t *end)
{
    thread->at[8] = VARVE_MAGIC_ >> 24;
    varve_leave_(thread,
                 VARVE_TYPE_PAD_ | (uint64_t)(VARVE_SKIP_SIZE_ - 5 + size) << 8 |
                     (uint64_t)(VARVE_MAGIC_ & 0xFFFFFF) << 40,
                 end);
}

/* Completes a Pad_Skip at thread->at that contains a record of `size` bytes. */
VARVE_INLINE_ void varve_leave_record_(VarveThread_ *thread, size_t size)
{
    varve_leave_skip_(thread, size, thread->at + VARVE_SKIP_SIZE_ + size);
}

VARVE_INLINE_ void varve_instant_sized_(const char *name, size_t name_size, const char *args,
                                        size_t args_size)
{
    VarveThread_ *const thread = &varve_thread_;
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    record[0] = VARVE_TYPE_INSTANT_;
    record[9] = (uint8_t)name_size;
    record[10] = (uint8_t)args_size;
    memcpy(record + VARVE_BEGIN_SIZE_, name, name_size);
    if (args_size > 0) memcpy(record + VARVE_BEGIN_SIZE_ + name_size, args, args_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_record_(thread, VARVE_BEGIN_SIZE_ + name_size + args_size);
}

VARVE_INLINE_ void varve_instant(const char *name)
{
    varve_instant_sized_(name, varve_text_size_(name), NULL, 0);
}

VARVE_INLINE_ void varve_instant_args(const char *name, const char *args)
{
    varve_instant_sized_(name, varve_text_size_(name), args, varve_text_size_(args));
}

VARVE_INLINE_ void varve_counter(const char *name, double value)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name);
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    uint64_t       bits;
    memcpy(&bits, &value, sizeof bits);
    record[0] = VARVE_TYPE_COUNTER_;
    record[9] = (uint8_t)name_size;
    varve_store64_(record + 10, bits);
    memcpy(record + VARVE_COUNTER_SIZE_, name, name_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_record_(thread, VARVE_COUNTER_SIZE_ + name_size);
}

VARVE_INLINE_ uint64_t varve_time(void)
{
    VarveThread_ *const thread = &varve_thread_;
    if (varve_enter_(thread) == NULL) return 0;
    const uint64_t now = varve_now_(thread);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = 0;
    return now;
}

VARVE_INLINE_ void varve_complete_args(const char *name, const char *args, uint64_t begin)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name), args_size = varve_text_size_(args);
    uint8_t *const      at = begin == 0 ? NULL : varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    record[0] = VARVE_TYPE_WHOLE_;
    record[17] = (uint8_t)name_size;
    record[18] = (uint8_t)args_size;
    memcpy(record + VARVE_WHOLE_SIZE_, name, name_size);
    memcpy(record + VARVE_WHOLE_SIZE_ + name_size, args, args_size);
    const uint64_t now = varve_now_(thread);
    varve_store64_(record + 1, now);
    varve_store64_(record + 9, now > begin ? now - begin : 0);
    varve_leave_record_(thread, VARVE_WHOLE_SIZE_ + name_size + args_size);
}

VARVE_INLINE_ void varve_complete(const char *name, uint64_t begin)
{
    varve_complete_args(name, "", begin);
}

VARVE_INLINE_ void varve_id_event_(unsigned type, unsigned role, const char *name, uint64_t id)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name);
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    record[0] = (uint8_t)type;
    varve_store64_(record + 9, id);
    record[17] = (uint8_t)role;
    record[18] = (uint8_t)name_size;
    memcpy(record + VARVE_ID_SIZE_, name, name_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_record_(thread, VARVE_ID_SIZE_ + name_size);
}

VARVE_INLINE_ void varve_async_begin(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_ASYNC_, 0, name, id);
}

VARVE_INLINE_ void varve_async_end(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_ASYNC_, 1, name, id);
}

VARVE_INLINE_ void varve_async_instant(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_ASYNC_, 2, name, id);
}

VARVE_INLINE_ void varve_flow_begin(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_FLOW_, 0, name, id);
}

VARVE_INLINE_ void varve_flow_end(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_FLOW_, 1, name, id);
}

VARVE_INLINE_ void varve_flow_step(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_FLOW_, 2, name, id);
}

#ifdef __cplusplus
} /* extern "C" */
#endif
