/* format/perfetto/details.h - the arguments of an event, from its packet. For format/perfetto only. */
#ifndef FORMAT_PERFETTO_DETAILS_H
#define FORMAT_PERFETTO_DETAILS_H
#include "format/reader.h"

/* FormatReader.details. The arguments of a TrackEvent are its debug annotations and then its other messages, by their names.
 * Fields without a known name have their number. Other packets have their data in this form. */
bool perfetto_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                      EventDetails *details, Err *err);
/* FormatReader.lead: an event inside a compressed packet begins with that. */
uint64_t perfetto_lead(const Trace *trace, uint64_t offset);

#endif
