/* The numbers of Go's own readers: test/data/go/facts.txt. */
#include "format/go/common/quote.h"
#include "format/go/v2/spec.h"
#include "format/go_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the results as lines of facts.txt -- */

typedef struct Line {
    int64_t  time;
    uint64_t offset;
    size_t   at, size; /* in Found.lines */
} Line;

typedef struct Count {
    char     name[96];
    uint64_t count;
} Count;

typedef struct PerG {
    int64_t id;
    Bytes   text;
} PerG;

typedef struct Found {
    GoTrace *trace; /* of the current event */
    bool     is_v2;
    unsigned version;
    Bytes    lines, events; /* text; Line[] */
    Bytes    links;         /* V1Link[] */
    Count    counts[256];
    size_t   count_count;
    PerG     gs[1024]; /* by id, from 0 */
    bool     seen_g[2048], seen_p[256];
    Bytes    ms; /* int64_t[] */
    uint64_t event_count, syncs, futile, samples, strings, stacks, frequency, gc_count;
    int64_t  min_time, max_time, gc_ns, stw_ns, mark_begin, stw_begin;
    uint64_t goroutine_count, proc_count;
    bool     has_time;
} Found;

static void count(Found *found, const char *key, const char *name)
{
    char text[96];
    snprintf(text, sizeof text, "%s.%s", key, name);
    for (size_t i = 0; i < found->count_count; i++) {
        if (strcmp(found->counts[i].name, text) == 0) {
            found->counts[i].count++;
            return;
        }
    }
    CHECK(found->count_count < sizeof found->counts / sizeof found->counts[0]);
    Count *made = &found->counts[found->count_count++];
    snprintf(made->name, sizeof made->name, "%s", text);
    made->count = 1;
}

static void see_g(Found *found, int64_t id)
{
    if (id <= 0) return; /* 0 means the runtime, not a goroutine (v1) */
    CHECK(id < (int64_t)(sizeof found->seen_g / sizeof found->seen_g[0]) || id > INT32_MAX);
    if (id > INT32_MAX) { /* large-id.trace */
        found->goroutine_count++;
        return;
    }
    if (!found->seen_g[id]) found->goroutine_count++;
    found->seen_g[id] = true;
}

static void see_p(Found *found, int64_t id)
{
    if (id < 0 || id >= 1000000) return;
    CHECK(id < (int64_t)(sizeof found->seen_p / sizeof found->seen_p[0]));
    if (!found->seen_p[id]) found->proc_count++;
    found->seen_p[id] = true;
}

static void see_m(Found *found, int64_t id)
{
    if (id == GO_NONE) return;
    const int64_t *ms = (const int64_t *)(const void *)found->ms.data;
    for (size_t i = 0; i < found->ms.size / sizeof *ms; i++) {
        if (ms[i] == id) return;
    }
    bytes_append(&found->ms, &id, sizeof id);
}

static void begin(void *context, const GoTrace *trace)
{
    Found *found = context;
    found->is_v2 = trace->is_v2;
    found->version = trace->version.written;
}

static void note_time(Found *found, int64_t time)
{
    if (!found->has_time || time < found->min_time) found->min_time = time;
    if (!found->has_time || time > found->max_time) found->max_time = time;
    found->has_time = true;
}

/* -- v1 -- */

static void take_v1(Found *found, GoTrace *trace, const GoEvent *event)
{
    const V1Spec *spec = &V1_SPECS[event->type];
    StringView    texts[2];
    unsigned      text_count = v1_event_texts(&trace->v1, event, texts);
    Line          line = { event->time, event->offset, found->lines.size, 0 };
    bytes_printf(&found->lines,
                 "%" PRId64 " %s p=%" PRId64 " g=%" PRIu64 " stk=%" PRIu64 " args=%" PRId64 ",%" PRId64
                 ",%" PRId64 " sargs=[",
                 event->time, spec->name, event->p, (uint64_t)event->g, event->args[V1_STACK_ARG],
                 (int64_t)event->args[0], (int64_t)event->args[1], (int64_t)event->args[2]);
    for (unsigned i = 0; i < text_count; i++) {
        if (i > 0) bytes_append_text(&found->lines, " ");
        go_quoted_append(texts[i], &found->lines);
    }
    bytes_append_text(&found->lines, "]\n");
    line.size = found->lines.size - line.at;
    bytes_append(&found->events, &line, sizeof line);
    bytes_append(&found->links, trace->v1.checks.links, trace->v1.checks.link_count * sizeof(V1Link));
    count(found, "events_by_type", spec->name);
    found->samples += event->type == V1_CPU_SAMPLE;
    see_g(found, event->g);
    if (event->type == V1_GO_CREATE) see_g(found, (int64_t)event->args[0]);
    see_p(found, event->p);
}

