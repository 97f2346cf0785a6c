#include "trace/track_order.h"

#include <stdlib.h>
#include <string.h>

static int compare_idents(const OrderItem *a, const OrderItem *b)
{
    if (a->id.kind != b->id.kind) return a->id.kind < b->id.kind ? -1 : 1; /* INT < UINT < TEXT */
    if (a->id.kind == IDENT_TEXT) return string_compare_natural(a->id_text, b->id_text);
    if (a->id.bits == b->id.bits) return 0;
    if (a->id.kind == IDENT_INT) return (int64_t)a->id.bits < (int64_t)b->id.bits ? -1 : 1;
    return a->id.bits < b->id.bits ? -1 : 1;
}

static int compare_order(const void *left, const void *right)
{
    const OrderItem *a = (const OrderItem *)left, *b = (const OrderItem *)right;
    if (a->sort_index != b->sort_index) return a->sort_index < b->sort_index ? -1 : 1;
    if (a->named != b->named) return a->named ? -1 : 1;
    int by_name = a->named ? string_compare_natural(a->name, b->name) : 0;
    if (by_name != 0) return by_name;
    int by_labels = string_compare_natural(a->labels, b->labels);
    if (by_labels != 0) return by_labels;
    if (a->is_main != b->is_main) return a->is_main ? -1 : 1;
    int by_id = compare_idents(a, b);
    if (by_id != 0) return by_id;
    return (a->index > b->index) - (a->index < b->index);
}

static StringView ident_view(const TraceBuilder *builder, Ident ident)
{
    if (ident.kind != IDENT_TEXT) return (StringView){ "", 0 };
    return string_table_view(builder->strings, (StringId){ (uint32_t)ident.bits });
}

static void describe_process(const TraceBuilder *builder, uint32_t index, OrderItem *item)
{
    const ProcessLog *process = &VECTOR(builder->processes, const ProcessLog)[index];
    *item = (OrderItem){ .sort_index = process->sort_index,
                         .name = string_table_view(builder->strings, process->name),
                         .labels = string_table_view(builder->strings, process->labels),
                         .id = process->pid,
                         .id_text = ident_view(builder, process->pid),
                         .index = index,
                         .named = process->name.index != 0 };
}

static void describe_thread(const TraceBuilder *builder, uint32_t index, OrderItem *item)
{
    const ThreadEntry *thread = &VECTOR(builder->threads, const ThreadEntry)[index];
    const ThreadLog  *log = thread->log;
    const ProcessLog *process = &VECTOR(builder->processes, const ProcessLog)[thread->process.index];
    *item = (OrderItem){ .sort_index = log == NULL ? 0 : log->sort_index,
                         .name = string_table_view(builder->strings, thread->name),
                         .id = thread->tid,
                         .id_text = ident_view(builder, thread->tid),
                         .index = index,
                         .group = thread->process.index,
                         .named = thread->name.index != 0 };
    item->is_main = !item->named && !(log != NULL && log->has_sort_index) && thread->tid.kind == process->pid.kind &&
                    thread->tid.bits == process->pid.bits;
}

bool order_processes(const TraceBuilder *builder, Arena *arena, OrderItem **processes)
{
    size_t     count = VECTOR_COUNT(builder->processes, ProcessLog);
    OrderItem *items = ARENA_ARRAY(arena, OrderItem, count);
    if (items == NULL) return false;
    for (size_t i = 1; i < count; i++)
        describe_process(builder, (uint32_t)i, &items[i]);
    qsort(items + 1, count - 1, sizeof *items, compare_order);
    *processes = items;
    return true;
}

/* True if the entry holds the states of another thread. */
static bool has_states(const ThreadEntry *entry)
{
    return entry->log != NULL && entry->log->is_states;
}

bool order_threads(const TraceBuilder *builder, Arena *arena, OrderItem **threads, uint32_t **first_thread)
{
    size_t     thread_count = VECTOR_COUNT(builder->threads, ThreadEntry);
    size_t     process_count = VECTOR_COUNT(builder->processes, ProcessLog);
    OrderItem *items = ARENA_ARRAY(arena, OrderItem, thread_count);
    uint32_t  *first = ARENA_ARRAY(arena, uint32_t, process_count + 1);
    uint32_t  *next = ARENA_ARRAY(arena, uint32_t, process_count + 1);
    if (items == NULL || first == NULL || next == NULL) return false;
    const ThreadEntry *entries = VECTOR(builder->threads, const ThreadEntry);
    for (size_t i = 1; i < thread_count; i++)
        first[entries[i].process.index + 1] += !has_states(&entries[i]); /* they stand with their thread */
    for (size_t p = 0; p < process_count; p++)
        first[p + 1] += first[p];
    memcpy(next, first, (process_count + 1) * sizeof *next);
    for (size_t i = 1; i < thread_count; i++) {
        if (!has_states(&entries[i]))
            describe_thread(builder, (uint32_t)i, &items[next[entries[i].process.index]++]);
    }
    for (size_t p = 0; p < process_count; p++) {
        qsort(items + first[p], first[p + 1] - first[p], sizeof *items, compare_order);
    }
    *threads = items;
    *first_thread = first;
    return true;
}
