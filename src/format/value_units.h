/* format/value_units.h - the scale of values of profiles, which are times, counts or bytes.
 *
 * A trace has times only: 1 of a count is drawn as 1 µs, a byte as 1 ns. */
#ifndef FORMAT_VALUE_UNITS_H
#define FORMAT_VALUE_UNITS_H
#include "trace/log/builder.h"

typedef enum { VALUES_TIME, VALUES_COUNT, VALUES_BYTES } ValueKind;

typedef struct ValueUnit {
    ValueKind kind;
    unsigned  exponent; /* a unit is drawn as 10^exponent ns */
} ValueUnit;

/* Returns the unit of a name: "nanoseconds", "ms", "bytes" ...; a count for any other name. */
ValueUnit value_unit_of(StringView name);
/* Warns ("no-time") if the values are not times. */
void value_unit_warn(TraceBuilder *builder, ValueUnit unit, EventPos pos);

#endif
