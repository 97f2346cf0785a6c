/* `.varve` files with tiles, read by ranges: a file of a fixed trace, changed in the bytes that the input names, with sound checksums. And
 * the input itself as the bytes of a tile in a file, from which finer tiles are cut. */
#include "fuzz.h"

#include "format/varve/remote.h"
#include "support/ranges.h"
#include "trace/wire/tile_cut.h"

#define MEMORY_LIMIT (UINT64_C(1) << 28)

static Bytes files[2]; /* of the fixed trace: with the tiles of all levels, and with only the coarsest */

static void make_files(void)
{
    static const char SOURCE[] = "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":900,\"name\":\"a\"},{"
                                 "\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":2,"
                                 "\"dur\":3,\"name\":\"b\"},{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":7,"
                                 "\"dur\":0,\"name\":\"b\"},{\"ph\":\"X\",\"pid\":1,"
                                 "\"tid\":2,\"ts\":9,\"dur\":500,\"name\":\"c\"},{\"ph\":\"i\",\"pid\":1,"
                                 "\"tid\":2,\"ts\":9,\"name\":\"i\"},{\"ph\":\"C\","
                                 "\"pid\":1,\"ts\":4,\"name\":\"n\",\"args\":{\"v\":1}},{\"ph\":\"C\","
                                 "\"pid\":1,\"ts\":8,\"name\":\"n\",\"args\":{\"v\":2}},"
                                 "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":2,\"id\":1,\"name\":\"f\"},{"
                                 "\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":10,\"id\":1,"
                                 "\"name\":\"f\",\"bp\":\"e\"}]";
    const LoadOptions options = { .threads = 1 };
    Loaded            loaded;
    Err               err;
    expect(load_bytes(SOURCE, sizeof SOURCE - 1, "fuzz", &options, &loaded, &err), "the fixed trace loads");
    files[0] = make_tiles_file(&loaded, VARVE_ALL_LEVELS, &err);
    files[1] = make_tiles_file(&loaded, VARVE_COARSE_LEVELS, &err);
    expect(files[0].size > 0 && files[1].size > 0, "the files are written");
    loaded_release(&loaded);
}

/* Opens the file and requests tiles of every track at some levels. */
static void read_file(const uint8_t *bytes, uint64_t size)
{
    MemoryRanges      ranges = { .bytes = bytes, .size = size };
    const RangeSource source = memory_ranges_source(&ranges);
    Err               err = { .code = ERR_NONE };
    RemoteFile       *remote = remote_open(&source, VARVE_COARSE_LEVELS, &err);
    if (remote == NULL) {
        expect(err.code != ERR_NONE && err.code != ERR_USAGE,
               "a failure without a reason, or a range outside of the file");
        return;
    }
    for (uint32_t track = 1; track < 6; track++) {
        Bytes         out = { 0 };
        const TileKey keys[] = { { track, 0, 3, 0, 0 },
                                 { track, 0, 11, 0, 1 },
                                 { track, 0, 0, 5, 0 },
                                 { track, TILE_FLOWS, 9, 0, 0 } };
        const bool    done = remote_tiles(remote, keys, 4, &out, &err);
        expect(done || (err.code != ERR_NONE && err.code != ERR_USAGE), "tiles without a reason");
        bytes_release(&out);
    }
    remote_close(remote);
}

/* Changes the bytes that the input names: two bytes for a place before the end, one for a value. */
static void change_file(const Bytes *file, const uint8_t *data, size_t size)
{
    Bytes copy = { 0 };
    bytes_append(&copy, file->data, file->size);
    if (copy.failed) return;
    for (size_t i = 0; i + 3 <= size && i < 30; i += 3) {
        const size_t back = (size_t)data[i] + ((size_t)data[i + 1] << 8);
        copy.data[copy.size - 1 - back % copy.size] ^= data[i + 2];
    }
    ranges_repair(copy.data, copy.size);
    read_file(copy.data, copy.size);
    bytes_release(&copy);
}

/* Cuts tiles of the input, if it is one in the order of a file. */
static void cut_tile(const uint8_t *data, size_t size)
{
    Bytes copy = { 0 }, scratch = { 0 };
    Tile  tile, cut;
    bytes_append(&copy, data, size);
    if (!copy.failed && tile_unshuffle(copy.data, copy.size, &scratch) &&
        tile_open(copy.data, copy.size, &tile)) {
        for (uint32_t down = 0; down <= tile.key.level && down < 8; down += 3) {
            TileKey key = tile.key;
            Bytes   out = { 0 };
            key.level -= down;
            key.index <<= down;
            if (tile_cut(&tile, key, 1, &out))
                expect(tile_open(out.data, out.size, &cut), "a cut tile is a tile");
            bytes_release(&out);
        }
    }
    bytes_release(&copy);
    bytes_release(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!arrays_host_is_supported()) return 0;
    memory_set_limit(MEMORY_LIMIT);
    if (files[0].size == 0) make_files();
    change_file(&files[size % 2], data, size);
    cut_tile(data, size);
    return 0;
}
