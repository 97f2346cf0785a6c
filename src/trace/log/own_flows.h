/* trace/log/own_flows.h - flows whose ids a reader knows itself, as numbers: it finds them faster than by text. */
#ifndef TRACE_LOG_OWN_FLOWS_H
#define TRACE_LOG_OWN_FLOWS_H
#include "trace/log/builder.h"

/* Returns a new flow. Unlike one of builder_flow it has no id in the builder. */
FlowId builder_add_flow(TraceBuilder *builder);

#endif
