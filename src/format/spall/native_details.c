/* Decodes the details of a native stream's records.
 *
 * args of a named Begin: its text unchanged if it is a JSON object, else {"args": "text"}.
 * other of a call: "address" and "caller" as recorded. With an executable also "symbol" (the linker's name, if it
 * differs from the shown name), "file" and "line" of the function, and "caller_function", "caller_file" and
 * "caller_line" of the call site. other of a named Begin: "name_cut" and "args_cut" if a text has the size at which
 * recorders truncate. other of both: "time" and "end_time" as written, if times of the trace were changed. */
#include "format/spall/native.h"

#include "base/json_writer.h"
#include "base/search.h"
#include "format/spall/details.h"

#include <inttypes.h>

/* A decoded record, and the decoding state after it. */
typedef struct Decoded {
    NativeRecord   record;
    NativeState    state;
    const uint8_t *bytes;
} Decoded;

/* Returns the number of marks at or before `offset`. */
static size_t marks_until(const NativeSite *marks, size_t count, uint64_t offset)
{
    size_t low = 0;
    LOWER_BOUND(size_t, low, count, i, marks[i].offset <= offset);
    return low;
}

static const NativeSite *mark_before(const NativeKept *kept, uint64_t offset)
{
    const NativeSite *marks = kept->marks.items;
    size_t            count = marks_until(marks, vec_count(&kept->marks), offset);
    return count == 0 ? NULL : &marks[count - 1];
}

uint64_t native_lead(const Trace *trace, uint64_t offset)
{
    const NativeSite *mark = mark_before(trace->source.kept, offset);
    return mark == NULL ? offset : mark->offset;
}

static bool cut_short(const EventBytes *event, Err *err)
{
    return err_set_at(err, ERR_TRUNCATED, event->offset, ERR_NOWHERE, "the record is cut short");
}

/* Decodes the records from a mark up to the event. */
static bool walk(const NativeKept *kept, const EventBytes *event, const NativeSite *mark, NativeState *state,
                 Err *err)
{
    NativeRecord record;
    size_t       left = (size_t)(event->offset - mark->offset);
    if (event->lead < left) return cut_short(event, err);
    *state = mark->state;
    while (left > 0) {
        NativeOutcome outcome = native_decode(kept->layout, event->bytes - left, left, state, &record);
        if (outcome != NATIVE_TAKEN)
            return err_set_at(err, ERR_CORRUPT, event->offset - left, ERR_NOWHERE,
                              "there is no record at this offset");
        left -= (size_t)record.size;
    }
    return true;
}

static bool decode(const NativeKept *kept, const EventBytes *event, Decoded *decoded, Err *err)
{
    const NativeSite *mark = mark_before(kept, event->offset);
    size_t            recent = marks_until(kept->recent, kept->recent_count, event->offset);
    bool              is_recent = recent > 0 && kept->recent[recent - 1].offset == event->offset;
    *decoded = (Decoded){ .bytes = event->bytes };
    if (!is_recent && mark != NULL && !walk(kept, event, mark, &decoded->state, err)) return false;
    if (event->size == 0) return cut_short(event, err);
    switch (native_decode(kept->layout, event->bytes, event->size, &decoded->state, &decoded->record)) {
    case NATIVE_TAKEN:
        if (is_recent) decoded->state = kept->recent[recent - 1].state;
        return true;
    case NATIVE_SHORT:
        return cut_short(event, err);
    case NATIVE_BAD:
        break;
    }
    return err_set_at(err, ERR_CORRUPT, event->offset, ERR_NOWHERE, "there is no record at this offset");
}

/* The keys of a source location. */
typedef struct PlaceKeys {
    const char *file, *line;
} PlaceKeys;

static void put_line(JsonWriter *w, Symbols *symbols, uint64_t address, PlaceKeys keys)
{
    SourceLine line;
    Bytes      file = { 0 };
    if (!symbols_line(symbols, address, &line)) return;
    if (line.folder[0] != '\0') bytes_printf(&file, "%s/", line.folder);
    bytes_append_text(&file, line.file);
    json_put_view(w, keys.file, bytes_view(&file));
    if (file.failed) w->out->failed = true;
    bytes_release(&file);
    json_put_u64(w, keys.line, line.line);
}

static void put_caller(JsonWriter *w, const NativeKept *kept, uint64_t caller, Bytes *name)
{
    uint64_t       address = caller + kept->bias - 1; /* the return address minus 1 is inside the call */
    SymbolFunction function;
    if (!symbols_function(kept->symbols, address, &function)) return;
    symbols_append_name(kept->symbols, function.name, name);
    json_put_view(w, "caller_function", bytes_view(name));
    put_line(w, kept->symbols, address, (PlaceKeys){ "caller_file", "caller_line" });
}

static void put_call(JsonWriter *w, const NativeKept *kept, const NativeState *state)
{
    Bytes          name = { 0 };
    SymbolFunction function;
    json_put_printf(w, "address", "0x%" PRIx64, state->address);
    json_put_printf(w, "caller", "0x%" PRIx64, state->caller);
    if (kept->symbols == NULL) return;
    uint64_t in_file = state->address + kept->bias;
    if (symbols_function(kept->symbols, in_file, &function)) {
        symbols_append_name(kept->symbols, function.name, &name);
        if (name.size != strlen(function.name) || memcmp(name.data, function.name, name.size) != 0)
            json_put_string(w, "symbol", function.name);
        put_line(w, kept->symbols, in_file, (PlaceKeys){ "file", "line" });
    }
    bytes_clear(&name);
    put_caller(w, kept, state->caller, &name);
    if (name.failed) w->out->failed = true;
    bytes_release(&name);
}

/* Fills `other`. `begin` or `end` may be NULL. */
static void put_other(const Trace *trace, const Decoded *begin, const Decoded *end, Bytes *out)
{
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    size_t empty = out->size;
    bool   show_times = spall_times_were_changed(trace);
    if (begin != NULL) {
        if (begin->record.kind == NATIVE_BEGIN) put_call(&w, trace->source.kept, &begin->state);
        if (begin->record.name_size == NATIVE_MAX_TEXT) json_put_bool(&w, "name_cut", true);
        if (begin->record.args_size == NATIVE_MAX_TEXT) json_put_bool(&w, "args_cut", true);
        if (show_times) json_put_u64(&w, "time", begin->state.time);
    }
    if (end != NULL && show_times) json_put_u64(&w, "end_time", end->state.time);
    bool nothing = out->size == empty;
    json_object_end(&w);
    if (nothing) bytes_clear(out);
}

bool native_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                    Err *err)
{
    Decoded begin_record, end_record;
    bool    has_begin = begin->bytes != NULL, has_end = end->bytes != NULL;
    if (has_begin && !decode(trace->source.kept, begin, &begin_record, err)) return false;
    if (has_end && !decode(trace->source.kept, end, &end_record, err)) return false;
    if (has_begin && begin_record.record.args_size > 0) {
        const char *args = (const char *)begin_record.bytes + begin_record.record.args_at;
        spall_put_args((StringView){ args, begin_record.record.args_size }, &details->args);
    }
    put_other(trace, has_begin ? &begin_record : NULL, has_end ? &end_record : NULL, &details->other);
    if (details->args.failed || details->other.failed) return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}
