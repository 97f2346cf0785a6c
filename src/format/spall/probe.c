#include "format/spall/probe.h"

#include "base/utf8.h"

#include <math.h>

enum { TRIAL_THREADS = 256 };

typedef struct TrialThread {
    uint64_t pid, tid;
    double   last;
    uint32_t depth;
    bool     used;
} TrialThread;

/* The result of decoding the file with one candidate layout. */
typedef struct Trial {
    const SpallLayout *layout;
    double             unit;
    size_t             consumed;
    uint64_t           records, faults; /* faults: unlikely but possible values */
    bool               reached_end;
    TrialThread        threads[TRIAL_THREADS]; /* by hash; a later thread replaces a colliding one */
} Trial;

static uint64_t record_id(const SpallLayout *layout, const uint8_t *field)
{
    return layout->id_size == 8 ? bits_load_u64(field) : bits_load_u32(field);
}

static bool time_is_sane(const Trial *trial, double time)
{
    /* Other data read as a double is mostly tiny or huge. 1e15 microseconds are 31 years. */
    return time == 0 || (isnormal(time) && fabs(time) >= 1e-100 && fabs(time * trial->unit) <= 1e15);
}

/* True for text as recorders write it: valid UTF-8 without control characters except tabs and trailing zero bytes. A
 * name of 255 bytes may end inside a character. */
static bool name_is_sane(const uint8_t *name, size_t size)
{
    bool cut = size == LAYOUT_MAX_TEXT;
    while (size > 0 && name[size - 1] == 0)
        size--;
    for (size_t i = 0; i < size; i++) {
        if (name[i] < 0x20 && name[i] != '\t') return false;
    }
    size_t valid = utf8_valid_prefix(name, size);
    return valid == size || (cut && size - valid < 4 && name[valid] >= 0xC2);
}

static TrialThread *trial_thread(Trial *trial, uint64_t pid, uint64_t tid)
{
    uint64_t     mixed = (pid * UINT64_C(0x9E3779B97F4A7C15) + tid) * UINT64_C(0xD1B54A32D192ED03);
    TrialThread *thread = &trial->threads[mixed >> 56];
    if (!thread->used || thread->pid != pid || thread->tid != tid) {
        *thread = (TrialThread){ .pid = pid, .tid = tid, .last = -INFINITY, .used = true };
    }
    return thread;
}

/* Counts the unlikely values of a record. */
static void trial_count_faults(Trial *trial, RecordKind kind, const RecordShape *shape, const uint8_t *record)
{
    uint64_t     pid = record_id(trial->layout, record + shape->pid);
    uint64_t     tid = record_id(trial->layout, record + shape->tid);
    double       time = bits_load_f64(record + shape->time);
    TrialThread *thread = trial_thread(trial, pid, tid);
    trial->faults += pid >> 24 != 0;
    trial->faults += tid >> 24 != 0;
    trial->faults += shape->name_length != 0 && record[shape->name_length] == 0;
    if (kind == RECORD_COMPLETE) return; /* Complete records are not in order of time */
    trial->faults += time < thread->last;
    thread->last = time;
    if (kind == RECORD_END) {
        trial->faults += thread->depth == 0;
        if (thread->depth > 0) thread->depth--;
    } else {
        thread->depth++;
    }
}

typedef enum { STEP_RECORD, STEP_CUT, STEP_VIOLATION } TrialStep;

/* Decodes the record at `at`. Sets *size to its size. */
static TrialStep trial_step(Trial *trial, const uint8_t *at, size_t left, size_t *size)
{
    const SpallLayout *layout = trial->layout;
    uint64_t           type = at[0];
    if (layout->id_size == 8) {
        if (left < 8) return STEP_CUT;
        type = bits_load_u64(at);
    }
    RecordKind         kind = type < LAYOUT_TYPES ? (RecordKind)layout->kinds[type] : RECORD_NONE;
    const RecordShape *shape = &layout->shapes[kind];
    if (kind == RECORD_NONE) return STEP_VIOLATION;
    if (left < shape->size) return STEP_CUT;
    if (!time_is_sane(trial, bits_load_f64(at + shape->time))) return STEP_VIOLATION;
    if (shape->duration != 0) {
        double duration = bits_load_f64(at + shape->duration);
        if (!time_is_sane(trial, duration) || duration < 0) return STEP_VIOLATION;
    }
    if (shape->category != 0 && at[shape->category] != 0) return STEP_VIOLATION;
    if (shape->args_length != 0 && at[shape->args_length] != 0) return STEP_VIOLATION;
    size_t name_size = shape->name_length == 0 ? 0 : at[shape->name_length];
    if (name_size > left - shape->size) return STEP_CUT;
    if (!name_is_sane(at + shape->size, name_size)) return STEP_VIOLATION;
    trial_count_faults(trial, kind, shape, at);
    *size = shape->size + name_size;
    return STEP_RECORD;
}

/* Decodes records up to `data_end`, after which all bytes are zero: a tail of zeros ends the records. */
static void trial_run(Trial *trial, const uint8_t *head, size_t size, size_t data_end)
{
    const SpallLayout *layout = trial->layout;
    size_t             at = layout->header_size;
    if (at > size) return;
    /* must_be_0, which no reader checks */
    trial->faults += at == LAYOUT_FULL_HEADER && bits_load_u64(head + 24) != 0;
    while (at < data_end) {
        size_t    record = 0;
        TrialStep step = trial_step(trial, head + at, size - at, &record);
        if (step == STEP_CUT) trial->faults++;
        if (step != STEP_RECORD) {
            trial->reached_end = step == STEP_CUT;
            trial->consumed = at;
            return;
        }
        trial->records++;
        at += record;
    }
    trial->reached_end = true;
    trial->consumed = size;
}

static bool trial_is_better(const Trial *a, const Trial *b)
{
    if (a->reached_end != b->reached_end) return a->reached_end;
    return a->reached_end ? a->faults < b->faults : a->consumed > b->consumed;
}

const SpallLayout *layout_probe(const uint8_t *head, size_t size, bool *fits)
{
    double unit = bits_load_f64(head + 16);
    if (!isfinite(unit) || unit <= 0) unit = 1;
    size_t data_end = size;
    while (data_end > 0 && head[data_end - 1] == 0)
        data_end--;
    Trial best = { .layout = NULL };
    for (size_t i = 0; i < LAYOUT_V0_COUNT; i++) {
        Trial trial = { .layout = &SPALL_V0[i], .unit = unit };
        trial_run(&trial, head, size, data_end);
        if (trial.records == 0 && !trial.reached_end) continue;
        if (best.layout == NULL || trial_is_better(&trial, &best)) best = trial;
    }
    *fits = best.reached_end;
    return best.layout;
}
