/* format/go/v1.h - traces of versions 1.5 to 1.21: one stream of batches, each of one processor, to be put in
 * order.
 *
 * The number of ticks a second, the stacks and the names they need stand at the file's end: so a trace is
 * scanned once as it comes (v1_scan.c), and its events are read when all is there (v1_merge.c). They come
 * checked and linked as Go's tool does it (v1_check.c). Nothing is kept of an event but in the input's own
 * bytes, and where these can be read again (GoV1.again) not even they are: the tables are copied while it is
 * scanned, and the processors' records are read again, batch by batch.
 *
 *     event := type (6 bits) | n (2 bits), then n+1 numbers, or with n = 3 a size and numbers that fill it
 *
 * formats/go-trace.md, 3. */
#ifndef FORMAT_GO_V1_H
#define FORMAT_GO_V1_H
#include "base/err.h"
#include "format/go/bytes.h"
#include "format/go/tables.h"
#include "format/go/turns.h"
#include "format/go/v1_spec.h"
#include "format/reader.h"

/* A run of records of one processor: behind a Batch, up to the next. */
typedef struct V1Segment {
    uint64_t begin, end; /* offsets in the input */
    uint64_t ticks, seq; /* what its events count from */
    uint32_t next;       /* 1 + index of the same processor's next; 0 = none */
} V1Segment;

/* How many records of each type there are, tables included. */
typedef struct V1Counts {
    uint64_t of[64];
} V1Counts;

/* What a plain event's first byte says of it: see GoV1.shapes. */
typedef struct V1Shape {
    uint8_t     count;    /* of its numbers; 0 = it is no plain event, or not of 1.7 and later */
    uint8_t     stack_at; /* the number that is its stack's id; V1_NO_STACK */
    uint8_t     kind;     /* GoKind */
    V1WhoseRule whose;
} V1Shape;
enum { V1_NO_STACK = 7, V1_ENDS_SIZED = 0x80 /* see GoV1.plain_ends */ };

/* A goroutine: what order, checks and links know of it. Offsets are of records, 0 = none. */
typedef struct V1G {
    uint64_t id;
    uint64_t seq;       /* for the order */
    uint64_t link_from; /* what its next event links from */
    uint64_t start;
    union {
        struct {
            uint8_t status;    /* V1Status, for the order */
            uint8_t state;     /* V1Status, for the checks */
            uint8_t model;     /* GoState */
            uint8_t link_type; /* V1_ of link_from */
            bool    exists, is_created;
            bool    is_timer; /* its wake-ups are those of timers: GoV1.timer_gs */
            bool    is_plain; /* noted by who goes on by itself, for as long as no other event is about it */
        };
        uint64_t states; /* all of these, to be looked at and set at once */
    };
    uint64_t last_ticks; /* of the last event whose order depended on it */
    uint32_t waiter; /* 1 + index of a stream whose next event waits for it, V1Stream.next_waiter goes on */
    uint32_t shown;  /* who looks on notes here where it found it last; 0 = nowhere yet */
    uint32_t region; /* 1 + index of the innermost open one */
    uint32_t
        wakeup; /* 1 + index of the last event of a wake-up that may be futile; of a free place: the next one */
    uint64_t block_ticks; /* of its last GoSysBlock or GoInSyscall */
    uint64_t assist;
    uint64_t new_stack; /* id of the stack it begins with, until it starts */
    bool     is_futile;
} V1G;

typedef struct V1P {
    int64_t  id;
    uint64_t stw, sweep; /* offsets of what is active */
    uint64_t g;          /* that runs on it; 0 = none */
    int64_t  thread;     /* of its last ProcStart */
    bool     is_running;
    uint32_t shown; /* as that of V1G */
} V1P;

/* A log's message, which leaves with its batch. */
typedef struct V1Message {
    uint64_t at; /* offset in the input; 0 = none */
    GoBytes  text;
} V1Message;

enum { V1_THE_GC = UINT32_MAX /* no place: GoV1.gc */ };

/* The next event of a processor, and what is needed to go on from there. */
typedef struct V1Stream {
    int64_t    p;
    uint32_t   first, last; /* 1 + index of a segment */
    uint32_t   segment;     /* the one at hand */
    ByteCursor c;           /* behind `event`; unless is_read, before it */
    uint64_t   ticks, seq;  /* of the last event that is_read */
    uint64_t   last_out;    /* ticks: when the last one that came by v1_next is said to have been */
    uint64_t   g;           /* that runs */
    uint32_t   g_place;     /* in GoV1.gs, if that has its id: noted there last */
    uint32_t   p_place;     /* of the processor in GoV1.ps, once known */
    bool is_read; /* `event` is whole: else all there is of it are time and offset, and these are plain ... */
    uint8_t time_size; /* ... bytes up to behind its time */
    bool    is_forced; /* it comes whatever it depends on */
    GoEvent event;     /* time: ticks */
    uint32_t
             of; /* place of the goroutine that its order depends on; 0 = none, V1_THE_GC; known once it waits or has come */
    uint32_t next_waiter;
    /* with GoV1.again: */
    GoBytes   loaded;      /* the segment at hand */
    V1Message messages[2]; /* of the event at hand and of one before it, which somebody may look at */
    unsigned  next_message;
} V1Stream;

