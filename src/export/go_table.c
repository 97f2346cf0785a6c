#include "export/go_table.h"

#include "base/text_table.h"
#include "format/go/go.h"
#include "view/time_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns of goroutines and functions, in this order. */
static const struct {
    const char *heading;
    int         key;
} COLUMNS[] = { { "total", GO_SORT_TOTAL },
                { "exec", GO_TIME_EXECUTION },
                { "network", GO_TIME_NETWORK },
                { "sync", GO_TIME_SYNC },
                { "other", GO_TIME_OTHER },
                { "syscall", GO_TIME_SYSCALL },
                { "blocking", GO_TIME_BLOCKING_SYSCALL },
                { "sched", GO_TIME_SCHEDULER },
                { "assist", GO_TIME_ASSIST },
                { "sweep", GO_TIME_SWEEP },
                { "gc", GO_TIME_GC } };
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0] };

/* -- pieces -- */

static const TimeUnits NANOSECONDS = { .is_time = true, .digits = 9, .num = 1, .den = 1 };

static void put_ns(Bytes *out, int64_t ns, int width)
{
    char text[TIME_TEXT];
    if (ns == 0) {
        table_put_right(out, "-", width);
        return;
    }
    (void)time_format_length(&NANOSECONDS, (double)ns, text);
    table_put_right(out, text, width);
}

static void put_bytes(Bytes *out, uint64_t bytes, int width)
{
    static const char *const UNITS[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    char                     text[TIME_TEXT];
    double                   value = (double)bytes;
    size_t                   unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof UNITS / sizeof UNITS[0]; unit++)
        value /= 1024;
    snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
    table_put_right(out, text, width);
}

/* Appends a name from the trace, without control characters, which must not reach a terminal. */
static void put_name(Bytes *out, StringView name, const char *missing)
{
    if (name.size == 0) bytes_append_text(out, missing);
    for (size_t i = 0; i < name.size; i++) {
        char c = (unsigned char)name.bytes[i] < 0x20 || name.bytes[i] == 0x7f ? '?' : name.bytes[i];
        bytes_append(out, &c, 1);
    }
}

static void put_heading(const GoTable *table, Bytes *out, const char *text)
{
    bytes_printf(out, table->color ? "\x1b[1m%s\x1b[0m\n" : "%s\n", text);
}

static void put_rest(const GoTable *table, Bytes *out, uint64_t rows)
{
    if (rows > table->top) bytes_printf(out, "... and %" PRIu64 " more (--top=N)\n", rows - table->top);
}

/* -- goroutines and functions -- */

typedef struct TableRow {
    const GoStats *stats;
    StringId       name;
    int64_t        id, total;
    uint64_t       count;
    const int64_t *of;
    int            sort;
} TableRow;

static int64_t row_key(const TableRow *row)
{
    assert(row->sort >= 0);
    return row->sort < GO_TIME_COUNT    ? row->of[row->sort]
           : row->sort == GO_SORT_COUNT ? (int64_t)row->count
                                        : row->total;
}

static int compare_rows(const void *a, const void *b)
{
    const TableRow *left = a, *right = b;
    int64_t         of_left = row_key(left), of_right = row_key(right);
    if (left->sort == GO_SORT_NAME) {
        int order = string_compare_natural(go_stats_text(left->stats, left->name),
                                           go_stats_text(right->stats, right->name));
        if (order != 0) return order;
    } else if (left->sort != GO_SORT_ID && of_left != of_right) {
        return of_left > of_right ? -1 : 1;
    }
    return left->id < right->id ? -1 : left->id > right->id;
}

static bool is_wanted(const GoTable *table, const GoStats *stats, StringId name)
{
    return table->function == NULL || strstr(go_stats_text(stats, name).bytes, table->function) != NULL;
}

static size_t function_rows(const GoTable *table, const GoStats *stats, TableRow *rows)
{
    size_t count = 0;
    for (uint32_t i = 0; i < stats->function_count; i++) {
        const GoFunction *function = &stats->functions[i];
        if (is_wanted(table, stats, function->name))
            rows[count++] = (TableRow){ stats,           function->name, (int64_t)i, function->total,
                                        function->count, function->of,   table->sort };
    }
    return count;
}

static size_t goroutine_rows(const GoTable *table, const GoStats *stats, TableRow *rows)
{
    size_t count = 0;
    for (uint32_t i = 0; i < stats->goroutine_count; i++) {
        const GoGoroutine *g = &stats->goroutines[i];
        if (g->is_inside && is_wanted(table, stats, g->name))
            rows[count++] = (TableRow){ stats, g->name, g->id, g->total, g->start_count, g->of, table->sort };
    }
    return count;
}

