#include "program.h"

#include "random.h"

#include <inttypes.h>
#include <stdio.h>

#define START_NS UINT64_C(86400123456789) /* one day and a bit of uptime */
#define NOT_UNWINDING UINT32_MAX

/* Threads take turns; a turn is short, so that their times stay close together. */
enum { STEPS_PER_TURN = 16 };

typedef struct Thread {
    uint64_t random_state;
    uint64_t clock_ns;
    uint64_t calls_left;
    Call    *stack; /* in the arena; 2 * mean_depth + 2 calls */
    uint32_t depth;
    uint32_t unwind_to; /* returning until this depth, or NOT_UNWINDING */
} Thread;

typedef struct Program {
    const ProgramOptions  *options;
    const ProgramListener *listener;
    Function              *functions; /* in the arena; options->function_count */
    Thread                *threads;   /* in the arena; options->thread_count */
    ProgramFacts          *facts;
} Program;

static void name_function(Function *function, uint32_t index, uint64_t random)
{
    static const char *const MODULES[] = {
        "core",  "net",  "render", "ui", "audio", "physics",        "script", "asset",
        "alloc", "json", "db",     "io", "task",  "std::vector<T>", "math",   "ai"
    };
    static const char *const VERBS[] = {
        "update", "parse",      "get",     "set",         "push_back",
        "insert", "find",       "flush",   "read",        "write",
        "draw",   "resolve",    "visit",   "lookup",      "compute_bounding_box",
        "commit", "operator()", "release", "~scope_guard"
    };
    const char *module = MODULES[random % (sizeof MODULES / sizeof *MODULES)];
    const char *verb = VERBS[(random >> 8) % (sizeof VERBS / sizeof *VERBS)];
    bool        is_free = (random >> 16) % 4 == 0;

    /* The index makes every name distinct. */
    int size = snprintf(function->name, sizeof function->name, "%s%s%s_%" PRIu32, is_free ? "" : module,
                        is_free ? "" : "::", verb, index);
    function->name_size = (uint8_t)size;
}

static void make_functions(Program *program)
{
    const ProgramOptions *options = program->options;
    uint64_t              random_state = random_mix(options->seed ^ UINT64_C(0xa5a5a5a5a5a5a5a5));
    for (uint32_t i = 0; i < options->function_count; i++) {
        Function *function = &program->functions[i];
        uint64_t  random = random_next(&random_state);
        name_function(function, i, random);
        function->is_complete = (random >> 24) % 100 < options->complete_percent;
        function->has_args = (random >> 40) % 100 < options->args_percent;
    }
}

static bool make_threads(Program *program, Arena *arena)
{
    const ProgramOptions *options = program->options;
    uint64_t              share = options->call_count / options->thread_count;
    uint64_t              rest = options->call_count % options->thread_count;
    for (uint32_t i = 0; i < options->thread_count; i++) {
        Thread *thread = &program->threads[i];
        thread->random_state = random_mix(options->seed + i * UINT64_C(0xd1b54a32d192ed03));
        thread->clock_ns = START_NS + (thread->random_state & 0xfffff);
        thread->calls_left = share + (i < rest ? 1 : 0);
        thread->unwind_to = NOT_UNWINDING;
        thread->stack = ARENA_ARRAY(arena, Call, (size_t)options->mean_depth * 2 + 2);
        if (thread->stack == NULL) return false;
    }
    return true;
}

/* Which function does `parent` call? One of eight, the low numbers more often. */
static uint32_t choose_callee(const ProgramOptions *options, uint32_t parent, uint64_t random)
{
    uint64_t key = random_mix(options->seed * 31 + ((uint64_t)parent << 3 | (random & 7)));
    uint64_t u = key & 0xffff; /* its square leans towards zero */
    return (uint32_t)((u * u >> 16) * options->function_count >> 16);
}

static bool wants_to_call(const ProgramOptions *options, Thread *thread, uint64_t random)
{
    if (thread->calls_left == 0) return false;
    if (thread->depth == 0) return true;
    if (thread->unwind_to != NOT_UNWINDING && thread->depth > thread->unwind_to) return false;
    thread->unwind_to = (random >> 44) % 4096 == 0 ? 1 + (uint32_t)(random >> 56) % 3 : NOT_UNWINDING;
    /* A random walk, pulled back to the mean depth. */
    return (random >> 16 & 0xffffff) % ((uint64_t)options->mean_depth * 2) >= thread->depth;
}

static void begin_call(Program *program, uint32_t thread_index, uint64_t random)
{
    Thread  *thread = &program->threads[thread_index];
    Call    *call = &thread->stack[thread->depth];
    uint32_t parent = program->options->function_count + thread_index; /* the root of this thread */
    if (thread->depth > 0) parent = (uint32_t)(call[-1].function - program->functions);

    Function *function = &program->functions[choose_callee(program->options, parent, random >> 20)];
    if (!function->was_called) program->facts->functions_called++;
    function->was_called = true;
    *call = (Call){ .function = function,
                    .begin_ns = thread->clock_ns,
                    .tid = PROGRAM_FIRST_TID + thread_index,
                    .arg_bits = (uint32_t)(random >> 32) };
    thread->depth++;
    thread->calls_left--;
    if (thread->depth > program->facts->max_depth) program->facts->max_depth = thread->depth;
    if (call->begin_ns < program->facts->first_ns) program->facts->first_ns = call->begin_ns;
    program->listener->on_begin(program->listener->context, thread_index, call);
}

static void end_call(Program *program, uint32_t thread_index)
{
    Thread *thread = &program->threads[thread_index];
    Call   *call = &thread->stack[--thread->depth];
    call->end_ns = thread->clock_ns;
    if (call->end_ns > program->facts->last_ns) program->facts->last_ns = call->end_ns;
    program->listener->on_end(program->listener->context, thread_index, call);
}

static void step_thread(Program *program, uint32_t thread_index)
{
    Thread  *thread = &program->threads[thread_index];
    uint64_t random = random_next(&thread->random_state);

    /* Time passes: mostly tens of nanoseconds, sometimes much longer. */
    thread->clock_ns += 12 + (random & 0x7f);
    if ((random >> 8 & 0xff) == 0) thread->clock_ns += random >> 40 & 0xffff;

    if (wants_to_call(program->options, thread, random)) {
        begin_call(program, thread_index, random);
    } else {
        end_call(program, thread_index);
    }
}

bool program_run(const ProgramOptions *options, const ProgramListener *listener, Arena *arena,
                 ProgramFacts *facts)
{
    Program program = { .options = options,
                        .listener = listener,
                        .functions = ARENA_ARRAY(arena, Function, options->function_count),
                        .threads = ARENA_ARRAY(arena, Thread, options->thread_count),
                        .facts = facts };
    if (program.functions == NULL || program.threads == NULL) return false;
    *facts = (ProgramFacts){ .first_ns = UINT64_MAX };
    make_functions(&program);
    if (!make_threads(&program, arena)) return false;

    for (bool busy = true; busy;) {
        busy = false;
        for (uint32_t i = 0; i < options->thread_count; i++) {
            const Thread *thread = &program.threads[i];
            for (int n = 0; n < STEPS_PER_TURN && (thread->calls_left != 0 || thread->depth != 0); n++) {
                step_thread(&program, i);
                busy = true;
            }
        }
    }
    if (facts->first_ns == UINT64_MAX) facts->first_ns = 0;
    return true;
}
