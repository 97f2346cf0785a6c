/* format/spall/details.h - decodes the details of a record. See FormatReader.details.
 *
 * args of a Begin: its text unchanged if it is a JSON object, else {"args": "text"}. args of a name record: {"name":
 * "..."}. other: "category" if it is not 0 (a byte without a defined meaning); "name_cut" and "args_cut" if a text
 * has 255 bytes, the size at which recorders truncate; "time", "end_time" and "duration" as written, if times of the
 * trace were changed. */
#ifndef FORMAT_SPALL_DETAILS_H
#define FORMAT_SPALL_DETAILS_H
#include "format/reader.h"

bool spall_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                   Err *err);

/* For native_details.c. Appends a Begin's text as args. */
void spall_put_args(StringView text, Bytes *out);
bool spall_times_were_changed(const Trace *trace); /* true if a warning reports changed times */

#endif
