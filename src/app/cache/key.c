#include "app/cache/key.h"

#include "base/file.h"
#include "base/hash.h"

#include <varve/varve.h>

#include <string.h>
#include <sys/stat.h>

enum {
    SAMPLES = 32,
    SAMPLE_BYTES = 4096,
    ENTRY_VERSION = 4 /* of the use of entries and the rules of a load; the file has a version, too */
};

/* Adds blocks of the file to the hash: the first, the last, and others at equal distances. */
static bool add_samples(const FileReader *file, uint64_t *hash)
{
    uint8_t        block[SAMPLE_BYTES];
    const uint64_t last = file->size < SAMPLE_BYTES ? 0 : file->size - SAMPLE_BYTES;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const int64_t got = file_reader_read(file, last / (SAMPLES - 1) * i, block, sizeof block);
        if (got < 0) return false;
        *hash = hash_bytes(block, (size_t)got, *hash);
    }
    const int64_t got = file_reader_read(file, last, block, sizeof block);
    *hash = hash_bytes(block, got < 0 ? 0 : (size_t)got, *hash);
    return got >= 0;
}

uint64_t cache_key(const char *path, const LoadOptions *options)
{
    FileReader  file;
    struct stat info;
    Err         err;
    if (strcmp(path, "-") == 0 || !file_reader_open(path, &file, &err)) return 0;
    bool           done = fstat(file.handle_plus_one - 1, &info) == 0 && file.size > 0;
    const uint64_t facts[] = { file.size,
                               done ? (uint64_t)info.st_mtim.tv_sec : 0,
                               done ? (uint64_t)info.st_mtim.tv_nsec : 0,
                               options->record_limit,
                               options->widths,
                               options->symbols.policy,
                               ENTRY_VERSION };
    uint64_t       hash = hash_bytes(facts, sizeof facts, 0);
    hash = hash_bytes(VARVE_VERSION, sizeof VARVE_VERSION, hash);
    if (options->format_name != NULL)
        hash = hash_bytes(options->format_name, strlen(options->format_name), hash);
    done = done && add_samples(&file, &hash);
    file_reader_close(&file);
    return !done ? 0 : hash == 0 ? 1 : hash;
}
