/* app/cli/table_text.h - values in the readable tables of commands. */
#ifndef APP_CLI_TABLE_TEXT_H
#define APP_CLI_TABLE_TEXT_H
#include "base/string_table.h"

/* Appends text of a trace for a terminal: control characters become '?'. */
void table_put_plain(Bytes *out, StringView text);
/* Returns the width of a text in columns: one for each character. */
int table_columns_of(const char *text);
/* Appends a text right-aligned to a width in columns; a longer text makes the column wider. */
void table_put_right(Bytes *out, const char *text, int width);

#endif
