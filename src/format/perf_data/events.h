/* format/perf_data/events.h - the attributes of the events of a perf.data, and its samples. For format/perf_data only. */
#ifndef FORMAT_PERF_DATA_EVENTS_H
#define FORMAT_PERF_DATA_EVENTS_H
#include "base/cursor.h"
#include "format/perf_data/formats.h"

/* An event that was recorded: struct perf_event_attr. */
typedef struct PerfAttr {
    uint32_t   type;
    uint64_t   config;
    uint64_t   period; /* between samples; 0 = each sample tells it */
    uint64_t   sample_type, read_format, flags, branch_type, regs_user;
    StringView name; /* "cycles:u"; in the arena */
} PerfAttr;

typedef struct PerfEvents {
    Arena *arena; /* borrowed */
    ARENA_LIST(PerfAttr) attrs;
    IdMap       attr_of; /* by id: 1 + index in attrs */
    PerfFormats formats;
    bool        failed; /* out of memory */
} PerfEvents;

void perf_events_open(PerfEvents *events, Arena *arena);
/* Adds an attribute with its ids, little-endian numbers of 64 bits. False: damage. */
bool perf_events_add(PerfEvents *events, StringView attr, StringView ids);
/* Takes the names of the events in a section EVENT_DESC, with the ids to which they belong. False: damage. */
bool perf_events_take_names(PerfEvents *events, StringView section);
/* Takes the name in a record EVENT_UPDATE. False: damage. */
bool perf_events_take_update(PerfEvents *events, StringView body);
/* Gives a name to the events without one, from their types. Call it when all formats of tracepoints are known. */
void perf_events_name(PerfEvents *events);

/* A record: its header, and the bytes behind it. */
typedef struct PerfRecord {
    uint32_t   type;
    uint16_t   misc;
    StringView body;
} PerfRecord;

/* The fields of a sample, or of the end of another record. Missing fields are 0. */
typedef struct PerfSample {
    const PerfAttr *attr;
    uint64_t        ip, time, period;
    uint32_t        pid, tid, cpu;
    bool            has_task, has_time, has_cpu, has_ip;
    bool            has_user_stack; /* a copy of the program's stack and registers, of --call-graph=dwarf: */
    uint64_t        user_mask;      /* of the registers: a bit for each that is in the sample */
    const uint8_t  *user_registers; /* 64 bits each; NULL = the program had none */
    const uint8_t  *stack;
    size_t          stack_size;
    uint64_t        chain_count;
    const uint8_t  *chain; /* addresses of 64 bits, the innermost one first */
    StringView      raw;   /* of a tracepoint */
} PerfSample;

/* Decodes the record PERF_RECORD_SAMPLE. False: damage. */
bool perf_sample_decode(const PerfEvents *events, const PerfRecord *record, PerfSample *sample);
/* Decodes the fields that other records of the kernel have at their end. False: it has none. */
bool perf_trailer_decode(const PerfEvents *events, const PerfRecord *record, PerfSample *sample);

#endif
