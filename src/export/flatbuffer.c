#include "export/flatbuffer.h"

#include <assert.h>
#include <string.h>

static void put_zeros(Bytes *out, size_t count)
{
    void *room = bytes_reserve(out, count);
    if (room == NULL || count == 0) return;
    memset(room, 0, count);
    bytes_grow(out, count);
}

/* Appends zeros until the size is `rest` more than a multiple of 8. */
static void align(Bytes *out, size_t rest)
{
    put_zeros(out, (rest - out->size) & 7);
}

static void put_number(Bytes *out, uint64_t value, size_t size)
{
    const size_t at = out->size;
    put_zeros(out, size);
    flat_set(out, at, value, size);
}

void flat_begin(Bytes *out)
{
    assert(out->size == 0);
    put_zeros(out, 4);
}

void flat_set(Bytes *out, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size && !out->failed; i++)
        out->data[at + i] = (uint8_t)(value >> 8 * i);
}

void flat_refer(Bytes *out, size_t at, size_t to)
{
    assert(to > at || out->failed);
    flat_set(out, at, to - at, 4);
}

/* The layout of a table: a vtable (u16 size of the vtable, u16 size of the table, u16 offset of each field or 0), then the
 * table: i32 distance back to the vtable, and the fields. The table is 4 bytes behind a multiple of 8, and fields are in the
 * order of their sizes, so that all are aligned. */
FlatTable flat_table(Bytes *out, const uint8_t *sizes, size_t count)
{
    static const uint8_t ORDER[] = { 8, 4, 2, 1 };
    uint16_t             offsets[FLATBUFFER_MOST_FIELDS] = { 0 }, size = 4;
    FlatTable            table = { 0 };
    assert(count <= FLATBUFFER_MOST_FIELDS);
    for (size_t k = 0; k < sizeof ORDER; k++) {
        for (size_t i = 0; i < count; i++) {
            if (sizes[i] != ORDER[k]) continue;
            offsets[i] = size;
            size = (uint16_t)(size + sizes[i]);
        }
    }
    align(out, 0);
    const size_t vtable = out->size;
    put_number(out, 4 + 2 * count, 2);
    put_number(out, size, 2);
    for (size_t i = 0; i < count; i++)
        put_number(out, offsets[i], 2);
    align(out, 4);
    table.at = out->size;
    put_number(out, table.at - vtable, 4);
    put_zeros(out, size - 4U);
    for (size_t i = 0; i < count; i++)
        table.fields[i] = table.at + offsets[i];
    return table;
}

size_t flat_string(Bytes *out, const char *text)
{
    const size_t size = strlen(text);
    align(out, 4);
    const size_t at = out->size;
    put_number(out, size, 4);
    bytes_append(out, text, size + 1);
    return at;
}

size_t flat_vector(Bytes *out, uint32_t count, size_t element_size)
{
    align(out, 4);
    const size_t at = out->size;
    put_number(out, count, 4);
    put_zeros(out, count * element_size);
    return at;
}
