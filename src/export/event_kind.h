/* export/event_kind.h - display names of the kinds of events in a format. */
#ifndef EXPORT_EVENT_KIND_H
#define EXPORT_EVENT_KIND_H
#include "base/string_view.h"

/* Returns "counter", "async", "flow", "object", "snapshot", or "event" if the format has no such kinds. For
 * raw events that are not metadata; `kind` is the name in the format. */
const char *event_kind_name(const char *format_name, StringView kind);

#endif
