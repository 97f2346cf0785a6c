/* format/perf_data/kept.h - the state that `details` and the reader of a perf.data share. It lives as long as the trace. For format/perf
 * only. */
#ifndef FORMAT_PERF_DATA_KEPT_H
#define FORMAT_PERF_DATA_KEPT_H
#include "codec/codec.h"
#include "format/perf_data/events.h"
#include "format/perf_data/names.h"
#include "format/perf_data/queue.h"

enum { PERF_UNWINDERS = 16 };

/* The unwinder of a process. */
typedef struct PerfUnwinder {
    uint32_t  pid;
    Unwinder *unwinder; /* NULL = none */
} PerfUnwinder;

typedef struct PerfKept {
    Arena      arena; /* owned: has all of this, and `events` */
    PerfEvents events;
    /* until the end of the input: */
    Arena     work; /* owned: memory of `names` */
    PerfNames names;
    PerfQueue queue;
    Decoder  *decoder; /* of compressed records; NULL = no record was compressed */
    Bytes     plain;   /* decompressed records */
    /* of the processes that were sampled last, by their id modulo PERF_UNWINDERS */
    PerfUnwinder unwinders[PERF_UNWINDERS];
} PerfKept;

/* Decodes a record of the kernel that has details: FormatReader.details. */
bool perf_data_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                       EventDetails *details, Err *err);
/* Sets *record to the record at the begin of the bytes. Returns its size; 0: the bytes end before it, or it is damaged. */
size_t perf_record_at(const uint8_t *bytes, size_t size, PerfRecord *record, bool *is_damaged);

/* Records of tasks and files. Texts are borrowed from the record. */
typedef struct PerfTaskRecord {
    uint32_t   pid, tid, parent_pid, parent_tid; /* the parent: of FORK */
    StringView comm;
} PerfTaskRecord;
typedef struct PerfMapRecord {
    uint32_t    pid;
    PerfMap     place;
    PerfBuildId build_id;
    StringView  path;
} PerfMapRecord;
/* Decode COMM, FORK and EXIT; MMAP and MMAP2. False: damage. */
bool perf_task_decode(const PerfRecord *record, PerfTaskRecord *task);
bool perf_map_decode(const PerfRecord *record, PerfMapRecord *map);

#endif
