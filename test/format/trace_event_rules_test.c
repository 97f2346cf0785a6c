/* Each supported irregularity of Trace Event JSON, one row each: the resulting slices, and the warnings with the
 * position of the first. The rows are in the order of the format's sections: the containers, deviations from JSON, the
 * fields, times, missing fields, pairs, nesting, ties. */
#include "format/trace_event/trace_event.h"
#include "trace_event_support.h"

#include <stdio.h>
#include <string.h>

typedef struct Rule {
    const char *name;
    const char *json;
    /* "PID/TID NAME BEGIN..END" in ns, with ">" for each level and "|" for each lane before the name, "!" for an
     * unfinished one, "@" for an instant; in the order of the tracks; then "error: ..." if it is refused. */
    const char *slices;
    const char *warnings; /* "KIND COUNT @OFFSET" */
} Rule;

/* One slice of 1/2 from 10 to 15 us, with additional fields after its name. */
#define X(name, more) "{\"name\":\"" name "\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5" more "}"
#define A X("a", "")
#define B "{\"name\":\"b\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":20,\"dur\":5}"
#define AB "1/2 a 10000..15000, 1/2 b 20000..25000"
#define JUST_A "1/2 a 10000..15000"
/* One event with these fields in place of the usual ones. */
#define IDS(ids) "[{\"name\":\"a\",\"ph\":\"X\"," ids "\"ts\":10,\"dur\":5}]"
#define TS(ts) "[{\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":" ts ",\"dur\":5}]"
#define DUR(dur) "[{\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10" dur "}]"
#define NAME(name) "[{" name "\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5}]"

/* One event of thread 1/2 at a time in us. */
#define BE(ph, name, ts) "{\"ph\":\"" ph "\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" #ts "}"
#define BEC(ph, name, ts, cat)                                                                               \
    "{\"ph\":\"" ph "\",\"name\":\"" name "\",\"cat\":\"" cat "\",\"pid\":1,\"tid\":2,\"ts\":" #ts "}"
#define XT(name, ts, dur)                                                                                    \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"dur\":" #dur "}"

