/* format/trace_event/common/colour.h - decodes `cname`: a reserved name of Chrome's viewer (base/color_scheme.html), "#rgb",
 * "#rrggbb" or "rgb(r,g,b)". Letters of either case; blanks around numbers are allowed. */
#ifndef FORMAT_TRACE_EVENT_COMMON_COLOUR_H
#define FORMAT_TRACE_EVENT_COMMON_COLOUR_H
#include "base/json_scan.h"

/* Returns the colour as Label.colour; 0 if the value is not a colour. */
uint32_t colour_of_value(const JsonValue *value);

#endif