/* -- v2 -- */

static void take_transition(Found *found, GoTrace *trace, const GoEvent *event)
{
    char text[64];
    bool is_g = event->resource == GO_RESOURCE_GOROUTINE;
    snprintf(text, sizeof text, "%s.%s->%s", is_g ? "G" : "P",
             is_g ? go_state_name((GoState)event->from) : go_proc_state_name((GoProcState)event->from),
             is_g ? go_state_name((GoState)event->to) : go_proc_state_name((GoProcState)event->to));
    count(found, "transitions", text);
    if (!is_g) {
        see_p(found, event->id);
        return;
    }
    see_g(found, event->id);
    PerG *slot = NULL;
    for (size_t i = 0; i < sizeof found->gs / sizeof found->gs[0] && slot == NULL; i++) {
        if (found->gs[i].text.size == 0) found->gs[i].id = event->id;
        if (found->gs[i].id == event->id) slot = &found->gs[i];
    }
    CHECK(slot != NULL);
    if (slot == NULL) return;
    bool       has_reason = event->type == V2_GO_BLOCK || event->type == V2_GO_STOP;
    StringView reason =
        has_reason ? go_string_view(&trace->generation.tables, event->args[0]) : (StringView){ "", 0 };
    bytes_printf(&slot->text, "%s ", text + 2);
    go_quoted_append(reason, &slot->text);
    bytes_append_text(&slot->text, "\n");
}

static void take_v2(Found *found, GoTrace *trace, const GoEvent *event)
{
    count(found, "events_by_kind", go_kind_name((GoKind)event->kind));
    if (event->kind == GO_SYNC) {
        found->syncs++;
        return;
    }
    /* GoSwitch adds two events, which Go counts by their kinds */
    count(found, "events_by_wire_type_after_ordering", V2_SPECS[event->type].name);
    see_g(found, event->g);
    see_p(found, event->p);
    see_m(found, event->m);
    if (event->kind == GO_TRANSITION) take_transition(found, trace, event);
    if (event->type == V2_GC_BEGIN || (event->type == V2_GC_ACTIVE && found->mark_begin == 0))
        found->mark_begin = event->time;
    if (event->type == V2_STW_BEGIN) found->stw_begin = event->time;
    if (event->type == V2_STW_END) found->stw_ns += event->time - found->stw_begin;
    if (event->type == V2_GC_END) {
        found->gc_count++;
        found->gc_ns += event->time - found->mark_begin;
        found->mark_begin = 0;
    }
}

static bool take(void *context, GoTrace *trace, const GoEvent *event)
{
    Found *found = context;
    found->event_count++;
    if (event->kind != GO_SYNC) note_time(found, event->time);
    if (trace->is_v2) {
        take_v2(found, trace, event);
    } else {
        take_v1(found, trace, event);
    }
    return true;
}

static bool end(void *context, GoTrace *trace)
{
    Found *found = context;
    found->strings = trace->v1.tables.string_count;
    found->stacks = trace->v1.tables.stack_count;
    found->frequency = trace->v1.clock.frequency;
    found->futile = trace->v1.wakeups.futile_count;
    for (unsigned type = 0; type < V1_TYPE_COUNT && !trace->is_v2; type++) {
        if (type == V1_STRING) continue;
        for (uint64_t i = 0; i < trace->counts.of[type]; i++)
            count(found, "raw_by_type", go_trace_type_name(trace, type));
    }
    return true;
}

