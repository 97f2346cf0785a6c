/* The list of all formats. The engine of the timeline alone has a shorter one (app/wasm/timeline_parts.c). */
#include "format/format.h"

#include "format/apitrace/apitrace.h"
#include "format/ftrace/ftrace.h"
#include "format/go/go.h"
#include "format/heph/heph.h"
#include "format/perf/perf.h"
#include "format/perf_data/perf_data.h"
#include "format/perfetto/perfetto.h"
#include "format/spall/spall.h"
#include "format/strace/strace.h"
#include "format/trace_event/profile/cpuprofile.h"
#include "format/trace_event/profile/firefox.h"
#include "format/trace_event/profile/speedscope.h"
#include "format/trace_event/trace_event.h"
#include "format/varve/varve.h"
#include "format/weighted/folded.h"
#include "format/weighted/pprof.h"

const FormatReader *const FORMATS[] = { &GO_READER,       &SPALL_READER,       &HEPH_READER,
                                        &APITRACE_READER, &CPUPROFILE_READER,  &SPEEDSCOPE_READER,
                                        &FIREFOX_READER,  &TRACE_EVENT_READER, &PERF_DATA_READER,
                                        &PERF_READER,     &FTRACE_READER,      &STRACE_READER,
                                        &PERFETTO_READER, &PPROF_READER,       &FOLDED_READER,
                                        &VARVE_READER };
const size_t              FORMAT_COUNT = sizeof FORMATS / sizeof FORMATS[0];
