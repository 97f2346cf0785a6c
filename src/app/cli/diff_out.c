/* Comparisons as a table, as JSON and as CSV. */
#include "app/cli/diff.h"
#include "app/cli/table_text.h"
#include "base/csv.h"
#include "base/digits.h"
#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 11, PERCENT_WIDTH = 9, VERDICT_WIDTH = 7 };

static const char *unit_of(const Comparison *comparison)
{
    return clock_has_time(&comparison->traces[SIDE_A]->clock) ? "ns" : "ticks";
}

static uint32_t shown_rows(const DiffOut *diff)
{
    const uint32_t all = diff->comparison->row_count;
    return diff->top != 0 && diff->top < all ? (uint32_t)diff->top : all;
}

bool diff_row_fails(const DiffOut *diff, const CompareRow *row)
{
    return diff->fail_above >= 0 && row->verdict == VERDICT_SLOWER &&
           compare_percent(diff->comparison, row, MEASURE_SELF_AVERAGE) > diff->fail_above;
}

/* ---- the table ---- */

/* Right-aligns a span in ns, or in ticks without time. */
static void put_span(const DiffOut *diff, const char *sign, double span, Bytes *out)
{
    const Clock   *clock = &diff->comparison->traces[SIDE_A]->clock, ns = clock_ns();
    const uint64_t rounded = span < 18e18 ? (uint64_t)(span + 0.5) : UINT64_MAX;
    char           text[CLOCK_SPAN_TEXT + 2] = "", span_text[CLOCK_SPAN_TEXT];
    if (clock_has_time(clock)) {
        (void)clock_format_span(&ns, rounded, span_text);
    } else {
        (void)digits_put_whole(rounded, span_text);
    }
    (void)snprintf(text, sizeof text, "%s%s", rounded == 0 ? "" : sign, span_text);
    table_put_right(out, text, WIDTH);
}

static void put_percent(double percent, Bytes *out)
{
    char text[32];
    if (!isfinite(percent)) {
        (void)snprintf(text, sizeof text, "-");
    } else if (fabs(percent) < 9999.5) {
        (void)snprintf(text, sizeof text, "%+.1f", percent);
    } else {
        (void)snprintf(text, sizeof text, "%+.2g", percent);
    }
    table_put_right(out, text, PERCENT_WIDTH);
}

static void put_count(uint64_t count, Bytes *out)
{
    char text[DIGITS_TEXT];
    (void)digits_put_whole(count, text);
    table_put_right(out, text, WIDTH);
}

static const char *colour_of(Verdict verdict)
{
    if (verdict == VERDICT_SLOWER || verdict == VERDICT_NEW) return "\033[31m";
    return verdict == VERDICT_FASTER || verdict == VERDICT_GONE ? "\033[32m" : "";
}

static void put_table_row(const DiffOut *diff, const CompareRow *row, Bytes *out)
{
    static const Measure PERCENTS[] = { MEASURE_SELF_AVERAGE, MEASURE_P50, MEASURE_P99 };
    const Comparison    *comparison = diff->comparison;
    const double         change = compare_change(comparison, row, MEASURE_SELF);
    const bool           has_colour = diff->color && colour_of(row->verdict)[0] != '\0';
    Bytes                name = { 0 };
    if (has_colour) bytes_append_text(out, colour_of(row->verdict));
    table_put_right(out, compare_verdict_name(row->verdict), VERDICT_WIDTH);
    if (has_colour) bytes_append_text(out, "\033[0m");
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++)
        put_span(diff, "", compare_value(comparison, row, side, MEASURE_SELF), out);
    put_span(diff, change < 0 ? "-" : "+", fabs(change), out);
    put_percent(compare_percent(comparison, row, MEASURE_SELF), out);
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++)
        put_count(row->sides[side] == NULL ? 0 : row->sides[side]->count, out);
    for (size_t i = 0; i < sizeof PERCENTS / sizeof PERCENTS[0]; i++)
        put_percent(compare_percent(comparison, row, PERCENTS[i]), out);
    compare_put_name(comparison, row, &name);
    bytes_append_text(out, "  ");
    if (name.size == 0) bytes_append_text(out, "(none)");
    table_put_plain(out, &name);
    bytes_append_text(out, "\n");
    bytes_release(&name);
}