typedef struct V1Sample {
    uint64_t ticks;
    uint64_t offset;
    uint64_t p, g, stack;
} V1Sample;

/* A syscall's true end: earlier than where its record stands in the order. */
typedef struct V1Exit {
    uint64_t ticks, ordinal;
    GoEvent  event;
} V1Exit;

typedef struct V1Link {
    uint64_t from,
        to; /* offsets of records: of a begin and its end, a wait and its wake-up, a wake-up and the start */
} V1Link;

typedef struct V1Region {
    uint64_t task, offset;
    StringId name;
    uint32_t outer;
} V1Region;

typedef struct V1Wakeup {
    uint64_t ordinal;
    uint32_t before; /* 1 + index; of a free one: the next */
} V1Wakeup;

typedef struct V1Task {
    uint64_t offset; /* of its creation; 0 = it ended */
    uint64_t parent;
    StringId name;
} V1Task;

/* An event of 1.5, which has its place in the order written in it. */
typedef struct V1Numbered {
    uint64_t seq, ticks, offset, g;
    int64_t  p;
} V1Numbered;

typedef enum {
    V1_BY_TIME, /* exactly as Go's tool has them */
    V1_BY_CAUSE, /* the same, but the end of a syscall stands where its record does: with a time before the last event's */
    V1_PREPARE /* inside: finds out what V1_BY_TIME needs, and the order of causes */
} V1Mode;

/* The time that is wanted, ns from the first event, both ends inside. What comes before it only leads up to
 * it: the ends of syscalls stand there where their records do. What comes after it is not asked for. */
typedef struct V1Window {
    bool    is_set;
    int64_t begin, end;
} V1Window;

typedef struct GoV1 {
    unsigned        version;
    const GoReport *report; /* borrowed */
    Arena          *arena;  /* borrowed; everything below lives in it */
    GoTables        tables;
    uint8_t         number_counts[64]; /* of each type in this version: v1_number_count */
    uint8_t         plain_ends[256]; /* by the first byte of a record: how many bytes below 0x80 it has, if it
                                        is an event with as many numbers as it should have and nothing
                                        else (V1_ENDS_SIZED: and its size before them); or 0 */
    uint64_t        plain_passed[256]; /* likewise, while it is scanned: records that are not in counts */
    V1Shape         shapes[256];       /* by the first byte of a record: of such an event */
    V1Order         orders[64];        /* of each type, close together */
    IdMap           timer_gs;
    uint64_t        frequency; /* ticks a second; 0 = not said */
    V1Counts        counts;
    V1Segment      *segments;
    V1Stream       *streams;
    V1Sample       *samples;
    uint32_t        segment_count, stream_count, sample_count;
    uint32_t        segment_capacity, stream_capacity, sample_capacity;
    IdMap           stream_map;
    uint64_t        scanned;      /* offset of the next record */
    uint32_t        open_segment; /* 1 + index of the one being scanned; 0 = none */
    int64_t         open_p;       /* its processor */
    uint64_t        last_ticks;   /* base of the last batch */
    bool            is_skipping;  /* looks for the next batch */
    uint64_t        skip_begin;
    uint64_t        tables_begin; /* offset of the first string or stack; valid once the tables have an entry */
    bool            is_damaged; /* something could not be read */
    bool            has_footer; /* a stack or frequency was there */
    uint64_t  stacks_begin; /* offset from which on strings of frames and stacks stand; 0 = none was there */
    bool      out_of_memory;
    ReadAgain again;  /* where bytes that have gone by are had from; zeroed: all are in memory */
    GoBytes   kept;   /* with `again`: those of the tables, whose `at` counts from here */
    uint64_t  origin; /* offset of the first byte that v1_scan gets: 0 without `again` */
    V1Window  window;
    /* -- while events are read -- */
    V1Mode         mode;
    const uint8_t *bytes; /* the whole input; borrowed. NULL with `again` */
    uint64_t       size;
    V1G           *gs; /* [0] none */
    uint32_t       g_count, g_capacity;
    IdMap          g_map;
    V1G            gc; /* the garbage collection, for the order */
    V1P           *ps; /* [0] none */
    uint32_t       p_count, p_capacity;
    IdMap          p_map;
    Turns          ready; /* streams whose next event can come */
    bool           taken; /* the last event still stands in the first of them */
    GoEvent        apart; /* the last event, if it stands in no stream */
    uint32_t       next_sample;
    uint8_t       *turns; /* the order that V1_PREPARE found: whose turn it was; NULL = it is to be found */
    uint64_t       turn_count, next_turn;
    bool           follows_turns; /* this pass goes by them */
    V1Exit        *exits;
    uint32_t       exit_count, exit_capacity, next_exit;
    V1Wakeup      *wakeups;
    uint32_t       wakeup_count, wakeup_capacity;
    uint32_t       free_wakeup; /* 1 + index */
    uint32_t       free_g;      /* a place; with `window`, of goroutines that ended */
    uint64_t      *removed;     /* ordinals of futile wake-ups */
    uint32_t       removed_count, removed_capacity, next_removed;
    V1Numbered    *numbered;
    uint64_t       numbered_count, next_numbered;
    V1Region      *regions;
    uint32_t       region_count, region_capacity, free_region;
    V1Link        *links; /* that the last event closed */
    uint32_t       link_count, link_capacity;
    IdMap          open_tasks; /* -> 1 + index into tasks */
    V1Task        *tasks;
    uint32_t       task_count, task_capacity;
    uint64_t       gc_begin, stw_begin; /* offsets of what is active */
    uint64_t       ordinal;             /* of the next event in causal order */
    uint64_t       last_ticks_out, first_ticks;
    uint64_t       steps_end; /* ticks: so far some processors have gone by themselves, perhaps past the
                               * next turn; 0 = none has */
    double         ns_per_tick;
    uint64_t       ticks_that_fit;         /* so many are surely less ns than an int64_t has */
    bool           has_first, is_starting; /* still in the events that tell what was there before the trace */
    uint64_t       forced_count, futile_count;
    GoEvent       *pending; /* next in causal order, in V1_BY_TIME, if it is known */
    uint64_t       pending_ordinal;
} GoV1;

