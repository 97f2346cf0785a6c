/* A loadable extension of SQLite: the tables of a trace as virtual tables.
 *
 *     .load varve
 *     CREATE VIRTUAL TABLE temp.s USING varve('trace.json.gz', 'slice');
 *     SELECT name, count(*) FROM s WHERE begin_ns >= 1000000 AND track_id = 3 GROUP BY name;
 *
 * The tables and columns are those of varve_table_name and varve_table_column; nothing is listed here again. The source of
 * the interface is https://sqlite.org/vtab.html.
 *
 * CONSTRAINTS on the begin, the track and the name become the VarvePart of the scan. It contains all rows that meet them and
 * may contain others: SQLite checks each row itself. An upper bound of the time also clips the columns that measure
 * the part of a slice in the range, so it is not passed on where a statement reads one of these.
 *
 * ROWIDS. SQLite removes duplicates of a row by its rowid where it scans a table once for each side of an OR. A row therefore
 * has the same rowid in every scan: the column `id`, or, in tables without one, a hash of its values.
 *
 * MEMORY. The tables of a connection that name the same file share a trace, which is loaded by the first and released by the
 * last. */
#include <sqlite3ext.h>
#include <varve/varve.h>

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT1

/* -- shared traces -- */

typedef struct SharedTrace SharedTrace;
struct SharedTrace {
    SharedTrace *next;
    char        *path; /* owned */
    VarveTrace  *trace;
    unsigned     table_count;
};

/* Of a connection: the client data of the module. SQLite serialises all calls of a connection. */
typedef struct Module {
    SharedTrace *first;
} Module;

static int fail(char **message, const VarveError *error)
{
    if (error->code == VARVE_ERROR_MEMORY) return SQLITE_NOMEM;
    sqlite3_free(*message);
    *message = error->byte_offset == VARVE_NOWHERE ? sqlite3_mprintf("varve: %s", error->message)
                                                   : sqlite3_mprintf("varve: %s (byte %llu)", error->message,
                                                                     (unsigned long long)error->byte_offset);
    return SQLITE_ERROR;
}

static void shared_release(Module *module, SharedTrace *shared)
{
    if (--shared->table_count > 0) return;
    for (SharedTrace **at = &module->first; *at != NULL; at = &(*at)->next) {
        if (*at != shared) continue;
        *at = shared->next;
        break;
    }
    varve_close(shared->trace);
    sqlite3_free(shared->path);
    sqlite3_free(shared);
}

/* Returns the trace at `path`, loaded unless another table has it; NULL with *status and *message. */
static SharedTrace *shared_open(Module *module, const char *path, char **message, int *status)
{
    VarveError error;
    for (SharedTrace *shared = module->first; shared != NULL; shared = shared->next) {
        if (strcmp(shared->path, path) != 0) continue;
        shared->table_count++;
        return shared;
    }
    SharedTrace *shared = sqlite3_malloc(sizeof *shared);
    *status = SQLITE_NOMEM;
    if (shared == NULL) return NULL;
    *shared = (SharedTrace){ .path = sqlite3_mprintf("%s", path), .table_count = 1 };
    if (shared->path != NULL) {
        shared->trace = varve_open(path, NULL, &error);
        if (shared->trace == NULL) *status = fail(message, &error);
    }
    if (shared->trace == NULL) {
        shared_release(module, shared);
        return NULL;
    }
    shared->next = module->first;
    module->first = shared;
    return shared;
}

/* -- tables -- */

enum { NO_COLUMN = -1 };

typedef struct Table {
    sqlite3_vtab base; /* first, as SQLite needs it */
    Module      *module;
    SharedTrace *shared;
    const char  *name; /* of the table in the schema, static */
    VarveSummary summary;
    int          column_count;
    /* indices, or NO_COLUMN */
    int           id, begin_ns, begin_tick, track, label;
    sqlite3_int64 clipped; /* bit i: column i depends on the range of the scan */
} Table;

