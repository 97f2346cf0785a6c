/* query/small_tables.h - tables with few rows, read cell by cell: what SQL knows of a trace besides its events. */
#ifndef QUERY_SMALL_TABLES_H
#define QUERY_SMALL_TABLES_H
#include "query/schema.h"

/* `trace`, `clock` and `warning`; static. */
extern const SchemaTable SMALL_TABLE_TRACE, SMALL_TABLE_CLOCK, SMALL_TABLE_WARNING;

#endif
