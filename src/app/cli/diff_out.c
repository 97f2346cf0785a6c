/* Comparisons as a table and as CSV. */
#include "app/cli/diff.h"
#include "app/cli/table_text.h"
#include "base/csv.h"
#include "base/digits.h"
#include "base/json_writer.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 11, PERCENT_WIDTH = 9, VERDICT_WIDTH = 7 };

/* ---- the table ---- */

/* Right-aligns a span in ns, or in ticks without time. */
static void put_span(const DiffOut *diff, const char *sign, double span, Bytes *out)
{
    const Clock   *clock = &diff->rows.comparison->profiles[SIDE_A]->clock, ns = clock_ns();
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
    const Comparison    *comparison = diff->rows.comparison;
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
    text_append_plain(out, bytes_view(&name));
    bytes_append_text(out, "\n");
    bytes_release(&name);
}

static void put_side(const DiffOut *diff, CompareSide side, Bytes *out)
{
    char  count[DIGITS_TEXT];
    Bytes name = { 0 };
    bytes_append_text(&name, diff->rows.files[side]);
    (void)digits_put_whole(diff->rows.comparison->profiles[side]->slice_count, count);
    bytes_printf(out, "%c  ", side == SIDE_A ? 'A' : 'B');
    text_append_plain(out, bytes_view(&name));
    bytes_printf(out, ", %s slices", count);
    if (diff->rows.comparison->profiles[side]->perspective != NULL)
        bytes_printf(out, ", perspective: %s", diff->rows.comparison->profiles[side]->perspective);
    bytes_append_text(out, "\n");
    bytes_release(&name);
}

static void put_heading(const DiffOut *diff, Bytes *out)
{
    static const char *const SPANS[] = { "self A", "self B", "change" }, *const COUNTS[] = { "count A",
                                                                                             "count B" };
    static const char *const PERCENTS[] = { "a call %", "p50 %", "p99 %" };
    const Clock             *clock = &diff->rows.comparison->profiles[SIDE_A]->clock;
    if (!clock_has_time(clock))
        bytes_printf(out, "The traces have no times: a length is a number of %ss.\n", clock_unit_name(clock));
    table_put_right(out, "verdict", VERDICT_WIDTH);
    for (size_t i = 0; i < 3; i++)
        table_put_right(out, SPANS[i], WIDTH);
    table_put_right(out, "%", PERCENT_WIDTH);
    for (size_t i = 0; i < 2; i++)
        table_put_right(out, COUNTS[i], WIDTH);
    for (size_t i = 0; i < 3; i++)
        table_put_right(out, PERCENTS[i], PERCENT_WIDTH);
    bytes_append_text(out, diff->rows.comparison->by == COMPARE_BY_PATH ? "  path\n" : "  name\n");
}

/* Appends "1 slower, 12 noise, 2 new". */
static void put_summary(const DiffOut *diff, Bytes *out)
{
    bool is_first = true;
    for (Verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        const uint32_t count = diff->rows.comparison->verdicts[verdict];
        if (count == 0) continue;
        bytes_printf(out, "%s%" PRIu32 " %s", is_first ? "" : ", ", count, compare_verdict_name(verdict));
        is_first = false;
    }
    bytes_append_text(out, is_first ? "no slices in either trace\n" : "\n");
}

void diff_put_table(const DiffOut *diff, Bytes *out)
{
    const uint32_t count = compare_out_rows(&diff->rows), all = diff->rows.comparison->row_count;
    put_side(diff, SIDE_A, out);
    put_side(diff, SIDE_B, out);
    if (all > 0) put_heading(diff, out);
    for (uint32_t i = 0; i < count; i++)
        put_table_row(diff, &diff->rows.comparison->rows[i], out);
    if (count < all)
        bytes_printf(out, "and %" PRIu32 " more: --top=%" PRIu32 " shows all\n", all - count, all);
    put_summary(diff, out);
}

/* ---- CSV ---- */

/* Appends a number; an empty field for NAN. */
static void put_csv_number(double value, Bytes *out)
{
    JsonWriter w = json_writer_to(out, 0);
    bytes_append_text(out, ",");
    if (isfinite(value)) json_double(&w, value);
}

void diff_put_csv(const DiffOut *diff, Bytes *out)
{
    const Comparison *comparison = diff->rows.comparison;
    Bytes             name = { 0 };
    bytes_printf(out, "%s,verdict,p,q", comparison->by == COMPARE_BY_PATH ? "path" : "name");
    for (Measure i = 0; i < MEASURES; i++) {
        const char *measure = compare_measure_name(i),
                   *unit = i == MEASURE_COUNT ? "" : compare_unit(comparison);
        const char *bar = i == MEASURE_COUNT ? "" : "_";
        bytes_printf(out, ",%s_a%s%s,%s_b%s%s,%s_change%s%s,%s_percent", measure, bar, unit, measure, bar,
                     unit, measure, bar, unit, measure);
    }
    bytes_append_text(out, "\r\n");
    for (uint32_t row_index = 0; row_index < compare_out_rows(&diff->rows); row_index++) {
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
                put_csv_number(
                    row->sides[side] == NULL ? (double)NAN : compare_value(comparison, row, side, i), out);
            put_csv_number(compare_change(comparison, row, i), out);
            put_csv_number(compare_percent(comparison, row, i), out);
        }
        bytes_append_text(out, "\r\n");
    }
    bytes_release(&name);
}
