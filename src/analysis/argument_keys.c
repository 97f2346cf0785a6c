#include "analysis/argument_keys.h"

#include "base/json_members.h"
#include "trace/scan/scan.h"
#include "trace/store/lookup.h"

bool argument_keys_open(ArgumentKeys *found, const Trace *trace, StringView name, const EventSource *source,
                        Arena *arena)
{
    *found = (ArgumentKeys){ .name = name,
                             .source = source,
                             .bytes = ((size_t)trace_slice_bound(trace) + 1) * sizeof(uint32_t),
                             .values = string_table_create(arena) };
    found->keys = memory_map(found->bytes);
    return found->keys != NULL && found->values != NULL;
}

void argument_keys_release(ArgumentKeys *found)
{
    memory_unmap(found->keys, found->bytes);
    bytes_release(&found->member);
    bytes_release(&found->text);
    *found = (ArgumentKeys){ .values = found->values };
}

/* True if the event of row `i` has more than its columns. */
static bool has_details(const ScanBatch *batch, uint32_t i)
{
    return batch->columns[SCAN_SLICE_SOURCE].u64[i] != UINT64_MAX ||
           batch->columns[SCAN_SLICE_END_SOURCE].u64[i] != UINT64_MAX;
}

/* -- keys -- */

/* Finds the member with the name of the argument in an object. *text is its value, in `found` or in `json`. */
static bool find_member(ArgumentKeys *found, StringView json, StringView *text)
{
    JsonMembers members;
    StringView  name, value;
    if (!json_members_open(json, &members)) return false;
    while (json_members_next(&members, &name, &value)) {
        bytes_clear(&found->member);
        json_text_append(name, &found->member);
        if (!string_equal(bytes_view(&found->member), found->name)) continue;
        *text = value;
        if (value.size == 0 || value.bytes[0] != '"') return true;
        bytes_clear(&found->text);
        json_text_append(value, &found->text);
        *text = bytes_view(&found->text);
        return true;
    }
    return false;
}

/* Returns the key of a slice; 0 when out of memory. */
static uint32_t read_key(ArgumentKeys *found, uint64_t slice)
{
    const OrderedEvent event = { .kind = ORDER_SLICE, .id = slice };
    StringView         args = { "", 0 }, other = { "", 0 }, text;
    if (!found->source->read(found->source->context, &event, &args, &other)) return ARGUMENT_MISSING;
    const bool has_value = find_member(found, args, &text) || find_member(found, other, &text);
    if (found->member.failed || found->text.failed) return 0;
    if (!has_value) return ARGUMENT_MISSING;
    return string_table_intern(found->values, text.bytes, text.size).index;
}

bool argument_keys_fill(ArgumentKeys *found, const ScanBatch *batch, uint32_t *keys)
{
    const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (keys[i] == ARGUMENT_MISSING) continue;
        uint32_t *key = &found->keys[ids[i]];
        if (*key == 0) *key = has_details(batch, i) ? read_key(found, ids[i]) : ARGUMENT_MISSING;
        if (*key == 0) return false;
        keys[i] = *key;
    }
    return true;
}

/* -- names -- */

typedef struct NameList {
    const EventSource *source;
    StringTable       *names;
    uint8_t           *is_known; /* by label: the names of a slice are in the list */
    uint32_t           reads;
    uint64_t           slices;
    Bytes              member;
} NameList;

/* Adds the names of the members of an object. Sets *has_members if it has any. False: out of memory. */
static bool add_members(NameList *list, StringView json, bool *has_members)
{
    JsonMembers members;
    StringView  name, value;
    if (!json_members_open(json, &members)) return true;
    while (json_members_next(&members, &name, &value)) {
        if (string_table_count(list->names) >= ARGUMENT_NAMES_MOST) return true;
        bytes_clear(&list->member);
        json_text_append(name, &list->member);
        if (list->member.failed) return false;
        *has_members = true;
        const StringId id =
            string_table_intern(list->names, (const char *)list->member.data, list->member.size);
        if (id.index == STRING_NONE.index) return false;
    }
    return true;
}

/* Reads slices of labels that are not known. False: out of memory. */
static bool add_batch(NameList *list, const ScanBatch *batch)
{
    const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
    const uint32_t *labels = batch->columns[SCAN_SLICE_LABEL].u32;
    list->slices += batch->count;
    for (uint32_t i = 0; i < batch->count && list->reads < ARGUMENT_READS_MOST; i++) {
        const OrderedEvent event = { .kind = ORDER_SLICE, .id = ids[i] };
        StringView         args = { "", 0 }, other = { "", 0 };
        bool               has_members = false;
        if (list->is_known[labels[i]] || !has_details(batch, i)) continue;
        list->reads++;
        if (!list->source->read(list->source->context, &event, &args, &other)) continue;
        if (!add_members(list, args, &has_members) || !add_members(list, other, &has_members)) return false;
        list->is_known[labels[i]] = has_members;
    }
    return true;
}

static bool is_full(const NameList *list)
{
    return list->slices >= ARGUMENT_SLICES_MOST || list->reads >= ARGUMENT_READS_MOST ||
           string_table_count(list->names) >= ARGUMENT_NAMES_MOST;
}

bool argument_names(const Trace *trace, const TracePart *part, const EventSource *source, Arena *arena,
                    StringTable *names, Err *err)
{
    NameList        list = { .source = source,
                             .names = names,
                             .is_known = ARENA_ARRAY(arena, uint8_t, (size_t)trace->label_count + 1) };
    const ScanQuery query =
        scan_query_of_part(SCAN_SLICES, ARGUMENT_COLUMNS | SCAN_COLUMN(SCAN_SLICE_LABEL), part);
    bool done = list.is_known != NULL || err_set(err, ERR_MEMORY, "out of memory for the names of arguments");
    Scan *scan = done ? scan_begin(trace, &query, arena, err) : NULL;
    done = scan != NULL;
    for (const ScanBatch *batch; done && !is_full(&list) && (batch = scan_next(scan)) != NULL;)
        done =
            add_batch(&list, batch) || err_set(err, ERR_MEMORY, "out of memory for the names of arguments");
    bytes_release(&list.member);
    return done;
}
