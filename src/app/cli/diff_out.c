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
#include <string.h>

enum { WIDTH = 11, PERCENT_WIDTH = 9, VERDICT_WIDTH = 7 };

/* ---- the table ---- */

static bool has_time(const DiffOut *diff)
{
    return strcmp(diff->unit, "ns") == 0;
}

/* Right-aligns a span in ns, or in ticks without time. */
static void put_span(const DiffOut *diff, const char *sign, double span, Bytes *out)
{
    const uint64_t rounded = span < 18e18 ? (uint64_t)(span + 0.5) : UINT64_MAX;
    char           text[VARVE_TIME_TEXT_BYTES + 2] = "", span_text[VARVE_TIME_TEXT_BYTES];
    if (has_time(diff)) {
        (void)varve_ns_text(rounded, span_text);
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

static const char *colour_of(VarveVerdict verdict)
{
    if (verdict == VARVE_SLOWER || verdict == VARVE_NEW) return "\033[31m";
    return verdict == VARVE_FASTER || verdict == VARVE_GONE ? "\033[32m" : "";
}

static void put_table_row(const DiffOut *diff, uint32_t index, Bytes *out)
{
    static const VarveMeasure PERCENTS[] = { VARVE_MEASURE_SELF_AVERAGE, VARVE_MEASURE_P50,
                                             VARVE_MEASURE_P99 };
    const VarveDiffRow       *row = &diff->rows[index];
    const double              change = row->self_change_ns;
    const bool                has_colour = diff->color && colour_of(row->verdict)[0] != '\0';
    VarveBytes                buffer = { 0 };
    if (has_colour) bytes_append_text(out, colour_of(row->verdict));
    table_put_right(out, varve_verdict_name(row->verdict), VERDICT_WIDTH);
    if (has_colour) bytes_append_text(out, "\033[0m");
    put_span(diff, "", row->a.self_ns, out);
    put_span(diff, "", row->b.self_ns, out);
    put_span(diff, change < 0 ? "-" : "+", fabs(change), out);
    put_percent(varve_diff_percent(row, VARVE_MEASURE_SELF), out);
    table_put_count(out, row->a.count, WIDTH);
    table_put_count(out, row->b.count, WIDTH);
    for (size_t i = 0; i < sizeof PERCENTS / sizeof PERCENTS[0]; i++)
        put_percent(varve_diff_percent(row, PERCENTS[i]), out);
    const StringView name = diff_name(diff, index, &buffer);
    bytes_append_text(out, "  ");
    if (name.size == 0) bytes_append_text(out, "(none)");
    text_append_plain(out, name);
    bytes_append_text(out, "\n");
    varve_bytes_release(&buffer);
}

static void put_side(const DiffOut *diff, unsigned side, uint64_t slice_count, const char *perspective,
                     Bytes *out)
{
    char        count[DIGITS_TEXT];
    const char *file = diff->files[side];
    (void)digits_put_whole(slice_count, count);
    bytes_printf(out, "%c  ", side == 0 ? 'A' : 'B');
    text_append_plain(out, c_string_view(file));
    bytes_printf(out, ", %s slice%s", count, slice_count == 1 ? "" : "s");
    if (perspective != NULL) bytes_printf(out, ", perspective: %s", perspective);
    bytes_append_text(out, "\n");
}

static void put_heading(const DiffOut *diff, Bytes *out)
{
    static const char *const SPANS[] = { "self A", "self B", "change" }, *const COUNTS[] = { "count A",
                                                                                             "count B" };
    static const char *const PERCENTS[] = { "a call %", "p50 %", "p99 %" };
    if (!has_time(diff))
        bytes_printf(out, "The traces have no times: a length is a number of %ss.\n", diff->unit);
    table_put_right(out, "verdict", VERDICT_WIDTH);
    for (size_t i = 0; i < 3; i++)
        table_put_right(out, SPANS[i], WIDTH);
    table_put_right(out, "%", PERCENT_WIDTH);
    for (size_t i = 0; i < 2; i++)
        table_put_right(out, COUNTS[i], WIDTH);
    for (size_t i = 0; i < 3; i++)
        table_put_right(out, PERCENTS[i], PERCENT_WIDTH);
    bytes_append_text(out, "  ");
    text_append_plain(out, c_string_view(diff->by));
    bytes_append_text(out, "\n");
}

/* True if the traces have the same rows with the same numbers. */
static bool is_equal(const DiffOut *diff)
{
    for (uint32_t i = 0; i < diff->row_count; i++) {
        const VarveDiffRow *row = &diff->rows[i];
        if (row->a.count == 0 || row->b.count == 0) return false;
        for (VarveMeasure measure = 0; measure <= VARVE_MEASURE_P99; measure++)
            if (varve_diff_value(&row->a, measure) != varve_diff_value(&row->b, measure)) return false;
    }
    return true;
}

/* Appends "A and B are equal: 5 names with the same counts and times". */
static void put_equal(const DiffOut *diff, Bytes *out)
{
    char count[DIGITS_TEXT];
    (void)digits_put_whole(diff->row_count, count);
    const char *noun = diff->is_by_argument ? "value" : diff->by;
    bytes_printf(out, "A and B are equal: %s %s%s with the same counts and times\n", count, noun,
                 diff->row_count == 1 ? "" : "s");
}

/* Appends "1 slower, 12 noise, 2 new". */
static void put_summary(const VarveDiffTotals *totals, Bytes *out)
{
    bool is_first = true;
    for (VarveVerdict verdict = 0; verdict <= VARVE_GONE; verdict++) {
        const uint32_t count = totals->row_counts[verdict];
        if (count == 0) continue;
        bytes_printf(out, "%s%" PRIu32 " %s", is_first ? "" : ", ", count, varve_verdict_name(verdict));
        is_first = false;
    }
    bytes_append_text(out, is_first ? "no slices in either trace\n" : "\n");
}

void diff_put_table(const DiffOut *diff, Bytes *out)
{
    VarveDiffTotals totals;
    varve_diff_totals(diff->diff, &totals);
    put_side(diff, 0, totals.slice_count_a, totals.perspective_a, out);
    put_side(diff, 1, totals.slice_count_b, totals.perspective_b, out);
    if (diff->row_count > 0 && is_equal(diff)) {
        put_equal(diff, out);
        return;
    }
    if (diff->row_count > 0) put_heading(diff, out);
    for (uint32_t i = 0; i < diff->shown; i++)
        put_table_row(diff, i, out);
    table_put_rest(out, diff->row_count, diff->shown);
    put_summary(&totals, out);
}

/* ---- CSV ---- */

/* Appends a number; an empty field for NAN. */
static void put_csv_number(double value, Bytes *out)
{
    JsonWriter w = json_writer_to(out, 0);
    bytes_append_text(out, ",");
    if (isfinite(value)) json_double(&w, value);
}

/* Appends the numbers of a measure: of A, of B, the change, and its percentage. */
static void put_csv_measure(const VarveDiffRow *row, VarveMeasure measure, Bytes *out)
{
    const double a = varve_diff_value(&row->a, measure), b = varve_diff_value(&row->b, measure);
    put_csv_number(row->a.count == 0 ? (double)NAN : a, out);
    put_csv_number(row->b.count == 0 ? (double)NAN : b, out);
    put_csv_number(b - a, out);
    put_csv_number(varve_diff_percent(row, measure), out);
}

void diff_put_csv(const DiffOut *diff, Bytes *out)
{
    VarveBytes buffer = { 0 };
    csv_append_field(c_string_view(diff->by), out);
    bytes_append_text(out, ",verdict,p,q");
    for (VarveMeasure i = 0; i <= VARVE_MEASURE_P99; i++) {
        const char *measure = varve_measure_name(i), *unit = i == VARVE_MEASURE_COUNT ? ""
                                                             : has_time(diff)         ? "_ns"
                                                                                      : "_ticks";
        bytes_printf(out, ",%s_a%s,%s_b%s,%s_change%s,%s_percent", measure, unit, measure, unit, measure,
                     unit, measure);
    }
    bytes_append_text(out, "\r\n");
    for (uint32_t i = 0; i < diff->shown; i++) {
        const VarveDiffRow *row = &diff->rows[i];
        const bool          is_tested = row->verdict < VARVE_FEW;
        csv_append_field(diff_name(diff, i, &buffer), out);
        bytes_printf(out, ",%s", varve_verdict_name(row->verdict));
        put_csv_number(is_tested ? row->p : (double)NAN, out);
        put_csv_number(is_tested ? row->p_adjusted : (double)NAN, out);
        for (VarveMeasure measure = 0; measure <= VARVE_MEASURE_P99; measure++)
            put_csv_measure(row, measure, out);
        bytes_append_text(out, "\r\n");
    }
    varve_bytes_release(&buffer);
}