static const Rule RULES[] = {
    /* 1: containers */
    { "array form", "[" A "," B "]", AB, "" },
    { "object form", "{\"traceEvents\":[" A "," B "]}", AB, "" },
    { "object form with keys around", "{\"otherData\":{},\"traceEvents\":[" A "," B "],\"z\":[1]}", AB, "" },
    { "line form", A "\n" B "\n", AB, "" },
    { "line form behind a bracket", "[\n" A "\n" B "\n", AB, "missing-comma 1 @56" },
    { "line form with CRLF and commas", A ",\r\n" B ",\r\n", AB, "" },
    { "an event alone", A, JUST_A, "" },
    { "concatenated arrays", "[" A "]\n[" B "]", AB, "text-after-end 1 @56" },
    { "concatenated objects", "{\"traceEvents\":[" A "]}{\"traceEvents\":[" B "]}", AB,
      "text-after-end 1 @71" },
    { "array without events", "[]", "", "" },
    { "object without traceEvents", "{\"a\":1}",
      "error: JSON, but no trace: expected a list of events or \"traceEvents\"", "" },
    { "another JSON file", "{\"log\":{\"entries\":[]}}",
      "error: JSON, but no trace: perhaps a network archive (HAR); expected a list of events or "
      "\"traceEvents\"",
      "" },
    { "keys that other files have, too", "{\"metadata\":{},\"samples\":3}",
      "error: JSON, but no trace: expected a list of events or \"traceEvents\"", "" },
    { "V8 CPU profile", "{\"nodes\":[],\"timeDeltas\":[]}",
      "error: a V8 CPU profile (nodes, timeDeltas), not trace events: expected \"traceEvents\"", "" },
    { "byte order mark", "\xef\xbb\xbf[" A "]", JUST_A, "" },
    { "white space first", " \r\n\t[" A "]", JUST_A, "" },
    { "traceEvents twice", "{\"traceEvents\":[" A "],\"traceEvents\":[" B "]}", AB, "duplicate-key 1 @71" },
    { "not UTF-8 in a name", "[" X("\xff", "") "]", "1/2 \xef\xbf\xbd 10000..15000", "bad-encoding 1 @1" },
    /* 2: lenient syntax */
    { "missing ] in array form", "[" A "," B, AB, "" },
    { "comma before missing ]", "[" A "," B ",\n", AB, "" },
    { "trailing comma in array form", "[" A "," B ",]", AB, "" },
    { "trailing comma in object form", "{\"traceEvents\":[" A "," B ",\n\n]}", AB, "" },
    { "missing ]} in object form", "{\"traceEvents\":[" A "," B, AB, "truncated 1 @123" },
    { "missing } in object form", "{\"traceEvents\":[" A "," B "]", AB, "truncated 1 @124" },
    { "last event cut in array form", "[" A ",{\"name\":\"b\",\"ph\":\"X", JUST_A, "truncated 1 @55" },
    { "last event cut in object form", "{\"traceEvents\":[" A ",{\"name\":\"b\"", JUST_A, "truncated 1 @70" },
    { "events separated by white space", "[" A " \n " B "]", AB, "missing-comma 1 @57" },
    { "two commas in a row", "[" A ",," B "]", AB, "extra-comma 1 @55" },
    { "comma right after [", "[," A "," B "]", AB, "extra-comma 1 @1" },
    { "{} as an event", "[" A ",{}]", JUST_A, "" },
    { "{} as the first event", "[{}," A "]", JUST_A, "" },
    { "null among the events", "[" A ",null," B "]", AB, "" },
    { "number among the events", "[" A ",7," B "]", AB, "not-an-event 1 @55" },
    { "text among the events", "[" A ",\"x\"," B "]", AB, "not-an-event 1 @55" },
    { "list among the events", "[[" A "," B "]]", AB, "not-an-event 1 @1" },
    { "text after the end", "[" A "," B "]\nDone.\nBye.", AB, "text-after-end 1 @110" },
    { "NaN as a time", TS("NaN"), "", "bad-time 1 @1" },
    { "Infinity as a time", TS("-Infinity"), "", "bad-time 1 @1" },
    { "NaN as a duration", DUR(",\"dur\":NaN"), "1/2 a 10000..10000! | {\"dur\":\"NaN\"}",
      "missing-duration 1 @1" },
    { "NaN in args", "[" X("a", ",\"args\":{\"x\":NaN,\"y\":-Infinity}") "]",
      JUST_A " {\"x\":\"NaN\",\"y\":\"-Infinity\"}", "" },
    { "number 1.", TS("10."), JUST_A, "odd-number 1 @1" },
    { "number .5", TS(".5"), "1/2 a 500..5500", "odd-number 1 @1" },
    { "number +1", TS("+10"), JUST_A, "odd-number 1 @1" },
    { "number 01", TS("010"), JUST_A, "odd-number 1 @1" },
    { "hexadecimal number", TS("0x10"), "", "bad-time 1 @1" },
    { "comments", "/* a */[" A "// b\n,/*c*/" B "]", AB, "comment 3 @0" },
    { "comment in an event", "[{/* a */\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5}]",
      JUST_A, "comment 1 @1" },
    { "single quotes", "[{'name':'x'},\n" A "]", JUST_A, "broken-event 1 @1" },
    { "unquoted keys", "[{name:\"x\"},\n" A "]", JUST_A, "broken-event 1 @1" },
    { "raw line break and tab in a name", "[" X("a\n\tb", "") "]", "1/2 a\n\tb 10000..15000", "" },
    { "bad escape", "[" X("C:\\x", "") "]", "1/2 C:\\x 10000..15000", "bad-escape 1 @1" },
    { "surrogate pair", "[" X("\\uD83D\\uDE00", "") "]", "1/2 \xf0\x9f\x98\x80 10000..15000", "" },
    { "lone surrogate", "[" X("\\uD83Dx", "") "]", "1/2 \xef\xbf\xbdx 10000..15000", "bad-encoding 1 @1" },
    { "raw quote in a name", "[" X("o\"o", "") ",\n" A "]", JUST_A, "broken-event 1 @1" },
    { "raw quote in the last name", "[" A ",\n" X("o\"o", "") "]", JUST_A, "broken-event 1 @56" },
    { "duplicate keys",
      "[{\"name\":\"x\",\"name\":\"a\",\"ph\":\"X\",\"pid\":9,\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5}]",
      JUST_A, "" },
    { "args twice", "[" X("a", ",\"args\":{\"x\":1,\"z\":1},\"args\":{\"y\":2,\"z\":2}") "]",
      JUST_A " {\"x\":1,\"z\":2,\"y\":2}", "" },
    { "ph last, dur first", "[{\"dur\":5,\"ts\":10,\"tid\":2,\"pid\":1,\"name\":\"a\",\"ph\":\"X\"}]", JUST_A,
      "" },
    /* 3: common fields */
    { "ph missing", "[" A ",{\"name\":\"a\",\"ts\":1}]", JUST_A, "missing-phase 1 @55" },
    { "ph missing in all events of traceEvents", "{\"traceEvents\":[{\"name\":\"a\",\"ts\":1}]}", "",
      "missing-phase 1 @16" },
    { "ph missing in all objects of a list", "[{\"name\":\"a\",\"ts\":1}]",
      "error: a JSON list, but no trace: its objects have no \"ph\"", "" },
    { "ph of several letters", "[{\"name\":\"a\",\"ph\":\"BEGIN\",\"ts\":1}]", "", "unknown-phase 1 @1" },
    { "ph unknown", "[{\"name\":\"a\",\"ph\":\"@\",\"ts\":1}]", "", "unknown-phase 1 @1" },
    { "ph a number", "[{\"name\":\"a\",\"ph\":1,\"ts\":1}]", "", "unknown-phase 1 @1" },
    { "name missing", NAME(""), "1/2 - 10000..15000", "" },
    { "name empty", NAME("\"name\":\"\","), "1/2 - 10000..15000", "" },
    { "name a number", NAME("\"name\":42,"), "1/2 42 10000..15000", "" },
    { "name null", NAME("\"name\":null,"), "1/2 - 10000..15000", "" },
    { "cat a list", "[" X("a", ",\"cat\":[\"x\",\"y\"]") "]", JUST_A " in x,y", "" },
    { "cat null", "[" X("a", ",\"cat\":null") "]", JUST_A, "" },
    { "args a text", "[" X("a", ",\"args\":\"x\"") "]", JUST_A " {\"args\":\"x\"}", "" },
    { "args a list", "[" X("a", ",\"args\":[1]") "]", JUST_A " {\"args\":[1]}", "" },
    { "args a number", "[" X("a", ",\"args\":1.50") "]", JUST_A " {\"args\":1.50}", "" },
    { "args null", "[" X("a", ",\"args\":null") "]", JUST_A " {\"args\":null}", "" },
    { "args stripped", "[" X("a", ",\"args\":\"__stripped__\"") "]", JUST_A, "" },
    { "instant of an unknown scope",
      "[{\"name\":\"a\",\"ph\":\"i\",\"s\":\"x\",\"pid\":1,\"tid\":2,\"ts\":1}]", "1/2 a @1000",
      "unknown-scope 1 @1" },
    /* 3: pid and tid */
    { "ids of 32 bits", IDS("\"pid\":4294967295,\"tid\":0,"), "4294967295/0 a 10000..15000", "" },
    { "ids negative", IDS("\"pid\":-1,\"tid\":-2,"), "-1/-2 a 10000..15000", "" },
    { "ids of 64 bits", IDS("\"pid\":18446744073709551615,\"tid\":-9223372036854775808,"),
      "18446744073709551615/-9223372036854775808 a 10000..15000", "" },
    { "ids whole floats", IDS("\"pid\":7.0,\"tid\":1e3,"), "7/1000 a 10000..15000", "" },
    { "ids fractions", IDS("\"pid\":7.5,\"tid\":2,"), "7.5/2 a 10000..15000", "" },
    { "ids digits in quotes", IDS("\"pid\":\"7\",\"tid\":\"-3\","), "7/-3 a 10000..15000", "" },
    { "ids texts", IDS("\"pid\":\"worker\",\"tid\":\"0x1f\","), "worker/0x1f a 10000..15000", "" },
    { "pid missing", IDS("\"tid\":2,"), "0/2 a 10000..15000", "" },
    { "tid missing", IDS("\"pid\":1,"), "1/1 a 10000..15000", "" },
    { "tid 0", IDS("\"pid\":1,\"tid\":0,"), "1/0 a 10000..15000", "" },
    { "ids missing", IDS(""), "0/0 a 10000..15000", "" },
    { "ids null", IDS("\"pid\":null,\"tid\":null,"), "0/0 a 10000..15000", "" },
    { "ids true", IDS("\"pid\":true,\"tid\":false,"), "0/0 a 10000..15000 | {\"pid\":true,\"tid\":false}",
      "" },
    { "ids objects", IDS("\"pid\":{},\"tid\":{},"), "0/0 a 10000..15000 | {\"pid\":{},\"tid\":{}}", "" },
    /* 4: times */
    { "ts an integer", TS("10"), JUST_A, "" },
    { "ts a decimal", TS("10.25"), "1/2 a 10250..15250", "" },
    { "ts since 1970, exact", TS("1700000000123456.789"), "1/2 a 1700000000123456789..1700000000123461789",
      "" },
    { "ts finer than a nanosecond", TS("10.000001"), "1/2 a 10000001..15000001", "" },
    { "ts with an exponent", TS("1.6e15"), "1/2 a 1600000000000000000..1600000000000005000", "" },
    { "ts a text", TS("\"10\""), JUST_A, "" },
    { "ts a text with an exponent", TS("\"1e1\""), JUST_A, "" },
    { "ts a text with blanks", TS("\" 10 \""), JUST_A, "" },
    { "ts a text with a unit", TS("\"10us\""), "", "bad-time 1 @1" },
    { "ts a text in hexadecimal", TS("\"0x10\""), "", "bad-time 1 @1" },
    { "ts negative", TS("-10"), "1/2 a -10000..-5000", "" },
    { "ts missing", "[{\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"dur\":5}]", "",
      "missing-time 1 @1" },
    { "ts null", TS("null"), "", "bad-time 1 @1" },
    { "ts an object", TS("{}"), "", "bad-time 1 @1" },
    { "ts beyond 64 bits", TS("1e300"), "", "bad-time 1 @1" },
    { "ts missing and null on M",
      "[{\"ph\":\"M\",\"name\":\"x\",\"pid\":1,\"args\":{}},{\"ph\":\"M\",\"name\":\"y\",\"pid\":1,\"ts\":"
      "null}," A "]",
      JUST_A, "" },
    { "end beyond 64 bits", TS("9223372036854774"), "1/2 a 9223372036854774000..9223372036854775807",
      "time-out-of-range 1 @1" },
    { "dur negative", DUR(",\"dur\":-5"), "1/2 a 10000..10000 | {\"dur\":-5}", "negative-duration 1 @1" },
    { "dur a text", DUR(",\"dur\":\"5\""), JUST_A, "" },
    { "dur null", DUR(",\"dur\":null"), "1/2 a 10000..10000! | {\"dur\":null}", "missing-duration 1 @1" },
    { "dur unreadable", DUR(",\"dur\":\"long\""), "1/2 a 10000..10000! | {\"dur\":\"long\"}",
      "missing-duration 1 @1" },
    /* 6.1: missing fields */
    { "X without dur but tdur", DUR(",\"tdur\":5"), JUST_A " | {\"tdur\":5}", "missing-duration 1 @1" },
    { "X without dur, to the end of its thread",
      "[{\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1}," B "]",
      "1/2 a 1000..25000!, 1/2 > b 20000..25000", "missing-duration 1 @1" },
    { "E without open B", "[{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":1}," A "]", JUST_A,
      "unmatched-end 1 @1" },
    { "B without E", "[{\"name\":\"a\",\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1}," B "]",
      "1/2 a 1000..25000!, 1/2 > b 20000..25000", "unfinished-slice 1 @1" },
    { "E without name and cat",
      "[{\"name\":\"a\",\"cat\":\"c\",\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":10},{\"ph\":\"E\",\"pid\":1,"
      "\"tid\":2,\"ts\":15}]",
      JUST_A " in c", "" },
    /* 6.2: matching ends with begins */
    { "begins and ends out of order are sorted",
      "[" BE("E", "a", 15) "," BE("B", "b", 11) "," BE("B", "a", 10) "," BE("E", "b", 12) "]",
      "1/2 a 10000..15000, 1/2 > b 11000..12000", "unsorted-thread 1 @47" },
    { "an end of another name than the innermost's",
      "[" BE("B", "a", 10) "," BE("B", "b", 11) "," BE("E", "a", 15) "]",
      "1/2 a 10000..15000, 1/2 > b 11000..15000", "end-name-mismatch 1 @93" },
    { "an end of the name of two",
      "[" BE("B", "a", 10) "," BE("B", "a", 11) "," BE("E", "a", 12) "," BE("E", "a", 15) "]",
      "1/2 a 10000..15000, 1/2 > a 11000..12000", "" },
    { "an end of another category",
      "[" BEC("B", "a", 10, "x") "," BEC("B", "a", 11, "y") "," BEC("E", "a", 12, "x") "," BEC("E", "a", 15,
                                                                                               "y") "]",
      "1/2 a 10000..15000 in x, 1/2 > a 11000..12000 in y", "end-name-mismatch 1 @113" },
    { "an end of a name that is not open", "[" BE("B", "a", 10) "," BE("E", "b", 12) "," BE("E", "a", 15) "]",
      "1/2 a 10000..15000", "unmatched-end 1 @47" },
    { "ends that all bear one name that no begin has",
      "[" BE("B", "a", 10) "," BE("B", "b", 11) "," BE("E", "end", 12) "," BE("E", "end", 15) "]",
      "1/2 a 10000..15000, 1/2 > b 11000..12000", "" },
    /* 6.3: nesting; rows from the outermost inwards, then lanes */
    { "the longer of two that begin together is outside", "[" XT("in", 10, 2) "," XT("out", 10, 5) "]",
      "1/2 out 10000..15000, 1/2 > in 10000..12000", "" },
    { "of two equal ones the first is outside", "[" XT("a", 10, 5) "," XT("b", 10, 5) "]",
      "1/2 a 10000..15000, 1/2 > b 10000..15000", "" },
    { "a slice that begins at an end is beside it", "[" XT("a", 10, 5) "," XT("b", 15, 5) "]",
      "1/2 a 10000..15000, 1/2 b 15000..20000", "" },
    { "closer than a microsecond is not touching",
      "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5.001}," XT("b", 15, 5) "]",
      "1/2 a 10000..15001, 1/2 | b 15000..20000", "overlapping-slices 1 @59" },
    { "an overlapping slice has its own lane", "[" XT("a", 10, 5) "," XT("b", 12, 5) "," XT("c", 13, 1) "]",
      "1/2 a 10000..15000, 1/2 > c 13000..14000, 1/2 | b 12000..17000", "overlapping-slices 1 @55" },
    { "X and B are one tree", "[" BE("B", "b", 10) "," XT("x", 11, 2) "," BE("E", "b", 15) "]",
      "1/2 b 10000..15000, 1/2 > x 11000..13000", "" },
    { "no duration, inside", "[" XT("a", 10, 5) "," XT("z", 12, 0) "]",
      "1/2 a 10000..15000, 1/2 > z 12000..12000", "" },
    { "no duration, where another begins and ends",
      "[" XT("z", 10, 0) "," XT("a", 10, 5) "," XT("y", 15, 0) "]",
      "1/2 a 10000..15000, 1/2 y 15000..15000, 1/2 > z 10000..10000", "" },
    { "no durations inside each other", "[" XT("z", 10, 0) "," XT("y", 10, 0) "]",
      "1/2 z 10000..10000, 1/2 > y 10000..10000", "" },
    { "a counter's NaN is a gap",
      "[{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"ts\":1,\"args\":{\"v\":NaN}}," A "]", JUST_A,
      "bad-counter-value 1 @1" },
    /* 6.4 and 6.5: equal times, equal thread ids */
    { "begin and end at one time", "[" BE("B", "a", 10) "," BE("E", "a", 10) "]", "1/2 a 10000..10000", "" },
    { "an end and a begin at one time",
      "[" BE("B", "a", 10) "," BE("E", "a", 15) "," BE("B", "b", 15) "," BE("E", "b", 20) "]",
      "1/2 a 10000..15000, 1/2 b 15000..20000", "" },
    { "one thread id in two processes",
      "[" BE("B", "a", 10) ",{\"ph\":\"E\",\"name\":\"a\",\"pid\":2,\"tid\":2,\"ts\":12}," BE("E", "a",
                                                                                              15) "]",
      "1/2 a 10000..15000", "unmatched-end 1 @47" },
};

