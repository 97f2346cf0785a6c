/* schema/small_tables.h - tables with few rows, read cell by cell: facts about a whole trace. */
#ifndef SCHEMA_SMALL_TABLES_H
#define SCHEMA_SMALL_TABLES_H
#include "schema/schema.h"

/* `trace`, `clock` and `warning`; static. */
extern const SchemaTable SMALL_TABLE_TRACE, SMALL_TABLE_CLOCK, SMALL_TABLE_WARNING;

#endif
