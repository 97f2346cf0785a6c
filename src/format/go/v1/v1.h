/* format/go/v1/v1.h - traces of versions 1.5 to 1.21: batches of processors, which are merged into one order.
 *
 * The clock frequency, the stacks and the names are at the end of the file. So the first pass only scans the trace
 * (scan.c), and the second reads the events (merge.c), then checks and links them like Go's tool (check.c).
 * Events are not stored: they are decoded again from the input's bytes. If the bytes can be read again (V1Source.again),
 * they are not stored either: the scan copies the tables, and the second pass reads the batches one by one.
 *
 *     event := type (6 bits) | n (2 bits), then n+1 numbers, or with n = 3 a size and the numbers that fill it
 *
 * Sources: Go's runtime/trace.go, internal/trace and cmd/trace of versions 1.5 to 1.21. */
#ifndef FORMAT_GO_V1_V1_H
#define FORMAT_GO_V1_V1_H
#include "base/err.h"
#include "format/go/common/buffer.h"
#include "format/go/common/merge_heap.h"
#include "format/go/common/tables.h"
#include "format/go/v1/spec.h"
#include "format/reader.h"

/* The records of a processor from one Batch to the next. */
typedef struct V1Segment {
    uint64_t begin, end; /* offsets in the input */
    uint64_t ticks, seq; /* base of the times and sequence numbers of its events */
    uint32_t next;       /* 1 + index of the next segment of the processor; 0 = none */
} V1Segment;

/* Number of records by type, including tables. */
typedef struct V1Counts {
    uint64_t of[64];
} V1Counts;

/* The properties of a plain event by its first byte: see V1Layouts.shapes. */
typedef struct V1Shape {
    uint8_t     count;    /* of its numbers; 0 = not a plain event, or before 1.7 */
    uint8_t     stack_at; /* index of the number with the stack's id; V1_NO_STACK */
    uint8_t     kind;     /* GoKind */
    V1WhoseRule whose;
} V1Shape;
enum { V1_NO_STACK = 7, V1_ENDS_SIZED = 0x80 /* see V1Layouts.plain_ends */ };

/* The state of a goroutine, for the order, the checks and the links. Offsets are of records; 0 = none. */
typedef struct V1G {
    uint64_t id;
    uint64_t seq;       /* sequence number, for the order */
    uint64_t link_from; /* the event that its next event is linked to */
    uint64_t start;
    union {
        struct {
            uint8_t status;    /* V1Status, for the order */
            uint8_t state;     /* V1Status, for the checks */
            uint8_t model;     /* GoState */
            uint8_t link_type; /* V1Type of the event at link_from */
            bool    exists, is_created;
            bool    is_timer; /* timers wake it: V1Checks.timer_gs */
            bool    is_plain; /* set by the fast path; cleared by the next event outside it */
        };
        uint64_t states; /* all of these, compared and set at once */
    };
    uint64_t last_ticks; /* time of the last event ordered by it */
    uint32_t waiter; /* 1 + index of the first stream that waits for it; V1Stream.next_waiter has the next */
    uint32_t shown;  /* cache of the Feed: its place there; 0 = none */
    uint32_t region; /* 1 + index of the innermost open region */
    /* 1 + index of the last event of a wake-up that may be futile; of a free item: the next free place */
    uint32_t wakeup;
    uint64_t block_ticks; /* time of its last GoSysBlock or GoInSyscall */
    uint64_t assist;
    uint64_t new_stack; /* id of the stack of its creation, until its first start */
    bool     is_futile;
} V1G;

typedef struct V1P {
    int64_t  id;
    uint64_t stw, sweep; /* offsets of the open ranges */
    uint64_t g;          /* the running goroutine; 0 = none */
    int64_t  thread;     /* of its last ProcStart */
    bool     is_running;
    uint32_t shown; /* like V1G.shown */
} V1P;

/* The message of a log event, copied from its batch. */
typedef struct V1Message {
    uint64_t at; /* offset in the input; 0 = none */
    GoBuffer text;
} V1Message;

