/* export/go_table.h - the statistics of a Go trace as readable tables. */
#ifndef EXPORT_GO_TABLE_H
#define EXPORT_GO_TABLE_H
#include "export/go_json.h"

/* Keys below GO_TIME_COUNT are those of GoTime. */
typedef enum { GO_SORT_TOTAL = GO_TIME_COUNT, GO_SORT_COUNT, GO_SORT_NAME, GO_SORT_ID } GoSort;

typedef struct GoTable {
    GoWhat      what;
    int         sort;     /* GoTime or GoSort */
    uint64_t    top;      /* limit on the rows */
    const char *function; /* NULL = all */
    bool        color;
} GoTable;

/* Appends the table. `arena` is for work. */
void go_table_put(const GoTable *table, const GoStats *stats, Arena *arena, Bytes *out);

#endif
