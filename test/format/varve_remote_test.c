/* `.varve` files with tiles, read by ranges: the tiles are those of the trace, requests do not grow with the file, and every damage is
 * refused. */
#include "format/varve/remote.h"
#include "format/varve/tiles.h"
#include "support/ranges.h"
#include "support/test.h"
#include "trace/wire/tile_cut.h"
#include "trace/wire/tile_encode.h"
#include "trace/wire/tile_layout.h"

static const LoadOptions ONE_THREAD = { .threads = 1 };

/* Appends a trace of calls: five threads, nested, with instants, counters and arrows. */
static Bytes make_source(uint32_t calls)
{
    TestRandom random = { .state = 7 };
    Bytes      text = { 0 };
    bytes_append_text(&text, "{\"traceEvents\":[{}");
    for (uint32_t i = 0; i < calls; i++) {
        const unsigned tid = i % 5 + 1, at = i / 5 * 1000 + (unsigned)test_random_below(&random, 200);
        const unsigned length = (unsigned)test_random_below(&random, 780);
        bytes_printf(&text,
                     ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%u.%03u,\"dur\":%u,\"name\":\"f%u\","
                     "\"args\":{\"i\":%u}}",
                     tid, at, (unsigned)test_random_below(&random, 1000), length,
                     (unsigned)test_random_below(&random, 9), i);
        for (unsigned k = 0; k < length / 200; k++)
            bytes_printf(&text, ",{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%u,\"dur\":%u,\"name\":\"g%u\"}",
                         tid, at + 1 + k * 200, k == 2 ? 0 : 90, k);
        if (i % 7 == 0)
            bytes_printf(&text, ",{\"ph\":\"i\",\"pid\":1,\"tid\":%u,\"ts\":%u,\"name\":\"mark\"}", tid,
                         at + 3);
        if (i % 3 == 0)
            bytes_printf(&text,
                         ",{\"ph\":\"C\",\"pid\":1,\"ts\":%u,\"name\":\"heap\",\"args\":{\"used\":%u}}", at,
                         (unsigned)test_random_below(&random, 99));
        if (i % 50 == 0)
            bytes_printf(
                &text,
                ",{\"ph\":\"s\",\"pid\":1,\"tid\":%u,\"ts\":%u,\"id\":%u,\"name\":\"a\"},"
                "{\"ph\":\"f\",\"pid\":1,\"tid\":%u,\"ts\":%u,\"id\":%u,\"name\":\"a\",\"bp\":\"e\"}",
                tid, at + 2, i, tid % 5 + 1, at + 900, i);
    }
    bytes_append_text(&text, "]}");
    CHECK(!text.failed);
    return text;
}

typedef struct Case {
    Bytes        source, file;
    Loaded       loaded;
    MemoryRanges ranges;
    RemoteFile  *remote;
    VarveLevels  levels;
} Case;

static Case open_case_of(Bytes source, VarveLevels levels)
{
    Case c = { .source = source, .levels = levels };
    Err  err;
    CHECK_DONE(load_bytes(c.source.data, c.source.size, "a.json", &ONE_THREAD, &c.loaded, &err), err);
    c.file = make_tiles_file(&c.loaded, c.levels, &err);
    CHECK_DONE(c.file.size > 0, err);
    c.ranges = (MemoryRanges){ .bytes = c.file.data, .size = c.file.size };
    return c;
}

static Case open_case(uint32_t calls)
{
    return open_case_of(make_source(calls), VARVE_ALL_LEVELS);
}

static void open_remote(Case *c)
{
    const RangeSource source = memory_ranges_source(&c->ranges);
    Err               err;
    c->remote = remote_open(&source, c->levels, &err);
    CHECK_DONE(c->remote != NULL, err);
}

static void close_case(Case *c)
{
    remote_close(c->remote);
    loaded_release(&c->loaded);
    bytes_release(&c->file);
    bytes_release(&c->source);
}

/* ---- the tiles ---- */

