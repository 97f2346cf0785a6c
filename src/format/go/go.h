/* format/go/go.h - reads Go execution traces, versions 1.5 to 1.26. go_trace.h explains the folder. */
#ifndef FORMAT_GO_GO_H
#define FORMAT_GO_GO_H
#include "format/reader.h"

/* format.version is "1.5" to "1.26", as in the header. Properties: "go" (docs/info.md). */
extern const FormatReader GO_READER;

#endif
