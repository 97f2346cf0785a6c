/* format/trace_event/profile/firefox_threads.h - passes the threads and counters of a Firefox profile to the builder. For the reader
 * of these profiles only.
 *
 * A thread is passed on at its end if the tables that it needs are known, otherwise at the end of the input. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_FIREFOX_THREADS_H
#define FORMAT_TRACE_EVENT_PROFILE_FIREFOX_THREADS_H
#include "base/id_map.h"
#include "format/trace_event/profile/firefox_tables.h"

/* The file, or a profile of another process inside it. */
typedef struct FirefoxProfile {
    uint32_t      parent; /* index of the profile around it; that of the file is its own */
    FirefoxTables tables; /* of all threads */
    FineTime      start;  /* since 1970 */
    Ident         pid;    /* of its first thread */
    ARENA_LIST(StringId) categories;
    bool has_start, knows_meta, knows_shared, knows_libs;
} FirefoxProfile;

typedef enum { OWNER_THREAD, OWNER_COUNTER } FirefoxOwnerKind;

/* A thread or a counter: the owner of tables. */
typedef struct FirefoxOwner {
    FirefoxOwnerKind kind;
    FirefoxTables    tables;
    uint32_t         profile, index; /* index: among all threads of the file, from 0 */
    uint64_t         offset;         /* of its brace */
    Ident            pid, tid;       /* IDENT_NONE: not told */
    StringId         name, process, process_type, site, category;
    bool             weighs_other; /* the weights of samples are not numbers of samples */
} FirefoxOwner;

typedef enum { CPU_NS, CPU_US, CPU_CYCLES } FirefoxCpuUnit;

typedef struct Firefox {
    FirefoxCellRules cells;
    ARENA_LIST(FirefoxProfile *) profiles; /* [0]: the file; in the arena */
    uint32_t       profile;                /* the current one */
    FirefoxOwner   now;                    /* the current thread or counter, if in_owner */
    bool           in_owner, has_threads;
    FirefoxCpuUnit cpu_unit;
    uint32_t       thread_count;
    ARENA_LIST(FirefoxOwner) waiting;
    IdMap    tracks; /* by TrackId.index: 1 for threads that were passed on */
    uint64_t event_count;
    uint16_t sample_kind, marker_kind, counter_kind;
} Firefox;

/* False when out of memory. */
bool firefox_open(Firefox *file, Arena *arena, TraceBuilder *builder);
/* Begins a profile inside the current one. */
void firefox_begin_profile(Firefox *file);
void firefox_end_profile(Firefox *file);
/* Takes a member of `meta`, whose value is at `offset`. */
void firefox_meta_member(Firefox *file, const JsonValue *key, const JsonValue *value, uint64_t offset);
void firefox_begin_owner(Firefox *file, FirefoxOwnerKind kind, uint64_t offset);
/* Takes a member of a thread or a counter that is not one of its tables. */
void firefox_owner_member(Firefox *file, const JsonValue *key, const JsonValue *value);
void firefox_end_owner(Firefox *file);
/* Ends the thread that is open, and passes on the rest. */
void firefox_finish(Firefox *file);

#endif
