#include "export/compare_json.h"

#include "base/json_writer.h"

#include <math.h>

static uint32_t shown_rows(const CompareOut *out)
{
    const uint32_t all = out->comparison->row_count;
    return out->top != 0 && out->top < all ? (uint32_t)out->top : all;
}

/* True if the row exceeds the limit: its verdict is slower, and a call takes longer by more. */
static bool row_fails(const CompareOut *out, const CompareRow *row)
{
    return row->verdict == VERDICT_SLOWER &&
           compare_percent(out->comparison, row, MEASURE_SELF_AVERAGE) > out->fail_above;
}

static void put_values(const CompareOut *out, const CompareRow *row, CompareSide side, JsonWriter *w)
{
    if (row->sides[side] == NULL) {
        json_put_null(w, side == SIDE_A ? "a" : "b");
        return;
    }
    json_put_object(w, side == SIDE_A ? "a" : "b");
    for (Measure i = 0; i < MEASURES; i++)
        json_put_double(w, compare_measure_name(i), compare_value(out->comparison, row, side, i));
    if (out->ids == COMPARE_WITH_IDS) {
        json_put_u64(w, "label", row->sides[side]->label);
        json_put_u64(w, "longest", row->sides[side]->longest);
    }
    json_object_end(w);
}

static void put_name(const Comparison *comparison, const CompareRow *row, JsonWriter *w)
{
    Bytes name = { 0 };
    compare_put_name(comparison, row, &name);
    json_put_view(w, comparison->by == COMPARE_BY_PATH ? "path" : "name", bytes_view(&name));
    bytes_release(&name);
}

static void put_row(const CompareOut *out, const CompareRow *row, JsonWriter *w)
{
    const Comparison *comparison = out->comparison;
    json_object_begin(w);
    put_name(comparison, row, w);
    json_put_string(w, "verdict", compare_verdict_name(row->verdict));
    const bool is_tested = row->verdict < VERDICT_FEW;
    json_put_double(w, "p", is_tested ? row->p : (double)NAN);
    json_put_double(w, "q", is_tested ? row->q : (double)NAN);
    put_values(out, row, SIDE_A, w);
    put_values(out, row, SIDE_B, w);
    json_put_object(w, "change");
    for (Measure i = 0; i < MEASURES; i++)
        json_put_double(w, compare_measure_name(i), compare_change(comparison, row, i));
    json_object_end(w);
    json_put_object(w, "percent");
    for (Measure i = 0; i < MEASURES; i++)
        json_put_double(w, compare_measure_name(i), compare_percent(comparison, row, i));
    json_object_end(w);
    json_object_end(w);
}

static void put_side(const CompareOut *out, CompareSide side, JsonWriter *w)
{
    const CallProfile *profile = out->comparison->profiles[side];
    json_key(w, side == SIDE_A ? "a" : "b");
    json_object_begin(w);
    if (out->files[side] != NULL) json_put_string(w, "file", out->files[side]);
    json_put_u64(w, "slices", profile->slice_count);
    if (profile->perspective != NULL) json_put_string(w, "perspective", profile->perspective);
    json_object_end(w);
}

/* True if the traces have the same rows with the same numbers. */
static bool is_equal(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        const CompareRow *row = &comparison->rows[i];
        for (Measure measure = 0; measure < MEASURES; measure++)
            if (row->sides[SIDE_A] == NULL || row->sides[SIDE_B] == NULL ||
                compare_change(comparison, row, measure) != 0)
                return false;
    }
    return true;
}

static void put_by(const CompareOut *out, JsonWriter *w)
{
    Bytes argument = { 0 };
    if (out->argument == NULL) {
        json_put_string(w, "by", out->comparison->by == COMPARE_BY_PATH ? "path" : "name");
        return;
    }
    bytes_printf(&argument, "arg:%s", out->argument);
    json_put_view(w, "by", bytes_view(&argument));
    bytes_release(&argument);
}

static void put_limit(const CompareOut *out, JsonWriter *w)
{
    const Comparison *comparison = out->comparison;
    uint64_t          failing = 0;
    if (out->fail_above < 0) return;
    for (uint32_t i = 0; i < comparison->row_count; i++)
        failing += row_fails(out, &comparison->rows[i]);
    json_put_double(w, "fail_above", out->fail_above);
    json_put_u64(w, "failing", failing);
}

void compare_put_json(const CompareOut *out, Bytes *bytes)
{
    const Comparison *comparison = out->comparison;
    JsonWriter        w = json_writer_to(bytes, 0);
    json_object_begin(&w);
    put_by(out, &w);
    json_put_string(&w, "unit", clock_has_time(&comparison->profiles[SIDE_A]->clock) ? "ns" : "ticks");
    put_side(out, SIDE_A, &w);
    put_side(out, SIDE_B, &w);
    json_put_object(&w, "verdicts");
    for (Verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
        json_put_u64(&w, compare_verdict_name(verdict), comparison->verdicts[verdict]);
    json_object_end(&w);
    json_put_bool(&w, "equal", is_equal(comparison));
    put_limit(out, &w);
    json_put_array(&w, "rows");
    for (uint32_t i = 0; i < shown_rows(out); i++)
        put_row(out, &comparison->rows[i], &w);
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(bytes, "\n");
}
