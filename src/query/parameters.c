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
    static const char *const TEXTS[] = { "range", "begin", "end", "thread" };
    if ((table->parameters & SCHEMA_TAKES_NAME) != 0) add_parameter(duck, function, "name", DUCK_VARCHAR);
    if ((table->parameters & SCHEMA_TAKES_RANGE) == 0) return;
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        add_parameter(duck, function, TEXTS[i], DUCK_VARCHAR);
    add_parameter(duck, function, "track", DUCK_BIGINT);
}

/* Copies the text of a parameter into the arena; NULL if it was not given. False: out of memory. */
static bool read_text(const DuckDb *duck, DuckBind bind, const char *name, Arena *arena, const char **text)
{
    DuckValue value = duck->bind_get_named_parameter(bind, name);
    *text = NULL;
    if (value == NULL) return true;
    char *given = duck->get_varchar(value);
    if (given != NULL) *text = arena_push_copy(arena, given, strlen(given));
    const bool is_copied = given == NULL || *text != NULL;
    duck->free(given);
    duck->destroy_value(&value);
    return is_copied;
}

bool parameters_read(const DuckDb *duck, DuckBind bind, const SchemaTable *table, Arena *arena, TableBounds *given,
                     Err *err)
{
    *given = (TableBounds){ 0 };
    if ((table->parameters & SCHEMA_TAKES_RANGE) == 0) return true;
    const bool is_read = read_text(duck, bind, "range", arena, &given->range) &&
                         read_text(duck, bind, "begin", arena, &given->begin) &&
                         read_text(duck, bind, "end", arena, &given->end) &&
                         ((table->parameters & SCHEMA_TAKES_NAME) == 0 ||
                          read_text(duck, bind, "name", arena, &given->name)) &&
                         read_text(duck, bind, "thread", arena, &given->thread);
    DuckValue  track = duck->bind_get_named_parameter(bind, "track");
    if (track != NULL) {
        given->has_track = true;
        given->track = duck->get_int64(track);
        duck->destroy_value(&track);
    }
    return is_read || err_set(err, ERR_MEMORY, "out of memory for the parameters of %s", table->name);
}
