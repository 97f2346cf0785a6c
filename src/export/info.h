/* export/info.h - summary of a loaded trace: the object of `varve info --json` and of the request "info". */
#ifndef EXPORT_INFO_H
#define EXPORT_INFO_H
#include "base/json_writer.h"
#include "format/load.h"

/* Writes the object, with the keys of docs/info.md and this name of the file. `properties` contains the top-level keys of the file,
 * except those with values longer than `most_bytes`. */
void info_write_json(const Loaded *loaded, const char *name, uint64_t most_bytes, JsonWriter *w);

/* Writes a tick as a JSON number, exact and in the unit of the input. */
void info_write_tick(JsonWriter *w, const Clock *clock, int64_t tick);

#endif
