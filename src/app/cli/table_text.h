/* app/cli/table_text.h - values in the tables that commands print for people. */
#ifndef APP_CLI_TABLE_TEXT_H
#define APP_CLI_TABLE_TEXT_H
#include "base/string_table.h"

/* Text of a trace on a terminal: control characters, which could do anything to it, become '?'. */
void table_put_plain(Bytes *out, const Bytes *text);
/* Number of columns that a text takes: one for each character. */
int table_columns_of(const char *text);
/* Right-aligned in so many columns, wider where it must be. */
void table_put_right(Bytes *out, const char *text, int width);

#endif
