/* format/apitrace/apitrace.h - reads apitrace captures: the calls of a program to OpenGL, EGL, GLX or Direct3D.
 *
 * There is no time in a capture, only an order: a tick is an event (a call begins, a call returns), and the
 * clock is CLOCK_EVENTS, or CLOCK_CALLS with equal widths. Each thread is a track with its calls nested;
 * debug groups enclose them; frames have a track of their own.
 *
 *   signatures  the dictionaries               call_flags  what a function does, by its name
 *   grammar     the one walk over the bytes    call        the details of one call, put together
 *   reader      events to the builder          capture     what is kept for who asks later: event numbers, calls
 *   text        values and calls as `apitrace dump` prints them
 *   values      the same as JSON               details     of a slice, when someone looks
 *   call_set    the options --calls and --frames
 *   dump        all of it as text, in parallel
 *   stream      calls one by one, for the tools: trim, repack, diff, frames */
#ifndef FORMAT_APITRACE_APITRACE_H
#define FORMAT_APITRACE_APITRACE_H
#include "format/reader.h"

/* format.version is the version of the stream, "6". Properties: those of the capture by their names; "api";
 * "capture" (an object: calls, incomplete, threads, frames, semantic version, ...). */
extern const FormatReader APITRACE_READER;

#endif
