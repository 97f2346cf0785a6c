/* format/heph/details.h - decodes the details of a packet. See FormatReader.details.
 *
 * args of an event: its attributes as an object, in the order of the packet, repeated names included. Integers are
 * exact, doubles have the shortest form that reads back equal, or "NaN", "Infinity", "-Infinity". Invalid UTF-8 in
 * strings is replaced by U+FFFD. args of metadata: {NAME: value}, as in the trace's properties.
 * other of an event: "counter"; "undecoded" {"bytes", "hex"}, the rest of a packet with an invalid attribute; "start"
 * and "end" as written, if times of the trace were changed. */
#ifndef FORMAT_HEPH_DETAILS_H
#define FORMAT_HEPH_DETAILS_H
#include "format/reader.h"

bool heph_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                  Err *err);

#endif