/* Zeroed, with version, report, arena and tables.texts set. */
void v1_begin(GoV1 *v1);
/* Scans the records from v1->scanned on. `bytes` is the input from v1->origin, as far as it is there. */
void v1_scan(GoV1 *v1, const uint8_t *bytes, size_t size, bool input_ends);
/* Makes the events ready. `bytes`, the whole input, must stay; with `again` it is NULL. False when out of memory. */
bool v1_open(GoV1 *v1, const uint8_t *bytes, size_t size, V1Mode mode) WARN_UNUSED;
/* The next event, good until the one behind it is asked for; v1->links has what it closed. NULL at the end,
 * or when out of memory. */
GoEvent *v1_next(GoV1 *v1);
/* The texts of an event, each behind another: name of a label, task, region; category and message of a log;
 * reason of an STW. */
unsigned v1_event_texts(const GoV1 *v1, const GoEvent *event, StringView texts[2]);

/* -- shared by the parts -- */

/* One record. */
typedef struct V1Record {
    uint64_t numbers[8]; /* as far as there is room for them */
    uint8_t  type;
    unsigned count;      /* of numbers */
    uint64_t offset;     /* in the input */
    size_t   numbers_at; /* in the cursor's bytes: of the first */
    uint64_t message_at; /* of UserLog, String: offset of the text in the input */
    uint32_t message_size;
} V1Record;
enum {
    V1_TYPE_MASK = 0x3f, /* of a record's first byte */
    V1_SIZED =
        3 << 6 /* from here on a record's first byte says that the size of its numbers comes before them */
};
typedef enum { V1_RECORD_GOOD, V1_RECORD_CUT, V1_RECORD_BAD } V1RecordResult;
/* Decodes the record at the cursor and goes past it. */
V1RecordResult v1_read_record(ByteCursor *c, unsigned version, V1Record *record);

uint32_t v1_add_g(GoV1 *v1, uint64_t id); /* 0 = out of memory */
/* Made if new; 0 = out of memory. */
static inline uint32_t v1_find_g(GoV1 *v1, uint64_t id)
{
    uint32_t place = id_map_find(&v1->g_map, id);
    return LIKELY(place != 0) ? place : v1_add_g(v1, id);
}
void v1_forget_g(GoV1 *v1, uint64_t id); /* it ended: its place may be used again */
/* v1_merge.c: after a change of the goroutine, who waited for it may come. */
void v1_wake_waiters(GoV1 *v1, V1G *g);
/* v1_merge.c: the last event, which stands in the first stream (GoV1.taken), is done with: that goes on to its next. */
void v1_go_on(GoV1 *v1);
/* v1_merge.c: the stream, which has no turn, gets to the event that its cursor stands before, and has its turn
 * then, if there is one. */
void v1_enter(GoV1 *v1, uint32_t index);
bool v1_check(GoV1 *v1, GoEvent *event, uint32_t g); /* v1_check.c: false when out of memory */
bool v1_check_begin(GoV1 *v1) WARN_UNUSED;

#endif
