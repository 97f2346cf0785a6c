#include "format/trace_event/profile/firefox.h"

#include "format/trace_event/common/text.h"
#include "format/trace_event/profile/firefox_threads.h"
#include "format/trace_event/profile/json_profile.h"

#include <string.h>

typedef enum {
    PLACE_PROFILE,   /* in the outermost object, or that of another process inside it */
    PLACE_META,      /* in the object `meta` */
    PLACE_SHARED,    /* in the object `shared` */
    PLACE_THREADS,   /* in the list of threads */
    PLACE_THREAD,    /* in one of them */
    PLACE_COUNTERS,  /* in the list of counters */
    PLACE_COUNTER,   /* in one of them */
    PLACE_GROUPS,    /* in the list sampleGroups of a counter, of older files */
    PLACE_GROUP,     /* in one of them */
    PLACE_PROCESSES, /* in the list of the profiles of other processes */
    PLACE_TABLE,     /* in a table */
    PLACE_COLUMN,    /* in a list of cells */
    PLACE_ROWS       /* in a list of rows */
} Place;

enum { MOST_PLACES = 32, MOST_ROW_CELLS = 32 };

typedef struct KeptRow {
    JsonValue row; /* the text is in the arena */
    uint64_t  offset;
} KeptRow;

typedef struct Reader {
    JsonWalk       walk;
    Firefox        file;
    Place          places[MOST_PLACES]; /* from the outside inwards */
    unsigned       depth;               /* number of places */
    FirefoxTables *tables;              /* of the current table or list */
    FirefoxTable   table;
    FirefoxUse     use;                  /* of PLACE_COLUMN */
    FirefoxUse     rows[MOST_ROW_CELLS]; /* the schema of the current table */
    bool           has_schema;
    ARENA_LIST(KeptRow) kept; /* rows before their schema */
} Reader;

/* ---- probe ---- */

/* Returns the confidence in a member of the outermost object, whose value is at `at`; -1: the file has another format. */
static int probe_member(const JsonValue *key, const uint8_t *at, const uint8_t *end)
{
    const size_t size = (size_t)(end - at);
    if (json_is(key, JSON_STRING, "traceEvents")) return -1;
    if (json_is(key, JSON_STRING, "meta") && *at == '{') {
        if (head_holds(at, size, "\"preprocessedProfileVersion\"")) return 96;
        const bool is_gecko =
            head_holds(at, size, "\"interval\"") && head_holds(at, size, "\"startTime\"") &&
            (head_holds(at, size, "\"stackwalk\"") || head_holds(at, size, "\"processType\""));
        return is_gecko ? 92 : 0;
    }
    if ((json_is(key, JSON_STRING, "threads") && *at == '[') ||
        (json_is(key, JSON_STRING, "shared") && *at == '{'))
        return head_holds(at, size, "\"stackTable\"") || head_holds(at, size, "\"frameTable\"") ||
                       head_holds(at, size, "\"stringArray\"")
                   ? 90
                   : 0;
    return 0;
}

/* ---- places ---- */

static Place place_of(const Reader *reader)
{
    return reader->places[reader->depth - 1];
}

static WalkPlace kind_of_place(Place place)
{
    switch (place) {
    case PLACE_THREADS:
    case PLACE_COUNTERS:
    case PLACE_GROUPS:
    case PLACE_PROCESSES:
    case PLACE_COLUMN:
    case PLACE_ROWS:
        return WALK_LIST;
    default:
        return WALK_OBJECT;
    }
}

/* Enters a place. WALK_START: there are too many around it. */
static WalkPlace go_in(Reader *reader, Place place)
{
    if (reader->depth == MOST_PLACES) return WALK_START;
    reader->places[reader->depth++] = place;
    return kind_of_place(place);
}

static FirefoxProfile *profile_of(Reader *reader)
{
    return reader->file.profiles.items[reader->file.profile];
}

