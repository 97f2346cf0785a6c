#include "query/parameters.h"

#include <string.h>

static void add_parameter(const DuckDb *duck, DuckFunction function, const char *name, DuckType type_id)
{
    DuckLogicalType type = duck->create_logical_type(type_id);
    duck->table_function_add_named_parameter(function, name, type);
    duck->destroy_logical_type(&type);
}

void parameters_register(const DuckDb *duck, DuckFunction function, const SchemaTable *table)
{
    for (uint32_t i = 0; schema_parameter(table, i) != NULL; i++) {
        const char *name = schema_parameter(table, i);
        add_parameter(duck, function, name, strcmp(name, "track") == 0 ? DUCK_BIGINT : DUCK_VARCHAR);
    }
}

/* Returns the value of a parameter, which the caller destroys; NULL if it was not given, or is NULL in SQL. */
static DuckValue read_value(const DuckDb *duck, DuckBind bind, const char *name)
{
    DuckValue value = duck->bind_get_named_parameter(bind, name);
    if (value != NULL && duck->is_null_value(value)) duck->destroy_value(&value); /* sets it to NULL */
    return value;
}

/* Copies the text of a parameter into the arena; NULL without a value. False: out of memory. */
static bool read_text(const DuckDb *duck, DuckBind bind, const char *name, Arena *arena, const char **text)
{
    DuckValue value = read_value(duck, bind, name);
    *text = NULL;
    if (value == NULL) return true;
    char *given = duck->get_varchar(value);
    if (given != NULL) *text = arena_push_copy(arena, given, strlen(given));
    const bool is_copied = given == NULL || *text != NULL;
    duck->free(given);
    duck->destroy_value(&value);
    return is_copied;
}

bool parameters_read(const DuckDb *duck, DuckBind bind, const SchemaTable *table, Arena *arena,
                     TableBounds *given, Err *err)
{
    *given = (TableBounds){ 0 };
    if ((table->parameters & SCHEMA_TAKES_RANGE) == 0) return true;
    const bool is_read = read_text(duck, bind, "range", arena, &given->range) &&
                         read_text(duck, bind, "begin", arena, &given->begin) &&
                         read_text(duck, bind, "end", arena, &given->end) &&
                         ((table->parameters & SCHEMA_TAKES_NAME) == 0 ||
                          read_text(duck, bind, "name", arena, &given->name)) &&
                         read_text(duck, bind, "thread", arena, &given->thread);
    DuckValue track = read_value(duck, bind, "track");
    if (track != NULL) {
        given->has_track = true;
        given->track = duck->get_int64(track);
        duck->destroy_value(&track);
    }
    return is_read || err_set(err, ERR_MEMORY, "out of memory for the parameters of %s", table->name);
}