enum { V1_THE_GC = UINT32_MAX /* value of V1Stream.of for V1State.gc */ };

/* The events of a processor: the next event and the position after it. */
typedef struct V1Stream {
    int64_t    p;
    uint32_t   first, last; /* 1 + index of a segment */
    uint32_t   segment;     /* 1 + index of the current one */
    ByteCursor c;           /* after `event`; before it while !is_read */
    uint64_t   ticks, seq;  /* of the last event with is_read */
    uint64_t   last_out;    /* ticks: time of the last event from v1_next, as corrected */
    uint64_t   g;           /* the running goroutine */
    uint32_t   g_place;     /* place of `g` in V1State.gs, valid if the ids match */
    uint32_t   p_place;     /* place of `p` in V1State.ps; 0 = unknown */
    bool       is_read;     /* all of `event` is decoded; else only time and offset */
    uint8_t    time_size;   /* bytes to the end of its time; only while !is_read */
    bool       is_forced;   /* it comes regardless of its order */
    GoEvent    event;       /* its time is in ticks */
    /* place of the goroutine that orders `event`; 0 = none, V1_THE_GC; valid once it waits or is taken */
    uint32_t of;
    uint32_t next_waiter;
    /* with V1Source.again: */
    GoBuffer  loaded;      /* the bytes of the current segment */
    V1Message messages[2]; /* of the current log event and the one before it */
    unsigned  next_message;
} V1Stream;

typedef struct V1Sample {
    uint64_t ticks;
    uint64_t offset;
    uint64_t p, g, stack;
} V1Sample;

/* The end of a syscall at its true time, which is before its record in the order. */
typedef struct V1Exit {
    uint64_t ticks, ordinal;
    GoEvent  event;
} V1Exit;

typedef struct V1Link {
    uint64_t from,
        to; /* offsets of records: begin and end of a range, wait and wake-up, or wake-up and start */
} V1Link;

typedef struct V1Region {
    uint64_t task, offset;
    StringId name;
    uint32_t outer;
} V1Region;

typedef struct V1Wakeup {
    uint64_t ordinal;
    uint32_t before; /* 1 + index; of a free item: the next one */
} V1Wakeup;

typedef struct V1Task {
    uint64_t offset; /* of its creation; 0 = it has ended */
    uint64_t parent;
    StringId name;
} V1Task;

/* An event of 1.5, with its number in the order. */
typedef struct V1Numbered {
    uint64_t seq, ticks, offset, g;
    int64_t  p;
} V1Numbered;

typedef enum {
    V1_BY_TIME, /* in the order of Go's tool */
    /* as V1_BY_TIME, but the end of a syscall has the place of its record, although its time is earlier: it is still
     * after the earlier events of its goroutine */
    V1_BY_CAUSE,
    V1_PREPARE /* internal: the pass that collects the data for V1_BY_TIME */
} V1Mode;

/* The time range to read, in ns from the first event, inclusive. Earlier events are read for the state only, with the
 * ends of syscalls in the order of their records. Later events are not needed. */
typedef struct V1Window {
    bool    is_set;
    int64_t begin, end;
} V1Window;

/* The layout of the records of a version, by type or by the first byte of a record. */
typedef struct V1Layouts {
    uint8_t number_counts[64]; /* by type: v1_number_count */
    /* by first byte: number of bytes of the record, below 0x80, if it is a plain event with the right count
     * of numbers (V1_ENDS_SIZED: preceded by their size); else 0 */
    uint8_t plain_ends[256];
    /* by first byte, during the scan: skipped records that are not in V1Scan.counts yet */
    uint64_t plain_passed[256];
    V1Shape  shapes[256]; /* by first byte: plain events */
    V1Order  orders[64];  /* by type: those of V1_SPECS, packed */
} V1Layouts;

