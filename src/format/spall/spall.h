/* format/spall/spall.h - reads `.spall`, the binary format of the Spall profiler's recorders.
 *
 * A manual stream is a 32-byte header and packed records: mainly Begin (with a time and a name) and End (with a time).
 * Version 0 existed for five weeks of 2022 in eight layouts, which its header does not distinguish. Version 1 (2022 to
 * 2025) has process and thread in every record, version 3 in the header of a buffer of records. Version 2 was never
 * released. The layouts are tables in layout.c. Streams of the native recorder ("auto", addresses instead of names)
 * have their own reader, native.h.
 *
 * Sources: the spall-web and spall-native sources, and files that the original headers wrote
 * (test/data/spall/README.md).
 *
 *   reader   header, buffers, damage         layout   the tables
 *   records  any record                      probe    finds the layout of version 0
 *   blocks   Begin and End, many at a time   time     exact ticks from a double or a u64
 *   names    their labels                    details  decodes arguments on request
 *   ahead    Begin and End, on other threads */
#ifndef FORMAT_SPALL_SPALL_H
#define FORMAT_SPALL_SPALL_H
#include "format/reader.h"

/* format.version is "0" to "3". Properties: "timestamp_unit" of the header, "layout" ("0A" to "0H") in version 0,
 * "must_be_0" if it is not 0. */
extern const FormatReader SPALL_READER;

#endif
