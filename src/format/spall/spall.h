/* format/spall/spall.h - reads `.spall`, the binary format of the Spall profiler's recorders.
 *
 * A manual stream is a 32-byte header and records packed behind it: Begin and End with a time, sometimes a name,
 * nothing else of weight. Version 0 lived five weeks of 2022 in eight layouts that its header does not tell apart;
 * version 1 (2022 to 2025) puts process and thread into every record, version 3 into the head of a buffer of
 * records; version 2 was never released. What differs between them is rows of tables in layout.c; the streams of the
 * native recorder ("auto", addresses instead of names) are refused with a sentence.
 *
 * Facts come from the spall-web and spall-native sources and from files that the genuine headers wrote
 * (test/data/spall/README.md).
 *
 *   reader   header, buffers, damage         layout   the tables
 *   records  any record                      probe    which version 0 is it
 *   blocks   Begin and End, many at a time   time     ticks of a double or a u64, exactly
 *   names    their labels                    details  arguments, when someone looks */
#ifndef FORMAT_SPALL_SPALL_H
#define FORMAT_SPALL_SPALL_H
#include "format/reader.h"

/* format.version is "0" to "3". Properties: "timestamp_unit" as the header has it, "layout" ("0A" to "0H") in
 * version 0, "must_be_0" where it is not. */
extern const FormatReader SPALL_READER;

#endif
