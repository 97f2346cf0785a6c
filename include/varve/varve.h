/* varve/varve.h - reads execution traces: Trace Event JSON, Spall, Heph, apitrace captures, Go execution traces, CPU profiles,
 * files of speedscope.
 *
 *     #include <varve/varve.h>
 *
 *     VarveError error;
 *     VarveTrace *trace = varve_open("trace.json.gz", NULL, &error);
 *     if (trace == NULL) return puts(error.message);
 *     VarveSummary summary;
 *     varve_summary(trace, &summary);
 *     printf("%" PRIu64 " slices in %" PRIu64 " ns\n", summary.slice_count, summary.duration_ns);
 *     varve_close(trace);
 *
 * Build with `cc program.c $(pkg-config --cflags --libs varve)`. The header is C99 and C++11. examples/c has a program for
 * each part of it.
 *
 * A TRACE is loaded as a whole and never changes (except a live one). It has processes and tracks; a track has slices, which
 * are nested; threads, counters, samples, instants and flows are as in the viewer. `varve query --schema` lists the tables
 * and columns, which varve_rows_open reads.
 *
 * HANDLES. A type without a definition here is a handle. varve_NAME_close (varve_close for a trace) releases it; NULL is
 * allowed. Handles of rows, matches, statistics and so on borrow their traces: close them first. An Arrow stream keeps its trace or
 * query until it is released, also after their close. All const pointers that a function returns belong to the handle, until its next
 * call that changes it, or its close.
 *
 * STRUCTS for input have defaults: zero all members (`= {0}`), then set the members that you need. Their members `reserved` must be
 * 0. Later versions give them a meaning, and never change the size of a struct within a major version.
 *
 * ERRORS are values. A function that can fail returns false or NULL and fills its VarveError, which may be NULL. It is
 * unchanged after a success. A damaged trace is not an error: it loads as far as possible, `is_complete` is false, and
 * varve_warning has the position of each kind of damage. Mistakes of the program are not checked: unless a comment allows it, a pointer is
 * not NULL, an enumerator is one of its type, and a handle is open.
 *
 * TIMES. A time in *_ns counts nanoseconds from the begin of the trace (summary.begin_tick). Where a trace has no
 * time (summary.has_time is false: captures), *_ns count calls or events instead. A *_tick is the time as the input
 * wrote it. A range has its begin and not its end.
 *
 * TEXTS from a trace are VarveText: bytes with a length, without a zero byte at the end. They are UTF-8, except where the input
 * is not. Texts that you pass are C strings and are copied, unless a comment says otherwise.
 *
 * MEMORY. A plain slice takes about 19 bytes, with its index. Arguments are not stored: they are read from the input again.
 *
 * THREADS. "Any thread" functions only read their handle: any number of threads may call them for one handle at a
 * time. All other functions need the handle for themselves. Different handles are independent, also of one trace, and are
 * opened in any thread. The library starts threads only if a `thread_count` is above 1, and joins them before the function
 * returns; DuckDB may keep its threads until varve_query_close. No result depends on calls with other handles: a process shares
 * only the libraries of DuckDB and libcurl, which are loaded once and remain, the names of temporary files of outputs, and
 * measurements of memory.
 *
 * PARTS. Each of the headers below has one topic and can be included alone.
 *
 * VERSIONS are semantic (semver.org): while the major version is 0, a new minor version may change functions. */
#ifndef VARVE_VARVE_H
#define VARVE_VARVE_H
#include <varve/base.h>    /* version, errors, texts, progress */
#include <varve/capture.h> /* apitrace captures as files */
#include <varve/diff.h>    /* comparison */
#include <varve/events.h>  /* arguments, search */
#include <varve/flame.h>   /* flame graphs */
#include <varve/go.h>      /* Go execution traces */
#include <varve/live.h>    /* input that is pushed */
#include <varve/output.h>  /* pictures, conversion */
#include <varve/query.h>   /* SQL */
#include <varve/rows.h>    /* the tables, in batches and as Arrow */
#include <varve/stats.h>   /* statistics */
#include <varve/trace.h>   /* opening, summaries, durations */
#endif
