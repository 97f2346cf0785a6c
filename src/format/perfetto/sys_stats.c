/* The counters of SysStats: of the whole system. They have the names of /proc/meminfo and /proc/vmstat, and those of Perfetto's
 * tables. */
#include "format/perfetto/fields.h"
#include "format/perfetto/reader.h"

#include <stdio.h>

static const double KIB = 1024;

/* The keys of MeminfoValue and VmstatValue, from 1 on: protos/perfetto/common/sys_stats_counters.proto. */
static const char *const MEMINFO[] = {
    "MemTotal",     "MemFree",        "MemAvailable", "Buffers",      "Cached",
    "SwapCached",   "Active",         "Inactive",     "Active(anon)", "Inactive(anon)",
    "Active(file)", "Inactive(file)", "Unevictable",  "Mlocked",      "SwapTotal",
    "SwapFree",     "Dirty",          "Writeback",    "AnonPages",    "Mapped",
    "Shmem",        "Slab",           "SReclaimable", "SUnreclaim",   "KernelStack",
    "PageTables",   "CommitLimit",    "Committed_AS", "VmallocTotal", "VmallocUsed",
    "VmallocChunk", "CmaTotal",       "CmaFree",      "Gpu",          "Zram",
    "Misc",         "ION_heap",       "ION_heap_pool"
};
static const char *const VMSTAT[] = { "nr_free_pages",
                                      "nr_alloc_batch",
                                      "nr_inactive_anon",
                                      "nr_active_anon",
                                      "nr_inactive_file",
                                      "nr_active_file",
                                      "nr_unevictable",
                                      "nr_mlock",
                                      "nr_anon_pages",
                                      "nr_mapped",
                                      "nr_file_pages",
                                      "nr_dirty",
                                      "nr_writeback",
                                      "nr_slab_reclaimable",
                                      "nr_slab_unreclaimable",
                                      "nr_page_table_pages",
                                      "nr_kernel_stack",
                                      "nr_overhead",
                                      "nr_unstable",
                                      "nr_bounce",
                                      "nr_vmscan_write",
                                      "nr_vmscan_immediate_reclaim",
                                      "nr_writeback_temp",
                                      "nr_isolated_anon",
                                      "nr_isolated_file",
                                      "nr_shmem",
                                      "nr_dirtied",
                                      "nr_written",
                                      "nr_pages_scanned",
                                      "workingset_refault",
                                      "workingset_activate",
                                      "workingset_nodereclaim",
                                      "nr_anon_transparent_hugepages",
                                      "nr_free_cma",
                                      "nr_swapcache",
                                      "nr_dirty_threshold",
                                      "nr_dirty_background_threshold",
                                      "pgpgin",
                                      "pgpgout",
                                      "pgpgoutclean",
                                      "pswpin",
                                      "pswpout",
                                      "pgalloc_dma",
                                      "pgalloc_normal",
                                      "pgalloc_movable",
                                      "pgfree",
                                      "pgactivate",
                                      "pgdeactivate",
                                      "pgfault",
                                      "pgmajfault",
                                      "pgrefill_dma",
                                      "pgrefill_normal",
                                      "pgrefill_movable",
                                      "pgsteal_kswapd_dma",
                                      "pgsteal_kswapd_normal",
                                      "pgsteal_kswapd_movable",
                                      "pgsteal_direct_dma",
                                      "pgsteal_direct_normal",
                                      "pgsteal_direct_movable",
                                      "pgscan_kswapd_dma",
                                      "pgscan_kswapd_normal",
                                      "pgscan_kswapd_movable",
                                      "pgscan_direct_dma",
                                      "pgscan_direct_normal",
                                      "pgscan_direct_movable",
                                      "pgscan_direct_throttle",
                                      "pginodesteal",
                                      "slabs_scanned",
                                      "kswapd_inodesteal",
                                      "kswapd_low_wmark_hit_quickly",
                                      "kswapd_high_wmark_hit_quickly",
                                      "pageoutrun",
                                      "allocstall",
                                      "pgrotated",
                                      "drop_pagecache",
                                      "drop_slab",
                                      "pgmigrate_success",
                                      "pgmigrate_fail",
                                      "compact_migrate_scanned",
                                      "compact_free_scanned",
                                      "compact_isolated",
                                      "compact_stall",
                                      "compact_fail",
                                      "compact_success",
                                      "compact_daemon_wake",
                                      "unevictable_pgs_culled",
                                      "unevictable_pgs_scanned",
                                      "unevictable_pgs_rescued",
                                      "unevictable_pgs_mlocked",
                                      "unevictable_pgs_munlocked",
                                      "unevictable_pgs_cleared",
                                      "unevictable_pgs_stranded",
                                      "nr_zspages",
                                      "nr_ion_heap",
                                      "nr_gpu_heap",
                                      "allocstall_dma",
                                      "allocstall_movable",
                                      "allocstall_normal",
                                      "compact_daemon_free_scanned",
                                      "compact_daemon_migrate_scanned",
                                      "nr_fastrpc",
                                      "nr_indirectly_reclaimable",
                                      "nr_ion_heap_pool",
                                      "nr_kernel_misc_reclaimable",
                                      "nr_shadow_call_stack_bytes",
                                      "nr_shmem_hugepages",
                                      "nr_shmem_pmdmapped",
                                      "nr_unreclaimable_pages",
                                      "nr_zone_active_anon",
                                      "nr_zone_active_file",
                                      "nr_zone_inactive_anon",
                                      "nr_zone_inactive_file",
                                      "nr_zone_unevictable",
                                      "nr_zone_write_pending",
                                      "oom_kill",
                                      "pglazyfree",
                                      "pglazyfreed",
                                      "pgrefill",
                                      "pgscan_direct",
                                      "pgscan_kswapd",
                                      "pgskip_dma",
                                      "pgskip_movable",
                                      "pgskip_normal",
                                      "pgsteal_direct",
                                      "pgsteal_kswapd",
                                      "swap_ra",
                                      "swap_ra_hit",
                                      "workingset_restore",
                                      "allocstall_device",
                                      "allocstall_dma32",
                                      "balloon_deflate",
                                      "balloon_inflate",
                                      "balloon_migrate",
                                      "cma_alloc_fail",
                                      "cma_alloc_success",
                                      "nr_file_hugepages",
                                      "nr_file_pmdmapped",
                                      "nr_foll_pin_acquired",
                                      "nr_foll_pin_released",
                                      "nr_sec_page_table_pages",
                                      "nr_shadow_call_stack",
                                      "nr_swapcached",
                                      "nr_throttled_written",
                                      "pgalloc_device",
                                      "pgalloc_dma32",
                                      "pgdemote_direct",
                                      "pgdemote_kswapd",
                                      "pgreuse",
                                      "pgscan_anon",
                                      "pgscan_file",
                                      "pgskip_device",
                                      "pgskip_dma32",
                                      "pgsteal_anon",
                                      "pgsteal_file",
                                      "thp_collapse_alloc",
                                      "thp_collapse_alloc_failed",
                                      "thp_deferred_split_page",
                                      "thp_fault_alloc",
                                      "thp_fault_fallback",
                                      "thp_fault_fallback_charge",
                                      "thp_file_alloc",
                                      "thp_file_fallback",
                                      "thp_file_fallback_charge",
                                      "thp_file_mapped",
                                      "thp_migration_fail",
                                      "thp_migration_split",
                                      "thp_migration_success",
                                      "thp_scan_exceed_none_pte",
                                      "thp_scan_exceed_share_pte",
                                      "thp_scan_exceed_swap_pte",
                                      "thp_split_page",
                                      "thp_split_page_failed",
                                      "thp_split_pmd",
                                      "thp_swpout",
                                      "thp_swpout_fallback",
                                      "thp_zero_page_alloc",
                                      "thp_zero_page_alloc_failed",
                                      "vma_lock_abort",
                                      "vma_lock_miss",
                                      "vma_lock_retry",
                                      "vma_lock_success",
                                      "workingset_activate_anon",
                                      "workingset_activate_file",
                                      "workingset_nodes",
                                      "workingset_refault_anon",
                                      "workingset_refault_file",
                                      "workingset_restore_anon",
                                      "workingset_restore_file" };
