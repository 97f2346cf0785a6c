/* The statistics of Go's own tools, with Go's rules: test/data/go/stats.txt. */
#include "format/go/stats/stats.h"
#include "format/go_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the facts: its subject, and the line that is computed for it. */
typedef struct Fact {
    const char    *name; /* of the file */
    const GoStats *stats;
    bool           is_v2;
    char           line[512];
    Bytes          found;
} Fact;

static const GoGoroutine *find_goroutine(const Fact *fact)
{
    int64_t id = strtoll(fact->line + 2, NULL, 10);
    for (uint32_t i = 0; i < fact->stats->goroutine_count; i++) {
        if (fact->stats->goroutines[i].id == id) return &fact->stats->goroutines[i];
    }
    return NULL;
}

static void put_goroutine(Fact *fact, const GoGoroutine *g)
{
    int64_t numbers[12];
    size_t  count = 0;
    numbers[count++] = g->created;
    numbers[count++] = g->started;
    numbers[count++] = g->ended;
    numbers[count++] = g->of[GO_TIME_EXECUTION];
    numbers[count++] = g->of[GO_TIME_SCHEDULER];
    if (fact->is_v2) {
        numbers[count++] = g->of[GO_TIME_SYSCALL];
        numbers[count++] = g->of[GO_TIME_BLOCKING_SYSCALL];
    } else {
        numbers[count++] = g->of[GO_TIME_NETWORK];
        numbers[count++] = g->of[GO_TIME_SYNC];
        numbers[count++] = g->of[GO_TIME_BLOCKING_SYSCALL];
        numbers[count++] = g->of[GO_TIME_GC];
        numbers[count++] = g->of[GO_TIME_SWEEP];
    }
    numbers[count++] = g->total;
    numbers[count++] = g->region_count;
    bytes_printf(&fact->found, "g %" PRId64, g->id);
    for (size_t i = 0; i < count; i++)
        bytes_printf(&fact->found, " %" PRId64, numbers[i]);
    bytes_printf(&fact->found, " %s", go_stats_text(fact->stats, g->name).bytes);
}

static void put_part(Fact *fact, const GoGoroutine *g)
{
    const char *name = strchr(strchr(fact->line + 2, ' ') + 1, ' ') + 1;
    int64_t     ns = 0;
    for (uint32_t i = fact->line[0] == 'w' ? g->waits : g->ranges; i != 0;
         i = fact->stats->parts[i - 1].next) {
        const GoPart *part = &fact->stats->parts[i - 1];
        if (strcmp(go_stats_text(fact->stats, part->name).bytes, name) == 0) ns = part->ns;
    }
    bytes_printf(&fact->found, "%c %" PRId64 " %" PRId64 " %s", fact->line[0], g->id, ns, name);
}

static void put_sum(Fact *fact)
{
    static const struct {
        const char *key;
        int         time;
    } TIMES[] = { { "exec_ns", GO_TIME_EXECUTION }, { "sched_wait_ns", GO_TIME_SCHEDULER },
                  { "io_ns", GO_TIME_NETWORK },     { "syscall_block_ns", GO_TIME_BLOCKING_SYSCALL },
                  { "gc_ns", GO_TIME_GC },          { "sweep_ns", GO_TIME_SWEEP } };
    const char *key = strrchr(fact->line, ' ') + 1;
    int64_t     sum = 0;
    for (uint32_t i = 0; i < fact->stats->goroutine_count; i++) {
        const GoGoroutine *g = &fact->stats->goroutines[i];
        for (size_t j = 0; j < sizeof TIMES / sizeof TIMES[0]; j++)
            sum += strcmp(TIMES[j].key, key) == 0 ? g->of[TIMES[j].time] : 0;
        if (strcmp(key, "syscall_ns") == 0)
            sum += g->of[fact->is_v2 ? GO_TIME_SYSCALL : GO_TIME_BLOCKING_SYSCALL];
        if (strcmp(key, "block_ns") == 0) sum += g->of[GO_TIME_SYNC];
        if (strcmp(key, "block_ns") == 0 && fact->is_v2) sum += g->of[GO_TIME_NETWORK] + g->of[GO_TIME_OTHER];
        if (strcmp(key, "total_ns") == 0) sum += g->total;
        if (strcmp(key, "regions") == 0) sum += g->region_count;
        if (strcmp(key, "count") == 0) sum++;
    }
    bytes_printf(&fact->found, "sum %" PRId64 " %s", sum, key);
}

static void find(Fact *fact)
{
    bytes_clear(&fact->found);
    if (strncmp(fact->line, "sum ", 4) == 0) {
        put_sum(fact);
    } else if (strncmp(fact->line, "tasks ", 6) == 0) {
        bytes_printf(&fact->found, "tasks %" PRIu64, fact->stats->task_count);
    } else if (strncmp(fact->line, "mmu ", 4) == 0) {
        int64_t window = strtoll(fact->line + 4, NULL, 10);
        bytes_printf(&fact->found, "mmu %" PRId64 " %.6f", window,
                     mmu_of(fact->stats->series, fact->stats->series_count, window, NULL));
    } else {
        const GoGoroutine *g = find_goroutine(fact);
        if (g == NULL) {
            bytes_append_text(&fact->found, "no such goroutine");
        } else if (fact->line[0] == 'g') {
            put_goroutine(fact, g);
        } else {
            put_part(fact, g);
        }
    }
    bytes_append(&fact->found, "", 1);
}

static unsigned check_lines(const char *name, const GoStats *stats, const char *facts)
{
    Fact     fact = { .name = name, .stats = stats };
    unsigned wrong = 0;
    fact.is_v2 = strtol(stats->version + 2, NULL, 10) >= 22;
    for (const char *at = facts; *at == ' ';) {
        size_t length = strcspn(at, "\n");
        snprintf(fact.line, sizeof fact.line, "%.*s", (int)(length - 1), at + 1);
        find(&fact);
        if (strcmp((const char *)fact.found.data, fact.line) != 0) {
            fprintf(stderr, "# %s: expected %s\n# %s: found    %s\n", name, fact.line, name,
                    (const char *)fact.found.data);
            wrong++;
        }
        at += length + (at[length] == '\n');
    }
    bytes_release(&fact.found);
    return wrong;
}

TEST(statistics_are_those_of_go)
{
    Bytes    facts = { 0 };
    unsigned checked = 0, wrong = 0;
    fixture_read("go/stats.txt", &facts);
    bytes_append(&facts, "", 1);
    for (char *at = (char *)facts.data; *at != '\0';) {
        GoStatsRequest request = { .rules = GO_RULES_OF_GO, .util = GO_UTIL_USUAL };
        GoStats        stats;
        Bytes          file = { 0 };
        Err            err;
        char           name[128];
        char          *lines = strchr(at, '\n') + 1;
        snprintf(name, sizeof name, "%.*s", (int)(lines - 1 - at), at);
        go_file_read(name, &file);
        CHECK_DONE(go_stats_bytes(file.data, file.size, &request, &stats, &err), err);
        wrong += check_lines(name, &stats, lines);
        go_stats_release(&stats);
        checked++;
        bytes_release(&file);
        for (at = lines; *at == ' ';)
            at += strcspn(at, "\n") + 1;
    }
    CHECK(checked >= 50);
    CHECK_UINT(wrong, 0);
    bytes_release(&facts);
}

TEST_MAIN("go_stats_facts", TEST_CASE(statistics_are_those_of_go))
