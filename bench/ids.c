/* varve-bench-ids [COUNT] - adds COUNT ids (10,000,000 unless given) to an IdMap, and as thread ids to a trace builder, and
 * finds each again. Prints CPU seconds for random ids and for ids that a crafted file would use to make look-ups slow, and
 * their ratio. */
#include "base/hash.h"
#include "base/id_map.h"
#include "trace/log/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns the factor that undoes a multiplication by an odd number. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

/* Returns the number whose splitmix64 hash, a common hash without a key, is `hash`. */
static uint64_t unmix(uint64_t hash)
{
    uint64_t x = (hash ^ hash >> 31 ^ hash >> 62) * inverse(UINT64_C(0x94d049bb133111eb));
    x = (x ^ x >> 27 ^ x >> 54) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
    return (x ^ x >> 30 ^ x >> 60) - UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t random_id(uint64_t i)
{
    return hash_pair(i, 0, 1);
}

static uint64_t consecutive_id(uint64_t i)
{
    return i + ID_MAP_DENSE;
}

static uint64_t high_id(uint64_t i)
{
    return i << 40;
}

/* Ids whose splitmix64 hashes have equal low halves: the same slot of a table without a key. */
static uint64_t crafted_id(uint64_t i)
{
    return unmix(i << 32);
}

static const struct IdKind {
    const char *name;
    uint64_t (*id)(uint64_t i);
} KINDS[] = { { "random", random_id },
              { "consecutive", consecutive_id },
              { "multiples of 2^40", high_id },
              { "crafted", crafted_id } };

/* ids[1..count] */
static bool time_map(const uint64_t *ids, uint32_t count, double *seconds)
{
    Arena        arena = arena_create(0);
    IdMap        map = { .arena = &arena };
    bool         done = true;
    const double begin = now();
    for (uint32_t i = 1; i <= count && done; i++)
        done = id_map_put(&map, ids[i], i);
    for (uint32_t i = 1; i <= count && done; i++)
        done = id_map_find(&map, ids[i]) == i;
    *seconds = now() - begin;
    arena_release(&arena);
    return done;
}

static bool time_builder(const uint64_t *ids, uint32_t count, double *seconds)
{
    TraceBuilder *builder = builder_create("bench", 0);
    bool          done = builder != NULL;
    const double  begin = now();
    for (uint32_t i = 1; i <= count && done; i++)
        done = builder_thread(builder, PROCESS_NONE, ident_uint(ids[i])).index == i;
    for (uint32_t i = 1; i <= count && done; i++)
        done = builder_thread(builder, PROCESS_NONE, ident_uint(ids[i])).index == i;
    *seconds = now() - begin;
    builder_destroy(builder);
    return done;
}

int main(int count, char **words)
{
    const uint32_t id_count = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 10000000;
    double         map_random = 0, builder_random = 0;
    Arena          arena = arena_create(0);
    uint64_t      *ids = ARENA_ARRAY(&arena, uint64_t, (size_t)id_count + 1);
    if (ids == NULL) return 1;
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        double map, builder;
        for (uint32_t i = 1; i <= id_count; i++)
            ids[i] = KINDS[k].id(i);
        if (!time_map(ids, id_count, &map) || !time_builder(ids, id_count, &builder)) return 1;
        if (k == 0) {
            map_random = map;
            builder_random = builder;
        }
        printf("%" PRIu32 " ids, %-18s map %.2f s (x %.2f), builder %.2f s (x %.2f)\n", id_count,
               KINDS[k].name, map, map / map_random, builder, builder / builder_random);
    }
    arena_release(&arena);
    return 0;
}