/* The letters of a plan: one for each constraint, in the order of the arguments of table_filter. */
enum {
    LETTER_NS_EQUAL = 'e',
    LETTER_NS_LOWER = 'l',
    LETTER_NS_UPPER = 'u',
    LETTER_TICK_EQUAL = 'E',
    LETTER_TICK_LOWER = 'L',
    LETTER_TICK_UPPER = 'U',
    LETTER_TRACK = 't',
    LETTER_NAME = 'n'
};

static int is_one_of(const char *name, const char *first, const char *second)
{
    return strcmp(name, first) == 0 || strcmp(name, second) == 0;
}

static void note_column(Table *table, const char *name, int index)
{
    if (strcmp(name, "id") == 0) table->id = index;
    if (strcmp(name, "name") == 0) table->label = index;
    if (is_one_of(name, "begin_ns", "time_ns")) table->begin_ns = index;
    if (is_one_of(name, "begin_tick", "time_tick")) table->begin_tick = index;
    if (strcmp(name, "track_id") == 0) table->track = index;
    const int is_clipped = strncmp(name, "clipped_", 8) == 0 || strncmp(name, "self_", 5) == 0;
    if (is_clipped && index < 63) table->clipped |= (sqlite3_int64)1 << index;
}

/* Returns CREATE TABLE with the columns of the table, to be freed; NULL when out of memory. */
static char *describe(Table *table)
{
    static const char *const TYPES[] = {
        [VARVE_BOOL] = "BOOLEAN", [VARVE_INTEGER] = "INTEGER", [VARVE_REAL] = "REAL", [VARVE_TEXT] = "TEXT"
    };
    VarveColumnInfo column;
    sqlite3_str    *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "CREATE TABLE x(");
    for (uint32_t i = 0; varve_table_column(table->name, i, &column); i++) {
        sqlite3_str_appendf(sql, "%s\"%w\" %s", i == 0 ? "" : ", ", column.name, TYPES[column.type]);
        note_column(table, column.name, (int)i);
        table->column_count = (int)i + 1;
    }
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

/* Returns an argument of the module without its quotes and the blanks around it, to be freed. */
static char *unquote(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')
        text++;
    const char quote = *text;
    if (quote != '\'' && quote != '"') return sqlite3_mprintf("%s", text);
    sqlite3_str *out = sqlite3_str_new(NULL);
    for (text++; *text != '\0'; text++) {
        if (*text == quote && *++text != quote) break;
        sqlite3_str_append(out, text, 1);
    }
    char *made = sqlite3_str_finish(out);
    return made != NULL ? made : sqlite3_mprintf("");
}

static const char *find_table(const char *name)
{
    for (uint32_t i = 0; varve_table_name(i) != NULL; i++)
        if (strcmp(varve_table_name(i), name) == 0) return varve_table_name(i);
    return NULL;
}

static int connect_table(sqlite3 *db, Table *table, const char *path, char **message)
{
    int status = SQLITE_OK;
    /* A query must not read from the network. */
    const bool is_address = strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
    if (*path == '\0' || is_address || strcmp(path, "-") == 0) {
        *message = sqlite3_mprintf("varve: expected the path of a file");
        return SQLITE_ERROR;
    }
    table->shared = shared_open(table->module, path, message, &status);
    if (table->shared == NULL) return status;
    varve_summary(table->shared->trace, &table->summary);
    char *sql = describe(table);
    status = sql == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, sql);
    sqlite3_free(sql);
    /* A view or trigger of a foreign database must not read files. */
    if (status == SQLITE_OK) status = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    return status;
}

static int table_disconnect(sqlite3_vtab *base)
{
    Table *table = (Table *)base;
    if (table->shared != NULL) shared_release(table->module, table->shared);
    sqlite3_free(table);
    return SQLITE_OK;
}

