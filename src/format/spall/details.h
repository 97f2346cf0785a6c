/* format/spall/details.h - what a record says beyond name, time and thread. See FormatReader.details.
 *
 * args: a Begin's text, as it is where it is a JSON object, else {"args": "text"}; {"name": "..."} of name records.
 * other: "category" (a byte nobody ever gave a meaning, where it is not 0); "name_cut" and "args_cut" where a text
 * has the 255 bytes at which recorders cut; "time", "end_time" and "duration" as written, in traces in which times
 * had to be changed. */
#ifndef FORMAT_SPALL_DETAILS_H
#define FORMAT_SPALL_DETAILS_H
#include "format/reader.h"

bool spall_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                   Err *err);

/* For native_details.c: a text that came with a Begin, as args; whether times had to be changed. */
void spall_put_args(StringView text, Bytes *out);
bool spall_times_were_changed(const Trace *trace);

#endif