static const char *const PRESSURES[] = { "psi.cpu.some", "psi.cpu.full", "psi.io.some",
                                         "psi.io.full",  "psi.mem.some", "psi.mem.full" };
/* The fields of CpuTimes, from 2 on. */
static const char *const CPU_TIMES[] = { "user_ns",    "user_nice_ns", "system_mode_ns", "idle_ns",
                                         "io_wait_ns", "irq_ns",       "softirq_ns",     "steal_ns" };
enum {
    MEMINFO_COUNT = sizeof MEMINFO / sizeof MEMINFO[0],
    VMSTAT_COUNT = sizeof VMSTAT / sizeof VMSTAT[0],
    PRESSURE_COUNT = sizeof PRESSURES / sizeof PRESSURES[0],
    CPU_TIME_COUNT = sizeof CPU_TIMES / sizeof CPU_TIMES[0]
};

/* The messages with a key and a value. */
typedef struct KeyedValue {
    uint64_t   key, value;
    StringView text; /* the key of DevfreqValue, the type of ThermalZone; empty = none */
    bool       is_sound;
} KeyedValue;

static KeyedValue keyed_value(StringView message, uint32_t text_number)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    KeyedValue result = { .text = { "", 0 } };
    while (wire_next(&c, &field)) {
        if (field.number == text_number) result.text = field.bytes;
        if (field.number == STAT_KEY) result.key = field.value;
        if (field.number == STAT_VALUE) result.value = field.value;
    }
    result.is_sound = !c.failed;
    return result;
}