static WalkPlace leave(JsonWalk *walk)
{
    Reader  *reader = (Reader *)walk;
    Firefox *file = &reader->file;
    switch (reader->places[--reader->depth]) {
    case PLACE_PROFILE:
        firefox_end_profile(file);
        break;
    case PLACE_META:
        profile_of(reader)->knows_meta = true;
        break;
    case PLACE_SHARED:
        profile_of(reader)->knows_shared = true;
        break;
    case PLACE_THREAD:
    case PLACE_COUNTER:
        firefox_end_owner(file);
        break;
    case PLACE_COLUMN:
        if (reader->use.column == LIBS && reader->tables == &profile_of(reader)->tables)
            profile_of(reader)->knows_libs = true;
        break;
    default:
        break;
    }
    return reader->depth == 0 ? WALK_END : kind_of_place(place_of(reader));
}

/* ---- objects ---- */

static WalkPlace enter_profile_member(Reader *reader, const JsonValue *key, const uint8_t *bracket)
{
    static const struct {
        const char *key;
        uint8_t     bracket;
        Place       place;
    } MEMBERS[] = { { "meta", '{', PLACE_META },
                    { "shared", '{', PLACE_SHARED },
                    { "threads", '[', PLACE_THREADS },
                    { "counters", '[', PLACE_COUNTERS },
                    { "processes", '[', PLACE_PROCESSES } };
    for (size_t i = 0; i < sizeof MEMBERS / sizeof MEMBERS[0]; i++)
        if (*bracket == MEMBERS[i].bracket && json_is(key, JSON_STRING, MEMBERS[i].key)) {
            reader->file.has_threads |= MEMBERS[i].place == PLACE_THREADS;
            return go_in(reader, MEMBERS[i].place);
        }
    return WALK_START;
}

/* Enters a table, or a list that is not in a table. */
static WalkPlace enter_table(Reader *reader, FirefoxTables *tables, const JsonValue *key,
                             const uint8_t *bracket)
{
    const FirefoxTable table = firefox_table_of(key);
    reader->tables = tables;
    reader->table = table;
    if (*bracket == '{') {
        memset(reader->rows, 0, sizeof reader->rows);
        reader->has_schema = false;
        reader->kept.count = 0;
        return table == TABLE_NONE ? WALK_START : go_in(reader, PLACE_TABLE);
    }
    reader->use = firefox_use_of(TABLE_LISTS, key);
    return reader->use.column == COLUMN_NONE ? WALK_START : go_in(reader, PLACE_COLUMN);
}

static WalkPlace enter_column(Reader *reader, const JsonValue *key, const uint8_t *bracket)
{
    if (*bracket == '{') return WALK_START;
    if (json_is(key, JSON_STRING, "data")) return go_in(reader, PLACE_ROWS);
    reader->use = firefox_use_of(reader->table, key);
    return go_in(reader, PLACE_COLUMN);
}

static bool is_groups(const JsonValue *key)
{
    return json_is(key, JSON_STRING, "sampleGroups") || json_is(key, JSON_STRING, "sample_groups");
}

static WalkPlace enter(JsonWalk *walk, const JsonValue *key, const uint8_t *bracket)
{
    Reader        *reader = (Reader *)walk;
    const unsigned depth = reader->depth;
    FirefoxTables *shared = &profile_of(reader)->tables, *own = &reader->file.now.tables;
    WalkPlace      inside;
    switch (place_of(reader)) {
    case PLACE_PROFILE:
        inside = enter_profile_member(reader, key, bracket);
        return reader->depth > depth || *bracket == '{' ? inside : enter_table(reader, shared, key, bracket);
    case PLACE_SHARED:
        return enter_table(reader, shared, key, bracket);
    case PLACE_COUNTER:
        if (is_groups(key)) return go_in(reader, *bracket == '[' ? PLACE_GROUPS : PLACE_GROUP);
        return enter_table(reader, own, key, bracket);
    case PLACE_THREAD:
    case PLACE_GROUP:
        return enter_table(reader, own, key, bracket);
    case PLACE_TABLE:
        return enter_column(reader, key, bracket);
    default:
        return WALK_START;
    }
}

/* Appends a cell to every column of the schema. */
static void take_row(Reader *reader, const JsonValue *row, uint64_t offset)
{
    static const JsonValue NOTHING = { .at = NULL };
    JsonItems              items = json_items(row);
    JsonValue              key, value;
    size_t                 i = 0;
    for (; i < MOST_ROW_CELLS && json_items_next(&items, &key, &value); i++)
        if (reader->rows[i].column != COLUMN_NONE)
            firefox_push(&reader->file.cells, reader->tables, reader->rows[i], &value,
                         offset + (uint64_t)(value.at - row->at));
    for (; i < MOST_ROW_CELLS; i++)
        if (reader->rows[i].column != COLUMN_NONE)
            firefox_push(&reader->file.cells, reader->tables, reader->rows[i], &NOTHING, offset);
}

