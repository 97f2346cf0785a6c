/* format/trace_event/property.h - the top-level keys beside `traceEvents`. */
#ifndef FORMAT_TRACE_EVENT_PROPERTY_H
#define FORMAT_TRACE_EVENT_PROPERTY_H
#include "format/trace_event/document.h"

/* Keeps the key with its value, learns from it what the clock and the file are, reports what is not imported. */
void property_take(Emitter *emitter, DocumentFacts *facts, const JsonValue *key, const JsonValue *value,
                   EventPos pos);

#endif
