#include "format/reading.h"

#include <assert.h>

bool reading_open(Reading *reading, const FormatReader *reader, const ReadingOptions *options, Err *err)
{
    *reading = (Reading){ .reader = reader, .record_limit = options->record_limit };
    reading->arena =
        arena_create(options->reader_limit > SIZE_MAX ? SIZE_MAX : (size_t)options->reader_limit);
    reading->builder = builder_create(reader->name, options->memory_limit);
    if (reading->builder == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    if (options->observer != NULL) builder_observe(reading->builder, *options->observer);
    builder_want_perspective(reading->builder, options->perspective);
    reading->state = reader->open(&reading->arena, reading->builder, err);
    if (reading->state != NULL && reader->configure != NULL)
        reader->configure(reading->state, options->context);
    return reading->state != NULL;
}

bool reading_read(Reading *reading, const uint8_t *bytes, size_t size, InputState input, Err *err)
{
    reading->used = 0;
    builder_set_input_size(reading->builder, reading->offset + size);
    builder_set_read_offset(reading->builder, reading->offset);
    const bool done = reading->reader->read(reading->state, bytes, size, input, &reading->used, err);
    if (builder_failed(reading->builder)) { /* readers need not look at it */
        builder_error(reading->builder, err);
        return false;
    }
    if (!done) return false;
    assert(reading->used <= size);
    reading->refused = reading->used == 0 ? size : 0;
    reading->offset += reading->used;
    if (reading->record_limit != 0 && reading->refused > reading->record_limit) {
        return err_set_at(err, ERR_LIMIT, reading->offset, ERR_NOWHERE,
                          "a record does not end within %zu bytes", reading->refused);
    }
    return true;
}

void reading_end(Reading *reading)
{
    arena_release(&reading->arena);
    reading->state = NULL;
}

void reading_close(Reading *reading)
{
    if (!reading->builder_is_taken) builder_destroy(reading->builder);
    reading->builder = NULL;
    reading_end(reading);
}
