/* app/session/answer_json.h - the parts that answers share, as JSON: docs/PROTOCOL.md. For app/session only.
 *
 * write_* writes a value, put_* a member. */
#ifndef APP_SESSION_ANSWER_JSON_H
#define APP_SESSION_ANSWER_JSON_H
#include "app/session/context.h"
#include "base/json_writer.h"

/* No slice or instant: also FLOW_NO_SLICE, SLICE_NOWHERE and SNAPSHOT_NONE. */
#define PLACE_NONE UINT64_MAX
void write_place(JsonWriter *w, const RequestContext *ctx, uint64_t slice);
/* PLACE_NONE gives null. */
void put_place(JsonWriter *w, const char *key, const RequestContext *ctx, uint64_t slice);
/* Writes the "text" of a TIME as a member. */
void put_moment(JsonWriter *w, const char *key, const Trace *trace, int64_t tick);
void put_time(JsonWriter *w, const char *key, const Trace *trace, int64_t tick);
void put_span(JsonWriter *w, const char *key, const Trace *trace, uint64_t ticks);
/* The digits in the text of a CPU time: three or four, as in tables, or all. */
typedef enum { CPU_ROUNDED, CPU_EXACT } CpuDigits;
/* Writes {"ns", "text"} of a CPU time; null if `ns` is NULL. */
void put_cpu_or_null(JsonWriter *w, const char *key, const uint64_t *ns, CpuDigits digits);
/* Writes the members "name" and "category". */
void put_label(JsonWriter *w, const Trace *trace, uint32_t label);
/* STRING_NONE gives null. */
void put_text(JsonWriter *w, const char *key, const Trace *trace, StringId text);
void put_thread(JsonWriter *w, const char *key, const Trace *trace, uint32_t track);
/* PROCESS_NONE gives null. */
void put_process(JsonWriter *w, const char *key, const Trace *trace, uint32_t process);
/* Write a number as text, because it can exceed 2^53. */
void put_decimal_u64(JsonWriter *w, const char *key, uint64_t value);
void put_decimal_i64(JsonWriter *w, const char *key, int64_t value);
/* 0 gives null. */
void put_u64_or_null(JsonWriter *w, const char *key, uint64_t value);
/* Writes the members "args", "other" and "details_error" of an event, and releases its details. `err`: the reason why they were
 * not read, else NULL. */
void put_details(JsonWriter *w, EventDetails *details, const Err *err);

/* Write an answer that is null, or an object with one number. */
void answer_null(const RequestContext *ctx);
void answer_u64(const RequestContext *ctx, const char *key, uint64_t value);

#endif