/* ---- a trace as text ---- */

static void slice_append(const Trace *trace, const Bytes *json, const Row *row, uint64_t i, Bytes *out)
{
    const Track *track = &trace->tracks[row->track];
    const Label *label = &trace->labels[trace_slice_label(trace, i)];
    if (out->size > 0) bytes_append_text(out, ", ");
    trace_ident_append(trace, trace->processes[track->process.index].pid, out);
    bytes_append_text(out, "/");
    trace_ident_append(trace, track_tid(track), out);
    for (uint32_t lane = 0; lane < row->lane; lane++)
        bytes_append_text(out, " |");
    for (uint32_t depth = 0; depth < row->depth; depth++)
        bytes_append_text(out, " >");
    StringView name = trace_string(trace, label->name), category = trace_string(trace, label->category);
    bytes_append_text(out, label->name.index == 0 ? " -" : " ");
    bytes_append(out, name.bytes, name.size);
    bytes_printf(out, " %lld..%lld%s", (long long)trace_slice_begin(trace, i),
                 (long long)trace_slice_end(trace, i), trace->slices.flags[i] & SLICE_UNFINISHED ? "!" : "");
    if (label->category.index != 0) bytes_append_text(out, " in ");
    bytes_append(out, category.bytes, category.size);
    uint64_t offset;
    if (!trace_slice_source(trace, i, &offset)) return;
    EventBytes   begin = { .bytes = json->data + offset,
                           .size = json->size - (size_t)offset,
                           .offset = offset };
    EventBytes   end = { .bytes = NULL };
    EventDetails details = { .args = { NULL, 0, 0, false } };
    Err          err = { 0 };
    CHECK_DONE(TRACE_EVENT_READER.details(trace, &begin, &end, &details, &err), err);
    if (details.args.size > 0) bytes_append_text(out, " ");
    bytes_append(out, details.args.data, details.args.size);
    if (details.other.size > 0) bytes_append_text(out, " | ");
    bytes_append(out, details.other.data, details.other.size);
    bytes_release(&details.args);
    bytes_release(&details.other);
}

