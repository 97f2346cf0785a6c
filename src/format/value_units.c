#include "format/value_units.h"

static const struct {
    StringView name;
    ValueUnit  unit;
} UNITS[] = {
    { { "nanoseconds", 11 }, { VALUES_TIME, 0 } },
    { { "ns", 2 }, { VALUES_TIME, 0 } },
    { { "microseconds", 12 }, { VALUES_TIME, 3 } },
    { { "us", 2 }, { VALUES_TIME, 3 } },
    { { "\xc2\xb5s", 3 }, { VALUES_TIME, 3 } },
    { { "milliseconds", 12 }, { VALUES_TIME, 6 } },
    { { "ms", 2 }, { VALUES_TIME, 6 } },
    { { "seconds", 7 }, { VALUES_TIME, 9 } },
    { { "s", 1 }, { VALUES_TIME, 9 } },
    { { "bytes", 5 }, { VALUES_BYTES, 0 } },
};

ValueUnit value_unit_of(StringView name)
{
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
        if (string_equal(UNITS[i].name, name)) return UNITS[i].unit;
    return (ValueUnit){ VALUES_COUNT, 3 };
}

void value_unit_warn(TraceBuilder *builder, ValueUnit unit, EventPos pos)
{
    if (unit.kind == VALUES_COUNT)
        builder_warn(builder, "no-time", pos, "the values of a profile are not times: 1 is drawn as 1 µs");
    if (unit.kind == VALUES_BYTES)
        builder_warn(builder, "no-time", pos, "the values of a profile are bytes: 1 byte is drawn as 1 ns");
}
