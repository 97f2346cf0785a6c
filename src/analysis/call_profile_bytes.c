/* Profiles as bytes. Numbers are unsigned LEB128.
 *
 *   "vcp1"                    magic number
 *   by                        0 name, 1 path
 *   kind, ns_num, ns_den      of the clock (trace/store/clock.h); its other members are not needed
 *   size, bytes               the perspective that counts; size 0: none
 *   count, (size, bytes)...   names, each once
 *   count, ROW...             the rows
 *
 *   ROW   name                its number among the names, from 1; 0: no name
 *         parent              by path only: the number of the row of the path around it, from 1; 0: outermost
 *         label, count, total, self, p50, p99, cpu_ns, longest
 *         sums                of each batch, of each size from 1 on: the sum without that of the size before
 *
 * The parent of a row comes before it. Two rows do not have the same name, or by path the same parent and name. */
#include "analysis/call_profile.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/utf8.h"

static const char MAGIC[] = "vcp1";
enum { MAGIC_BYTES = sizeof MAGIC - 1, LEAST_ROW_BYTES = 9 };

/* ---- writing ---- */

static void put_text(Bytes *out, StringView text)
{
    bytes_append_uleb(out, text.size);
    bytes_append(out, text.bytes, text.size);
}

/* Writes the names of the rows. numbers[i]: the number of string i; all 0 before. */
static void put_names(const CallProfile *profile, uint32_t *numbers, Bytes *out)
{
    Bytes    names = { 0 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < profile->row_count; i++) {
        const StringId name = profile->rows[i].name;
        if (name.index == STRING_NONE.index || numbers[name.index] != 0) continue;
        numbers[name.index] = ++count;
        put_text(&names, string_table_view(profile->strings, name));
    }
    bytes_append_uleb(out, count);
    bytes_append(out, names.data, names.size);
    if (names.failed) out->failed = true;
    bytes_release(&names);
}

static void put_row(const CallProfile *profile, const CallRow *row, const uint32_t *numbers, Bytes *out)
{
    const uint64_t values[] = { row->label, row->count, row->total,  row->self,
                                row->p50,   row->p99,   row->cpu_ns, row->longest };
    const uint32_t batches = call_row_batches(row), sizes = call_row_sizes(row);
    bytes_append_uleb(out, numbers[row->name.index]);
    if (profile->by == COMPARE_BY_PATH) bytes_append_uleb(out, profile->paths.nodes[row->path].parent);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        bytes_append_uleb(out, values[i]);
    for (uint32_t i = 0; i < batches; i++)
        for (uint32_t k = 0; k < sizes; k++)
            bytes_append_uleb(out,
                              row->sums[k * batches + i] - (k == 0 ? 0 : row->sums[(k - 1) * batches + i]));
}

void call_profile_write(const CallProfile *profile, Bytes *out)
{
    const char *perspective = profile->perspective == NULL ? "" : profile->perspective;
    Arena       arena = arena_create(0);
    uint32_t   *numbers = ARENA_ARRAY(&arena, uint32_t, (size_t)string_table_count(profile->strings) + 1);
    bytes_append(out, MAGIC, MAGIC_BYTES);
    bytes_append_uleb(out, profile->by);
    bytes_append_uleb(out, profile->clock.kind);
    bytes_append_uleb(out, profile->clock.ns_num);
    bytes_append_uleb(out, profile->clock.ns_den);
    put_text(out, c_string_view(perspective));
    if (numbers == NULL) {
        out->failed = true;
        return;
    }
    put_names(profile, numbers, out);
    bytes_append_uleb(out, profile->row_count);
    for (uint32_t i = 0; i < profile->row_count; i++)
        put_row(profile, &profile->rows[i], numbers, out);
    arena_release(&arena);
}

/* ---- reading ---- */

