/* format/heph/options.h - collects the options in metadata packets.
 *
 * The epoch sets the clock. Names of streams and substreams (names.h) name processes and threads. The first option of
 * each other name becomes a property of the trace. All metadata packets are also kept as raw events, which are not
 * drawn, so that all their bytes are available. */
#ifndef FORMAT_HEPH_OPTIONS_H
#define FORMAT_HEPH_OPTIONS_H
#include "base/json_writer.h"
#include "format/heph/packet.h"
#include "format/heph/times.h"
#include "format/label_cache.h"

typedef struct HephOptions {
    TraceBuilder *builder;     /* borrowed */
    LabelCache   *seen;        /* names, and names with their values */
    uint32_t      epoch_count; /* number of different epochs */
    EventPos      second_epoch;
    bool          out_of_memory;
} HephOptions;

void heph_option_take(HephOptions *options, HephTimes *times, const HephOption *option, EventPos pos);

/* Warns if there were several epochs. Call it after the last packet. */
void heph_report_epochs(const HephOptions *options);

/* Writes the value as JSON: an epoch as a number, a string or plain text as text, else {"bytes": N, "hex": "..."}
 * with at most the first HEPH_HEX_BYTES bytes. */
enum { HEPH_HEX_BYTES = 1024 };
void heph_write_value(JsonWriter *w, const HephOption *option);
void heph_write_hex(JsonWriter *w, const void *bytes, size_t size);

#endif
