/* format/heph/details.h - what a packet says beyond name, time and thread. See FormatReader.details.
 *
 * args: an event's attributes as an object, in their order and with names that come twice twice; integers exact, doubles
 * in the shortest form that reads back equal, what is no number as "NaN", "Infinity", "-Infinity"; strings with U+FFFD for
 * what is not UTF-8. Of metadata {NAME: value}, as in the trace's properties.
 * other: of events "counter"; "undecoded" {"bytes", "hex"}, the rest of a packet whose attributes cannot all be decoded;
 * "start" and "end" as written, in traces in which times had to be changed. */
#ifndef FORMAT_HEPH_DETAILS_H
#define FORMAT_HEPH_DETAILS_H
#include "format/reader.h"

bool heph_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                  Err *err);

#endif
