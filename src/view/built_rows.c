#include "view/built_rows.h"

#include "base/hash.h"

enum { PROBES = 8, MOST_BYTES = 16 << 20 };

static size_t bytes_of(const BuiltRow *row)
{
    return row->runs.bytes.capacity + row->marks.bytes.capacity;
}

static void release_row(BuiltRow *row)
{
    vec_release(&row->runs);
    vec_release(&row->marks);
    *row = (BuiltRow){ 0 };
}

void built_rows_begin_frame(BuiltRows *rows)
{
    rows->held_bytes = 0;
    for (uint32_t i = 0; i < BUILT_ROWS; i++) {
        if (rows->items[i].frame != rows->frame) release_row(&rows->items[i]);
        rows->held_bytes += bytes_of(&rows->items[i]);
    }
    rows->frame++;
}

static bool is_named(const BuiltRow *row, RowName name)
{
    return row->name.trace == name.trace && row->name.track == name.track && row->name.band == name.band &&
           row->name.row == name.row && row->frame != 0;
}

BuiltRow *built_rows_other(BuiltRows *rows)
{
    rows->other.state = 0;
    return &rows->other;
}

BuiltRow *built_rows_find(BuiltRows *rows, RowName name)
{
    const uint64_t hash =
        hash_pair((uint64_t)name.trace << 32 | name.track, (uint64_t)name.band << 32 | name.row, 0);
    BuiltRow *unused = NULL;
    for (uint64_t probe = 0; probe < PROBES; probe++) {
        BuiltRow *row = &rows->items[(hash + probe) % BUILT_ROWS];
        if (is_named(row, name)) {
            row->frame = rows->frame;
            return row;
        }
        if (unused == NULL && row->frame == 0) unused = row;
    }
    if (unused == NULL || rows->held_bytes >= MOST_BYTES) return built_rows_other(rows);
    unused->name = name;
    unused->state = 0;
    unused->frame = rows->frame;
    return unused;
}

void built_rows_keep(BuiltRows *rows, BuiltRow *row, uint64_t state)
{
    if (row != &rows->other && row->state == 0) rows->held_bytes += bytes_of(row);
    row->state = row->runs.bytes.failed || row->marks.bytes.failed ? 0 : state;
}

void built_rows_release(BuiltRows *rows)
{
    for (uint32_t i = 0; i < BUILT_ROWS; i++)
        release_row(&rows->items[i]);
    release_row(&rows->other);
}
