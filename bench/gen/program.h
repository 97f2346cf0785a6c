/* gen/program.h - the simulated program whose calls the generated trace records.
 *
 * Every thread runs a call stack that wanders around a mean depth and from time to time
 * returns almost to its root, like the main loop of a program. A function has at most 8
 * callees, so that merged stacks make a meaningful graph; low-numbered functions are hot.
 * Times are nanoseconds; on one thread every begin and every end has a time of its own,
 * strictly increasing, so that there is exactly one right nesting.
 *
 * Only integers and a fixed random sequence: the same options give the same calls
 * everywhere. */
#ifndef GEN_PROGRAM_H
#define GEN_PROGRAM_H
#include "base/arena.h"

enum { PROGRAM_PID = 4242, PROGRAM_FIRST_TID = 5001, PROGRAM_NAME_MAX = 96 };

typedef struct ProgramOptions {
    uint64_t call_count; /* over all threads */
    uint64_t seed;
    uint32_t thread_count;     /* >= 1 */
    uint32_t function_count;   /* >= 1 */
    uint32_t mean_depth;       /* >= 1; a stack never holds more than twice as many */
    uint32_t complete_percent; /* of the functions: recorded as one event instead of two */
    uint32_t args_percent;     /* of the functions: carry arguments */
} ProgramOptions;

typedef struct Function {
    char    name[PROGRAM_NAME_MAX]; /* needs no escaping in any format */
    uint8_t name_size;              /* without the NUL */
    bool    is_complete;            /* recorded as one event when it ends, where the format can */
    bool    has_args;
    bool    was_called;
} Function;

typedef struct Call {
    const Function *function; /* in the program's arena */
    uint64_t        begin_ns;
    uint64_t        end_ns; /* 0 while the call runs */
    uint32_t        tid;
    uint32_t        arg_bits; /* random: the source of the arguments */
} Call;

/* Receives the begin and end of each call, in the order of each thread's time. */
typedef struct ProgramListener {
    void *context;
    void (*on_begin)(void *context, uint32_t thread_index, const Call *call);
    void (*on_end)(void *context, uint32_t thread_index, const Call *call);
} ProgramListener;

typedef struct ProgramFacts {
    uint64_t first_ns; /* earliest begin; 0 without calls */
    uint64_t last_ns;  /* latest end */
    uint64_t functions_called;
    uint32_t max_depth; /* a call with no parent has depth 1 */
} ProgramFacts;

/* Runs the program to its end. False when out of memory. The listener is called on this thread only,
 * and the calls it is given live until it returns. */
bool program_run(const ProgramOptions *options, const ProgramListener *listener, Arena *arena,
                 ProgramFacts *facts) WARN_UNUSED;

#endif