static int table_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **out, char **message)
{
    enum { FIRST = 3 }; /* behind the names of the module, the database and the table */
    if (count != FIRST + 2) {
        *message = sqlite3_mprintf("varve: expected USING varve('FILE', 'TABLE')");
        return SQLITE_ERROR;
    }
    Table *table = sqlite3_malloc(sizeof *table);
    char  *path = unquote(arguments[FIRST]), *name = unquote(arguments[FIRST + 1]);
    int    status = SQLITE_NOMEM;
    if (table != NULL && path != NULL && name != NULL) {
        *table = (Table){ .module = context,
                          .name = find_table(name),
                          .id = NO_COLUMN,
                          .begin_ns = NO_COLUMN,
                          .begin_tick = NO_COLUMN,
                          .track = NO_COLUMN,
                          .label = NO_COLUMN };
        if (table->name != NULL) {
            status = connect_table(db, table, path, message);
        } else {
            *message = sqlite3_mprintf("varve: there is no table '%s'", name);
            status = SQLITE_ERROR;
        }
        if (status != SQLITE_OK) (void)table_disconnect(&table->base);
    } else {
        sqlite3_free(table);
    }
    if (status == SQLITE_OK) *out = &table->base;
    sqlite3_free(path);
    sqlite3_free(name);
    return status;
}

/* -- plans -- */

/* Returns the letter of a constraint that a scan can use; 0 = none. */
static char letter_of(const Table *table, sqlite3_index_info *plan, int index)
{
    const struct sqlite3_index_constraint *c = &plan->aConstraint[index];
    const int                              is_equal = c->op == SQLITE_INDEX_CONSTRAINT_EQ;
    const int is_lower = c->op == SQLITE_INDEX_CONSTRAINT_GE || c->op == SQLITE_INDEX_CONSTRAINT_GT;
    const int is_upper = c->op == SQLITE_INDEX_CONSTRAINT_LE || c->op == SQLITE_INDEX_CONSTRAINT_LT;
    const int is_ns = c->iColumn == table->begin_ns;
    const int is_clipping = ((sqlite3_int64)plan->colUsed & table->clipped) != 0;
    if (!c->usable || c->iColumn < 0) return 0;
    if (is_equal && c->iColumn == table->track) return LETTER_TRACK;
    if (is_equal && c->iColumn == table->label)
        return strcmp(sqlite3_vtab_collation(plan, index), "BINARY") == 0 ? LETTER_NAME : 0;
    if (!is_ns && c->iColumn != table->begin_tick) return 0;
    if (is_equal && is_clipping) return is_ns ? LETTER_NS_LOWER : LETTER_TICK_LOWER;
    if (is_equal) return is_ns ? LETTER_NS_EQUAL : LETTER_TICK_EQUAL;
    if (is_lower) return is_ns ? LETTER_NS_LOWER : LETTER_TICK_LOWER;
    if (is_upper && !is_clipping) return is_ns ? LETTER_NS_UPPER : LETTER_TICK_UPPER;
    return 0;
}

static double row_count(const Table *table)
{
    const VarveSummary *s = &table->summary;
    const struct {
        const char *table;
        uint64_t    count;
    } counts[] = { { "slice", s->slice_count + s->async_slice_count },
                   { "call", s->slice_count },
                   { "state", s->slice_count },
                   { "instant", s->instant_count },
                   { "counter", s->counter_sample_count },
                   { "sample", s->stack_sample_count },
                   { "flow", s->flow_count },
                   { "object", s->object_count },
                   { "arg", 2 * (s->slice_count + s->instant_count) },
                   { "track", s->track_count },
                   { "thread", s->thread_count },
                   { "process", s->process_count } };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (strcmp(counts[i].table, table->name) == 0) return (double)counts[i].count + 1;
    return 100;
}

