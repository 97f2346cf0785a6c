/* format/apitrace/apitrace.h - reads apitrace captures: the calls of a program to OpenGL, EGL, GLX or Direct3D.
 *
 * A capture has no times, only an order. A tick is an event (a call begins, a call returns), and the clock is
 * CLOCK_EVENTS, or CLOCK_CALLS with equal widths. Each thread is a track with nested calls, inside debug groups.
 * Frames have a separate track.
 *
 *   signatures  the dictionaries               call_flags  properties of a function, by its name
 *   grammar     parses the stream              call        collects the details of a call
 *   reader      passes events to the builder   capture     numbers of events and calls, kept with the trace
 *   text        values and calls in the form of `apitrace dump`
 *   values      values as JSON                 details     decodes the details of a slice on request
 *   call_set    the options --calls and --frames
 *   dump        writes a capture as text, in parallel
 *   stream      calls one by one, for the tools: trim, repack, diff, frames */
#ifndef FORMAT_APITRACE_APITRACE_H
#define FORMAT_APITRACE_APITRACE_H
#include "format/reader.h"

/* format.version is the version of the stream, "6". Properties: the capture's properties with their names; "api";
 * "capture" (an object: calls, incomplete, threads, frames, semantic version, ...). */
extern const FormatReader APITRACE_READER;

#endif
