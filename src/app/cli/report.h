/* app/cli/report.h - the summary of a trace as text. */
#ifndef APP_CLI_REPORT_H
#define APP_CLI_REPORT_H
#include "format/load.h"

typedef enum { REPORT_PLAIN, REPORT_COLORED } ReportStyle;

/* Appends the text of `varve info`. */
void report_info(const Loaded *loaded, ReportStyle style, Bytes *out);
/* Appends the text of `varve check`: every kind of warning, its count, and its first occurrence. */
void report_check(const Loaded *loaded, Bytes *out);

#endif
