#include "trace/make/track_order.h"

#include "base/index_sort.h"

static inline int compare_idents(const TraceBuilder *builder, Ident a, Ident b)
{
    if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1; /* INT < UINT < TEXT */
    if (a.bits == b.bits) return 0;
    if (a.kind == IDENT_INT) return (int64_t)a.bits < (int64_t)b.bits ? -1 : 1;
    if (a.kind == IDENT_UINT) return a.bits < b.bits ? -1 : 1;
    return string_compare_natural(string_table_view(builder->strings, (StringId){ (uint32_t)a.bits }),
                                  string_table_view(builder->strings, (StringId){ (uint32_t)b.bits }));
}

/* Compares two strings by their natural order. */
static int compare_texts(const TraceBuilder *builder, StringId a, StringId b)
{
    if (a.index == b.index) return 0;
    return string_compare_natural(string_table_view(builder->strings, a),
                                  string_table_view(builder->strings, b));
}

int compare_track_names(const void *left, const void *right)
{
    const TrackName *a = (const TrackName *)left, *b = (const TrackName *)right;
    if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
    const int by_name = string_compare_natural(a->name, b->name);
    return by_name != 0 ? by_name : (a->key > b->key) - (a->key < b->key);
}

/* Compares two processes or threads by sort index and name. Those with a name are first. */
static int compare_named(const TraceBuilder *builder, double a_index, StringId a, double b_index, StringId b)
{
    if (a_index != b_index) return a_index < b_index ? -1 : 1;
    const bool a_named = a.index != 0, b_named = b.index != 0;
    if (a_named != b_named) return a_named ? -1 : 1;
    return compare_texts(builder, a, b);
}

static int compare_processes(const void *context, uint32_t left, uint32_t right)
{
    const TraceBuilder *builder = (const TraceBuilder *)context;
    const ProcessLog   *processes = builder->processes.all.items;
    const ProcessLog   *a = &processes[left], *b = &processes[right];
    const int           by_name = compare_named(builder, a->sort_index, a->name, b->sort_index, b->name);
    if (by_name != 0) return by_name;
    const int by_labels = compare_texts(builder, a->labels, b->labels);
    if (by_labels != 0) return by_labels;
    const int by_id = compare_idents(builder, a->pid, b->pid);
    if (by_id != 0) return by_id;
    return (left > right) - (left < right);
}

/* True for a thread without a name that has the id of its process, unless it has a sort index. */
static bool is_main(const ThreadEntry *thread, const ThreadLog *log, Ident pid)
{
    return thread->tid_bits == pid.bits && thread_tid(thread).kind == pid.kind && thread->name.index == 0 &&
           !(log != NULL && log->has_sort_index);
}

/* Compares two threads of one process. */
static int compare_threads(const void *context, uint32_t left, uint32_t right)
{
    const TraceBuilder *builder = (const TraceBuilder *)context;
    const ThreadEntry  *threads = builder->threads.all.items;
    const ThreadEntry  *a = &threads[left], *b = &threads[right];
    const ThreadEvents *events = builder->threads.events.items;
    const bool          any_log = ((events[left].at | events[right].at) & THREAD_HAS_LOG) != 0;
    const ThreadLog    *a_log = any_log ? thread_events_log(builder, events[left]) : NULL;
    const ThreadLog    *b_log = any_log ? thread_events_log(builder, events[right]) : NULL;
    if (any_log || (a->name.index | b->name.index) != 0) {
        const double a_index = a_log == NULL ? 0 : a_log->sort_index;
        const double b_index = b_log == NULL ? 0 : b_log->sort_index;
        const int    by_name = compare_named(builder, a_index, a->name, b_index, b->name);
        if (by_name != 0) return by_name;
    }
    const Ident pid = builder->processes.all.items[a->process].pid;
    const bool  a_is_main = is_main(a, a_log, pid), b_is_main = is_main(b, b_log, pid);
    if (a_is_main != b_is_main) return a_is_main ? -1 : 1;
    const int by_id = compare_idents(builder, thread_tid(a), thread_tid(b));
    if (by_id != 0) return by_id;
    return (left > right) - (left < right);
}

bool order_processes(const TraceBuilder *builder, Arena *arena, uint32_t **processes)
{
    const size_t count = vec_count(&builder->processes.all) - 1;
    uint32_t    *order = ARENA_ARRAY(arena, uint32_t, count),
             *swap = ARENA_ARRAY(arena, uint32_t, (count + 1) / 2);
    if (order == NULL || swap == NULL) return false;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i + 1;
    index_sort(order, count, swap, compare_processes, builder);
    *processes = order;
    return true;
}

/* True if the builder's thread holds the states of another one. */
static bool has_states(const TraceBuilder *builder, size_t thread)
{
    const ThreadLog *log = builder_log_of(builder, thread);
    return log != NULL && log->is_states;
}

bool order_threads(const TraceBuilder *builder, Arena *arena, uint32_t **threads, uint32_t **first_thread)
{
    const ThreadEntry *entries = builder->threads.all.items;
    const size_t       thread_count = vec_count(&builder->threads.all);
    const size_t       process_count = vec_count(&builder->processes.all);
    uint32_t          *order = ARENA_ARRAY(arena, uint32_t, thread_count);
    uint32_t          *swap = ARENA_ARRAY(arena, uint32_t, (thread_count + 1) / 2);
    uint32_t          *first = ARENA_ARRAY(arena, uint32_t, process_count + 2);
    if (order == NULL || swap == NULL || first == NULL) return false;
    /* first[p + 1] counts the threads before process p, then becomes the number of threads up to it. */
    for (size_t i = 1; i < thread_count; i++)
        if (!has_states(builder, i)) first[entries[i].process + 2]++;
    for (size_t p = 1; p < process_count; p++)
        first[p + 1] += first[p];
    for (size_t i = 1; i < thread_count; i++)
        if (!has_states(builder, i)) order[first[entries[i].process + 1]++] = (uint32_t)i;
    for (size_t p = 0; p < process_count; p++)
        index_sort(order + first[p], first[p + 1] - first[p], swap, compare_threads, builder);
    *threads = order;
    *first_thread = first;
    return true;
}
