/* format/perfetto/reader.h - the state of the reader. For format/perfetto only.
 *
 *   reader.c   packets of the stream, and their order
 *   packet.c   the fields of a packet
 *   clocks.c   times
 *   tracks.c   descriptions of tracks, and their processes, threads, asynchronous ids and counters in the builder
 *   events.c   track events
 *   legacy.c   track events that keep the phases of Trace Event JSON
 *   system.c   processes, threads and counters of a system
 *   ftrace.c   events of the kernel
 *   samples.c  samples of call stacks
 *   kept.c, unpacked.c, details.c, fields_json.c   arguments of events, when they are needed */
#ifndef FORMAT_PERFETTO_READER_H
#define FORMAT_PERFETTO_READER_H
#include "format/label_cache.h"
#include "format/linux/sample_gaps.h"
#include "format/perfetto/clocks.h"
#include "format/perfetto/kept.h"
#include "format/perfetto/packet.h"
#include "format/perfetto/system.h"
#include "trace/log/observe.h"

/* The counter of a track. */
typedef struct TrackCounter {
    SeriesId series;
    int64_t  multiplier;
    int64_t  last;       /* is_incremental: the latest value */
    uint32_t generation; /* of `last`: a cleared state sets the value to 0 */
    bool     is_incremental, is_thread_time, is_bytes;
    StringId category;
} TrackCounter;

typedef enum { KIND_UNKNOWN, KIND_PLAIN, KIND_PROCESS, KIND_THREAD, KIND_COUNTER } DescribedKind;

/* A track by its uuid. The members after `is_placed` are valid if it is true. */
typedef struct DescribedTrack {
    uint64_t      uuid, parent;
    int64_t       pid, tid; /* of KIND_PROCESS and KIND_THREAD */
    StringId      name;
    DescribedKind kind;
    bool          has_children;
    bool          is_in_state; /* its latest TYPE_STATE has not ended */
    bool          is_placed;
    ProcessId     process;
    TrackId       thread; /* KIND_THREAD: its own; otherwise a thread of `process` */
    AsyncId       async;
    TrackCounter *counter; /* in the arena; NULL unless KIND_COUNTER */
} DescribedTrack;

/* A series of packets of one writer, which share interned data and defaults. */
typedef struct Sequence {
    uint32_t  generation; /* kept.h */
    uint32_t  clock_id;   /* the default of packets; 0 = none */
    uint32_t  track;      /* the default of events: index of a DescribedTrack; 0 = none */
    uint32_t  extra_count;
    uint32_t *extra;           /* tracks of the extra counters of events by default, in the arena */
    int64_t   time_us, cpu_us; /* of ThreadDescriptor, and of the events after it */
    bool      has_state;       /* its incremental state was cleared, and no packet was lost since */
    bool      is_seen;
} Sequence;

/* The label of interned texts. */
typedef struct LabelSpot {
    uint64_t name, category; /* numbers; 0 = none */
    uint32_t generation;
    LabelId  label;
} LabelSpot;

enum { LABEL_SPOT_BITS = 12 };

struct PerfettoReader {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    PerfettoKept *kept;       /* owned by the builder */
    uint64_t      base;       /* offset of the current bytes in the input */
    EventPos      pos;        /* of the current packet, or of an event inside it */
    StringView    record;     /* of the current packet in the input: with tag and size */
    uint64_t      record_end; /* its end in the input */
    System       *system;
    SampleGaps    gaps;
    Clocks        clocks;
    LabelCache   *labels;
    LabelSpot    *spots;
    ARENA_LIST(Sequence) sequences; /* by the index of kept_sequence */
    uint64_t last_sequence_id;
    uint32_t last_sequence;            /* its index; 0 = none yet */
    IdMap    track_of;                 /* by uuid: index into `tracks` */
    ARENA_LIST(DescribedTrack) tracks; /* [0] is unused */
    IdMap kinds; /* by a number of data, or a letter or type of an event: 1 + its kind */
    IdMap flows; /* by flow id: FlowId.index */
    ARENA_LIST(uint64_t) category_iids; /* of the current event */
    Bytes text;                         /* scratch */
    bool  is_unpacking;                 /* the packet is inside another */
    bool  is_lost;                      /* looks for the next packet after damage */
    bool  drops_byte;                   /* is_lost: not at the next byte */
    bool  failed;                       /* out of memory */
};