PRINTF_LIKE(4, 0)
static void no_warning(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    (void)context, (void)kind, (void)offset, (void)format, (void)args;
}

/* -- hashes -- */

static int compare_lines(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int compare_links(const void *a, const void *b)
{
    const V1Link *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int64_t link_of(const Found *found, uint64_t offset)
{
    V1Link        key = { offset, 0 };
    const V1Link *link =
        found->links.size == 0
            ? NULL
            : bsearch(&key, found->links.data, found->links.size / sizeof key, sizeof key, compare_links);
    return link == NULL ? -1 : (int64_t)link->to;
}

static void hash_v1(Found *found, char canonical[65], char links[65])
{
    Bytes       sorted = { 0 }, linked = { 0 };
    size_t      line_count = found->events.size / sizeof(Line);
    const Line *lines = (const Line *)(const void *)found->events.data;
    qsort(found->events.data, line_count, sizeof(Line), compare_lines);
    qsort(found->links.data, found->links.size / sizeof(V1Link), sizeof(V1Link), compare_links);
    for (size_t i = 0; i < line_count; i++) {
        bytes_append(&sorted, found->lines.data + lines[i].at, lines[i].size);
        bytes_printf(&linked, "%" PRIu64 " %" PRId64 "\n", lines[i].offset, link_of(found, lines[i].offset));
        const char *name = strchr((const char *)found->lines.data + lines[i].at, ' ') + 1;
        int64_t     link = link_of(found, lines[i].offset);
        for (size_t j = i; j < line_count && link >= 0; j++) {
            if (lines[j].offset != (uint64_t)link) continue;
            if (strncmp(name, "GCStart ", 8) == 0) found->gc_ns += lines[j].time - lines[i].time;
            if (strncmp(name, "STWStart ", 9) == 0) found->stw_ns += lines[j].time - lines[i].time;
            break;
        }
        found->gc_count += strncmp(name, "GCStart ", 8) == 0;
    }
    sha256_text(sorted.data, sorted.size, canonical);
    sha256_text(linked.data, linked.size, links);
    bytes_release(&sorted);
    bytes_release(&linked);
}

static int compare_gs(const void *a, const void *b)
{
    const PerG *x = a, *y = b;
    if ((x->text.size == 0) != (y->text.size == 0)) return x->text.size == 0 ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void hash_transitions(Found *found, char out[65])
{
    Bytes all = { 0 };
    qsort(found->gs, sizeof found->gs / sizeof found->gs[0], sizeof found->gs[0], compare_gs);
    for (size_t i = 0; i < sizeof found->gs / sizeof found->gs[0] && found->gs[i].text.size > 0; i++) {
        bytes_printf(&all, "G%" PRId64 "\n", found->gs[i].id);
        bytes_append(&all, found->gs[i].text.data, found->gs[i].text.size);
    }
    sha256_text(all.data, all.size, out);
    bytes_release(&all);
}

/* -- comparing -- */

static void append_found(Found *found, Bytes *out)
{
    char first[65], second[65], ordered[65];
    bytes_printf(out, " version %u\n goroutines %" PRIu64 "\n procs %" PRIu64 "\n", found->version,
                 found->goroutine_count, found->proc_count);
    for (size_t i = 0; i < found->count_count; i++)
        bytes_printf(out, " %s %" PRIu64 "\n", found->counts[i].name, found->counts[i].count);
    if (found->is_v2) {
        hash_transitions(found, first);
        bytes_printf(out,
                     " reader_syncs %" PRIu64 "\n per_goroutine_transitions_sha256 %s\n min_time_ns %" PRId64
                     "\n max_time_ns %" PRId64 "\n threads %zu\n gc_cycles_completed %" PRIu64
                     "\n gc_mark_total_ns %" PRId64 "\n stw_total_ns %" PRId64 "\n",
                     found->syncs, first, found->min_time, found->max_time, found->ms.size / sizeof(int64_t),
                     found->gc_count, found->gc_ns, found->stw_ns);
        return;
    }
    sha256_text(found->lines.data, found->lines.size, ordered);
    hash_v1(found, first, second);
    bytes_printf(out,
                 " strings %" PRIu64 "\n stacks %" PRIu64 "\n ticks_per_sec %" PRIu64 "\n events %" PRIu64
                 "\n canonical_sha256 %s\n links_sha256 %s\n ordered_sha256 %s\n min_ts_ns %" PRId64
                 "\n max_ts_ns %" PRId64 "\n futile_removed %" PRIu64 "\n gc_count %" PRIu64
                 "\n gc_total_ns %" PRId64 "\n stw_total_ns %" PRId64 "\n cpu_samples %" PRIu64 "\n",
                 found->strings, found->stacks, found->frequency, found->event_count, first, second, ordered,
                 found->min_time, found->max_time, found->futile, found->gc_count, found->gc_ns,
                 found->stw_ns, found->samples);
}

static void release_found(Found *found)
{
    bytes_release(&found->lines);
    bytes_release(&found->events);
    bytes_release(&found->links);
    bytes_release(&found->ms);
    for (size_t i = 0; i < sizeof found->gs / sizeof found->gs[0]; i++)
        bytes_release(&found->gs[i].text);
    free(found);
}

/* Checks that each line of `facts` (NUL-terminated, about `name`) is among the results. */
static void compare(const char *name, const char *facts, const Bytes *found)
{
    while (*facts == ' ') {
        size_t length = strcspn(facts, "\n") + 1;
        bool   holds = strncmp(facts, " generation ", 12) == 0; /* go_generations_test */
        for (size_t at = 0; at < found->size && !holds;) {
            const char *line = (const char *)found->data + at;
            size_t      size = strcspn(line, "\n") + 1;
            holds = size == length && memcmp(line, facts, length) == 0;
            at += size;
        }
        if (!holds) {
            print_error("%s: not found:%.*s%s", name, (int)length, facts, (const char *)found->data);
            CHECK(false);
        }
        facts += length;
    }
}

static void check_file(const char *name, const char *facts)
{
    Bytes file = { 0 }, text = { 0 };
    Err   err;
    go_file_read(name, &file);
    Found *found = calloc(1, sizeof *found);
    CHECK(found != NULL);
    GoSink sink = { V1_BY_TIME, begin, take, end, { no_warning, NULL }, found, NULL, NULL };
    CHECK_DONE(go_events(&file, file.size, 0, &sink, &err), err);
    append_found(found, &text);
    bytes_append(&text, "", 1);
    text.size--;
    compare(name, facts, &text);
    release_found(found);
    bytes_release(&text);
    bytes_release(&file);
}

TEST(events_are_those_that_go_finds)
{
    Bytes  facts = { 0 };
    size_t checked = 0;
    fixture_read("go/facts.txt", &facts);
    bytes_append(&facts, "", 1);
    for (char *at = (char *)facts.data; *at != '\0';) {
        char  name[128];
        char *lines = strchr(at, '\n') + 1;
        snprintf(name, sizeof name, "%.*s", (int)(lines - 1 - at), at);
        if (strcmp(name, "4055b17cae1a3443.trace") != 0) /* below, with the other one that Go 1.26 reads */
            check_file(name, lines);
        checked++;
        for (at = lines; *at == ' ';)
            at += strcspn(at, "\n") + 1;
    }
    CHECK(checked >= 60);
    bytes_release(&facts);
}

/* Go's newest reader refuses the one event of this v1 trace; older ones, and Varve, accept it. */
TEST(a_lone_futile_wakeup_is_an_event)
{
    Bytes  file = { 0 };
    Err    err;
    Found *found = calloc(1, sizeof *found);
    CHECK(found != NULL);
    GoSink sink = { V1_BY_TIME, begin, take, end, { no_warning, NULL }, found, NULL, NULL };
    go_file_read("4055b17cae1a3443.trace", &file);
    CHECK_DONE(go_events(&file, file.size, 0, &sink, &err), err);
    CHECK_UINT(found->event_count, 1);
    CHECK_UINT(found->version, 1011);
    release_found(found);
    bytes_release(&file);
}

TEST_MAIN("go_facts", TEST_CASE(events_are_those_that_go_finds), TEST_CASE(a_lone_futile_wakeup_is_an_event))