static void put_row(const GoTable *table, const TableRow *row, Bytes *out)
{
    if (table->what == GO_WHAT_GOROUTINES) {
        bytes_printf(out, "%9" PRId64, row->id);
    } else {
        table_put_count(out, row->count, 9);
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        put_ns(out, COLUMNS[i].key == GO_SORT_TOTAL ? row->total : row->of[COLUMNS[i].key], 9);
    bytes_append_text(out, "  ");
    put_name(out, go_stats_text(row->stats, row->name), "(not known)");
    bytes_append_text(out, "\n");
}

static void put_rows(const GoTable *table, const GoStats *stats, Arena *arena, Bytes *out)
{
    bool      by_function = table->what == GO_WHAT_FUNCTIONS;
    size_t    most = by_function ? stats->function_count : stats->goroutine_count;
    TableRow *rows = ARENA_ARRAY(arena, TableRow, most + 1);
    char      heading[256];
    if (rows == NULL) {
        out->failed = true;
        return;
    }
    size_t count = by_function ? function_rows(table, stats, rows) : goroutine_rows(table, stats, rows);
    assert(count <= most);
    qsort(rows, count, sizeof *rows, compare_rows);
    int at = snprintf(heading, sizeof heading, "%9s", by_function ? "count" : "goroutine");
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        at += snprintf(heading + at, sizeof heading - (size_t)at, "%9s", COLUMNS[i].heading);
    assert(at > 0 && (size_t)at < sizeof heading);
    snprintf(heading + at, sizeof heading - (size_t)at, "  function");
    put_heading(table, out, heading);
    for (size_t i = 0; i < count && i < table->top; i++)
        put_row(table, &rows[i], out);
    put_rest(table, out, count);
}

/* -- profiles -- */

#define NO_STACK "(no stack)"

static StringView function_of(const GoStats *stats, uint32_t node)
{
    return go_stats_text(stats, stats->frames[stats->nodes[node].frame].function);
}

static void put_profile(const GoTable *table, const GoStats *stats, Arena *arena, Bytes *out)
{
    GoProfile profile = (GoProfile)(table->what - GO_WHAT_PROFILES);
    assert(table->what >= GO_WHAT_PROFILES);
    uint32_t *nodes, count;
    uint64_t  all = 0;
    int64_t   total = 0;
    if (!go_profile_sort(stats, profile, arena, &nodes, &count)) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        all += stats->nodes[nodes[i]].count[profile];
        total += stats->nodes[nodes[i]].ns[profile];
    }
    put_heading(table, out, "     time       %    count  stack");
    for (uint32_t i = 0; i < count && i < table->top; i++) {
        const GoStackNode *node = &stats->nodes[nodes[i]];
        put_ns(out, node->ns[profile], 9);
        bytes_printf(out, " %6.1f%%", 100 * (double)node->ns[profile] / (double)total);
        table_put_count(out, node->count[profile], 9);
        if (nodes[i] == 0) bytes_append_text(out, "  " NO_STACK "\n");
        for (uint32_t at = nodes[i]; at != 0; at = stats->nodes[at].parent) {
            const GoStackFrame *frame = &stats->frames[stats->nodes[at].frame];
            bytes_printf(out, at == nodes[i] ? "  " : "%28s", "");
            put_name(out, function_of(stats, at), "?");
            bytes_append_text(out, "  ");
            put_name(out, go_stats_text(stats, frame->file), "");
            bytes_printf(out, frame->file.index == 0 ? "\n" : ":%" PRIu32 "\n", frame->line);
        }
    }
    put_rest(table, out, count);
    put_ns(out, total, 9);
    bytes_append_text(out, "  100.0%");
    table_put_count(out, all, 9);
    bytes_append_text(out, "  all\n");
}

/* -- tasks and regions -- */