/* Where a profile is read from. Texts and rows are checked as they come; the caller checks `cursor.failed`. */
typedef struct Reading {
    ByteCursor   cursor;
    CallProfile *profile;
    StringTable *strings; /* profile->strings */
    StringId    *names;   /* in the arena of the profile; by number, [0] is STRING_NONE */
    uint32_t     name_count;
    uint8_t     *is_used; /* by name: 1 if a row has it; in the arena of the profile */
    Err         *err;
} Reading;

static bool no_memory(Reading *reading)
{
    return err_set(reading->err, ERR_MEMORY, "out of memory for the profile");
}

static bool corrupt(Reading *reading, uint64_t offset, const char *what)
{
    if (reading->cursor.failed)
        return err_set_at(reading->err, ERR_TRUNCATED, offset, ERR_NOWHERE, "the profile ends inside %s",
                          what);
    return err_set_at(reading->err, ERR_CORRUPT, offset, ERR_NOWHERE, "the profile has no valid %s here",
                      what);
}

/* Reads a text of valid UTF-8. */
static bool take_text(Reading *reading, StringView *text)
{
    ByteCursor    *c = &reading->cursor;
    const uint64_t at = cursor_offset(c), size = cursor_uleb(c);
    if (c->failed || !cursor_can_hold(c, size, 1)) c->failed = true;
    const void *bytes = cursor_take(c, c->failed ? 0 : (size_t)size);
    *text = (StringView){ bytes, (size_t)size };
    if (c->failed || utf8_valid_prefix(bytes, text->size) != text->size) return corrupt(reading, at, "text");
    return true;
}

static bool take_head(Reading *reading)
{
    ByteCursor    *c = &reading->cursor;
    CallProfile   *profile = reading->profile;
    const uint8_t *magic = cursor_take(c, MAGIC_BYTES);
    if (magic == NULL || memcmp(magic, MAGIC, MAGIC_BYTES) != 0) return corrupt(reading, 0, "magic number");
    const uint64_t by = cursor_uleb(c), kind = cursor_uleb(c), num = cursor_uleb(c), den = cursor_uleb(c);
    if (c->failed || by > COMPARE_BY_PATH || kind > CLOCK_EVENTS || num == 0 || den == 0)
        return corrupt(reading, MAGIC_BYTES, "clock");
    profile->by = (CompareBy)by;
    profile->clock = (Clock){ .kind = (ClockKind)kind, .ns_num = num, .ns_den = den };
    StringView perspective;
    if (!take_text(reading, &perspective)) return false;
    if (perspective.size == 0) return true;
    profile->perspective = arena_push_copy(&profile->arena, perspective.bytes, perspective.size);
    return profile->perspective != NULL || no_memory(reading);
}

static bool take_names(Reading *reading)
{
    ByteCursor    *c = &reading->cursor;
    Arena         *arena = &reading->profile->arena;
    const uint64_t at = cursor_offset(c), count = cursor_uleb(c);
    if (c->failed || !cursor_can_hold(c, count, 1) || count >= UINT32_MAX)
        return corrupt(reading, at, "number of names");
    reading->name_count = (uint32_t)count;
    reading->strings = string_table_create(arena);
    reading->names = ARENA_ARRAY(arena, StringId, (size_t)count + 1);
    reading->is_used = ARENA_ARRAY(arena, uint8_t, (size_t)count + 1);
    reading->profile->strings = reading->strings;
    if (reading->strings == NULL || reading->names == NULL || reading->is_used == NULL)
        return no_memory(reading);
    for (uint32_t i = 1; i <= count; i++) {
        const uint64_t offset = cursor_offset(c);
        StringView     name;
        if (!take_text(reading, &name)) return false;
        reading->names[i] = string_table_intern(reading->strings, name.bytes, name.size);
        if (reading->names[i].index == STRING_NONE.index) return no_memory(reading);
        if (reading->names[i].index != i) return corrupt(reading, offset, "name: this one was there before");
    }
    return true;
}