static void check_entry(const TileEntry *a, const TileEntry *b)
{
    CHECK_UINT(a->slice, b->slice);
    CHECK_UINT(a->count, b->count);
    CHECK_UINT(a->begin, b->begin);
    CHECK_UINT(a->extent, b->extent);
    CHECK_UINT(a->covered, b->covered);
    CHECK_UINT(a->longest, b->longest);
    CHECK_UINT(a->longest_ticks, b->longest_ticks);
    CHECK_UINT(a->flags, b->flags);
    if (a->count == 1) CHECK_UINT(a->label, b->label);
}

static void check_row(const TileRow *a, const TileRow *b)
{
    TileCursor at = { 0, 0 }, bt = { 0, 0 };
    TileEntry  ae, be;
    CHECK_UINT(a->entry_count, b->entry_count);
    while (tile_next(a, &at, &ae)) {
        CHECK(tile_next(b, &bt, &be));
        check_entry(&ae, &be);
    }
    CHECK_UINT(a->instant_count, b->instant_count);
    CHECK(memcmp(a->instants, b->instants, (size_t)a->instant_count * TILE_INSTANT_BYTES) == 0);
    CHECK_UINT(a->sample_count, b->sample_count);
    CHECK(memcmp(a->samples, b->samples, (size_t)a->sample_count * TILE_SAMPLE_BYTES) == 0);
}

/* Compares a tile of the file with that of the trace. Returns the number of its entries. */
static uint32_t check_tile(Case *c, TileKey key)
{
    Bytes    file = { 0 }, trace = { 0 };
    Tile     a, b;
    uint32_t entries = 0;
    Err      err;
    CHECK_DONE(remote_tiles(c->remote, &key, 1, &file, &err), err);
    CHECK_UINT(bits_load_u32(file.data), file.size - 4);
    CHECK_DONE(tile_encode_filtered(c->loaded.trace, NULL, key, &trace, NULL, &err), err);
    CHECK(tile_open(file.data + 4, file.size - 4, &a));
    CHECK(tile_open(trace.data, trace.size, &b));
    CHECK_UINT(a.key.filter, key.filter);
    CHECK_UINT(a.row_count, b.row_count);
    for (uint32_t r = 0; r < a.row_count; r++) {
        const TileRow ra = tile_row(&a, r), rb = tile_row(&b, r);
        check_row(&ra, &rb);
        entries += ra.entry_count + ra.instant_count + ra.sample_count;
    }
    CHECK_UINT(a.flow_count, b.flow_count);
    bytes_release(&file);
    bytes_release(&trace);
    return entries + a.flow_count;
}

static void check_some_tiles(uint32_t calls)
{
    Case           c = open_case(calls);
    TestRandom     random = { .state = 3 };
    uint32_t       entries = 0;
    const uint64_t span = (uint64_t)c.loaded.trace->end_tick - (uint64_t)c.loaded.trace->begin_tick;
    open_remote(&c);
    const uint32_t root = tiles_root_level(span);
    for (uint32_t i = 0; i < 600; i++) {
        TileKey key = { .track = 1 + (uint32_t)test_random_below(&random, c.loaded.trace->track_count),
                        .level = (uint32_t)test_random_below(&random, root + 1),
                        .filter = i };
        if (track_row_count(&c.loaded.trace->tracks[key.track]) == 0) continue;
        key.index = test_random_below(&random, span + 1) >> (key.level + TILE_BUCKET_BITS);
        entries += check_tile(&c, key);
    }
    CHECK(entries > calls / 2);
    close_case(&c);
}

TEST(tiles_of_the_file_are_those_of_the_trace)
{
    if (!arrays_host_is_supported()) return;
    check_some_tiles(10);
    check_some_tiles(2000);
    check_some_tiles(60000);
}

TEST(tiles_of_arrows_have_those_of_the_trace)
{
    if (!arrays_host_is_supported()) return;
    Case           c = open_case(3000);
    const uint64_t span = (uint64_t)c.loaded.trace->end_tick - (uint64_t)c.loaded.trace->begin_tick;
    uint32_t       entries = 0;
    open_remote(&c);
    for (uint32_t level = tiles_root_level(span) + 1; level-- > 6;)
        for (uint32_t track = 1; track <= c.loaded.trace->track_count; track++)
            for (uint64_t index = 0; index <= span >> (level + TILE_BUCKET_BITS) && index < 9; index++)
                entries += check_tile(&c, (TileKey){ track, TILE_FLOWS, level, index, 0 });
    CHECK(entries > 20);
    close_case(&c);
}

