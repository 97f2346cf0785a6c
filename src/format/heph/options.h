/* format/heph/options.h - what metadata packets say.
 *
 * The epoch goes to the clock, names of streams and substreams (names.h) to these; every other option becomes
 * a property of the trace when its name comes for the first time. All metadata packets are kept as events
 * that are not drawn, so that none of their bytes is lost. */
#ifndef FORMAT_HEPH_OPTIONS_H
#define FORMAT_HEPH_OPTIONS_H
#include "base/json_writer.h"
#include "format/heph/packet.h"
#include "format/heph/times.h"
#include "format/label_cache.h"

typedef struct HephOptions {
    TraceBuilder *builder;     /* borrowed */
    LabelCache   *seen;        /* names, and names with their values */
    uint32_t      epoch_count; /* different ones */
    EventPos      second_epoch;
    bool          out_of_memory;
} HephOptions;

void heph_option_take(HephOptions *options, HephTimes *times, const HephOption *option, EventPos pos);

/* At the end: how many different epochs there were. */
void heph_report_epochs(const HephOptions *options);

/* The value as JSON: an epoch as a number, a string or plain text as text, else {"bytes": N, "hex": "..."} with at most
 * the first HEPH_HEX_BYTES bytes. */
enum { HEPH_HEX_BYTES = 1024 };
void heph_write_value(JsonWriter *w, const HephOption *option);
void heph_write_hex(JsonWriter *w, const void *bytes, size_t size);

#endif
