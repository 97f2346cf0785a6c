#include "export/event_kind.h"

#include <string.h>

static const struct {
    const char *format, *kinds; /* one letter for each kind */
    const char *shown;
} KINDS[] = { { "trace-event", "C", "counter" },  { "trace-event", "bneSTpF", "async" },
              { "trace-event", "stf", "flow" },   { "trace-event", "ND", "object" },
              { "trace-event", "O", "snapshot" }, { "trace-event", "vV", "memory-dump" },
              { "trace-event", "()", "context" }, { "trace-event", "c", "clock-sync" } };

const char *event_kind_name(const char *format_name, StringView kind)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0] && kind.size == 1; i++) {
        bool same_format = strcmp(KINDS[i].format, format_name) == 0;
        if (same_format && kind.bytes[0] != '\0' && strchr(KINDS[i].kinds, kind.bytes[0]) != NULL)
            return KINDS[i].shown;
    }
    return "event";
}
