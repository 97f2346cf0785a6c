#include "query/tables.h"

#include "query/fill.h"
#include "query/parameters.h"
#include "schema/arguments.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The extra info of a table function. */
typedef struct Registered {
    SqlTables         *tables;
    const SchemaTable *schema;
} Registered;

struct SqlTables {
    const DuckDb *duck;
    SchemaTrace  *traces;
    FillTrace    *fills; /* by trace */
    size_t        trace_count;
    Registered   *registered; /* by schema table */
    Lock         *lock;
};

/* -- bind: the columns and the parameters of one use in a statement -- */

typedef struct Bound {
    Arena             arena; /* holds this too */
    const Registered *table;
    TableBounds       bounds;
} Bound;

static void bound_release(void *context)
{
    Arena arena = ((Bound *)context)->arena;
    arena_release(&arena);
}

static void add_columns(const DuckDb *duck, DuckBind bind, const SchemaTable *schema)
{
    /* by SchemaType */
    static const DuckType TYPES[] = { DUCK_BOOLEAN, DUCK_BIGINT, DUCK_DOUBLE, DUCK_VARCHAR };
    for (uint32_t i = 0; i < schema->column_count; i++) {
        DuckLogicalType type = duck->create_logical_type(TYPES[schema->columns[i].type]);
        duck->bind_add_result_column(bind, schema->columns[i].name, type);
        duck->destroy_logical_type(&type);
    }
}

/* True if the parameters make sense for every trace: a range that does not is an error, not an empty table. */
static bool check_parameters(const Bound *bound, Err *err)
{
    const SqlTables *tables = bound->table->tables;
    Arena            arena = arena_create(0);
    bool             is_valid = true;
    for (size_t i = 0; i < tables->trace_count && is_valid; i++) {
        ScanQuery query;
        is_valid = bounds_query(&bound->bounds, bound->table->schema, bound->table->schema->scan,
                                tables->traces[i].trace, &arena, &query, err);
    }
    arena_release(&arena);
    return is_valid;
}

static void bind_table(DuckBind bind)
{
    const DuckDb *duck = duckdb_load(NULL);
    Arena         arena = arena_create(0);
    Bound        *bound = ARENA_NEW(&arena, Bound);
    Err           err;
    if (bound == NULL) {
        duck->bind_set_error(bind, "out of memory");
        return;
    }
    bound->table = duck->bind_get_extra_info(bind);
    const SchemaTable *schema = bound->table->schema;
    const bool         is_read = parameters_read(duck, bind, schema, &arena, &bound->bounds, &err);
    bound->arena = arena;
    duck->bind_set_bind_data(bind, bound, bound_release);
    add_columns(duck, bind, schema);
    if (!is_read || (schema->source != TABLE_SMALL && !check_parameters(bound, &err)))
        duck->bind_set_error(bind, err.message);
}

/* -- init: one walk over the rows of all traces -- */

typedef struct Walk {
    Arena              arena; /* holds this too */
    const Registered  *table;
    const TableBounds *bounds;
    uint32_t          *columns; /* of the schema, read by the statement */
    uint32_t           column_count;
    uint64_t           scan_columns; /* bits */
    size_t             trace;        /* that is read */
    Arena              scan_arena;   /* of that trace */
    Scan              *scan;
    ArgumentsWalk     *arguments;
    uint64_t           row; /* of a small table */
} Walk;

static void walk_release(void *context)
{
    Walk *walk = context;
    Arena arena = walk->arena;
    arguments_release(walk->arguments);
    arena_release(&walk->scan_arena);
    arena_release(&arena);
}

