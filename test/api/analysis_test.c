/* The statistics, flame graphs, comparisons and goroutines of varve/varve.h. Valid C99 and C++11.
 *
 * usage: analysis_test FOLDER: that of test/data. Reports in TAP. */
#include "api_support.h"

static void test_stats(void)
{
    VarveTrace       *trace = open_small();
    VarveError        error;
    VarvePart         part;
    VarveStatsOptions options;
    VarveStatsTotals  totals;
    uint32_t          count = 0;
    VarveStats       *stats = varve_stats_open(trace, NULL, NULL, &error);
    memset(&part, 0, sizeof part);
    memset(&options, 0, sizeof options);
    CHECK(stats != NULL);
    if (stats != NULL) {
        const VarveStatsRow *rows = varve_stats_rows(stats, &count);
        CHECK(count == 2 && is_text(rows[0].name, "p") && rows[0].ns.total == 10000 &&
              rows[0].ns.self == 8000);
        CHECK(is_text(rows[1].name, "q") && rows[1].count == 1 && rows[1].ns.p99 == 2000 &&
              rows[1].ns.most == 2000);
        CHECK(rows[1].ns.average == 2000 && rows[1].longest_slice_id == 1 && rows[1].ns.deviation == 0);
        CHECK(rows[1].process.size_bytes == 0 && varve_stats_bins(stats, &count) == NULL && count == 0);
        varve_stats_totals(stats, &totals);
        CHECK(totals.slice_count == 2 && totals.self_ns == 10000 && totals.perspective == NULL);
    }
    varve_stats_close(stats);
    part.range = "0us..1us";
    options.by = VARVE_BY_TRACK;
    stats = varve_stats_open(trace, &part, &options, &error);
    CHECK(stats != NULL && varve_stats_rows(stats, &count)->ns.total == 1000 && count == 1);
    CHECK(stats != NULL && varve_stats_rows(stats, &count)->process.size_bytes > 0);
    varve_stats_close(stats);
    part.range = "nonsense";
    CHECK(varve_stats_open(trace, &part, NULL, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    options.by = (VarveGroup)7;
    CHECK(varve_stats_open(trace, NULL, &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    options.by = VARVE_BY_ARGUMENT;
    CHECK(varve_stats_open(trace, NULL, &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    options.argument = "size";
    stats = varve_stats_open(trace, NULL, &options, &error);
    CHECK(stats != NULL && is_text(varve_stats_rows(stats, &count)->name, "3") && count == 1);
    varve_stats_close(stats);
    varve_stats_close(NULL);
    varve_close(trace);
}

/* Returns the number of slices that count in a part. */
static uint64_t count_in(const VarveTrace *trace, const VarvePart *part)
{
    VarveStatsTotals totals;
    VarveStats      *stats = varve_stats_open(trace, part, NULL, NULL);
    memset(&totals, 0, sizeof totals);
    CHECK(stats != NULL);
    if (stats != NULL) varve_stats_totals(stats, &totals);
    varve_stats_close(stats);
    return totals.slice_count;
}

static void test_parts_of_stats(void)
{
    VarveTrace    *trace = open_small();
    VarveError     error;
    VarvePart      part;
    VarveSliceSet *set = varve_slice_set_find(trace, "size=3", 2, &error);
    memset(&part, 0, sizeof part);
    CHECK(set != NULL && varve_slice_set_count(set) == 1);
    part.slices = set;
    CHECK(count_in(trace, &part) == 1);
    part.slices = NULL;
    varve_slice_set_close(set);
    varve_slice_set_close(NULL);
    CHECK(varve_slice_set_find(trace, "/(/", 1, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    part.name = "q";
    CHECK(count_in(trace, &part) == 1 && varve_part_exists(trace, &part));
    part.name = "absent";
    CHECK(count_in(trace, &part) == 0 && !varve_part_exists(trace, &part));
    part.name = NULL;
    CHECK(varve_part_exists(trace, &part));
    part.thread = "no such thread";
    CHECK(count_in(trace, &part) == 0 && !varve_part_exists(trace, &part));
    varve_close(trace);
}

static void test_histogram(void)
{
    VarveTrace       *trace = open_small();
    VarveStatsOptions options;
    VarveStatsTotals  totals;
    uint32_t          count = 0;
    memset(&options, 0, sizeof options);
    options.histogram = VARVE_HISTOGRAM_LINEAR;
    VarveStats     *stats = varve_stats_open(trace, NULL, &options, NULL);
    const VarveBin *bins = stats == NULL ? NULL : varve_stats_bins(stats, &count);
    CHECK(bins != NULL && count > 2);
    if (bins != NULL) {
        varve_stats_totals(stats, &totals);
        CHECK(bins[0].count == 1 && bins[0].least_ns <= 2000 && bins[0].total_ns == 2000);
        CHECK(bins[count - 1].count == 1 && bins[count - 1].most_ticks >= 10000 && totals.slice_count == 2);
        CHECK(varve_stats_rows(stats, &count) == NULL && count == 0);
    }
    varve_stats_close(stats);
    options.histogram = (VarveHistogram)3;
    CHECK(varve_stats_open(trace, NULL, &options, NULL) == NULL);
    varve_close(trace);
}

static void test_area(void)
{
    VarveTrace *trace = open_small();
    char        text[VARVE_TIME_TEXT_BYTES];
    uint32_t    count = 0;
    VarveArea  *area = varve_area_open(trace, NULL, NULL);
    CHECK(area != NULL);
    if (area != NULL) {
        const VarveInstantRow *instant = varve_area_instants(area, &count);
        CHECK(count == 1 && instant->count == 1 && is_text(instant->name, "mark"));
        const VarveCounterRow *counter = varve_area_counters(area, &count);
        CHECK(count == 1 && is_text(counter->name, "heap") && counter->count == 1 && counter->last == 5);
        CHECK(counter->title.size_bytes >= counter->name.size_bytes && counter->process.size_bytes > 0);
        CHECK(is_text(varve_counter_text(counter, 5, text), "5 B") && strcmp(text, "5 B") == 0);
    }
    varve_area_close(area);
    varve_area_close(NULL);
    CHECK(is_text(varve_span_text(trace, 2000, text), "2 \302\265s") && strcmp(varve_unit(trace), "ns") == 0);
    CHECK(is_text(varve_span_exact(trace, 2000, text), "2000") && strcmp(varve_exact_unit(trace), "ns") == 0);
    varve_close(trace);
}

static void test_flame(void)
{
    VarveTrace       *trace = open_small();
    VarveError        error;
    VarveFlameOptions options;
    VarvePart         part;
    uint32_t          count = 0;
    VarveFlame       *flame = varve_flame_open(trace, NULL, NULL, &error);
    memset(&options, 0, sizeof options);
    memset(&part, 0, sizeof part);
    CHECK(flame != NULL);
    if (flame != NULL) {
        const VarveFlameNode *nodes = varve_flame_nodes(flame, &count);
        CHECK(count == 2 && nodes[0].parent == UINT32_MAX && nodes[0].total_ns == 10000 &&
              nodes[0].self_ns == 8000);
        CHECK(nodes[1].parent == 0 && nodes[1].depth == 1 && is_text(nodes[1].name, "q") &&
              nodes[1].count == 1);
        CHECK(varve_flame_nodes(flame, &count) == nodes && count == 2 && varve_flame_count(flame) == 2);
    }
    varve_flame_close(flame);
    options.order = VARVE_FLAME_INVERTED;
    options.weight = VARVE_FLAME_SELF;
    flame = varve_flame_open(trace, NULL, &options, &error);
    CHECK(flame != NULL);
    if (flame != NULL) {
        const VarveFlameNode *nodes = varve_flame_nodes(flame, &count);
        CHECK(count == 3 && is_text(nodes[0].name, "p") && nodes[0].total_ns == 8000);
        CHECK(is_text(nodes[2].name, "p") && nodes[2].parent == 1 && nodes[2].total_ns == 2000);
    }
    varve_flame_close(flame);
    part.name = "q";
    flame = varve_flame_open(trace, &part, NULL, &error);
    CHECK(flame != NULL && varve_flame_count(flame) == 1);
    varve_flame_close(flame);
    part.name = "absent";
    flame = varve_flame_open(trace, &part, NULL, &error);
    CHECK(flame != NULL && varve_flame_count(flame) == 0);
    varve_flame_close(flame);
    options.source = VARVE_FLAME_WAITS_SYNC;
    CHECK(varve_flame_open(trace, NULL, &options, &error) == NULL && error.code == VARVE_ERROR_UNKNOWN);
    options.source = (VarveFlameSource)7;
    CHECK(varve_flame_open(trace, NULL, &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    varve_flame_close(NULL);
    varve_close(trace);
}

static void test_flame_draw(void)
{
    VarveTrace       *trace = open_small();
    VarveError        error;
    VarveFlamePicture picture;
    VarveBytes        out;
    VarvePart         part;
    VarveFlameOptions inverted;
    memset(&picture, 0, sizeof picture);
    memset(&out, 0, sizeof out);
    memset(&part, 0, sizeof part);
    memset(&inverted, 0, sizeof inverted);
    inverted.order = VARVE_FLAME_INVERTED;
    part.slices = varve_slice_set_find(trace, "name:q", 1, NULL);
    VarveFlame *all = varve_flame_open(trace, NULL, NULL, NULL);
    VarveFlame *found = varve_flame_open(trace, &part, NULL, NULL),
               *other = varve_flame_open(trace, NULL, &inverted, NULL);
    varve_slice_set_close((VarveSliceSet *)(uintptr_t)part.slices);
    CHECK(all != NULL && found != NULL && other != NULL);
    CHECK(varve_flame_draw(found, NULL, &out, &error) && has_text(&out, "<svg") &&
          has_text(&out, "small.json: total, name:q"));
    picture.kind = VARVE_FLAME_FOLDED;
    CHECK(varve_flame_draw(all, &picture, &out, &error) && has_text(&out, "p 8000\np;q 2000\n"));
    picture.against = found;
    CHECK(!varve_flame_draw(all, &picture, &out, &error) && error.code == VARVE_ERROR_USAGE);
    picture.kind = VARVE_FLAME_JSON;
    picture.range = "1us..";
    CHECK(varve_flame_draw(all, &picture, &out, &error) && has_text(&out, "\"p\""));
    picture.kind = VARVE_FLAME_HTML;
    CHECK(varve_flame_draw(all, &picture, &out, &error) &&
          has_text(&out, "small.json: total, 1us.., against small.json"));
    picture.against = other;
    CHECK(!varve_flame_draw(all, &picture, &out, &error) && error.code == VARVE_ERROR_USAGE);
    varve_flame_close(all);
    varve_flame_close(found);
    varve_flame_close(other);
    varve_bytes_release(&out);
    varve_close(trace);
}

static void test_diff(void)
{
    VarveError  error;
    VarvePart   part;
    uint32_t    count = 0;
    VarveTrace *a = open_data("compare/before.json.gz", &error),
               *b = open_data("compare/after.json.gz", &error);
    CHECK(a != NULL && b != NULL);
    if (a == NULL || b == NULL) return;
    memset(&part, 0, sizeof part);
    VarveDiff *diff = varve_diff_open(a, NULL, b, &part, NULL, &error);
    CHECK(diff != NULL);
    if (diff != NULL) {
        const VarveDiffRow *rows = varve_diff_rows(diff, &count);
        CHECK(count > 3 && rows[0].verdict == VARVE_SLOWER && rows[0].p <= rows[0].p_adjusted);
        CHECK(rows[0].p_adjusted < 0.05 && strcmp(varve_verdict_name(rows[0].verdict), "slower") == 0 &&
              strcmp(varve_measure_name(VARVE_MEASURE_P99), "p99") == 0);
        CHECK(rows[0].self_change_ns == rows[0].b.self_ns - rows[0].a.self_ns && rows[0].self_change_ns > 0);
        CHECK(varve_diff_value(&rows[0].a, VARVE_MEASURE_SELF) == rows[0].a.self_ns);
        CHECK(fabs(varve_diff_percent(&rows[0], VARVE_MEASURE_SELF) -
                   100 * rows[0].self_change_ns / rows[0].a.self_ns) < 1e-9);
        VarveDiffTotals totals;
        uint64_t        slices = 0;
        uint32_t        all = 0;
        varve_diff_totals(diff, &totals);
        for (uint32_t i = 0; i < count; i++)
            slices += rows[i].a.count;
        for (int i = 0; i <= VARVE_GONE; i++)
            all += totals.row_counts[i];
        CHECK(totals.slice_count_a == slices && all == count && totals.perspective_b == NULL);
    }
    varve_diff_close(diff);
    varve_diff_close(NULL);
    varve_close(a);
    varve_close(b);
}

static void test_diff_options(void)
{
    VarveError       error;
    VarveDiffOptions options;
    VarvePart        part;
    VarveBytes       out = { NULL, 0, 0 };
    uint32_t         count = 0, aligned_count = 0;
    VarveTrace      *a = open_data("compare/before.json.gz", &error),
               *b = open_data("compare/after.json.gz", &error);
    CHECK(a != NULL && b != NULL);
    if (a == NULL || b == NULL) return;
    memset(&options, 0, sizeof options);
    memset(&part, 0, sizeof part);
    options.by = VARVE_DIFF_BY_PATH;
    options.sort = VARVE_MEASURE_COUNT;
    VarveDiff          *diff = varve_diff_open(a, NULL, b, NULL, &options, &error);
    const VarveDiffRow *rows = diff == NULL ? NULL : varve_diff_rows(diff, &count);
    CHECK(rows != NULL && count > 3);
    for (uint32_t i = 0; rows != NULL && i < count; i++) {
        const double change = fabs((double)rows[i].b.count - (double)rows[i].a.count);
        CHECK(i == 0 || change <= fabs((double)rows[i - 1].b.count - (double)rows[i - 1].a.count));
        CHECK(varve_diff_path(diff, i, &out, &error) && out.size_bytes >= rows[i].name.size_bytes);
        CHECK(out.size_bytes == 0 || memcmp(out.bytes + out.size_bytes - rows[i].name.size_bytes,
                                            rows[i].name.bytes, rows[i].name.size_bytes) == 0);
    }
    CHECK(diff != NULL && !varve_diff_path(diff, count, &out, &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(diff != NULL && varve_diff_json(diff, 1, 0.5, &out, &error) && has_text(&out, "\"by\":\"path\"") &&
          has_text(&out, "\"fail_above\":0.5"));
    varve_diff_close(diff);

    options.align = "request";
    part.range = "0..2ms";
    diff = varve_diff_open(a, &part, b, &part, &options, &error);
    rows = diff == NULL ? NULL : varve_diff_rows(diff, &aligned_count);
    CHECK(rows != NULL && aligned_count > 0 && rows[0].a.count + rows[0].b.count > 0);
    varve_diff_close(diff);
    options.align = "nowhere";
    CHECK(varve_diff_open(a, &part, b, &part, &options, &error) == NULL && error.code == VARVE_ERROR_UNKNOWN);
    CHECK(strstr(error.message, "before.json.gz") != NULL);
    part.range = "2020-01-01T00:00:00Z..";
    options.align = "request";
    CHECK(varve_diff_open(a, &part, b, &part, &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    CHECK(strstr(error.message, "before.json.gz") != NULL);
    varve_bytes_release(&out);
    varve_close(a);
    varve_close(b);
}

static void test_go(void)
{
    VarveError  error;
    uint32_t    count = 0;
    VarveTrace *trace = open_data("go/go126_annot_cpuprofile.trace", &error), *small = open_small();
    VarveGo    *go = trace == NULL ? NULL : varve_go_open(trace, NULL, &error);
    CHECK(go != NULL);
    if (go != NULL) {
        const VarveGoroutine *routines = varve_go_routines(go, &count);
        uint32_t              i, exact = 0;
        for (i = 0; i < count; i++)
            exact += routines[i].total_ns == routines[i].execution_ns + routines[i].network_ns +
                                                 routines[i].sync_ns + routines[i].other_ns +
                                                 routines[i].syscall_ns + routines[i].scheduler_ns;
        CHECK(count > 5 && exact == count);
    }
    varve_go_close(go);
    CHECK(varve_go_open(small, NULL, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    varve_go_close(NULL);
    varve_close(trace);
    varve_close(small);
}

static void test_go_reports(void)
{
    VarveError     error;
    VarveGoOptions options;
    VarveGoOutput  output;
    VarveBytes     out = { NULL, 0, 0 };
    char           path[1024];
    memset(&options, 0, sizeof options);
    memset(&output, 0, sizeof output);
    snprintf(path, sizeof path, "%s/go/go126_annot_cpuprofile.trace", data_folder);
    VarveGo *go = varve_go_open_file(path, NULL, &error);
    CHECK(go != NULL && !varve_go_fault(go, &error));
    if (go == NULL) return;
    output.row_most = 1;
    output.sort = VARVE_GO_SORT_TOTAL;
    CHECK(varve_go_print(go, &output, &out, &error) && has_text(&out, "perspective: Goroutines\n") &&
          has_text(&out, "... and "));
    output.form = VARVE_GO_JSON;
    CHECK(varve_go_print(go, &output, &out, &error) && has_text(&out, "\"version\":\"1.26\""));
    output.form = VARVE_GO_PPROF;
    CHECK(!varve_go_print(go, &output, &out, &error) && error.code == VARVE_ERROR_USAGE);
    output.report = VARVE_GO_SYNC;
    CHECK(varve_go_print(go, &output, &out, &error) && out.size_bytes > 20 && out.bytes[0] == 0x1f);
    output.form = VARVE_GO_FOLDED;
    CHECK(varve_go_print(go, &output, &out, &error) && has_text(&out, ";"));
    varve_go_close(go);
    CHECK(strcmp(varve_go_report_name(VARVE_GO_NETWORK), "net") == 0);
    CHECK(strcmp(varve_go_sort_name(VARVE_GO_SORT_ID), "id") == 0);

    options.counts = "stw,nothing";
    CHECK(varve_go_open_file(path, &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    options.counts = "stw";
    options.range = "1ms..1us";
    CHECK(varve_go_open_file(path, &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    snprintf(path, sizeof path, "%s/trace_event/be_unmatched_end.json", data_folder);
    CHECK(varve_go_open_file(path, NULL, &error) == NULL && error.code == VARVE_ERROR_UNKNOWN);
    snprintf(path, sizeof path, "%s/go/no_such_file", data_folder);
    CHECK(varve_go_open_file(path, NULL, &error) == NULL && error.code == VARVE_ERROR_INPUT);
    varve_bytes_release(&out);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) return 1;
    data_folder = arguments[1];
    printf("1..6\n");
    test_stats(), report(1, "stats");
    test_parts_of_stats(), report(2, "parts of stats");
    test_histogram(), test_area(), report(3, "histogram, instants and counters");
    test_flame(), test_flame_draw(), report(4, "flame");
    test_diff(), test_diff_options(), report(5, "diff");
    test_go(), test_go_reports(), report(6, "go");
    return faults == 0 ? 0 : 1;
}
