/* app/cli/report.h - the summary of a trace as text. */
#ifndef APP_CLI_REPORT_H
#define APP_CLI_REPORT_H
#include "format/load.h"

typedef enum { REPORT_PLAIN, REPORT_COLORED } ReportStyle;

/* The text of `varve info`. */
void report_info(const Loaded *loaded, ReportStyle style, Bytes *out);
/* The text of `varve check`: every kind of anomaly, its count, and the first of each. */
void report_check(const Loaded *loaded, Bytes *out);

#endif
