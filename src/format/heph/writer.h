/* format/heph/writer.h - writes any trace as a Heph trace.
 *
 * A Heph trace is copied packet by packet, without damaged bytes and duplicate events. The copy of an undamaged file is
 * identical to it. Events in the layout before 0.1.0 get a substream.
 *
 * For other traces processes become streams and threads become substreams, with their ids if these are numbers. Data
 * that belongs to no thread gets separate substreams. Slices and instants become events, written at their end, inner
 * ones before outer ones; a stream counts its events from 0. Arguments become attributes of their types. Names of
 * processes and threads become options that the reader knows (names.h), texts about the whole trace become options
 * with their names.
 *
 *   writer_copy    copies a Heph trace     writer_packet  packets
 *   writer_clock   ticks to ns             writer_values  attributes from JSON
 *   writer_place   streams and substreams of tracks */
#ifndef FORMAT_HEPH_WRITER_H
#define FORMAT_HEPH_WRITER_H
#include "format/writer.h"

extern const FormatWriter HEPH_WRITER;

/* Writes a trace that was read from Heph packets, by copying the packets (writer_copy.c). */
bool heph_copy(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err);

#endif