/* Reports a packet that cannot be decoded. */
void perfetto_warn_damaged(PerfettoReader *reader);
/* Reports a number of interned data that the trace does not have. */
void perfetto_warn_unknown_iid(PerfettoReader *reader, const char *noun, uint64_t iid);
/* Converts a time of a packet on a clock (0 = that of the trace) to *ns. False: out of range. */
bool perfetto_time(PerfettoReader *reader, const Packet *packet, uint32_t clock_id, uint64_t time,
                   int64_t *ns);
/* Sets *ns to the time of a packet. False: it has none, or out of range. */
bool perfetto_packet_time(PerfettoReader *reader, const Sequence *sequence, const Packet *packet,
                          int64_t *ns);
/* Returns the id of a text of the input, repaired if it is not UTF-8. `noun` names it in the warning. */
StringId perfetto_intern(PerfettoReader *reader, StringView text, const char *noun);

/* -- tracks.c -- */

/* Returns the index of a track, added on first use; 0 when out of memory. */
uint32_t tracks_index(PerfettoReader *reader, uint64_t uuid);
/* Take the messages TrackDescriptor, ProcessDescriptor and ThreadDescriptor; the last two are of older traces. False: damage. */
bool tracks_take_descriptor(PerfettoReader *reader, StringView message);
bool tracks_take_process(PerfettoReader *reader, StringView message);
bool tracks_take_thread(PerfettoReader *reader, Sequence *sequence, StringView message);
/* Finds the place of a track in the builder. `sequence`: that of the event. */
DescribedTrack *tracks_place(PerfettoReader *reader, const Sequence *sequence, uint32_t index);
/* Returns the track of the thread to which a sequence belongs, or NULL. */
const DescribedTrack *tracks_of_sequence(const PerfettoReader *reader, const Sequence *sequence);
/* Returns the thread of a process and thread id. */
TrackId tracks_thread(PerfettoReader *reader, int64_t pid, int64_t tid);
/* Converts a value of a counter to the unit of its track. */
double tracks_counter_value(const Sequence *sequence, TrackCounter *counter, int64_t value);

/* -- events.c -- */

/* The fields of a TrackEvent, except for its arguments. */
typedef struct TrackEvent {
    StringView message;
    uint32_t   type;
    uint64_t   name_iid, track_uuid;
    StringView name;     /* bytes NULL = none */
    StringView category; /* the first of `categories`; bytes NULL = none */
    StringView legacy;   /* bytes NULL = none */
    int64_t    counter_value;
    double     double_value;
    int64_t    time_us, cpu_us; /* as the flags below say */
    bool       has_track, has_value, has_double, has_extra, has_flows, has_details;
    bool       has_time_delta, has_time, has_cpu_delta, has_cpu;
    /* set by events_take: */
    int64_t ns, cpu_ns;
    bool    is_timeless, has_name, has_cpu_ns; /* cpu_ns is a reading of the thread's clock */
    LabelId label;
} TrackEvent;

/* Takes a TrackEvent. False: damage. */
bool events_take(PerfettoReader *reader, Sequence *sequence, const Packet *packet);
/* Returns the kind of events of a name, and counts one. `key` identifies the name. */
uint16_t events_kind(PerfettoReader *reader, uint64_t key, const char *name);
/* Passes the flows of an event to the builder. */
void events_add_flows(PerfettoReader *reader, const TrackEvent *event, FlowBinding binding,
                      const EventHead *head);

/* -- samples.c -- */

/* Takes the samples of a StreamingProfilePacket. Sets *ns to the time of the first one. False: it has no sample with a time. */
bool samples_take_profile(PerfettoReader *reader, Sequence *sequence, const Packet *packet, int64_t *ns);
/* Takes a PerfSample at a time. */
void samples_take_perf(PerfettoReader *reader, const Sequence *sequence, const Packet *packet, int64_t ns);

/* -- legacy.c -- */

/* Passes an event with a LegacyEvent and without a type to the builder; `track` is its track. */
void legacy_emit(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event,
                 DescribedTrack *track);
/* Passes the flow of `bind_id` in the LegacyEvent of an event with a type. */
void legacy_add_bound_flow(PerfettoReader *reader, StringView message, FlowBinding binding,
                           const EventHead *head);

#endif