/* Takes the places of the columns in rows: {"stack":0,"time":1}. */
static void take_schema(Reader *reader, const JsonValue *schema)
{
    JsonItems items = json_items(schema);
    JsonValue key, place;
    while (schema->kind == JSON_OBJECT && json_items_next(&items, &key, &place)) {
        bool     negative;
        uint64_t number;
        if (place.kind == JSON_NUMBER &&
            number_integer(place.at, place.size, &negative, &number) <= NUMBER_ODD && !negative &&
            number < MOST_ROW_CELLS)
            reader->rows[number] = firefox_use_of(reader->table, &key);
    }
    reader->has_schema = true;
    for (size_t i = 0; i < reader->kept.count; i++)
        take_row(reader, &reader->kept.items[i].row, reader->kept.items[i].offset);
    reader->kept.count = 0;
}

static void keep_row(Reader *reader, const JsonValue *row, uint64_t offset)
{
    KeptRow *kept = ARENA_LIST_PUSH(&reader->kept, reader->file.cells.arena);
    char    *text = arena_push_copy(reader->file.cells.arena, row->at, row->size);
    if (kept == NULL || text == NULL) {
        reader->kept.count = 0;
        reader->file.cells.failed = true;
        return;
    }
    *kept = (KeptRow){ *row, offset };
    kept->row.at = (const uint8_t *)text;
}

static void take_member(JsonWalk *walk, const JsonValue *key, const JsonValue *value)
{
    Reader  *reader = (Reader *)walk;
    Firefox *file = &reader->file;
    switch (place_of(reader)) {
    case PLACE_PROFILE:
        if (file->profile == 0) file->cells.failed |= !profile_property(file->cells.builder, "", key, value);
        break;
    case PLACE_META:
        firefox_meta_member(file, key, value, json_walk_offset(walk, value->at));
        break;
    case PLACE_THREAD:
    case PLACE_COUNTER:
        firefox_owner_member(file, key, value);
        break;
    case PLACE_TABLE:
        if (json_is(key, JSON_STRING, "schema")) take_schema(reader, value);
        if (json_is(key, JSON_STRING, "weightType") && file->in_owner) firefox_owner_member(file, key, value);
        break;
    default:
        break;
    }
}

/* ---- lists ---- */

/* Takes an item of a list `data`: a row, or a cell of markers in columns. */
static void take_data(Reader *reader, const JsonValue *value, uint64_t offset)
{
    const FirefoxUse data = { MARKER_DATA, CELL_DATA };
    if (value->kind != JSON_ARRAY) {
        if (reader->table == TABLE_MARKERS)
            firefox_push(&reader->file.cells, reader->tables, data, value, offset);
    } else if (reader->has_schema) {
        take_row(reader, value, offset);
    } else {
        keep_row(reader, value, offset);
    }
}

static void take_item(JsonWalk *walk, const JsonValue *value, uint64_t offset)
{
    Reader *reader = (Reader *)walk;
    if (place_of(reader) == PLACE_ROWS)
        take_data(reader, value, offset);
    else if (place_of(reader) != PLACE_COLUMN)
        json_walk_warn(walk, "bad-profile", offset, "an item of a list is not an object: left out");
    else if (reader->use.column != COLUMN_NONE)
        firefox_push(&reader->file.cells, reader->tables, reader->use, value, offset);
}

/* Enters an item of a list of objects. */
static bool enter_item(JsonWalk *walk)
{
    Reader        *reader = (Reader *)walk;
    const uint64_t offset = json_walk_offset(walk, walk->at);
    Place          place = PLACE_THREAD;
    switch (place_of(reader)) {
    case PLACE_THREADS:
        break;
    case PLACE_COUNTERS:
        place = PLACE_COUNTER;
        break;
    case PLACE_GROUPS:
        place = PLACE_GROUP;
        break;
    case PLACE_PROCESSES:
        place = PLACE_PROFILE;
        break;
    default:
        return false;
    }
    const WalkPlace inside = go_in(reader, place);
    if (inside == WALK_START) return false;
    if (place == PLACE_PROFILE) firefox_begin_profile(&reader->file);
    if (place == PLACE_THREAD) firefox_begin_owner(&reader->file, OWNER_THREAD, offset);
    if (place == PLACE_COUNTER) firefox_begin_owner(&reader->file, OWNER_COUNTER, offset);
    walk->at++;
    walk->place = inside;
    return true;
}

