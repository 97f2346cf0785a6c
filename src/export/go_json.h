/* export/go_json.h - the statistics of a Go trace (format/go/stats/stats.h) as JSON, for `varve go --json` and
 * the answer "go". The members are documented in docs/go.md. Times are relative to the trace's begin. */
#ifndef EXPORT_GO_JSON_H
#define EXPORT_GO_JSON_H
#include "base/json_writer.h"
#include "format/go/stats/stats.h"

typedef enum {
    GO_WHAT_FUNCTIONS,
    GO_WHAT_GOROUTINES,
    GO_WHAT_PROFILES, /* followed by the other kinds of GoProfile */
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

/* Parses the activities that are subtracted from the program's time (GO_UTIL_): names separated by commas,
 * also "per-processor". False: unknown name. */
bool go_counts_parse(StringView text, unsigned *util);

/* The form of nanoseconds: a number, or a string with its digits (docs/PROTOCOL.md). */
typedef enum { GO_NS_NUMBER, GO_NS_STRING } GoNsForm;

typedef struct GoJson {
    JsonWriter    *writer;
    const GoStats *stats;
    GoNsForm       form;
    unsigned       util; /* GO_UTIL_ of the request */
    uint64_t       top;  /* limit on the rows; 0 = all */
    /* if there are more goroutines, lists those with the longest execution, not the first */
    bool   most_busy;
    double curve_steps; /* windows of the curve in a decade; 0 = the windows 1, 2, 5 */
} GoJson;

/* Writes one object: range, version, completeness, and the report. */
void go_json_put(const GoJson *json, GoWhat what);

/* Finds the nodes of a profile that have time or waits, largest time first: indices into stats->nodes in
 * `arena`. False if out of memory. */
bool go_profile_sort(const GoStats *stats, GoProfile profile, Arena *arena, uint32_t **nodes,
                     uint32_t *count) WARN_UNUSED;

/* Returns the next window of a curve after `window` (0: the first, 1 µs). `steps`: windows in a decade, 0 =
 * 1, 2, 5. */
int64_t go_next_window(int64_t window, double steps);

#endif