/* Returns the share of the rows that meet a constraint, as far as the plan's values tell. */
static double share_of(const Table *table, sqlite3_index_info *plan, int index, char letter)
{
    static const double SOME = 0.25, FEW = 0.01;
    const double        span = (double)table->summary.duration_ns;
    sqlite3_value      *value = NULL;
    if (letter == LETTER_TRACK) return 1 / ((double)table->summary.track_count + 1);
    if (letter == LETTER_NAME || letter == LETTER_NS_EQUAL || letter == LETTER_TICK_EQUAL) return FEW;
    if (letter != LETTER_NS_LOWER && letter != LETTER_NS_UPPER) return SOME;
    if (span <= 0 || sqlite3_libversion_number() < 3038000 ||
        sqlite3_vtab_rhs_value(plan, index, &value) != SQLITE_OK)
        return SOME;
    const double before = sqlite3_value_double(value) / span;
    const double share = letter == LETTER_NS_LOWER ? 1 - before : before;
    return share < FEW ? FEW : share > 1 ? 1 : share;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *plan)
{
    static const double ARGUMENT_COST = 50; /* it is read from the input again */
    const Table        *table = (const Table *)base;
    double              rows = row_count(table);
    int                 used = 0;
    char               *letters = sqlite3_malloc(plan->nConstraint + 1);
    if (letters == NULL) return SQLITE_NOMEM;
    for (int i = 0; i < plan->nConstraint; i++) {
        const char letter = letter_of(table, plan, i);
        if (letter == 0) continue;
        rows *= share_of(table, plan, i, letter);
        letters[used++] = letter;
        plan->aConstraintUsage[i].argvIndex = used;
    }
    letters[used] = '\0';
    plan->idxStr = letters;
    plan->needToFreeIdxStr = 1;
    plan->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
    plan->estimatedCost = (rows + 10) * (strcmp(table->name, "arg") == 0 ? ARGUMENT_COST : 1);
    return SQLITE_OK;
}

/* -- the part of a scan -- */

/* Bounds of the begin, both included, in ns or ticks from the begin of the trace. */
typedef struct Bounds {
    sqlite3_int64 least, most;
    int           is_used;
} Bounds;

typedef struct Scope {
    Bounds        ns, ticks;
    const char   *name; /* borrowed; NULL = all */
    sqlite3_int64 track;
    int           has_track;
} Scope;

/* Reads a number. Returns 0 for a value of another type, with which SQLite compares by rules of its own. */
static int read_number(sqlite3_value *value, sqlite3_int64 *number)
{
    static const double MOST = 9e18;
    const int           type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER) *number = sqlite3_value_int64(value);
    if (type != SQLITE_FLOAT) return type == SQLITE_INTEGER;
    const double real = sqlite3_value_double(value);
    *number = real >= MOST ? INT64_MAX : real <= -MOST ? INT64_MIN : (sqlite3_int64)real;
    return 1;
}

static sqlite3_int64 difference(sqlite3_int64 a, sqlite3_int64 b)
{
    if (b > 0 && a < INT64_MIN + b) return INT64_MIN;
    if (b < 0 && a > INT64_MAX + b) return INT64_MAX;
    return a - b;
}

static void bound(Bounds *bounds, char letter, sqlite3_int64 number)
{
    const int is_lower = letter == LETTER_NS_LOWER || letter == LETTER_TICK_LOWER;
    const int is_upper = letter == LETTER_NS_UPPER || letter == LETTER_TICK_UPPER;
    bounds->is_used = 1;
    if (!is_upper && number > bounds->least) bounds->least = number;
    if (!is_lower && number < bounds->most) bounds->most = number;
}

static void read_constraint(const Table *table, Scope *scope, char letter, sqlite3_value *value)
{
    sqlite3_int64 number;
    if (letter == LETTER_NAME) {
        const char *text = (const char *)sqlite3_value_text(value);
        if (sqlite3_value_type(value) == SQLITE_TEXT && text != NULL &&
            strlen(text) == (size_t)sqlite3_value_bytes(value))
            scope->name = text;
        return;
    }
    if (!read_number(value, &number)) return;
    switch (letter) {
    case LETTER_TRACK:
        scope->has_track = 1;
        scope->track = number;
        break;
    case LETTER_NS_EQUAL:
    case LETTER_NS_LOWER:
    case LETTER_NS_UPPER:
        bound(&scope->ns, letter, number);
        break;
    default:
        bound(&scope->ticks, letter, difference(number, table->summary.begin_tick));
    }
}

