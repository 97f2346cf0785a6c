#include "analysis/argument_keys.h"

#include "base/json_members.h"
#include "trace/scan.h"

/* The buffers that all slices share. */
typedef struct Scratch {
    Bytes key, value;
} Scratch;

/* Finds the member `name` of an object. *text is its value, in `scratch` or in `json`. */
static bool find_member(StringView json, StringView name, Scratch *scratch, StringView *text)
{
    JsonMembers members;
    StringView  key, value;
    if (!json_members_open(json, &members)) return false;
    while (json_members_next(&members, &key, &value)) {
        bytes_clear(&scratch->key);
        json_text_append(key, &scratch->key);
        if (!string_equal(bytes_view(&scratch->key), name)) continue;
        *text = value;
        if (value.size == 0 || value.bytes[0] != '"') return true;
        bytes_clear(&scratch->value);
        json_text_append(value, &scratch->value);
        *text = bytes_view(&scratch->value);
        return true;
    }
    return false;
}

/* Sets the key of a slice. False: out of memory. */
static bool read_slice(ArgumentKeys *found, uint64_t slice, StringView name, const EventSource *source,
                       Scratch *scratch)
{
    const OrderedEvent event = { .kind = ORDER_SLICE, .id = slice };
    StringView         args = { "", 0 }, other = { "", 0 }, text;
    if (!source->read(source->context, &event, &args, &other)) return true;
    if (!find_member(args, name, scratch, &text) && !find_member(other, name, scratch, &text)) return true;
    if (scratch->key.failed || scratch->value.failed) return false;
    found->keys[slice] = string_table_intern(found->values, text.bytes, text.size).index;
    return found->keys[slice] != STRING_NONE.index;
}

/* Sets the keys of the slices of a batch whose events have more than their columns. False: out of memory. */
static bool read_batch(ArgumentKeys *found, const ScanBatch *batch, StringView name,
                       const EventSource *source, Scratch *scratch)
{
    const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
    const uint64_t *begins = batch->columns[SCAN_SLICE_SOURCE].u64,
                   *ends = batch->columns[SCAN_SLICE_END_SOURCE].u64;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (begins[i] == UINT64_MAX && ends[i] == UINT64_MAX) continue;
        if (!read_slice(found, ids[i], name, source, scratch)) return false;
    }
    return true;
}

bool argument_keys_read(const Trace *trace, const StatsQuery *query, StringView name,
                        const EventSource *source, Arena *arena, ArgumentKeys *found, Err *err)
{
    TracePart part = query->part;
    Scratch   scratch = { 0 };
    part.filter = NULL; /* the values of hidden slices are not used */
    const ScanQuery slices = scan_query_of_part(SCAN_SLICES,
                                                SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_SOURCE) |
                                                    SCAN_COLUMN(SCAN_SLICE_END_SOURCE),
                                                &part, NULL);
    *found = (ArgumentKeys){ .bytes = ((size_t)trace_slice_count(trace) + 1) * sizeof(uint32_t),
                             .values = string_table_create(arena) };
    found->keys = memory_map(found->bytes);
    bool done = (found->keys != NULL && found->values != NULL) ||
                err_set(err, ERR_MEMORY, "out of memory for the arguments");
    Scan *scan = done ? scan_begin(trace, &slices, arena, err) : NULL;
    done = scan != NULL;
    for (const ScanBatch *batch; done && (batch = scan_next(scan)) != NULL;) {
        done = read_batch(found, batch, name, source, &scratch) ||
               err_set(err, ERR_MEMORY, "out of memory for the arguments");
    }
    bytes_release(&scratch.key);
    bytes_release(&scratch.value);
    return done;
}

void argument_keys_release(ArgumentKeys *found)
{
    memory_unmap(found->keys, found->bytes);
    *found = (ArgumentKeys){ .keys = NULL };
}