/* Reads cells in the usual form "123," or "null,". */
static bool take_usual(JsonWalk *walk)
{
    enum { MOST_DIGITS = 15 };
    Reader *const        reader = (Reader *)walk;
    const uint8_t *const begin = walk->at;
    if (*walk->at == '{') return enter_item(walk);
    if (place_of(reader) != PLACE_COLUMN || reader->use.kind != CELL_NUMBER ||
        reader->use.column == COLUMN_NONE || reader->use.column == SAMPLE_STACK ||
        reader->use.column == MARKER_NAME)
        return false;
    while (!reader->file.cells.failed) {
        const uint8_t *at = walk->at;
        int64_t        value = 0;
        while (at < walk->end && *at >= '0' && *at <= '9' && at - walk->at <= MOST_DIGITS)
            value = value * 10 + (*at++ - '0');
        const ptrdiff_t digits = at - walk->at;
        if (digits == 0 && walk->end - at > 4 && memcmp(at, "null", 4) == 0) {
            value = -1;
            at += 4;
        } else if (digits == 0 || digits > MOST_DIGITS || (digits > 1 && *walk->at == '0')) {
            break;
        }
        if (at == walk->end || *at != ',') break;
        firefox_push_number(&reader->file.cells, reader->tables, reader->use.column, value);
        walk->at = at + 1;
    }
    return walk->at != begin;
}

/* ---- the file ---- */

static int firefox_probe(const uint8_t *head, size_t size)
{
    return json_profile_probe(head, size, probe_member);
}

static bool is_firefox(const JsonWalk *walk)
{
    return ((const Reader *)walk)->file.has_threads;
}

static void finish(JsonWalk *walk)
{
    firefox_finish(&((Reader *)walk)->file);
}

static const JsonWalkRules RULES = {
    .no_object = "not a Firefox profile: expected '{'",
    .no_format = "not a Firefox profile: expected \"threads\"",
    .truncated = "the input ends inside the profile",
    .after_end = "text after the end of the profile: not read",
    .enter = enter,
    .take_member = take_member,
    .take_usual = take_usual,
    .take_item = take_item,
    .leave = leave,
    .is_format = is_firefox,
    .finish = finish,
};

static void *firefox_reader_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL || !firefox_open(&reader->file, arena, builder)) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    (void)go_in(reader, PLACE_PROFILE);
    reader->walk = (JsonWalk){ .rules = &RULES,
                               .builder = builder,
                               .event_count = &reader->file.event_count,
                               .failed = &reader->file.cells.failed };
    return reader;
}

/* ---- details: the data of a marker, or the cell of a sample ---- */

static bool firefox_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                            EventDetails *details, Err *err)
{
    const EventBytes *event = begin->bytes == NULL ? end : begin;
    JsonValue         value;
    (void)trace;
    if (event->bytes == NULL) return true;
    if (!profile_value(event, &value, err)) return false;
    JsonWriter writer = json_writer_to(value.kind == JSON_OBJECT ? &details->args : &details->other, 0);
    if (value.kind == JSON_OBJECT) {
        text_write_json(&writer, &value);
    } else {
        json_object_begin(&writer);
        json_key(&writer, "cell");
        text_write_json(&writer, &value);
        json_object_end(&writer);
    }
    return (!details->args.failed && !details->other.failed) || err_set(err, ERR_MEMORY, "out of memory");
}

const FormatReader FIREFOX_READER = {
    .name = "firefox",
    .spec =
        "profiles of the Firefox Profiler, processed versions to 70, and of Firefox, Gecko versions 3 to 34",
    .about = "Profiles of profiler.firefox.com, samply and Firefox. Usual names: *.json, *.json.gz.",
    .probe = firefox_probe,
    .open = firefox_reader_open,
    .read = json_walk_read,
    .details = firefox_details,
};