static void trace_append(const Trace *trace, const Bytes *json, Bytes *out)
{
    for (uint32_t r = 0; r < trace->row_count; r++) {
        for (uint32_t i = 0; i < trace->rows[r].slice_count; i++)
            slice_append(trace, json, &trace->rows[r], trace->rows[r].first_slice + i, out);
    }
    for (uint64_t i = 0; i < trace->instants.count; i++) {
        const Track *track = &trace->tracks[trace->instants.thread[i]];
        if (out->size > 0) bytes_append_text(out, ", ");
        trace_ident_append(trace, trace->processes[track->process.index].pid, out);
        bytes_append_text(out, "/");
        trace_ident_append(trace, track_tid(track), out);
        StringView name = trace_label_name(trace, trace->instants.label[i]);
        bytes_printf(out, " %.*s @%lld", (int)name.size, name.bytes, (long long)trace->instants.tick[i]);
    }
}

static void warnings_append(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        bytes_printf(out, "%s%s %llu @%llu", i == 0 ? "" : ", ", warning->kind,
                     (unsigned long long)warning->count, (unsigned long long)warning->first.offset);
    }
}

static void holds(void **state)
{
    const Rule *rule = (const Rule *)*state;
    Bytes       json = { NULL, 0, 0, false }, slices = json, warnings = json;
    Err         err = { 0 };
    bytes_append_text(&json, rule->json);
    Trace *trace = trace_event_load(json.data, json.size, (Cuts){ 0 }, &err);
    if (trace == NULL) {
        bytes_printf(&slices, "error: %s", err.message);
    } else {
        trace_append(trace, &json, &slices);
        warnings_append(trace, &warnings);
        trace_release(trace);
    }
    bytes_append(&slices, "", 1);
    bytes_append(&warnings, "", 1);
    CHECK_STRING((const char *)slices.data, rule->slices);
    CHECK_STRING((const char *)warnings.data, rule->warnings);
    bytes_release(&json);
    bytes_release(&slices);
    bytes_release(&warnings);
}

int main(void)
{
    enum { RULE_COUNT = sizeof RULES / sizeof RULES[0] };
    static struct CMUnitTest cases[RULE_COUNT];
    for (size_t i = 0; i < RULE_COUNT; i++) {
        cases[i] =
            (struct CMUnitTest){ RULES[i].name, holds, NULL, test_case_end, (void *)(uintptr_t)&RULES[i] };
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("trace_event_rules", cases, NULL, NULL);
}
