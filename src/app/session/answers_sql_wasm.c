/* The answers about SQL of the engine in the browser, which has no DuckDB. */
#include "app/session/session_internal.h"
#include "schema/schema.h"

static const char MISSING[] = "SQL runs in the native engine: open the file with `varve open`, or ask it with `varve query`.";

bool session_sql_create(Session *session)
{
    (void)session;
    return true;
}

void session_sql_destroy(SessionSql *sql)
{
    (void)sql;
}

void answer_sql(Asked *asked)
{
    (void)answer_fail(asked->answer, SESSION_NOT_FOUND, "%s", MISSING);
}

void answer_sql_result(Asked *asked)
{
    answer_sql(asked);
}

void answer_sql_cancel(Asked *asked)
{
    answer_sql(asked);
}

void answer_sql_schema(Asked *asked)
{
    JsonWriter w = json_writer_to(&asked->answer->body, 0);
    json_object_begin(&w);
    json_put_string(&w, "missing", MISSING);
    json_key(&w, "tables");
    schema_write_json(&w);
    json_object_end(&w);
}
