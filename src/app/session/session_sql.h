/* app/session/session_sql.h - the part of a session that runs SQL statements. For app/session only. */
#ifndef APP_SESSION_SESSION_SQL_H
#define APP_SESSION_SESSION_SQL_H
#include "app/session/session.h"

typedef struct SessionSql SessionSql;

/* Sets session->sql. False: out of memory. */
bool session_sql_create(Session *session) WARN_UNUSED;
/* Cancels the statements and waits for their end. Call before the traces are released. NULL is allowed. */
void session_sql_destroy(SessionSql *sql);

#endif
