/* app/cli/event_kind.h - the display names of the source's own kinds of events. */
#ifndef APP_CLI_EVENT_KIND_H
#define APP_CLI_EVENT_KIND_H
#include "base/string_table.h"

/* "counter", "async", "flow", "object", "snapshot", or "event" where the format has no such kinds. For events that are
 * not drawn and no metadata; `kind` is the format's own name of it. */
const char *event_kind_name(const char *format_name, StringView kind);

#endif
