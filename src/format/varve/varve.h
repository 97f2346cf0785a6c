/* format/varve/varve.h - the reader of `.varve` files. */
#ifndef FORMAT_VARVE_VARVE_H
#define FORMAT_VARVE_VARVE_H
#include "format/reader.h"

extern const FormatReader VARVE_READER;

#endif
