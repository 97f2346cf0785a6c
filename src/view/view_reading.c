#include "view/view_reading.h"

#include "base/digits.h"

bool reading_fail(const ViewReading *r, const char *at, const char *problem)
{
    return err_set_at(r->err, ERR_CORRUPT, (uint64_t)(at - r->text.bytes), ERR_NOWHERE, "%s", problem);
}

bool reading_no_memory(const ViewReading *r)
{
    return err_set(r->err, ERR_MEMORY, "out of memory for the view file");
}

bool reading_u64(const ViewReading *r, StringView value, uint64_t *number)
{
    return text_to_u64(value, number) || reading_fail(r, value.bytes, "expected a whole number, not below 0");
}

bool reading_i64(const ViewReading *r, StringView value, int64_t *number)
{
    return text_to_i64(value, number) || reading_fail(r, value.bytes, "expected a whole number");
}

bool reading_text(const ViewReading *r, StringView value, StringView *text)
{
    Bytes decoded = { 0 };
    if (value.bytes[0] != '"') return reading_fail(r, value.bytes, "expected a text");
    json_text_append(value, &decoded);
    text->bytes = decoded.failed ? NULL : arena_push_copy(r->arena, decoded.data, decoded.size);
    text->size = decoded.size;
    bytes_release(&decoded);
    return text->bytes != NULL || reading_no_memory(r);
}

static bool reading_object(const ViewReading *r, StringView value, JsonMembers *members)
{
    return json_members_open(value, members) || reading_fail(r, value.bytes, "expected an object");
}

bool reading_list(const ViewReading *r, StringView value, JsonMembers *elements)
{
    return json_elements_open(value, elements) || reading_fail(r, value.bytes, "expected a list");
}

static bool key_is(StringView quoted, const char *name)
{
    const size_t size = strlen(name);
    return quoted.size == size + 2 && memcmp(quoted.bytes + 1, name, size) == 0;
}

bool reading_members(ViewReading *r, StringView object, ViewMember *members, size_t count)
{
    JsonMembers all;
    StringView  key, value;
    if (!reading_object(r, object, &all)) return false;
    while (json_members_next(&all, &key, &value)) {
        size_t i = 0;
        while (i < count && !key_is(key, members[i].name))
            i++;
        if (i < count) {
            members[i].value = value;
        } else if (r->unknown_members++ == 0) {
            r->first_unknown = key;
        }
    }
    return true;
}
