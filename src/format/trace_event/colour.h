/* format/trace_event/colour.h - what `cname` says: a reserved name of Chrome's viewer (base/color_scheme.html), "#rgb",
 * "#rrggbb" or "rgb(r,g,b)". Letters of any case; blanks around numbers. */
#ifndef FORMAT_TRACE_EVENT_COLOUR_H
#define FORMAT_TRACE_EVENT_COLOUR_H
#include "format/trace_event/scan.h"

/* As Label.colour; 0 when the value names no colour. */
uint32_t colour_of_value(const JsonValue *value);

#endif