TEST(a_tile_that_the_trace_does_not_have_is_empty)
{
    if (!arrays_host_is_supported()) return;
    Case          c = open_case(100);
    const TileKey keys[] = { { 999, 0, 3, 0, 0 },
                             { 1, 77, 3, 0, 0 },
                             { 1, 0, 3, UINT64_MAX, 0 },
                             { 1, 0, TILE_MAX_LEVEL + 1, 0, 0 },
                             { 0, 0, 0, 0, 0 } };
    Bytes         out = { 0 };
    Err           err;
    open_remote(&c);
    CHECK_DONE(remote_tiles(c.remote, keys, 5, &out, &err), err);
    CHECK_UINT(out.size, 5 * 4);
    for (size_t i = 0; i < out.size; i++)
        CHECK_UINT(out.data[i], 0);
    bytes_release(&out);
    close_case(&c);
}

TEST(a_file_with_tiles_is_the_same_trace_for_other_readers)
{
    if (!arrays_host_is_supported()) return;
    Case   c = open_case(500);
    Loaded again;
    Err    err;
    CHECK_DONE(load_bytes(c.file.data, c.file.size, "a.varve", &ONE_THREAD, &again, &err), err);
    CHECK(again.trace->source.complete);
    CHECK_UINT(again.trace->slices.count, c.loaded.trace->slices.count);
    CHECK_UINT(again.trace->records.warning_count, c.loaded.trace->records.warning_count);
    loaded_release(&again);
    close_case(&c);
}

TEST(a_tile_is_the_same_after_a_change_of_the_order_of_its_bytes_and_back)
{
    if (!arrays_host_is_supported()) return;
    Case  c = open_case(400);
    Bytes tile = { 0 }, copy = { 0 }, scratch = { 0 };
    Err   err;
    for (uint32_t track = 1; track <= c.loaded.trace->track_count; track++) {
        if (track_row_count(&c.loaded.trace->tracks[track]) == 0) continue;
        bytes_clear(&tile);
        bytes_clear(&copy);
        CHECK_DONE(tile_encode(c.loaded.trace, (TileKey){ track, 0, 5, 0, 0 }, &tile, NULL, &err), err);
        bytes_append(&copy, tile.data, tile.size);
        CHECK(tile_shuffle(copy.data, copy.size, &scratch) && tile_unshuffle(copy.data, copy.size, &scratch));
        CHECK(memcmp(copy.data, tile.data, tile.size) == 0);
        CHECK(!tile_unshuffle(copy.data, copy.size - 1, &scratch)); /* cut */
    }
    bytes_release(&tile);
    bytes_release(&copy);
    bytes_release(&scratch);
    close_case(&c);
}

/* ---- a file with only the coarsest levels ---- */

/* Compares the tiles of the levels that the file has with those of the trace, byte by byte. Returns the number of levels. */
static uint32_t check_coarse_tiles(Case *c)
{
    const uint64_t span = (uint64_t)c->loaded.trace->end_tick - (uint64_t)c->loaded.trace->begin_tick;
    const uint32_t root = tiles_root_level(span);
    uint32_t       level = root + 1;
    for (; level > 0; level--) {
        TileKey key = { .track = 1, .level = level - 1, .filter = level };
        if (!remote_has_levels(c->remote, &key, 1)) break;
        for (; key.track <= c->loaded.trace->track_count; key.track++)
            for (key.index = 0; key.index <= span >> (key.level + TILE_BUCKET_BITS); key.index++) {
                Bytes file = { 0 }, trace = { 0 };
                Err   err;
                CHECK_DONE(remote_tiles(c->remote, &key, 1, &file, &err), err);
                CHECK_DONE(tile_encode_filtered(c->loaded.trace, NULL, key, &trace, NULL, &err), err);
                CHECK_UINT(file.size, trace.size + 4);
                CHECK(memcmp(file.data + 4, trace.data, trace.size) == 0);
                bytes_release(&file);
                bytes_release(&trace);
            }
    }
    return root + 1 - level;
}

