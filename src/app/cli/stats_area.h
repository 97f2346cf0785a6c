/* app/cli/stats_area.h - the instants and counters in the output of `varve stats`. */
#ifndef APP_CLI_STATS_AREA_H
#define APP_CLI_STATS_AREA_H
#include "base/json_writer.h"

#include <varve/varve.h>

/* Appends two tables for people, of at most `top` rows each; 0 = all. A table without rows is left out. */
void stats_area_table(const VarveArea *area, uint64_t top, Bytes *out);
/* Writes the members `instants` and `counters` of the open object; `top` as above. */
void stats_area_json(const VarveArea *area, uint64_t top, JsonWriter *w);

#endif
