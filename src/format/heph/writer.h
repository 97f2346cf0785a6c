/* format/heph/writer.h - any trace as a Heph trace.
 *
 * A Heph trace is written packet by packet as it stands in its file, without what was damage or came twice:
 * of a sound file that is the same file. Of the layout before 0.1.0 the events get a substream.
 *
 * Of other traces processes become streams and threads substreams, with their ids where these are numbers;
 * what belongs to no thread stands on substreams of its own. Slices and instants become events, written when
 * they end, inner ones before outer ones; a stream counts its events from 0. Arguments become attributes by
 * their types. Names that say more than an id go into options that the reader knows (names.h), texts about
 * the whole trace into options of their names.
 *
 *   writer_copy    a Heph trace     writer_packet  packets
 *   writer_clock   ticks to ns      writer_values  attributes from JSON
 *   writer_place   where tracks stand */
#ifndef FORMAT_HEPH_WRITER_H
#define FORMAT_HEPH_WRITER_H
#include "format/writer.h"

extern const FormatWriter HEPH_WRITER;

/* A trace that was read from Heph packets, by copying these (writer_copy.c). */
bool heph_copy(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err);

#endif