static void check_coarse_file(uint32_t calls, uint32_t levels)
{
    Case    c = open_case_of(make_source(calls), VARVE_COARSE_LEVELS);
    Bytes   out = { 0 };
    Err     err;
    TileKey keys[] = { { 1, 0, TILE_MAX_LEVEL, 0, 0 }, { 1, 0, 0, 0, 0 } };
    open_remote(&c);
    CHECK_UINT(check_coarse_tiles(&c), levels);
    CHECK(remote_has_levels(c.remote, keys, 1) && !remote_has_levels(c.remote, keys, 2));
    CHECK_DONE(remote_tiles(c.remote, &keys[1], 1, &out, &err), err);
    CHECK(out.size == 4 && bits_load_u32(out.data) == 0); /* no tile of a finer level is given as this one */
    bytes_release(&out);
    close_case(&c);
}

TEST(a_file_with_the_coarsest_levels_has_the_tiles_of_the_whole_trace)
{
    if (!arrays_host_is_supported()) return;
    check_coarse_file(10, 1); /* all of its events are in the list of the root level */
    check_coarse_file(3000, 1);
    check_coarse_file(60000, 4);
}

TEST(a_file_with_the_coarsest_levels_is_not_read_by_ranges)
{
    if (!arrays_host_is_supported()) return;
    Case              c = open_case_of(make_source(1000), VARVE_COARSE_LEVELS);
    const RangeSource source = memory_ranges_source(&c.ranges);
    Err               err;
    CHECK(remote_open(&source, VARVE_ALL_LEVELS, &err) == NULL);
    CHECK(err.code == ERR_UNKNOWN);
    close_case(&c);
}

/* ---- requests ---- */

typedef struct Cost {
    uint64_t first_requests, first_bytes, zoom_requests, zoom_bytes;
} Cost;

/* Adds the keys that a view of `windows` windows requests. */
static size_t view_keys(const Case *c, uint32_t level, uint64_t index, uint64_t windows, TileKey *keys)
{
    size_t count = 0;
    for (uint32_t track = 1; track <= c->loaded.trace->track_count; track++)
        for (uint64_t i = index; i < index + windows && track_row_count(&c->loaded.trace->tracks[track]) > 0;
             i++)
            keys[count++] = (TileKey){ track, 0, level, i, 0 };
    return count;
}

static void request_view(Case *c, uint32_t level, uint64_t index)
{
    TileKey      keys[256];
    const size_t count = view_keys(c, level, index, 5, keys);
    Bytes        out = { 0 };
    Err          err;
    CHECK_DONE(remote_tiles(c->remote, keys, count, &out, &err), err);
    bytes_release(&out);
}

static Cost measure(uint32_t calls)
{
    Case           c = open_case(calls);
    Cost           cost = { .zoom_requests = 0 };
    const uint64_t span = (uint64_t)c.loaded.trace->end_tick - (uint64_t)c.loaded.trace->begin_tick;
    const uint32_t root = tiles_root_level(span);
    TestRandom     random = { .state = 5 };
    open_remote(&c);
    request_view(&c, root, 0);
    request_view(&c, root - 2, 0);
    cost.first_requests = c.ranges.requests;
    cost.first_bytes = c.ranges.received;
    remote_close(c.remote);
    for (uint32_t i = 0; i < 40; i++) {
        const uint32_t level = (uint32_t)test_random_below(&random, root);
        const uint64_t index = test_random_below(&random, span) >> (level + TILE_BUCKET_BITS);
        open_remote(&c);
        c.ranges.requests = c.ranges.received = 0;
        request_view(&c, level, index);
        if (c.ranges.requests > cost.zoom_requests) cost.zoom_requests = c.ranges.requests;
        if (c.ranges.received > cost.zoom_bytes) cost.zoom_bytes = c.ranges.received;
        if (i < 39) remote_close(c.remote);
    }
    close_case(&c);
    return cost;
}

