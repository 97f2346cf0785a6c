/* format/perfetto/fields.h - numbers of the fields that the reader knows. For format/perfetto only.
 *
 * Source: protos/perfetto/trace of Perfetto (github.com/google/perfetto, v49 to v54). */
#ifndef FORMAT_PERFETTO_FIELDS_H
#define FORMAT_PERFETTO_FIELDS_H

enum { TRACE_PACKET = 1 }; /* Trace */

enum { /* TracePacket: fields of the packet itself */
       PACKET_TRUSTED_UID = 3,
       PACKET_TIMESTAMP = 8,
       PACKET_SEQUENCE_ID = 10,
       PACKET_INTERNED_DATA = 12,
       PACKET_SEQUENCE_FLAGS = 13,
       PACKET_STATE_CLEARED = 41,
       PACKET_PREVIOUS_DROPPED = 42,
       PACKET_CLOCK_ID = 58,
       PACKET_DEFAULTS = 59,
       PACKET_TRUSTED_PID = 79,
       PACKET_FIRST_ON_SEQUENCE = 87,
       PACKET_MACHINE_ID = 98
};
enum { /* TracePacket: its data, at most one of them */
       DATA_FTRACE = 1,
       DATA_PROCESS_TREE = 2,
       DATA_CLOCK_SNAPSHOT = 6,
       DATA_SYS_STATS = 7,
       DATA_PROCESS_STATS = 9,
       DATA_TRACK_EVENT = 11,
       DATA_SYNC_MARKER = 36,
       DATA_PROCESS_DESCRIPTOR = 43,
       DATA_THREAD_DESCRIPTOR = 44,
       DATA_SYSTEM_INFO = 45,
       DATA_COMPRESSED = 50,
       DATA_PROFILE = 54,
       DATA_TRACK_DESCRIPTOR = 60,
       DATA_PERF_SAMPLE = 66,
       DATA_ZSTD_COMPRESSED = 133
};
enum { SEQUENCE_STATE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 }; /* bits of TracePacket.sequence_flags */

enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK_ID = 58 }; /* TracePacketDefaults */
/* TrackEventDefaults has the numbers of the same fields of TrackEvent. */

enum { /* TrackEvent: TE_ */
       TE_TIMESTAMP_DELTA_US = 1,
       TE_THREAD_TIME_DELTA_US = 2,
       TE_CATEGORY_IIDS = 3,
       TE_DEBUG_ANNOTATIONS = 4,
       TE_TASK_EXECUTION = 5,
       TE_LEGACY = 6,
       TE_INSTRUCTION_DELTA = 8,
       TE_TYPE = 9,
       TE_NAME_IID = 10,
       TE_TRACK_UUID = 11,
       TE_EXTRA_VALUES = 12,
       TE_TIMESTAMP_US = 16,
       TE_THREAD_TIME_US = 17,
       TE_INSTRUCTIONS = 20,
       TE_LOG_MESSAGE = 21,
       TE_CATEGORIES = 22,
       TE_NAME = 23,
       TE_COUNTER_VALUE = 30,
       TE_EXTRA_UUIDS = 31,
       TE_SOURCE_LOCATION = 33,
       TE_SOURCE_LOCATION_IID = 34,
       TE_FLOW_IDS_OLD = 36,
       TE_END_FLOW_IDS_OLD = 42,
       TE_DOUBLE_VALUE = 44,
       TE_EXTRA_DOUBLE_UUIDS = 45,
       TE_EXTRA_DOUBLE_VALUES = 46,
       TE_FLOW_IDS = 47,
       TE_END_FLOW_IDS = 48,
       TE_CORRELATION_ID = 52,
       TE_CORRELATION_TEXT = 53,
       TE_CORRELATION_IID = 54
};
enum {
    TYPE_UNSPECIFIED = 0,
    TYPE_SLICE_BEGIN = 1,
    TYPE_SLICE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,
    TYPE_STATE = 5
};

enum { /* TrackEvent.LegacyEvent */
       LEGACY_NAME_IID = 1,
       LEGACY_PHASE = 2,
       LEGACY_DURATION_US = 3,
       LEGACY_THREAD_DURATION_US = 4,
       LEGACY_UNSCOPED_ID = 6,
       LEGACY_ID_SCOPE = 7,
       LEGACY_BIND_ID = 8,
       LEGACY_LOCAL_ID = 10,
       LEGACY_GLOBAL_ID = 11,
       LEGACY_BIND_ENCLOSING = 12,
       LEGACY_FLOW_DIRECTION = 13,
       LEGACY_INSTANT_SCOPE = 14,
       LEGACY_PID = 18,
       LEGACY_TID = 19
};

