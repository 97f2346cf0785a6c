/* Opening traces, and their summaries. */
#include "api/api.h"
#include "format/format.h"
#include "format/identity.h"
#include "trace/store/window.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

/* -- opening -- */

static LoadOptions load_options(const VarveOptions *options)
{
    static const VarveOptions USUAL = { 0 };
    if (options == NULL) options = &USUAL;
    LoadOptions load = { .format_name = options->format,
                         .threads = api_threads(options->thread_count),
                         .store = options->details == VARVE_DETAILS_KEPT ? STORE_KEPT : STORE_UNUSED,
                         .progress = api_progress(options->progress),
                         .perspective = options->perspective,
                         .range = options->range,
                         .tracks = options->tracks,
                         .widths = options->axis == VARVE_AXIS_CALLS ? WIDTHS_OF_CALLS : WIDTHS_OF_EVENTS };
    if (options->perspective == NULL)
        load.perspective = PERSPECTIVE_COUNTED;
    else if (strcmp(options->perspective, "all") == 0)
        load.perspective = NULL;
    if (options->executable != NULL)
        load.symbols = options->executable[0] == '\0'
                           ? (SymbolSource){ .policy = SYMBOLS_SEARCH }
                           : (SymbolSource){ .policy = SYMBOLS_GIVEN, .path = options->executable };
    return load;
}

/* Returns a trace without its content, or NULL. */
static VarveTrace *create(VarveError *error)
{
    VarveTrace *trace = API_HANDLE(VarveTrace, error);
    if (trace == NULL) return NULL;
    trace->users = ARENA_NEW(&trace->arena, TraceUsers);
    if (trace->users == NULL) {
        api_handle_release(trace);
        (void)api_no_memory(error);
        return NULL;
    }
    trace->users->trace = trace;
    atomic_init(&trace->users->count, 1);
    return trace;
}

static VarveTrace *opened(VarveTrace *trace, bool is_open, const Err *err, VarveError *error)
{
    if (is_open) return trace;
    (void)api_fail(err, error);
    api_handle_release(trace);
    return NULL;
}

bool varve_format(uint32_t index, VarveFormat *format)
{
    const FormatReader *reader = format_at(index);
    if (reader == NULL) return false;
    *format = (VarveFormat){ reader->name, reader->about, reader->spec, reader->stream != NULL };
    return true;
}

VarveTrace *varve_open(const char *path, const VarveOptions *options, VarveError *error)
{
    const LoadOptions load = load_options(options);
    VarveTrace       *trace = create(error);
    Err               err = API_ERR;
    if (trace == NULL) return NULL;
    const bool is_open = load_file(path, &load, &trace->loaded, &err);
    return opened(trace, is_open, &err, error);
}

VarveTrace *varve_open_bytes(const void *bytes, size_t size_bytes, const char *name,
                             const VarveOptions *options, VarveError *error)
{
    const LoadOptions load = load_options(options);
    VarveTrace       *trace = create(error);
    Err               err = API_ERR;
    if (trace == NULL) return NULL;
    if (options != NULL && options->bytes == VARVE_BYTES_COPIED) {
        bytes = arena_push_copy(&trace->arena, bytes, size_bytes);
        if (bytes == NULL) {
            (void)api_no_memory(error);
            api_handle_release(trace);
            return NULL;
        }
    }
    const bool is_open = load_bytes(bytes, size_bytes, name, &load, &trace->loaded, &err);
    return opened(trace, is_open, &err, error);
}

static size_t read_source(void *context, uint64_t offset, void *buffer, size_t size)
{
    const VarveSource *source = context;
    const size_t       got = source->read(source->context, offset, buffer, size);
    return got > size ? 0 : got;
}

static void close_source(void *context)
{
    (void)context; /* in the arena of the trace */
}

VarveTrace *varve_open_source(const VarveSource *source, const char *name, const VarveOptions *options,
                              VarveError *error)
{
    const LoadOptions load = load_options(options);
    VarveTrace       *trace = create(error);
    Err               err = API_ERR;
    if (trace == NULL) return NULL;
    VarveSource *copy = ARENA_NEW(&trace->arena, VarveSource);
    if (copy == NULL) {
        (void)api_no_memory(error);
        api_handle_release(trace);
        return NULL;
    }
    *copy = *source;
    const InputStore store = { .read = read_source, .close = close_source, .context = copy };
    const bool       is_open = load_store(store, source->size_bytes, name, &load, &trace->loaded, &err);
    return opened(trace, is_open, &err, error);
}