/* Reads the place of a row among the names or paths. */
static bool take_place(Reading *reading, CallRow *row)
{
    CallProfile   *profile = reading->profile;
    const uint64_t at = cursor_offset(&reading->cursor), name = cursor_uleb(&reading->cursor);
    if (name > reading->name_count || reading->cursor.failed) return corrupt(reading, at, "name of a row");
    row->name = reading->names[name];
    if (profile->by == COMPARE_BY_NAME) {
        if (reading->is_used[name] != 0)
            return corrupt(reading, at, "row: one of this name was there before");
        reading->is_used[name] = 1;
        return true;
    }
    const uint32_t next = profile->paths.node_count;
    const uint64_t parent = cursor_uleb(&reading->cursor);
    if (parent >= next || reading->cursor.failed) return corrupt(reading, at, "parent of a row");
    row->path = flame_child(&profile->paths, (uint32_t)parent, row->name);
    if (row->path == FLAME_NONE) return no_memory(reading);
    return row->path == next || corrupt(reading, at, "row: one of this path was there before");
}

static bool take_sums(Reading *reading, CallRow *row)
{
    ByteCursor    *c = &reading->cursor;
    const uint64_t at = cursor_offset(c);
    const uint32_t batches = call_row_batches(row), sizes = call_row_sizes(row);
    if (batches == 0) return true;
    if (!cursor_can_hold(c, (uint64_t)batches * sizes, 1)) c->failed = true;
    uint64_t *sums =
        c->failed ? NULL : ARENA_ARRAY(&reading->profile->arena, uint64_t, (size_t)batches *sizes);
    if (c->failed) return corrupt(reading, at, "batches of a row");
    if (sums == NULL) return no_memory(reading);
    for (uint32_t i = 0; i < batches; i++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < sizes; k++) {
            u64_accumulate(&sum, cursor_uleb(c));
            sums[k * batches + i] = sum;
        }
    }
    row->sums = sums;
    return !c->failed || corrupt(reading, at, "batches of a row");
}

static bool take_row(Reading *reading, CallRow *row)
{
    ByteCursor    *c = &reading->cursor;
    const uint64_t at = cursor_offset(c);
    if (!take_place(reading, row)) return false;
    const uint64_t label = cursor_uleb(c);
    row->count = cursor_uleb(c);
    row->total = cursor_uleb(c);
    row->self = cursor_uleb(c);
    row->p50 = cursor_uleb(c);
    row->p99 = cursor_uleb(c);
    row->cpu_ns = cursor_uleb(c);
    row->longest = cursor_uleb(c);
    if (c->failed || row->count == 0 || !u32_from_u64(label, &row->label)) return corrupt(reading, at, "row");
    reading->profile->slice_count = u64_add_saturated(reading->profile->slice_count, row->count);
    return take_sums(reading, row);
}

static bool take_rows(Reading *reading)
{
    ByteCursor    *c = &reading->cursor;
    CallProfile   *profile = reading->profile;
    const uint64_t at = cursor_offset(c), count = cursor_uleb(c);
    if (c->failed || !cursor_can_hold(c, count, LEAST_ROW_BYTES) || count >= UINT32_MAX)
        return corrupt(reading, at, "number of rows");
    profile->rows = ARENA_ARRAY(&profile->arena, CallRow, (size_t)count + 1);
    if (profile->rows == NULL) return no_memory(reading);
    for (; profile->row_count < count; profile->row_count++) {
        CallRow *row = &profile->rows[profile->row_count];
        if (!take_row(reading, row)) return false;
        if (profile->by == COMPARE_BY_PATH) call_profile_fill_node(profile, row);
    }
    return cursor_left(c) == 0 || corrupt(reading, cursor_offset(c), "end");
}

bool call_profile_read(const void *bytes, size_t size, CallProfile *profile, Err *err)
{
    *profile = (CallProfile){ .arena = arena_create(0) };
    Reading reading = { .cursor = cursor_over(bytes, size, 0), .profile = profile, .err = err };
    if (!take_head(&reading) || !take_names(&reading)) return false;
    if (profile->by == COMPARE_BY_PATH && !flame_create(profile->strings, &profile->paths, err)) return false;
    return take_rows(&reading);
}