/* Writes the bounds as a range, wider by `margin` on both sides. Returns 0 if no row can be within. */
static int write_range(const Bounds *bounds, sqlite3_int64 margin, uint64_t span, const char *unit, char *out,
                       int size)
{
    const sqlite3_int64 most = span > INT64_MAX / 4 ? INT64_MAX / 4 : (sqlite3_int64)span;
    const sqlite3_int64 wide = margin > most ? most + 2 : margin;
    if (bounds->least > bounds->most || bounds->most < 0 || (span <= INT64_MAX / 4 && bounds->least > most))
        return 0;
    const sqlite3_int64 least = bounds->least > most ? most : bounds->least;
    sqlite3_int64       begin = least < wide ? 0 : least - wide;
    if (bounds->most < most)
        sqlite3_snprintf(size, out, "%lld%s..%lld%s", begin, unit, bounds->most + wide, unit);
    else
        sqlite3_snprintf(size, out, "%lld%s..", begin, unit);
    return 1;
}

/* Sets *part to the part of the trace with all rows within the scope. Returns 0 if no row can be within. */
static int find_part(const Table *table, const Scope *scope, VarvePart *part, char *range, int size)
{
    const VarveSummary *s = &table->summary;
    const uint64_t      ticks = (uint64_t)s->end_tick - (uint64_t)s->begin_tick;
    /* times are rounded, and a tick may be longer than a nanosecond */
    const uint64_t tick_ns = s->tick_ns_numerator / s->tick_ns_denominator + 1;
    *part = (VarvePart){ .name = scope->name };
    if (scope->has_track && (scope->track <= 0 || scope->track > (sqlite3_int64)s->track_count)) return 0;
    if (scope->has_track) part->track_id = (uint32_t)scope->track;
    if (scope->ns.is_used && s->has_time) {
        part->range = range;
        return write_range(&scope->ns,
                           tick_ns > INT64_MAX / 8 ? INT64_MAX / 4 : (sqlite3_int64)(2 * tick_ns + 2),
                           s->duration_ns, "ns", range, size);
    }
    if (!scope->ticks.is_used) return 1;
    part->range = range;
    return write_range(&scope->ticks, 2, ticks, "", range, size);
}

/* -- cursors -- */

typedef struct Cursor {
    sqlite3_vtab_cursor base; /* first, as SQLite needs it */
    VarveRows          *rows; /* NULL = no rows */
    VarveBatch          batch;
    uint32_t            row;       /* of the batch; the end if it has no rows */
    uint64_t            last_hash; /* of a row without an id */
    uint64_t            number;    /* of the row in the scan, from 1 */
    uint64_t            rowid;
    uint64_t            rowid_number; /* of the row that `rowid` is for */
} Cursor;

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    Cursor *cursor = sqlite3_malloc(sizeof *cursor);
    (void)base;
    if (cursor == NULL) return SQLITE_NOMEM;
    *cursor = (Cursor){ .rows = NULL };
    *out = &cursor->base;
    return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    Cursor *cursor = (Cursor *)base;
    varve_rows_close(cursor->rows);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_value(Cursor *cursor, uint32_t index, uint64_t hash)
{
    const VarveColumn *column = &cursor->batch.columns[index];
    uint64_t           bits = 0;
    if (varve_is_null(column, cursor->row)) return mix(hash, UINT64_MAX);
    switch (column->type) {
    case VARVE_BOOL:
        return mix(hash, column->values.bools[cursor->row]);
    case VARVE_INTEGER:
        return mix(hash, (uint64_t)column->values.integers[cursor->row]);
    case VARVE_REAL:
        memcpy(&bits, &column->values.reals[cursor->row], sizeof bits);
        return mix(hash, bits);
    case VARVE_TEXT: {
        const VarveText text = varve_rows_text(cursor->rows, index, column->values.texts[cursor->row]);
        for (size_t i = 0; i < text.size_bytes; i++)
            bits = bits * 31 + (unsigned char)text.bytes[i];
        return mix(mix(hash, bits), text.size_bytes);
    }
    }
    return hash;
}

/* Computes the rowid of the row. SQLite calls this for rows in their order, for all of them that are equal or for none. Equal rows that follow each other have different ones. */
static void find_rowid(Cursor *cursor)
{
    const Table *table = (const Table *)cursor->base.pVtab;
    cursor->rowid_number = cursor->number;
    if (table->id != NO_COLUMN) {
        cursor->rowid = (uint64_t)cursor->batch.columns[table->id].values.integers[cursor->row];
        return;
    }
    uint64_t hash = 1;
    for (uint32_t i = 1; i < cursor->batch.column_count; i++) /* 0 is the name of the trace */
        if (i >= 63 || (table->clipped >> i & 1) == 0) hash = hash_value(cursor, i, hash);
    cursor->rowid = hash == cursor->last_hash ? mix(cursor->rowid, 1) : hash;
    cursor->last_hash = hash;
}