static void put_side(const DiffOut *diff, CompareSide side, Bytes *out)
{
    char  count[DIGITS_TEXT];
    Bytes name = { 0 };
    bytes_append_text(&name, diff->files[side]);
    (void)digits_put_whole(diff->comparison->slice_count[side], count);
    bytes_printf(out, "%c  ", side == SIDE_A ? 'A' : 'B');
    table_put_plain(out, &name);
    bytes_printf(out, ", %s slices", count);
    if (diff->comparison->perspective[side] != NULL)
        bytes_printf(out, ", perspective: %s", diff->comparison->perspective[side]);
    bytes_append_text(out, "\n");
    bytes_release(&name);
}

static void put_heading(const DiffOut *diff, Bytes *out)
{
    static const char *const SPANS[] = { "self A", "self B", "change" }, *const COUNTS[] = { "count A", "count B" };
    static const char *const PERCENTS[] = { "a call %", "p50 %", "p99 %" };
    const Clock             *clock = &diff->comparison->traces[SIDE_A]->clock;
    if (!clock_has_time(clock))
        bytes_printf(out, "There is no time in these traces: a length is the number of %ss it spans.\n",
                     clock_unit_name(clock));
    table_put_right(out, "verdict", VERDICT_WIDTH);
    for (size_t i = 0; i < 3; i++)
        table_put_right(out, SPANS[i], WIDTH);
    table_put_right(out, "%", PERCENT_WIDTH);
    for (size_t i = 0; i < 2; i++)
        table_put_right(out, COUNTS[i], WIDTH);
    for (size_t i = 0; i < 3; i++)
        table_put_right(out, PERCENTS[i], PERCENT_WIDTH);
    bytes_append_text(out, diff->comparison->by == COMPARE_BY_PATH ? "  path\n" : "  name\n");
}

/* Appends "1 slower, 12 noise, 2 new". */
static void put_summary(const DiffOut *diff, Bytes *out)
{
    bool is_first = true;
    for (Verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        const uint32_t count = diff->comparison->verdicts[verdict];
        if (count == 0) continue;
        bytes_printf(out, "%s%" PRIu32 " %s", is_first ? "" : ", ", count, compare_verdict_name(verdict));
        is_first = false;
    }
    bytes_append_text(out, is_first ? "no slices in either trace\n" : "\n");
}

void diff_put_table(const DiffOut *diff, Bytes *out)
{
    const uint32_t count = shown_rows(diff), all = diff->comparison->row_count;
    put_side(diff, SIDE_A, out);
    put_side(diff, SIDE_B, out);
    if (all > 0) put_heading(diff, out);
    for (uint32_t i = 0; i < count; i++)
        put_table_row(diff, &diff->comparison->rows[i], out);
    if (count < all) bytes_printf(out, "and %" PRIu32 " more: --top=%" PRIu32 " shows all\n", all - count, all);
    put_summary(diff, out);
}

/* ---- JSON ---- */

static void put_json_values(const Comparison *comparison, const CompareRow *row, CompareSide side, JsonWriter *w)
{
    json_key(w, side == SIDE_A ? "a" : "b");
    if (row->sides[side] == NULL) {
        json_null(w);
        return;
    }
    json_object_begin(w);
    for (Measure i = 0; i < MEASURES; i++)
        json_put_double(w, compare_measure_name(i), compare_value(comparison, row, side, i));
    json_object_end(w);
}

static void put_json_name(const Comparison *comparison, const CompareRow *row, JsonWriter *w)
{
    Bytes name = { 0 };
    compare_put_name(comparison, row, &name);
    json_put_view(w, comparison->by == COMPARE_BY_PATH ? "path" : "name", bytes_view(&name));
    bytes_release(&name);
}

