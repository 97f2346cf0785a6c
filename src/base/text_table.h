/* base/text_table.h - cells of tables for people. */
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H
#include "base/string_view.h"

/* Returns the width of a text in columns: one for each character. */
int table_columns_of(const char *text);
/* Appends a text right-aligned to a width in columns; a longer text makes the column wider. */
void table_put_right(Bytes *out, const char *text, int width);
/* Appends a number with groups of digits, right-aligned. */
void table_put_count(Bytes *out, uint64_t count, int width);

#endif
