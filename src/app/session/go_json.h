/* app/session/go_json.h - the statistics of a Go trace (format/go/stats.h) as JSON: of `varve go --json` and
 * of the session's answer "go". The members are those of docs/go.md. Times count from the trace's begin. */
#ifndef APP_SESSION_GO_JSON_H
#define APP_SESSION_GO_JSON_H
#include "base/json_writer.h"
#include "format/go/stats.h"

typedef enum {
    GO_WHAT_FUNCTIONS,
    GO_WHAT_GOROUTINES,
    GO_WHAT_PROFILES, /* the four of GoProfile */
    GO_WHAT_TASKS = GO_WHAT_PROFILES + GO_PROFILE_COUNT,
    GO_WHAT_REGIONS,
    GO_WHAT_MMU,
    GO_WHAT_GC,
    GO_WHAT_COUNT
} GoWhat;

/* "functions", "net" ... */
const char *go_what_name(GoWhat what);
/* Finds a report by its name. False: unknown name. */
bool go_what_find(StringView name, GoWhat *what);

/* Parses the activities that count against the program (GO_UTIL_): names with commas between, also "per-processor". False:
 * unknown name. */
bool go_counts_parse(StringView text, unsigned *util);

/* How a number of nanoseconds is written: as a number, or as a string that holds it (session.h). */
typedef enum { GO_NS_NUMBER, GO_NS_STRING } GoNsForm;

typedef struct GoJson {
    JsonWriter    *writer;
    const GoStats *stats;
    GoNsForm       form;
    unsigned       util;        /* GO_UTIL_ of the request */
    uint64_t       top;         /* rows at most; 0 = all */
    bool           most_busy;   /* if there are more goroutines, lists those with the longest execution, not the first */
    double         curve_steps; /* windows of the curve in a decade; 0 = 1, 2, 5 */
} GoJson;

/* One object: range, version, completeness, and the answer. */
void go_json_put(const GoJson *json, GoWhat what);

/* Nodes with something of a profile, most ns first: indices into stats->nodes in `arena`. False when out of memory. */
bool go_profile_sort(const GoStats *stats, GoProfile profile, Arena *arena, uint32_t **nodes,
                     uint32_t *count) WARN_UNUSED;

/* The next window of a curve behind `window` (0: the first, 1 µs). As many in a decade as said, 0 = 1, 2, 5. */
int64_t go_next_window(int64_t window, double steps);

#endif
