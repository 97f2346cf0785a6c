/* export/report.h - the summary of a trace as text. */
#ifndef EXPORT_REPORT_H
#define EXPORT_REPORT_H
#include "format/load.h"

typedef enum { REPORT_PLAIN, REPORT_COLORED } ReportStyle;

/* Appends the text of `varve info`. */
void report_info(const Loaded *loaded, ReportStyle style, Bytes *out);
/* Appends the text of `varve check`: every kind of warning, its count, and its first occurrence. */
void report_check(const Loaded *loaded, Bytes *out);

#endif
