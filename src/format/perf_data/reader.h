/* format/perf_data/reader.h - the state of the reader of perf.data. For format/perf_data only.
 *
 *   reader.c     the file: header, attributes, features, records
 *   tasks.c      records in order of time: threads, maps of files, samples, switches of tasks
 *   unwinding.c  callers from copies of stacks
 *   events.c     attributes of events, and their samples
 *   formats.c    the fields of tracepoints
 *   queue.c      the order of records
 *   maps.c       which file is at which address
 *   names.c      names of addresses
 *   records.c    other records; arguments of events, when they are needed */
#ifndef FORMAT_PERF_DATA_READER_H
#define FORMAT_PERF_DATA_READER_H
#include "format/linux/perf_threads.h"
#include "format/perf_data/kept.h"

/* In a recording without times, the events are this far apart. */
enum { PERF_STEP_NS = 1000 };

typedef enum { STAGE_HEADER, STAGE_RECORDS, STAGE_REST } PerfStage;

typedef struct PerfDataReader {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    PerfKept     *kept; /* owned by the builder */
    PerfThreads   threads;
    ReadAgain     again;
    PerfStage     stage;
    uint64_t      base;     /* offset of the current bytes in the input */
    uint64_t      data_end; /* offset behind the records; UINT64_MAX = not known */
    uint64_t      passes;   /* bytes to pass that belong to no record */
    uint64_t      event_count;
    EventPos      pos;   /* of the current record */
    IdMap         kinds; /* by 1 + the type of a record, or by the index of an attribute: 1 + its kind */
    ARENA_LIST(FrameId) frames; /* of the current sample, innermost first */
    int64_t last_ns;            /* of all samples */
    bool    has_names;          /* all events have a name */
    bool    has_first, has_times;
    bool    failed; /* out of memory */
} PerfDataReader;

/* Takes a record in order of time. `context`: the reader. */
void perf_data_take(void *context, const PerfRecord *record, EventPos pos);
/* Returns the thread of a sample or a record. */
TrackId perf_data_thread(PerfDataReader *reader, const PerfSample *sample);
/* Returns the time of a sample at a place in the input. False: it has none that can be drawn. */
bool perf_data_time(PerfDataReader *reader, const PerfSample *sample, EventPos pos, int64_t *ns);
/* Returns the name of an event. */
StringId perf_data_event_name(PerfDataReader *reader, const PerfAttr *attr);
/* Returns the format of a tracepoint with fields, or NULL. */
const PerfFormat *perf_data_format(const PerfDataReader *reader, const PerfSample *sample);
/* Writes the address of a program and those of its callers, from a copy of its stack (unwinder_run), or the first one alone if its
 * executable is not there. Returns their number; 0: the sample has no registers. */
size_t perf_data_unwind(PerfDataReader *reader, const PerfSample *sample, EventPos pos,
                        uint64_t addresses[UNWIND_MOST_FRAMES]);
/* Forgets the files of a process, or of all processes. */
void perf_data_forget_files(PerfKept *kept, uint32_t pid);
void perf_data_forget_all(PerfKept *kept);
/* Passes a tracepoint to the builder. */
void perf_data_point(PerfDataReader *reader, const PerfSample *sample, TrackId thread, int64_t ns,
                     EventPos pos);

#endif
