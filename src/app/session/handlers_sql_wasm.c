/* The requests about SQL for the engine in the browser, where DuckDB runs in the page and uses the request
 * "table". */
#include "app/session/handlers.h"
#include "app/session/session_sql.h"
#include "base/json_writer.h"
#include "schema/schema.h"

bool session_sql_create(Session *session)
{
    (void)session;
    return true;
}

void session_sql_destroy(SessionSql *sql)
{
    (void)sql;
}

void handle_sql(RequestContext *ctx)
{
    (void)answer_fail(ctx->answer, SESSION_NOT_FOUND, "the page runs SQL itself");
}

void handle_sql_result(RequestContext *ctx)
{
    handle_sql(ctx);
}

void handle_sql_cancel(RequestContext *ctx)
{
    handle_sql(ctx);
}

void handle_sql_schema(RequestContext *ctx)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_null(&w, "missing");
    json_key(&w, "tables");
    schema_write_json(&w);
    json_object_end(&w);
}
