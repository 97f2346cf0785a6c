/* format/heph/heph.h - reads Heph traces: packets of finished spans, from a file or a network stream.
 *
 * A trace is a sequence of packets, each with a magic and its size. All integers are big-endian. A metadata packet
 * sets an option of the whole trace. An event packet is a span with a stream, a substream, times in ns, a description
 * and typed attributes. A stream is shown as a process, a substream as a thread. Nesting follows from the times; of
 * spans with equal times the inner one comes first in the file.
 *
 * Sources: Heph's "Trace Format" (0.1.0), Heph's writer, and files that it wrote (test/data/heph/README.md).
 *
 *   packet   decodes one packet                  find     finds packets, also after damage
 *   stream   missing, late, duplicate events     options  the epoch and other metadata
 *   reader   passes packets to the builder       facts    statistics for `info`
 *   details  decodes attributes on request */
#ifndef FORMAT_HEPH_HEPH_H
#define FORMAT_HEPH_HEPH_H
#include "format/reader.h"

/* format.version is "0.1.0", or "before 0.1.0" for the layout without substreams. Properties: every option by its own
 * name (the epoch as a number, text as text, other bytes as {"bytes", "hex"}), and "statistics" (facts.h). */
extern const FormatReader HEPH_READER;

#endif