/* The bytes of the trace. */
typedef struct V1Source {
    ReadAgain      again;  /* reads earlier bytes of the input; zeroed: all bytes are in memory */
    GoBuffer       kept;   /* with `again`: the bytes of the tables; their `at` is an offset here */
    uint64_t       origin; /* offset of the first byte that v1_scan gets; 0 without `again` */
    const uint8_t *bytes;  /* while events are read: the whole input, borrowed; NULL with `again` */
    uint64_t       size;
} V1Source;

/* The first pass over the records. */
typedef struct V1Scan {
    V1Counts counts;
    uint64_t next;         /* offset of the next record */
    uint32_t open_segment; /* 1 + index of the one being scanned; 0 = none */
    uint64_t last_ticks;   /* time of the last batch */
    bool     is_skipping;  /* it searches for the next batch */
    uint64_t skip_begin;
    uint64_t tables_begin; /* offset of the first string or stack; valid once the tables have an entry */
    uint64_t stacks_begin; /* offset of the first batch with stacks and the strings of frames; 0 = none */
    bool     is_damaged;   /* a part could not be read */
} V1Scan;

/* The parts of the trace that the scan finds. */
typedef struct V1Parts {
    V1Segment *segments;
    V1Stream  *streams;
    V1Sample  *samples;
    uint32_t   segment_count, stream_count, sample_count;
    uint32_t   segment_capacity, stream_capacity, sample_capacity;
    IdMap      stream_map; /* by processor */
} V1Parts;

typedef struct V1Clock {
    uint64_t frequency; /* ticks a second; 0 = unknown */
    double   ns_per_tick;
    uint64_t ticks_that_fit; /* a tick count below this fits into an int64_t as ns */
    uint64_t first_ticks;    /* time 0 of the events, with has_first */
    bool     has_first;
} V1Clock;

/* The goroutines and processors while events are read. */
typedef struct V1State {
    V1G     *gs; /* [g_count]; item 0 is goroutine 0, the runtime */
    uint32_t g_count, g_capacity;
    uint32_t free_g; /* place of a free goroutine, with GoV1.window */
    IdMap    g_map;
    V1G      gc; /* the garbage collection, for the order */
    V1P     *ps; /* [p_count]; item 0 is unused */
    uint32_t p_count, p_capacity;
    IdMap    p_map;
} V1State;

/* The merge of the streams into one order. */
typedef struct V1Merge {
    MergeHeap ready; /* heap of the streams whose next event may come */
    bool      taken; /* the last event is still the next one of the first stream of `ready` */
    GoEvent   apart; /* the last event, if it is not in a stream */
    uint32_t  next_sample;
    uint64_t  ordinal; /* of the next event in causal order */
    uint64_t  last_ticks_out;
    /* ticks: the fast path has read some processors up to here, perhaps past the next event of others; 0 =
     * unused */
    uint64_t steps_end;
    bool     is_starting; /* in the initial events for goroutines that already exist */
    uint64_t forced_count;
    GoEvent *pending; /* the next event in causal order, with V1_BY_TIME; NULL = not read yet */
    uint64_t pending_ordinal;
} V1Merge;

/* The order that V1_PREPARE finds: the index of the stream of each event. */
typedef struct V1Recorded {
    uint8_t *streams; /* [count]; NULL = unknown */
    uint64_t count, next;
    bool     is_followed; /* by this pass */
} V1Recorded;

/* The ends of syscalls that come before their records in the order. */
typedef struct V1Exits {
    V1Exit  *items;
    uint32_t count, capacity, next;
} V1Exits;

/* Possibly futile wake-ups, and the ordinals of the futile ones. */
typedef struct V1Wakeups {
    V1Wakeup *items;
    uint32_t  count, capacity;
    uint32_t  free; /* 1 + index */
    uint64_t *removed;
    uint32_t  removed_count, removed_capacity, next_removed;
    uint64_t  futile_count;
} V1Wakeups;

/* The events of 1.5 in the order of their numbers. */
typedef struct V1NumberedEvents {
    V1Numbered *items;
    uint64_t    count, next;
} V1NumberedEvents;