TEST(requests_and_bytes_do_not_grow_with_the_file)
{
    if (!arrays_host_is_supported()) return;
    const Cost small = measure(100000), large = measure(800000);
    CHECK(large.first_requests <= 5 && small.first_requests <= 5);
    CHECK(large.zoom_requests <= 3);
    CHECK(large.first_bytes < small.first_bytes * 13 / 10);
    CHECK(large.zoom_bytes < small.zoom_bytes * 2); /* a list has between half and all of its usual size */
}

/* ---- many blocks ---- */

enum { FAR_APART = 4400, APART_US = 64000, DENSE = 200000 };

/* Appends a trace of one thread: so many slices close together that the base level has short windows, then slices of which each is in a
 * block of its own. */
static Bytes make_sparse(void)
{
    Bytes text = { 0 };
    bytes_append_text(&text, "[{}");
    for (unsigned i = 0; i < DENSE; i++)
        bytes_printf(&text, ",{\"ph\":\"X\",\"tid\":1,\"ts\":%u,\"dur\":1,\"name\":\"d\"}", i);
    for (unsigned i = 0; i < FAR_APART; i++)
        bytes_printf(&text, ",{\"ph\":\"X\",\"tid\":1,\"ts\":%u,\"dur\":9,\"name\":\"s\"}",
                     DENSE + (i + 1) * APART_US);
    bytes_append_text(&text, "]");
    return text;
}

/* Returns the key of the tile of the base level that has slice `i` of those far apart. */
static TileKey sparse_key(const Case *c, uint32_t level, uint32_t i)
{
    const uint64_t ns = ((uint64_t)DENSE + ((uint64_t)i + 1) * APART_US) * 1000;
    const uint64_t at = ns - (uint64_t)c->loaded.trace->begin_tick;
    return (TileKey){ .track = 1, .level = level, .index = at >> (level + TILE_BUCKET_BITS) };
}

/* Requests the tiles of some of the slices far apart at once. Returns the number of slices in the answer; 0: it was refused, with `err`. */
static uint32_t request_sparse(Case *c, uint32_t first, uint32_t count, Err *err)
{
    static TileKey keys[FAR_APART];
    const Trace   *trace = c->loaded.trace;
    const uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
    const uint32_t level = tile_list_level(trace, tiles_root_level(span));
    Bytes          out = { 0 };
    uint32_t       slices = 0;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = sparse_key(c, level, first + i);
    if (remote_tiles(c->remote, keys, count, &out, err)) {
        for (size_t at = 0; at < out.size; at += 4 + bits_load_u32(out.data + at)) {
            Tile tile;
            CHECK(tile_open(out.data + at + 4, bits_load_u32(out.data + at), &tile));
            slices += tile_row(&tile, 0).entry_count;
        }
    }
    bytes_release(&out);
    return slices;
}

TEST(tiles_of_more_blocks_than_are_kept_are_complete_or_refused)
{
    if (!arrays_host_is_supported()) return;
    Case c = open_case_of(make_sparse(), VARVE_ALL_LEVELS);
    Err  err;
    open_remote(&c);
    for (uint32_t i = 0; i + 100 <= FAR_APART; i += 100)
        CHECK_UINT(request_sparse(&c, i, 100, &err), 100);
    const uint64_t requests = c.ranges.requests;
    CHECK_UINT(request_sparse(&c, FAR_APART - 100, 100, &err),
               100); /* the latest blocks are kept, the first ones are not */
    CHECK_UINT(c.ranges.requests, requests);
    CHECK_UINT(request_sparse(&c, 0, 100, &err), 100);
    CHECK(c.ranges.requests > requests);
    CHECK_UINT(request_sparse(&c, 100, 4000, &err), 4000);
    CHECK_UINT(request_sparse(&c, 0, FAR_APART, &err), 0);
    CHECK_STRING(err.message, "the tiles are in more than 4096 blocks: request fewer of them");
    CHECK_UINT(request_sparse(&c, 200, 300, &err), 300);
    close_case(&c);
}