/* Appends the buckets between the first and the last non-empty one as a row of blocks. */
static void put_histogram(const GoUserType *type, Bytes *out)
{
    static const char *const BLOCKS[] = { "·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    uint64_t                 most = 0;
    int                      first = 63, last = 0;
    for (int i = 0; i < 64; i++) {
        if (type->buckets[i] == 0) continue;
        if (i < first) first = i;
        last = i;
        if (type->buckets[i] > most) most = type->buckets[i];
    }
    assert(first <= last && most > 0);
    bytes_append_text(out, "  ");
    for (int i = first; i <= last; i++) {
        uint64_t height = (type->buckets[i] * 8 + most - 1) / most;
        assert(height < sizeof BLOCKS / sizeof BLOCKS[0]);
        bytes_append_text(out, BLOCKS[height]);
    }
}

static void put_types(const GoTable *table, const GoStats *stats, Bytes *out)
{
    uint64_t rows = 0;
    put_heading(
        table, out,
        "    count     open      min      p50      p90      p99      max    total  name, histogram by "
        "powers of two");
    for (uint32_t i = 0; i < stats->type_count; i++) {
        const GoUserType *type = &stats->types[i];
        const int64_t     times[] = { type->min, type->p50, type->p90, type->p99, type->max, type->total };
        if (type->is_task != (table->what == GO_WHAT_TASKS) || ++rows > table->top) continue;
        table_put_count(out, type->count, 9);
        table_put_count(out, type->open_count, 9);
        for (size_t j = 0; j < sizeof times / sizeof times[0]; j++)
            put_ns(out, times[j], 9);
        bytes_append_text(out, "  ");
        put_name(out, go_stats_text(stats, type->name), "(no name)");
        if (type->count > 0) put_histogram(type, out);
        bytes_append_text(out, "\n");
    }
    put_rest(table, out, rows);
}

/* -- the collector -- */

static void put_mmu(const GoTable *table, const GoStats *stats, Bytes *out)
{
    int64_t span = stats->end - stats->begin;
    if (stats->series_count == 0) {
        bytes_append_text(out, "the trace does not say how many processors there are\n");
        return;
    }
    put_heading(table, out, "   window  utilisation  worst at");
    for (int64_t window = go_next_window(0, 0), last = 0; span > 0 && last != span;
         window = go_next_window(window, 0)) {
        MmuWindow worst;
        last = window < span ? window : span;
        double share = mmu_of(stats->series, stats->series_count, last, &worst);
        put_ns(out, last, 9);
        bytes_printf(out, "      %6.2f%%", 100 * share);
        if (share < 1) put_ns(out, worst.begin - stats->trace_begin, 10);
        bytes_append_text(out, "\n");
    }
}

static void put_cycles(const GoTable *table, const GoStats *stats, Bytes *out)
{
    const GoGc *gc = &stats->gc;
    put_heading(table, out, "    begin     mark     stop   assist      heap       end      goal");
    for (uint32_t i = 0; i < gc->cycle_count && i < table->top; i++) {
        const GoCycle *cycle = &gc->cycles[i];
        put_ns(out, cycle->begin - stats->trace_begin, 9);
        put_ns(out, cycle->end - cycle->begin, 9);
        put_ns(out, cycle->stw_ns, 9);
        put_ns(out, cycle->assist_ns, 9);
        put_bytes(out, cycle->heap_begin, 10);
        put_bytes(out, cycle->heap_end, 10);
        put_bytes(out, cycle->goal_begin, 10);
        bytes_append_text(out, cycle->has_begin ? cycle->has_end ? "\n" : "  goes on\n" : "  began before\n");
    }
    put_rest(table, out, gc->cycle_count);
}

static void put_total(Bytes *out, const char *name, uint64_t count, int64_t ns)
{
    bytes_printf(out, "%-28s", name);
    table_put_count(out, count, 9);
    put_ns(out, ns, 10);
    bytes_append_text(out, "\n");
}

static void put_gc(const GoTable *table, const GoStats *stats, Bytes *out)
{
    const GoGc *gc = &stats->gc;
    put_heading(table, out, "                                count      time");
    put_total(out, "mark phases, finished", gc->finished_count, gc->mark_ns);
    put_total(out, "stops of the world", gc->stw_count, gc->stw_ns);
    put_total(out, "mark assists", gc->assist_count, gc->assist_ns);
    put_total(out, "sweeps", gc->sweep_count, gc->sweep_ns);
    bytes_append_text(out, "\nworkers: dedicated ");
    put_ns(out, gc->dedicated_ns, 1);
    bytes_append_text(out, ", fractional ");
    put_ns(out, gc->fractional_ns, 1);
    bytes_append_text(out, ", idle ");
    put_ns(out, gc->idle_ns, 1);
    bytes_append_text(out, "\nheap: ");
    put_bytes(out, gc->heap_min, 1);
    bytes_append_text(out, " to ");
    put_bytes(out, gc->heap_max, 1);
    bytes_append_text(out, ", goal up to ");
    put_bytes(out, gc->goal_max, 1);
    bytes_append_text(out, "\n\n");
    put_heading(table, out, "    count    total      max   max at  stop of the world");
    for (uint32_t i = 0; i < gc->stop_count; i++) {
        table_put_count(out, gc->stops[i].count, 9);
        put_ns(out, gc->stops[i].total, 9);
        put_ns(out, gc->stops[i].max, 9);
        put_ns(out, gc->stops[i].longest_at - stats->trace_begin, 9);
        bytes_append_text(out, "  ");
        put_name(out, go_stats_text(stats, gc->stops[i].reason), "(not known)");
        bytes_append_text(out, "\n");
    }
    bytes_append_text(out, "\n");
    put_cycles(table, stats, out);
}

void go_table_put(const GoTable *table, const GoStats *stats, Arena *arena, Bytes *out)
{
    bytes_printf(out, "perspective: %s\n", GO_READER.counted_perspective);
    switch (table->what) {
    case GO_WHAT_FUNCTIONS:
    case GO_WHAT_GOROUTINES:
        put_rows(table, stats, arena, out);
        break;
    case GO_WHAT_TASKS:
    case GO_WHAT_REGIONS:
        put_types(table, stats, out);
        break;
    case GO_WHAT_MMU:
        put_mmu(table, stats, out);
        break;
    case GO_WHAT_GC:
        put_gc(table, stats, out);
        break;
    case GO_WHAT_PROFILES: /* also for the other profiles */
    case GO_WHAT_COUNT:
    default:
        put_profile(table, stats, arena, out);
        break;
    }
}