static void put_json_row(const Comparison *comparison, const CompareRow *row, JsonWriter *w)
{
    json_object_begin(w);
    put_json_name(comparison, row, w);
    json_put_string(w, "verdict", compare_verdict_name(row->verdict));
    const bool is_tested = row->verdict < VERDICT_FEW;
    json_put_double(w, "p", is_tested ? row->p : (double)NAN);
    json_put_double(w, "q", is_tested ? row->q : (double)NAN);
    put_json_values(comparison, row, SIDE_A, w);
    put_json_values(comparison, row, SIDE_B, w);
    json_key(w, "change");
    json_object_begin(w);
    for (Measure i = 0; i < MEASURES; i++)
        json_put_double(w, compare_measure_name(i), compare_change(comparison, row, i));
    json_object_end(w);
    json_key(w, "percent");
    json_object_begin(w);
    for (Measure i = 0; i < MEASURES; i++)
        json_put_double(w, compare_measure_name(i), compare_percent(comparison, row, i));
    json_object_end(w);
    json_object_end(w);
}

static void put_json_side(const DiffOut *diff, CompareSide side, JsonWriter *w)
{
    json_key(w, side == SIDE_A ? "a" : "b");
    json_object_begin(w);
    json_put_string(w, "file", diff->files[side]);
    json_put_u64(w, "slices", diff->comparison->slice_count[side]);
    if (diff->comparison->perspective[side] != NULL)
        json_put_string(w, "perspective", diff->comparison->perspective[side]);
    json_object_end(w);
}

void diff_put_json(const DiffOut *diff, Bytes *out)
{
    const Comparison *comparison = diff->comparison;
    JsonWriter        w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_string(&w, "by", comparison->by == COMPARE_BY_PATH ? "path" : "name");
    json_put_string(&w, "unit", unit_of(comparison));
    put_json_side(diff, SIDE_A, &w);
    put_json_side(diff, SIDE_B, &w);
    json_key(&w, "verdicts");
    json_object_begin(&w);
    for (Verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        json_put_u64(&w, compare_verdict_name(verdict), comparison->verdicts[verdict]);
    json_object_end(&w);
    if (diff->fail_above >= 0) {
        uint64_t failing = 0;
        for (uint32_t i = 0; i < comparison->row_count; i++)
            failing += diff_row_fails(diff, &comparison->rows[i]);
        json_put_double(&w, "fail_above", diff->fail_above);
        json_put_u64(&w, "failing", failing);
    }
    json_key(&w, "rows");
    json_array_begin(&w);
    for (uint32_t i = 0; i < shown_rows(diff); i++)
        put_json_row(comparison, &comparison->rows[i], &w);
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

/* ---- CSV ---- */

/* Appends a field with the number; an empty field for NAN. */
static void put_csv_number(double value, Bytes *out)
{
    JsonWriter w = json_writer_to(out, 0);
    bytes_append_text(out, ",");
    if (isfinite(value)) json_double(&w, value);
}

void diff_put_csv(const DiffOut *diff, Bytes *out)
{
    const Comparison *comparison = diff->comparison;
    Bytes             name = { 0 };
    bytes_printf(out, "%s,verdict,p,q", comparison->by == COMPARE_BY_PATH ? "path" : "name");
    for (Measure i = 0; i < MEASURES; i++) {
        const char *measure = compare_measure_name(i), *unit = i == MEASURE_COUNT ? "" : unit_of(comparison);
        const char *bar = i == MEASURE_COUNT ? "" : "_";
        bytes_printf(out, ",%s_a%s%s,%s_b%s%s,%s_change%s%s,%s_percent", measure, bar, unit, measure, bar, unit,
                     measure, bar, unit, measure);
    }
    bytes_append_text(out, "\r\n");
    for (uint32_t row_index = 0; row_index < shown_rows(diff); row_index++) {
        const CompareRow *row = &comparison->rows[row_index];
        const bool        is_tested = row->verdict < VERDICT_FEW;
        bytes_clear(&name);
        compare_put_name(comparison, row, &name);
        csv_append_field(bytes_view(&name), out);
        bytes_printf(out, ",%s", compare_verdict_name(row->verdict));
        put_csv_number(is_tested ? row->p : (double)NAN, out);
        put_csv_number(is_tested ? row->q : (double)NAN, out);
        for (Measure i = 0; i < MEASURES; i++) {
            for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++)
                put_csv_number(row->sides[side] == NULL ? (double)NAN : compare_value(comparison, row, side, i), out);
            put_csv_number(compare_change(comparison, row, i), out);
            put_csv_number(compare_percent(comparison, row, i), out);
        }
        bytes_append_text(out, "\r\n");
    }
    bytes_release(&name);
}
