/* format/trace_event/read/property.h - the top-level keys beside `traceEvents`. */
#ifndef FORMAT_TRACE_EVENT_READ_PROPERTY_H
#define FORMAT_TRACE_EVENT_READ_PROPERTY_H
#include "format/trace_event/read/document.h"

/* Stores a key and its value as a property. Sets the clock and the facts by it. Warns of data that is not imported. */
void property_take(Emitter *emitter, DocumentFacts *facts, const JsonValue *key, const JsonValue *value,
                   EventPos pos);

#endif