enum { /* DebugAnnotation: AN_ */
       AN_NAME_IID = 1,
       AN_BOOL = 2,
       AN_UINT = 3,
       AN_INT = 4,
       AN_DOUBLE = 5,
       AN_STRING = 6,
       AN_POINTER = 7,
       AN_NESTED = 8,
       AN_LEGACY_JSON = 9,
       AN_NAME = 10,
       AN_DICT_ENTRIES = 11,
       AN_ARRAY_VALUES = 12,
       AN_PROTO_VALUE = 14,
       AN_STRING_IID = 17
};
enum { /* TrackDescriptor: TD_ */
       TD_UUID = 1,
       TD_NAME = 2,
       TD_PROCESS = 3,
       TD_THREAD = 4,
       TD_PARENT = 5,
       TD_COUNTER_OF = 8,
       TD_STATIC_NAME = 10,
       TD_ATRACE_NAME = 13
};
enum { /* ProcessDescriptor */
       PROCESS_PID = 1,
       PROCESS_CMDLINE = 2,
       PROCESS_SORT_INDEX = 3,
       PROCESS_NAME = 6,
       PROCESS_LABELS = 8
};
enum { /* ThreadDescriptor */
       THREAD_PID = 1,
       THREAD_TID = 2,
       THREAD_SORT_INDEX = 3,
       THREAD_NAME = 5,
       THREAD_REFERENCE_US = 6,
       THREAD_REFERENCE_CPU_US = 7
};
enum { /* CounterDescriptor */
       COUNTER_TYPE = 1,
       COUNTER_CATEGORIES = 2,
       COUNTER_UNIT = 3,
       COUNTER_MULTIPLIER = 4,
       COUNTER_INCREMENTAL = 5,
       COUNTER_UNIT_NAME = 6
};
enum { COUNTER_IS_THREAD_TIME = 1, COUNTER_UNIT_BYTES = 3 };

enum { /* InternedData; also the kinds of interned data (kept.h) */
       INTERNED_CATEGORY = 1,
       INTERNED_NAME = 2,
       INTERNED_ANNOTATION = 3,
       INTERNED_LOCATION = 4,
       INTERNED_FUNCTION = 5,
       INTERNED_FRAME = 6,
       INTERNED_CALLSTACK = 7,
       INTERNED_MAPPING_PATH = 17,
       INTERNED_SOURCE_PATH = 18,
       INTERNED_MAPPING = 19,
       INTERNED_LOG_BODY = 20,
       INTERNED_HISTOGRAM = 25,
       INTERNED_TYPE_NAME = 27,
       INTERNED_UNSYMBOLIZED = 28,
       INTERNED_STRING = 29,
       INTERNED_CORRELATION = 43
};
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 }; /* of each message in InternedData that has a text */

enum { CALLSTACK_FRAMES = 2 }; /* Callstack: the outermost frame first */
enum {
    FRAME_FUNCTION = 2,
    FRAME_MAPPING = 3,
    FRAME_ADDRESS = 4,
    FRAME_SOURCE = 5,
    FRAME_LINE = 6
}; /* Frame */
enum { MAPPING_PATHS = 7 };                                  /* Mapping: the parts of a path */
enum { PROFILE_CALLSTACKS = 1, PROFILE_TIME_DELTAS_US = 2 }; /* StreamingProfilePacket */
enum {                                                       /* PerfSample */
       SAMPLE_PID = 2,
       SAMPLE_TID = 3,
       SAMPLE_CALLSTACK = 4,
       SAMPLE_LOST = 17,
       SAMPLE_SKIPPED = 18,
       SAMPLE_OF_PRODUCER = 19
};

enum { LOCATION_FILE = 2, LOCATION_FUNCTION = 3, LOCATION_LINE = 4 }; /* SourceLocation */

enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 }; /* ClockSnapshot */
enum {
    CLOCK_ID = 1,
    CLOCK_TIMESTAMP = 2,
    CLOCK_INCREMENTAL = 3,
    CLOCK_UNIT_NS = 4
}; /* ClockSnapshot.Clock */
enum { BUILTIN_MONOTONIC = 3, BUILTIN_MONOTONIC_RAW = 5, BUILTIN_BOOTTIME = 6 }; /* BuiltinClock */

