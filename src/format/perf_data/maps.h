/* format/perf_data/maps.h - which file is at which address of a process. For format/perf_data only.
 *
 * The maps of a process are sorted and do not overlap: a newer one replaces the parts of older ones below it. A process that is
 * forked shares the maps of its parent until one of them changes. */
#ifndef FORMAT_PERF_DATA_MAPS_H
#define FORMAT_PERF_DATA_MAPS_H
#include "base/id_map.h"

typedef struct PerfMap {
    uint64_t begin, end; /* addresses, without the end */
    uint64_t offset;     /* in the file, of `begin` */
    uint32_t module;     /* of names.h */
} PerfMap;

typedef struct PerfMapTable {
    PerfMap *items; /* in the arena */
    uint32_t count, capacity;
    uint32_t users; /* processes with this table */
} PerfMapTable;

#define PERF_KERNEL_PID UINT32_MAX /* the maps of the kernel */

/* A zeroed PerfMaps with an arena in `table_of` is valid and empty. */
typedef struct PerfMaps {
    IdMap table_of; /* by pid: 1 + index in `tables` */
    ARENA_LIST(PerfMapTable *) tables;
    uint64_t copied; /* maps of tables that were copied */
    bool     failed; /* out of memory */
} PerfMaps;

/* Adds a map to a process; one without addresses is ignored. False: the process has too many maps, of
 * which this one is left out; or all those of its parent, after many forks. */
bool perf_maps_add(PerfMaps *maps, uint32_t pid, const PerfMap *map);
/* Gives a forked process the maps of its parent. */
void perf_maps_fork(PerfMaps *maps, uint32_t pid, uint32_t parent);
/* Removes the maps of a process, which executes another program. */
void perf_maps_clear(PerfMaps *maps, uint32_t pid);
/* Returns the map at an address of a process, or NULL. */
const PerfMap *perf_maps_find(const PerfMaps *maps, uint32_t pid, uint64_t address);

#endif
