/* format/go/lanes.h - from what is drawn back to goroutines, processors and threads: feed.h gave them their names. */
#ifndef FORMAT_GO_LANES_H
#define FORMAT_GO_LANES_H
#include "format/reader.h"

/* The run of a goroutine, on a lane of a processor or thread, that the slice is, or that it is in. False: it
 * is none. */
bool go_lane_run(const Trace *trace, uint64_t slice, uint64_t *run);
/* The number behind the first letters: of "G12 main.worker", "P 3", "M 4211". False: there is none. */
bool go_lane_number(StringView text, int64_t *number);
/* Whose lane the slice stands on; GO_NONE: that of a thread. */
int64_t go_lane_processor(const Trace *trace, uint64_t slice);

/* As FormatReader.subject and find_subject: goroutines, "G7". */
bool go_subject(const Trace *trace, uint64_t slice, Bytes *out);
bool go_find_subject(const Trace *trace, StringView subject, uint8_t perspectives, int64_t tick,
                     uint64_t *slice);

#endif