void api_trace_use(const VarveTrace *trace)
{
    if (trace->users != NULL) atomic_fetch_add(&trace->users->count, 1);
}

void api_trace_release(const VarveTrace *trace)
{
    if (trace->users == NULL || atomic_fetch_sub(&trace->users->count, 1) > 1) return;
    VarveTrace *last = trace->users->trace;
    loaded_release(&last->loaded);
    api_handle_release(last);
}

void varve_close(VarveTrace *trace)
{
    if (trace != NULL) api_trace_release(trace);
}

/* -- summary -- */

static void summarize_time(const Trace *trace, VarveSummary *summary)
{
    const Clock *clock = &trace->clock;
    summary->has_time = clock_has_time(clock);
    summary->has_epoch = clock->has_epoch;
    summary->begin_tick = trace->begin_tick;
    summary->end_tick = trace->end_tick;
    summary->tick_ns_numerator = clock->ns_num;
    summary->tick_ns_denominator = clock->ns_den;
    summary->epoch_unix_ns = clock->has_epoch ? clock->epoch_unix_ns : 0;
    summary->duration_ns = clock_span_to_ns(clock, trace_span(trace));
}

static void summarize_counts(const Trace *trace, VarveSummary *summary)
{
    const WindowCounts counts = trace_window_counts(trace);
    summary->process_count = trace->counts.active_processes;
    summary->thread_count = trace->counts.threads;
    summary->track_count = trace->track_count;
    summary->slice_count = counts.slices;
    summary->unfinished_slice_count = counts.unfinished;
    summary->async_slice_count = counts.async_slices;
    summary->instant_count = counts.instants;
    summary->flow_count = counts.flows;
    summary->object_count = counts.objects;
    summary->counter_count = (uint32_t)counts.counters;
    summary->counter_sample_count = counts.counter_samples;
    summary->stack_sample_count = counts.samples;
    summary->depth_most = counts.max_depth;
    summary->warning_count = trace->records.warning_count;
    summary->property_count = trace->records.property_count;
}

static VarveText text_of(const char *text)
{
    return text == NULL ? (VarveText){ "", 0 } : (VarveText){ text, strlen(text) };
}

void varve_summary(const VarveTrace *trace, VarveSummary *summary)
{
    const Loaded *loaded = &trace->loaded;
    *summary = (VarveSummary){ .name = text_of(loaded->name),
                               .format = text_of(loaded->trace->source.format_name),
                               .format_version = text_of(loaded->trace->source.format_version),
                               .input_bytes = loaded->bytes,
                               .is_complete = loaded->trace->source.complete };
    summarize_time(loaded->trace, summary);
    summarize_counts(loaded->trace, summary);
}

static_assert((int)VARVE_IDENTITY_DIGITS == (int)IDENTITY_TEXT, "an identity fits");

bool varve_identity(const VarveTrace *trace, char identity[VARVE_IDENTITY_DIGITS + 1])
{
    return load_identity(&trace->loaded, identity);
}

bool varve_warning(const VarveTrace *trace, uint32_t index, VarveWarning *warning)
{
    const TraceRecords *records = &trace->loaded.trace->records;
    if (index >= records->warning_count) return false;
    const Warning *from = &records->warnings[index];
    *warning = (VarveWarning){ .kind = from->kind,
                               .count = from->count,
                               .byte_offset = from->first.offset,
                               .event_index = from->first.event,
                               .message = from->first.message };
    return true;
}

bool varve_property(const VarveTrace *trace, uint32_t index, VarveProperty *property)
{
    const TraceRecords *records = &trace->loaded.trace->records;
    if (index >= records->property_count) return false;
    const Property *from = &records->properties[index];
    *property = (VarveProperty){ .key = api_text(trace_string(trace->loaded.trace, from->key)),
                                 .json = { from->json, from->size } };
    return true;
}
