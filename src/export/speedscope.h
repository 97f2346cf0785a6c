/* export/speedscope.h - speedscope's file format: https://www.speedscope.app/file-format-schema.json
 *
 * An "evented" profile for each lane of a track that has slices: begins and ends with their exact times, in nanoseconds from
 * the begin of the trace. Frames are shared by all profiles: one for each name. */
#ifndef EXPORT_SPEEDSCOPE_H
#define EXPORT_SPEEDSCOPE_H
#include "format/writer.h"

extern const FormatWriter SPEEDSCOPE_WRITER;

#endif