/* The open regions, tasks and ranges, for the checks and the links. */
typedef struct V1Checks {
    V1Region *regions;
    uint32_t  region_count, region_capacity, free_region;
    V1Link   *links; /* closed by the last event */
    uint32_t  link_count, link_capacity;
    IdMap     open_tasks; /* -> 1 + index into tasks */
    V1Task   *tasks;
    uint32_t  task_count, task_capacity;
    uint64_t  gc_begin, stw_begin; /* offsets of the open ranges */
    IdMap     timer_gs;            /* goroutines that timers wake */
} V1Checks;

typedef struct GoV1 {
    unsigned        version;
    const GoReport *report; /* borrowed */
    Arena          *arena;  /* borrowed; owns everything below */
    V1Window        window;
    V1Mode          mode;
    bool            out_of_memory;

    GoTables  tables;
    V1Layouts layouts;
    V1Source  source;
    V1Scan    scan;
    V1Parts   parts;
    V1Clock   clock;
    /* while events are read */
    V1State          state;
    V1Merge          merge;
    V1Recorded       recorded;
    V1Exits          exits;
    V1Wakeups        wakeups;
    V1NumberedEvents numbered;
    V1Checks         checks;
} GoV1;

/* Prepares a zeroed object with version, report, arena and tables.texts set. */
void v1_begin(GoV1 *v1);
/* Scans the records from v1->scan.next on. `bytes` is the input from v1->source.origin on, as far as available; with
 * INPUT_ENDS all of it. */
void v1_scan(GoV1 *v1, const uint8_t *bytes, size_t size, InputState input);
/* Opens the events for reading. `bytes` is the whole input and must stay; NULL with `again`. False when out of
 * memory. */
bool v1_open(GoV1 *v1, const uint8_t *bytes, size_t size, V1Mode mode) WARN_UNUSED;
/* Returns the next event, valid until the next call; v1->checks.links has the links that it closes. NULL at the end, or when
 * out of memory. */
GoEvent *v1_next(GoV1 *v1);
/* Returns the count of the event's texts, and the texts: the name of a label, task or region; the category and message
 * of a log; the reason of an STW. */
unsigned v1_event_texts(const GoV1 *v1, const GoEvent *event, StringView texts[2]);

/* -- shared by the files of this folder -- */

/* One record. */
typedef struct V1Record {
    uint64_t numbers[8]; /* as far as there is room */
    uint8_t  type;
    unsigned count;      /* of numbers */
    uint64_t offset;     /* in the input */
    size_t   numbers_at; /* offset of the first number in the cursor's bytes */
    uint64_t message_at; /* UserLog, String: offset of the text in the input */
    uint32_t message_size;
} V1Record;
enum {
    V1_TYPE_MASK = 0x3f, /* of a record's first byte */
    V1_SIZED = 3 << 6    /* a first byte from here on is followed by the size of the numbers */
};
typedef enum { V1_RECORD_GOOD, V1_RECORD_CUT, V1_RECORD_BAD } V1RecordResult;
/* Decodes the record at the cursor and moves past it. */
V1RecordResult v1_read_record(ByteCursor *c, unsigned version, V1Record *record);

uint32_t v1_add_g(GoV1 *v1, uint64_t id); /* returns the place; 0 = out of memory */
/* Returns the place of the goroutine, and adds it if it is new. 0 = out of memory. */
static inline uint32_t v1_find_g(GoV1 *v1, uint64_t id)
{
    uint32_t place = id_map_find(&v1->state.g_map, id);
    return LIKELY(place != 0) ? place : v1_add_g(v1, id);
}
/* merge.c: finishes the last event, which is the first stream's (V1Merge.taken), and reads the stream's next one. */
void v1_go_on(GoV1 *v1);
/* merge.c: reads the event at the cursor of a stream that is not in the heap, and enters the stream, unless it
 * ended. */
void v1_enter(GoV1 *v1, uint32_t index);
bool v1_check(GoV1 *v1, GoEvent *event, uint32_t g); /* check.c: false when out of memory */
bool v1_check_begin(GoV1 *v1) WARN_UNUSED;

#endif