/* Reads the next batch once the row is behind the end of this one. */
static int settle(Cursor *cursor)
{
    VarveError error;
    if (cursor->row >= cursor->batch.row_count) {
        cursor->row = 0;
        if (!varve_rows_next(cursor->rows, &cursor->batch, &error)) {
            cursor->batch.row_count = 0;
            return fail(&cursor->base.pVtab->zErrMsg, &error);
        }
    }
    return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int number, const char *letters, int count,
                         sqlite3_value **values)
{
    Cursor      *cursor = (Cursor *)base;
    Table       *table = (Table *)base->pVtab;
    VarveError   error;
    VarvePart    part;
    char         range[64];
    const Bounds all = { .least = INT64_MIN, .most = INT64_MAX };
    Scope        scope = { .ns = all, .ticks = all };
    (void)number;
    varve_rows_close(cursor->rows);
    *cursor = (Cursor){ .base = cursor->base, .number = 1 };
    for (int i = 0; i < count; i++) {
        if (sqlite3_value_type(values[i]) == SQLITE_NULL) return SQLITE_OK; /* no value compares with NULL */
        read_constraint(table, &scope, letters[i], values[i]);
    }
    if (!find_part(table, &scope, &part, range, sizeof range)) return SQLITE_OK;
    cursor->rows = varve_rows_open(table->shared->trace, table->name, &part, &error);
    return cursor->rows == NULL ? fail(&base->pVtab->zErrMsg, &error) : settle(cursor);
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    Cursor *cursor = (Cursor *)base;
    cursor->row++;
    cursor->number++;
    return settle(cursor);
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    return ((const Cursor *)base)->batch.row_count == 0;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    Cursor *cursor = (Cursor *)base;
    if (cursor->rowid_number != cursor->number) find_rowid(cursor);
    *rowid = (sqlite3_int64)cursor->rowid;
    return SQLITE_OK;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    Cursor            *cursor = (Cursor *)base;
    const VarveColumn *column = &cursor->batch.columns[index];
    if (varve_is_null(column, cursor->row)) return SQLITE_OK; /* the result is NULL */
    switch (column->type) {
    case VARVE_BOOL:
        sqlite3_result_int(context, column->values.bools[cursor->row]);
        break;
    case VARVE_INTEGER:
        sqlite3_result_int64(context, column->values.integers[cursor->row]);
        break;
    case VARVE_REAL:
        sqlite3_result_double(context, column->values.reals[cursor->row]);
        break;
    case VARVE_TEXT: {
        const VarveText text =
            varve_rows_text(cursor->rows, (uint32_t)index, column->values.texts[cursor->row]);
        sqlite3_result_text64(context, text.bytes, text.size_bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    }
    }
    return SQLITE_OK;
}

/* -- the module -- */

static const sqlite3_module MODULE = { .xCreate = table_connect,
                                       .xConnect = table_connect,
                                       .xBestIndex = table_best_index,
                                       .xDisconnect = table_disconnect,
                                       .xDestroy = table_disconnect,
                                       .xOpen = table_open,
                                       .xClose = cursor_close,
                                       .xFilter = cursor_filter,
                                       .xNext = cursor_next,
                                       .xEof = cursor_eof,
                                       .xColumn = cursor_column,
                                       .xRowid = cursor_rowid };

__attribute__((visibility("default"))) int sqlite3_varve_init(sqlite3 *db, char **message,
                                                              const sqlite3_api_routines *api);

int sqlite3_varve_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api);
    (void)message;
    Module *module = sqlite3_malloc(sizeof *module);
    if (module == NULL) return SQLITE_NOMEM;
    *module = (Module){ .first = NULL };
    return sqlite3_create_module_v2(db, "varve", &MODULE, module, sqlite3_free);
}