/* ---- damage ---- */

/* Opens the file and requests all tiles of some views. True if all went well. */
static bool is_read(const uint8_t *bytes, uint64_t size, const Case *c)
{
    MemoryRanges      ranges = { .bytes = bytes, .size = size };
    const RangeSource source = memory_ranges_source(&ranges);
    Err               err = { .code = ERR_NONE };
    RemoteFile       *remote = remote_open(&source, VARVE_COARSE_LEVELS, &err);
    bool              done = remote != NULL;
    TileKey           keys[256];
    CHECK(done || (err.code != ERR_NONE && err.code != ERR_USAGE && err.message[0] != '\0'));
    for (uint32_t level = 0; done && level < 30; level += 3) {
        Bytes out = { 0 };
        done = remote_tiles(remote, keys, view_keys(c, level, 1, 4, keys), &out, &err);
        CHECK(done || (err.code != ERR_NONE && err.code != ERR_USAGE && err.message[0] != '\0'));
        bytes_release(&out);
    }
    remote_close(remote);
    return done;
}

static void refuse_prefixes(VarveLevels levels)
{
    Case c = open_case_of(make_source(300), levels);
    CHECK(is_read(c.file.data, c.file.size, &c));
    for (uint64_t size = 0; size < c.file.size; size += 7)
        CHECK(!is_read(c.file.data, size, &c));
    close_case(&c);
}

TEST(every_prefix_of_a_file_is_refused)
{
    if (!arrays_host_is_supported()) return;
    refuse_prefixes(VARVE_ALL_LEVELS);
    refuse_prefixes(VARVE_COARSE_LEVELS);
}

TEST(a_changed_file_is_refused_or_its_change_is_not_read)
{
    if (!arrays_host_is_supported()) return;
    Case           c = open_case(2000);
    TestRandom     random = { .state = 11 };
    uint32_t       refused = 0;
    const uint64_t tail = c.file.size - 3000;
    for (uint32_t i = 0; i < 600; i++) {
        const uint64_t at =
            i % 2 == 0 ? test_random_below(&random, c.file.size) : tail + test_random_below(&random, 3000);
        const uint8_t before = c.file.data[at];
        c.file.data[at] ^= (uint8_t)(1 + test_random_below(&random, 255));
        const bool is_refused = !is_read(c.file.data, c.file.size, &c);
        c.file.data[at] = before;
        refused += is_refused;
        if (at >= c.file.size - VARVE_FOOTER_BYTES - TILES_TRAILER_BYTES &&
            at < c.file.size - VARVE_FOOTER_BYTES)
            CHECK(is_refused);
    }
    CHECK(refused > 100);
    close_case(&c);
}

static void change_bits(VarveLevels levels)
{
    Case           c = open_case_of(make_source(400), levels);
    TestRandom     random = { .state = 13 };
    uint32_t       refused = 0;
    const uint64_t tail = c.file.size - 3000;
    Bytes          copy = { 0 };
    for (uint32_t i = 0; i < 600; i++) {
        bytes_clear(&copy);
        bytes_append(&copy, c.file.data, c.file.size);
        CHECK(!copy.failed);
        for (uint32_t k = 0; k <= i % 3; k++)
            copy.data[tail + test_random_below(&random, 3000)] ^=
                (uint8_t)(1u << test_random_below(&random, 8));
        ranges_repair(copy.data, copy.size);
        refused += !is_read(copy.data, copy.size, &c);
    }
    CHECK(refused > 50 && refused < 600);
    bytes_release(&copy);
    close_case(&c);
}

TEST(a_file_with_changed_bits_and_sound_checksums_is_refused_or_read)
{
    if (!arrays_host_is_supported()) return;
    change_bits(VARVE_ALL_LEVELS);
    change_bits(VARVE_COARSE_LEVELS);
}

/* ---- answers of servers ---- */

