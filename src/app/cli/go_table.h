/* app/cli/go_table.h - the statistics of a Go trace as readable tables. */
#ifndef APP_CLI_GO_TABLE_H
#define APP_CLI_GO_TABLE_H
#include "app/session/go_json.h"

/* Keys below GO_TIME_COUNT are those of GoTime. */
typedef enum { GO_SORT_TOTAL = GO_TIME_COUNT, GO_SORT_COUNT, GO_SORT_NAME, GO_SORT_ID } GoSort;

typedef struct GoTable {
    GoWhat      what;
    int         sort;     /* GoTime or GoSort */
    uint64_t    top;      /* limit on the rows; 0 = all */
    const char *function; /* NULL = all */
    bool        color;
} GoTable;

/* Finds a sort key: "execution", "sync", "scheduler", ... False: unknown name. */
bool go_table_sort_find(const char *name, int *sort);

void go_table_put(const GoTable *table, const GoStats *stats, Arena *arena, Bytes *out);
/* Appends lines "main.main;main.worker;sync.(*Mutex).Lock NS" of a profile: folded_write. False: err filled. */
bool go_table_folded(const GoTable *table, const GoStats *stats, Bytes *out, Err *err) WARN_UNUSED;

#endif
