/* format/heph/heph.h - reads Heph traces: packets of finished spans, from a file or off a wire.
 *
 * A trace is packets and nothing else, each with a magic and its own size, all integers big-endian. Metadata
 * sets an option of the whole trace; an event is a span with a stream, a substream, times in ns, a description
 * and typed attributes. A stream is shown as a process, a substream as a thread of it; nesting follows from
 * the times, and between equal times from the order in the file: the inner span is written first.
 *
 * Facts come from Heph's "Trace Format" (0.1.0), its writer and files that this wrote (test/data/heph/README.md).
 *
 *   packet   one packet's bytes taken apart      find     where packets stand, also behind damage
 *   stream   counters: what is missing, late, twice       options  the epoch and what else metadata says
 *   reader   packets to the builder              facts    what `info` tells about all of them
 *   details  attributes, when someone looks */
#ifndef FORMAT_HEPH_HEPH_H
#define FORMAT_HEPH_HEPH_H
#include "format/reader.h"

/* format.version is "0.1.0", or "before 0.1.0" for the layout without substreams. Properties: every option by its own
 * name (the epoch as a number, text as text, other bytes as {"bytes", "hex"}), and "statistics" (facts.h). */
extern const FormatReader HEPH_READER;

#endif