static void init_table(DuckInit init)
{
    const DuckDb  *duck = duckdb_load(NULL);
    const Bound   *bound = duck->init_get_bind_data(init);
    Arena          arena = arena_create(0);
    Walk          *walk = ARENA_NEW(&arena, Walk);
    const uint64_t count = duck->init_get_column_count(init);
    uint32_t      *columns = ARENA_ARRAY(&arena, uint32_t, (size_t)count);
    if (walk == NULL || columns == NULL) {
        arena_release(&arena);
        duck->init_set_error(init, "out of memory");
        return;
    }
    *walk = (Walk){ .table = bound->table, .bounds = &bound->bounds, .columns = columns };
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t column = duck->init_get_column_index(init, i);
        /* DuckDB asks for a column beyond the last one where a statement reads none, as count(*) does. */
        if (column >= bound->table->schema->column_count) continue;
        const SchemaColumn *schema = &bound->table->schema->columns[column];
        if (schema->form != FORM_TRACE_NAME && schema->form != FORM_CELL)
            walk->scan_columns |= SCAN_COLUMN(schema->scan_column);
        columns[walk->column_count++] = (uint32_t)column;
    }
    walk->arena = arena;
    duck->init_set_init_data(init, walk, walk_release);
    /* One thread: the C API has no batch indices (DuckDB's get_partition_data), so DuckDB cannot restore the order of rows that
     * several threads read, and sums of reals, first(), list() and ties of ORDER BY would differ from run to run. */
    duck->init_set_max_threads(init, 1);
}

/* -- the rows -- */

/* Returns the next batch of rows, of any trace; NULL at the end, and with *failed when err is filled. */
static const ScanBatch *next_batch(Walk *walk, bool *failed, Err *err)
{
    const SqlTables *tables = walk->table->tables;
    for (*failed = false; walk->trace < tables->trace_count; walk->trace++, walk->scan = NULL) {
        if (walk->scan == NULL) {
            ScanQuery query;
            arena_clear(&walk->scan_arena);
            *failed = !bounds_query(walk->bounds, walk->table->schema, walk->table->schema->scan,
                                    tables->traces[walk->trace].trace, &walk->scan_arena, &query, err);
            if (*failed) return NULL;
            query.columns = walk->scan_columns;
            walk->scan = scan_begin(tables->traces[walk->trace].trace, &query, &walk->scan_arena, err);
            *failed = walk->scan == NULL;
            if (*failed) return NULL;
        }
        const ScanBatch *batch = scan_next(walk->scan);
        if (batch != NULL) return batch;
    }
    return NULL;
}

static void scan_rows(DuckCall call, Walk *walk, DuckChunk out)
{
    const DuckDb      *duck = walk->table->tables->duck;
    const SchemaTable *schema = walk->table->schema;
    bool               failed;
    Err                err;
    const ScanBatch   *batch = next_batch(walk, &failed, &err);
    if (failed) duck->function_set_error(call, err.message);
    uint32_t          scan_count;
    const ScanColumn *scanned = scan_columns(schema->scan, &scan_count);
    for (uint32_t i = 0; batch != NULL && i < walk->column_count; i++) {
        const SchemaColumn *column = &schema->columns[walk->columns[i]];
        assert(column->scan_column < scan_count);
        fill_column(&walk->table->tables->fills[walk->trace], column, &scanned[column->scan_column], batch,
                    duck->data_chunk_get_vector(out, i));
    }
    duck->data_chunk_set_size(out, batch == NULL ? 0 : batch->count);
}

/* Moves to the next row of a small table, of any trace. */
static bool next_small_row(Walk *walk)
{
    const SqlTables   *tables = walk->table->tables;
    const SchemaTable *schema = walk->table->schema;
    for (; walk->trace < tables->trace_count; walk->trace++, walk->row = 0)
        if (walk->row < schema->row_count(&tables->traces[walk->trace])) return true;
    return false;
}

/* Moves to the next argument, of any trace. */
static bool next_argument(Walk *walk, bool *failed, Err *err)
{
    const SqlTables *tables = walk->table->tables;
    for (; walk->trace < tables->trace_count; walk->trace++) {
        if (walk->arguments == NULL) {
            arena_clear(&walk->scan_arena);
            walk->arguments = arguments_begin(&tables->traces[walk->trace], tables->lock, walk->bounds,
                                              &walk->scan_arena, err);
            *failed = walk->arguments == NULL;
            if (*failed) return false;
        }
        if (arguments_next(walk->arguments)) return true;
        arguments_release(walk->arguments);
        walk->arguments = NULL;
    }
    return false;
}