static void add(PerfettoReader *reader, const char *name, CounterUnit unit, int64_t ns, double value)
{
    system_add_value(reader, system_group(reader), c_string_view(name), c_string_view(name), unit, ns, value);
}

/* Adds the times of a CPU, as the series of one counter. False: damage. */
static bool take_cpu_times(PerfettoReader *reader, StringView message, int64_t ns)
{
    ByteCursor     c = wire_message(message);
    WireField      field;
    char           title[32];
    const uint64_t cpu = keyed_value(message, 0).key;
    const int      size = snprintf(title, sizeof title, "CPU %lu times", (unsigned long)(uint32_t)cpu);
    while (wire_next(&c, &field))
        if (field.number >= CPU_TIMES_FIRST && field.number - CPU_TIMES_FIRST < CPU_TIME_COUNT)
            system_add_value(reader, system_group(reader), (StringView){ title, (size_t)size },
                             c_string_view(CPU_TIMES[field.number - CPU_TIMES_FIRST]), UNIT_NONE, ns,
                             (double)field.value);
    return !c.failed;
}

/* Adds the value of a message. False: damage. */
static bool take_message(PerfettoReader *reader, const WireField *field, int64_t ns)
{
    const bool       is_zone = field->number == SYS_THERMAL_ZONE;
    const bool       has_text = is_zone || field->number == SYS_DEVFREQ;
    const KeyedValue value = keyed_value(field->bytes, !has_text ? 0 : is_zone ? ZONE_TYPE : STAT_KEY);
    const uint64_t   index = value.key - 1;
    const double     number = (double)value.value;
    switch (field->number) {
    case SYS_MEMINFO:
        if (index < MEMINFO_COUNT) add(reader, MEMINFO[index], UNIT_BYTES, ns, number * KIB);
        break;
    case SYS_VMSTAT:
        if (index < VMSTAT_COUNT) add(reader, VMSTAT[index], UNIT_NONE, ns, number);
        break;
    case SYS_CPU_TIMES:
        return take_cpu_times(reader, field->bytes, ns);
    case SYS_PRESSURE:
        if (index < PRESSURE_COUNT) add(reader, PRESSURES[index], UNIT_NONE, ns, number);
        break;
    case SYS_DEVFREQ:
    case SYS_THERMAL_ZONE:
        if (value.text.size > 0)
            system_add_value(reader, system_group(reader), value.text, value.text, UNIT_NONE, ns, number);
        break;
    default:
        break;
    }
    return value.is_sound;
}

bool system_take_stats(PerfettoReader *reader, StringView message, int64_t ns)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    bool       done = true;
    while (done && wire_next(&c, &field)) {
        if (field.type == WIRE_BYTES) done = take_message(reader, &field, ns);
        if (field.number == SYS_FORKS) add(reader, "num_forks", UNIT_NONE, ns, (double)field.value);
        if (field.number == SYS_IRQS) add(reader, "num_irq_total", UNIT_NONE, ns, (double)field.value);
        if (field.number == SYS_SOFTIRQS)
            add(reader, "num_softirq_total", UNIT_NONE, ns, (double)field.value);
    }
    return done && !c.failed;
}