enum { /* FtraceEventBundle */
       BUNDLE_CPU = 1,
       BUNDLE_EVENT = 2,
       BUNDLE_LOST = 3,
       BUNDLE_COMPACT = 4,
       BUNDLE_CLOCK = 5,
       BUNDLE_FTRACE_TIME = 6,
       BUNDLE_BOOT_TIME = 7
};
enum {                        /* FtraceClock */
       FTRACE_CLOCK_BOOT = 0, /* unspecified */
       FTRACE_CLOCK_GLOBAL = 2,
       FTRACE_CLOCK_MONO_RAW = 4
};
enum { /* FtraceEventBundle.CompactSched */
       COMPACT_SWITCH_TIMES = 1,
       COMPACT_SWITCH_STATES = 2,
       COMPACT_SWITCH_TIDS = 3,
       COMPACT_SWITCH_PRIORITIES = 4,
       COMPACT_NAMES = 5,
       COMPACT_SWITCH_NAMES = 6,
       COMPACT_WAKING_TIMES = 7,
       COMPACT_WAKING_TIDS = 8,
       COMPACT_WAKING_CPUS = 9,
       COMPACT_WAKING_PRIORITIES = 10,
       COMPACT_WAKING_NAMES = 11,
       COMPACT_WAKING_FLAGS = 12
};
enum { /* FtraceEvent; ftrace_names_table.h has the others */
       FTRACE_TIMESTAMP = 1,
       FTRACE_PID = 2,
       FTRACE_PRINT = 3,
       FTRACE_SCHED_SWITCH = 4,
       FTRACE_COMMON_FLAGS = 5,
       FTRACE_CPU_FREQUENCY = 11,
       FTRACE_CPU_IDLE = 13,
       FTRACE_SCHED_WAKEUP = 17,
       FTRACE_SCHED_WAKING = 20,
       FTRACE_SCHED_WAKEUP_NEW = 114,
       FTRACE_TASK_NEWTASK = 235,
       FTRACE_TASK_RENAME = 236,
       FTRACE_GENERIC = 327,
       FTRACE_SYS_ENTER = 329,
       FTRACE_SYS_EXIT = 330
};
enum { FTRACE_FLAG_HARD = 0x08, FTRACE_FLAG_SOFT = 0x10 }; /* common_flags: in a hard, a soft interrupt */
enum { TREE_PROCESSES = 1, TREE_THREADS = 2 };             /* ProcessTree */
enum { TREE_PID = 1, TREE_COMMAND = 3 };                   /* ProcessTree.Process */
enum { TREE_TID = 1, TREE_NAME = 2, TREE_TGID = 3 };
enum { STATS_PROCESSES = 1, STATS_PID = 1 }; /* ProcessStats, ProcessStats.Process */
enum { INFO_UTSNAME = 1, UTSNAME_RELEASE = 3, UTSNAME_MACHINE = 4 };
enum { /* SysStats */
       SYS_MEMINFO = 1,
       SYS_VMSTAT = 2,
       SYS_CPU_TIMES = 3,
       SYS_FORKS = 4,
       SYS_IRQS = 5,
       SYS_SOFTIRQS = 7,
       SYS_DEVFREQ = 10,
       SYS_PRESSURE = 14,
       SYS_THERMAL_ZONE = 15
};
enum { STAT_KEY = 1, STAT_VALUE = 2, ZONE_TYPE = 3, CPU_TIMES_FIRST = 2 };

enum { PRINT_TEXT = 2 }; /* PrintFtraceEvent */
enum { SWITCH_PREVIOUS_NAME = 1, SWITCH_PREVIOUS_TID = 2, SWITCH_STATE = 4, SWITCH_NAME = 5, SWITCH_TID = 6 };
enum { WAKING_TID = 2 };
enum { CPU_VALUE_STATE = 1, CPU_VALUE_CPU = 2 }; /* CpuFrequencyFtraceEvent, CpuIdleFtraceEvent */
enum { SYS_CALL = 1, SYS_VALUES = 2 };           /* of SysEnter: the arguments, of SysExit: the result */
enum { NEWTASK_TID = 1, NEWTASK_NAME = 2, NEWTASK_FLAGS = 3 };
enum { RENAME_TID = 1, RENAME_NAME = 3 };
enum { GENERIC_NAME = 1, GENERIC_FIELD = 2 };
enum { GENERIC_FIELD_NAME = 1, GENERIC_TEXT = 3, GENERIC_INT = 4, GENERIC_UINT = 5 };

#endif