/* Fills a batch of a table that is read cell by cell. */
static void cell_rows(DuckCall call, Walk *walk, DuckChunk out)
{
    const SqlTables   *tables = walk->table->tables;
    const SchemaTable *schema = walk->table->schema;
    const bool         is_small = schema->source == TABLE_SMALL;
    uint32_t           count = 0;
    bool               failed = false;
    Err                err;
    for (; count < DUCK_VECTOR_ROWS && (is_small ? next_small_row(walk) : next_argument(walk, &failed, &err));
         count++) {
        const SchemaTrace *trace = &tables->traces[walk->trace];
        for (uint32_t i = 0; i < walk->column_count; i++) {
            const SchemaColumn *column = &schema->columns[walk->columns[i]];
            SchemaCell          cell = { .text = { trace->name, strlen(trace->name) } };
            if (column->form == FORM_CELL && is_small) {
                schema->cell(trace, walk->row, walk->columns[i], &cell);
            } else if (column->form == FORM_CELL) {
                cell = arguments_cell(walk->arguments, walk->columns[i]);
            }
            fill_cell(tables->duck, column->type, &cell, tables->duck->data_chunk_get_vector(out, i), count);
        }
        walk->row++;
    }
    if (failed) tables->duck->function_set_error(call, err.message);
    tables->duck->data_chunk_set_size(out, count);
}

static void table_rows(DuckCall call, DuckChunk out)
{
    const DuckDb *duck = duckdb_load(NULL);
    Walk         *walk = duck->function_get_init_data(call);
    if (walk->table->schema->source == TABLE_SCAN) {
        scan_rows(call, walk, out);
    } else {
        cell_rows(call, walk, out);
    }
}

/* -- registration -- */

static bool register_table(SqlTables *tables, DuckConnection connection, Registered *registered, Err *err)
{
    const DuckDb *duck = tables->duck;
    const char   *name = registered->schema->name;
    DuckFunction  function = duck->create_table_function();
    duck->table_function_set_name(function, name);
    duck->table_function_set_extra_info(function, registered, NULL);
    parameters_register(duck, function, registered->schema);
    duck->table_function_set_bind(function, bind_table);
    duck->table_function_set_init(function, init_table);
    duck->table_function_set_function(function, table_rows);
    duck->table_function_supports_projection_pushdown(function, true);
    DuckState state = duck->register_table_function(connection, function);
    duck->destroy_table_function(&function);
    if (state != DUCK_OK)
        return err_set(err, ERR_UNKNOWN, "DuckDB does not accept the table function %s", name);

    char       view[128];
    DuckResult result;
    (void)snprintf(view, sizeof view, "CREATE VIEW \"%s\" AS SELECT * FROM \"%s\"()", name, name);
    state = duck->query(connection, view, &result);
    if (state != DUCK_OK) (void)err_set(err, ERR_UNKNOWN, "%.150s", duck->result_error(&result));
    duck->destroy_result(&result);
    return state == DUCK_OK;
}

SqlTables *tables_create(const DuckDb *duck, DuckConnection connection, const SchemaTrace *traces,
                         size_t count, Arena *arena, Err *err)
{
    size_t table_count = 0;
    while (schema_table(table_count) != NULL)
        table_count++;
    SqlTables   *tables = ARENA_NEW(arena, SqlTables);
    SchemaTrace *copies = ARENA_ARRAY(arena, SchemaTrace, count);
    FillTrace   *fills = ARENA_ARRAY(arena, FillTrace, count);
    Registered  *registered = ARENA_ARRAY(arena, Registered, table_count);
    Lock        *lock = lock_create(arena);
    if (tables == NULL || copies == NULL || fills == NULL || registered == NULL || lock == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the tables");
        lock_destroy(lock);
        return NULL;
    }
    *tables = (SqlTables){ duck, copies, fills, count, registered, lock };
    for (size_t i = 0; i < count; i++) {
        copies[i] = traces[i];
        fills[i] =
            (FillTrace){ .duck = duck, .trace = traces[i].trace, .name = traces[i].name, .lock = lock };
    }
    for (size_t i = 0; i < table_count; i++) {
        registered[i] = (Registered){ tables, schema_table(i) };
        if (!register_table(tables, connection, &registered[i], err)) {
            tables_release(tables);
            return NULL;
        }
    }
    return tables;
}

void tables_release(SqlTables *tables)
{
    if (tables == NULL) return;
    for (size_t i = 0; i < tables->trace_count; i++)
        fill_trace_release(&tables->fills[i]);
    lock_destroy(tables->lock);
}