static void check_reply(const RangeReply *reply, const char *expected)
{
    RangeTarget target = { .address = "http://host/a.varve" };
    RangeReply  first = { 206, 64, "bytes 0-63/1000", "\"a\"", "Monday" };
    Err         err = { .code = ERR_NONE };
    CHECK_DONE(range_reply_check(&target, 0, 64, &first, &err), err);
    CHECK_UINT(target.size, 1000);
    const bool done = range_reply_check(&target, 100, 50, reply, &err);
    CHECK_STRING(done ? "" : err.message, expected);
}

TEST(answers_of_servers_are_checked)
{
    check_reply(&(RangeReply){ 206, 50, "bytes 100-149/1000", "\"a\"", "Monday" }, "");
    check_reply(&(RangeReply){ 206, 50, "", "", "" }, ""); /* a page may not see these */
    check_reply(&(RangeReply){ 200, 1000, "", "\"a\"", "Monday" },
                "cannot read http://host/a.varve by ranges: the server sends no ranges: it answered with the "
                "whole file (status 200)");
    check_reply(&(RangeReply){ 404, 0, "", "", "" },
                "cannot read http://host/a.varve by ranges: the server answered with status 404");
    check_reply(&(RangeReply){ 416, 0, "bytes */90", "", "" },
                "cannot read http://host/a.varve by ranges: the server has no such range (status 416): the "
                "file is shorter than before");
    check_reply(&(RangeReply){ 206, 50, "bytes 100-149/1000", "\"b\"", "Monday" },
                "cannot read http://host/a.varve by ranges: the file has changed: it has another ETag; open "
                "it again");
    check_reply(&(RangeReply){ 206, 50, "bytes 100-149/1000", "", "Tuesday" },
                "cannot read http://host/a.varve by ranges: the file has changed: it has another time "
                "(Last-Modified); open it again");
    check_reply(&(RangeReply){ 206, 50, "bytes 100-149/1001", "\"a\"", "Monday" },
                "cannot read http://host/a.varve by ranges: the file has changed: it had 1000 bytes, now "
                "1001; open it again");
    check_reply(
        &(RangeReply){ 206, 50, "bytes 0-49/1000", "\"a\"", "Monday" },
        "cannot read http://host/a.varve by ranges: the server sent bytes 0-49, requested were 100-149");
    check_reply(&(RangeReply){ 206, 49, "bytes 100-149/1000", "\"a\"", "Monday" },
                "cannot read http://host/a.varve by ranges: the server sent 49 bytes, requested were 50 at "
                "offset 100");
    check_reply(&(RangeReply){ 206, 51, "bytes 100-149/1000", "\"a\"", "Monday" },
                "cannot read http://host/a.varve by ranges: the server sent more than 50 bytes, requested "
                "were 50 at offset 100");
    check_reply(
        &(RangeReply){ 206, 50, "bytes 100", "\"a\"", "Monday" },
        "cannot read http://host/a.varve by ranges: the server answered with an invalid Content-Range");
}

TEST_MAIN("varve_remote", TEST_CASE(tiles_of_the_file_are_those_of_the_trace),
          TEST_CASE(tiles_of_arrows_have_those_of_the_trace),
          TEST_CASE(a_tile_that_the_trace_does_not_have_is_empty),
          TEST_CASE(a_file_with_the_coarsest_levels_has_the_tiles_of_the_whole_trace),
          TEST_CASE(a_file_with_the_coarsest_levels_is_not_read_by_ranges),
          TEST_CASE(a_file_with_tiles_is_the_same_trace_for_other_readers),
          TEST_CASE(a_tile_is_the_same_after_a_change_of_the_order_of_its_bytes_and_back),
          TEST_CASE(requests_and_bytes_do_not_grow_with_the_file),
          TEST_CASE(tiles_of_more_blocks_than_are_kept_are_complete_or_refused),
          TEST_CASE(every_prefix_of_a_file_is_refused),
          TEST_CASE(a_changed_file_is_refused_or_its_change_is_not_read),
          TEST_CASE(a_file_with_changed_bits_and_sound_checksums_is_refused_or_read),
          TEST_CASE(answers_of_servers_are_checked))
