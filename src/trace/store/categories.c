#include "trace/store/categories.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Removes the next category from the front of a list; false at its end. */
static bool next_category(StringView *rest, StringView *category)
{
    while (rest->size > 0) {
        const char *comma = memchr(rest->bytes, ',', rest->size);
        size_t      size = comma == NULL ? rest->size : (size_t)(comma - rest->bytes), skip = size;
        const char *at = rest->bytes;
        if (comma != NULL) skip++;
        rest->bytes += skip;
        rest->size -= skip;
        while (size > 0 && is_blank(at[0])) {
            at++;
            size--;
        }
        while (size > 0 && is_blank(at[size - 1]))
            size--;
        *category = (StringView){ at, size };
        if (size > 0) return true;
    }
    return false;
}

/* Numbers the categories of a text, and adds them to `members`, which may be NULL. */
static void add_categories(Categories *categories, StringView text, Bytes *members)
{
    StringView category;
    bool       any = false;
    while (next_category(&text, &category)) {
        StringId id = string_table_intern(categories->names, category.bytes, category.size);
        if (members != NULL) bytes_append(members, &id.index, sizeof id.index);
        any = true;
    }
    if (!any && members != NULL) bytes_append(members, &(uint32_t){ 0 }, sizeof(uint32_t));
}

bool categories_list(const Trace *trace, Arena *arena, Categories *categories)
{
    Bytes members = { NULL, 0, 0, false };
    *categories = (Categories){ .trace = trace, .names = string_table_create(arena) };
    categories->first = ARENA_ARRAY(arena, uint32_t, (size_t)trace->label_count + 2);
    if (categories->names == NULL || categories->first == NULL) return false;
    uint32_t last_text = UINT32_MAX, last_first = 0, last_count = 0;
    for (uint32_t label = 0; label <= trace->label_count; label++) {
        uint32_t text = trace->labels[label].category.index;
        uint32_t at = (uint32_t)(members.size / sizeof(uint32_t));
        categories->first[label] = at;
        if (text == last_text) { /* most samples have the text of the previous one */
            for (uint32_t i = 0; i < last_count; i++) {
                uint32_t number = ((const uint32_t *)(const void *)members.data)[last_first + i];
                bytes_append(&members, &number, sizeof number);
            }
        } else {
            add_categories(categories, trace_label_category(trace, label), &members);
        }
        last_text = text;
        last_first = at;
        last_count = (uint32_t)(members.size / sizeof(uint32_t)) - at;
        if (members.failed) break;
    }
    categories->first[trace->label_count + 1] = (uint32_t)(members.size / sizeof(uint32_t));
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        if (trace->tracks[t].kind == TRACK_COUNTER)
            add_categories(categories, trace_string(trace, track_extras(&trace->tracks[t])->category), NULL);
    }
    categories->members = (uint32_t *)(void *)arena_push_copy(arena, members.data, members.size);
    categories->count = string_table_count(categories->names) + 1;
    bool done = !members.failed && categories->members != NULL;
    bytes_release(&members);
    return done;
}

StringView category_name(const Categories *categories, uint32_t number)
{
    return string_table_view(categories->names, (StringId){ number });
}

uint32_t category_find(const Categories *categories, StringView name)
{
    if (name.size == 0) return 0;
    StringId id = string_table_find(categories->names, name.bytes, name.size);
    return id.index == 0 ? UINT32_MAX : id.index;
}

/* ---- sets as text ---- */

/* Removes a number from the front of the text; numbers that do not fit become UINT32_MAX. */
static bool take_number(StringView *text, uint32_t *number)
{
    uint64_t value = 0;
    size_t   digits = 0;
    for (; digits < text->size && text->bytes[digits] >= '0' && text->bytes[digits] <= '9'; digits++) {
        if (value < UINT32_MAX) value = value * 10 + (uint64_t)(text->bytes[digits] - '0');
    }
    *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    text->bytes += digits;
    text->size -= digits;
    return digits > 0;
}

static bool take_char(StringView *text, char c)
{
    if (text->size == 0 || text->bytes[0] != c) return false;
    text->bytes++;
    text->size--;
    return true;
}

