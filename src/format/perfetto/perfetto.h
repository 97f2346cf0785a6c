/* format/perfetto/perfetto.h - the reader of Perfetto's traces: docs/formats/perfetto.md. */
#ifndef FORMAT_PERFETTO_PERFETTO_H
#define FORMAT_PERFETTO_PERFETTO_H
#include "format/reader.h"

extern const FormatReader PERFETTO_READER;

#endif