bool categories_parse(const Categories *categories, StringView text, uint8_t *set)
{
    if (text.size == 0) return true;
    do {
        uint32_t first, last;
        if (!take_number(&text, &first)) return false;
        last = first;
        if (take_char(&text, '-') && (!take_number(&text, &last) || last < first)) return false;
        for (uint32_t number = first; number <= last && number < categories->count; number++)
            set[number] = 1;
    } while (take_char(&text, ','));
    return text.size == 0;
}

void categories_print(const Categories *categories, const uint8_t *set, Bytes *out)
{
    const char *separator = "";
    for (uint32_t number = 0; number < categories->count; number++) {
        if (!set[number]) continue;
        uint32_t last = number;
        while (last + 1 < categories->count && set[last + 1])
            last++;
        bytes_printf(out, last > number ? "%s%u-%u" : "%s%u", separator, number, last);
        separator = ",";
        number = last;
    }
}

bool category_is_hidden_at_first(StringView name)
{
    return string_equal(name, STRING_LITERAL("trace_event_overhead"));
}

void categories_print_hidden_at_first(const Categories *categories, Bytes *out)
{
    const char *separator = "";
    for (uint32_t number = 0; number < categories->count; number++) {
        if (!category_is_hidden_at_first(category_name(categories, number))) continue;
        bytes_printf(out, "%s%u", separator, number);
        separator = ",";
    }
}

/* ---- hidden sets ---- */

/* True if all categories of a label are in the set: an event is visible if at least one of its categories is. */
static bool categories_hide_label(const Categories *categories, const uint8_t *set, uint32_t label)
{
    for (uint32_t i = categories->first[label]; i < categories->first[label + 1]; i++) {
        if (!set[categories->members[i]]) return false;
    }
    return true;
}

/* As categories_hide_label, for a category in the form of an event. */
static bool categories_hide_text(const Categories *categories, const uint8_t *set, StringView text)
{
    StringView category;
    bool       any = false;
    while (next_category(&text, &category)) {
        uint32_t number = category_find(categories, category);
        if (number == UINT32_MAX || !set[number]) return false;
        any = true;
    }
    return any || set[0];
}

/* The labels and tracks that a set hides, as parameters of filter_build. */
typedef struct HiddenSet {
    Arena    arena;
    uint8_t *labels, *tracks;
} HiddenSet;

static bool hidden_set(const Categories *categories, StringView text, HiddenSet *hidden, Err *err)
{
    const Trace *trace = categories->trace;
    hidden->arena = arena_create(0);
    uint8_t *set = ARENA_ARRAY(&hidden->arena, uint8_t, categories->count);
    hidden->labels = ARENA_ARRAY(&hidden->arena, uint8_t, (size_t)trace->label_count + 1);
    hidden->tracks = ARENA_ARRAY(&hidden->arena, uint8_t, (size_t)trace->track_count + 1);
    if (set == NULL || hidden->labels == NULL || hidden->tracks == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for a filter");
    if (!categories_parse(categories, text, set))
        return err_set(err, ERR_USAGE, "not a set of categories: \"%.*s\"",
                       text.size < 80 ? (int)text.size : 80, text.bytes);
    for (uint32_t label = 0; label <= trace->label_count; label++)
        hidden->labels[label] = categories_hide_label(categories, set, label);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        if (track->kind == TRACK_COUNTER)
            hidden->tracks[t] =
                categories_hide_text(categories, set, trace_string(trace, track_extras(track)->category));
    }
    return true;
}

Filter *categories_filter(const Categories *categories, StringView text, unsigned threads, Progress *progress,
                          Err *err)
{
    HiddenSet hidden;
    Filter   *filter = NULL;
    if (hidden_set(categories, text, &hidden, err))
        filter = filter_build(categories->trace, hidden.labels, hidden.tracks, threads, progress, err);
    arena_release(&hidden.arena);
    return filter;
}

Filter *categories_label_filter(const Categories *categories, StringView text, Err *err)
{
    HiddenSet hidden;
    Filter   *filter = NULL;
    if (hidden_set(categories, text, &hidden, err))
        filter = filter_of_labels(categories->trace, hidden.labels, hidden.tracks, err);
    arena_release(&hidden.arena);
    return filter;
}

bool categories_catch_up(const Categories *categories, StringView text, Filter *filter)
{
    HiddenSet  hidden;
    Err        err;
    const bool done = hidden_set(categories, text, &hidden, &err) &&
                      filter_catch_up(filter, categories->trace, hidden.labels, hidden.tracks, NULL);
    arena_release(&hidden.arena);
    return done;
}
