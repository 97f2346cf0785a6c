/* format/perf_data/layout.h - the numbers of perf.data. For format/perf_data only.
 *
 * Sources: perf.data-file-format.txt and header.h of tools/perf (the file), perf_event.h
 * (attributes, records, samples), of Linux 6.1. All numbers are little-endian here; a big-endian machine writes another magic. */
#ifndef FORMAT_PERF_DATA_LAYOUT_H
#define FORMAT_PERF_DATA_LAYOUT_H
#include <stdint.h>

#define PERF_DATA_MAGIC "PERFILE2"

enum {
    PERF_PIPE_HEADER_BYTES = 16, /* magic, size: a file written to a pipe has records behind it */
    PERF_FILE_HEADER_BYTES =
        104,                    /* magic, size, size of an attribute, three sections, 256 bits of features */
    PERF_SECTION_BYTES = 16,    /* offset, size */
    PERF_ATTR_LEAST_BYTES = 64, /* PERF_ATTR_SIZE_VER0 */
    PERF_RECORD_HEADER_BYTES = 8, /* u32 type, u16 misc, u16 size */
    PERF_FEATURE_COUNT = 256
};

/* Records. From 64 on perf itself writes them. */
enum {
    PERF_RECORD_MMAP = 1,
    PERF_RECORD_LOST = 2,
    PERF_RECORD_COMM = 3,
    PERF_RECORD_EXIT = 4,
    PERF_RECORD_FORK = 7,
    PERF_RECORD_SAMPLE = 9,
    PERF_RECORD_MMAP2 = 10,
    PERF_RECORD_LOST_SAMPLES = 13,
    PERF_RECORD_OF_PERF = 64,
    PERF_RECORD_ATTR = 64,
    PERF_RECORD_TRACING_DATA = 66,
    PERF_RECORD_BUILD_ID = 67,
    PERF_RECORD_FINISHED_ROUND = 68,
    PERF_RECORD_AUXTRACE = 71,
    PERF_RECORD_EVENT_UPDATE = 78,
    PERF_RECORD_FEATURE = 80,
    PERF_RECORD_COMPRESSED = 81,
    PERF_RECORD_COMPRESSED2 = 83
};

/* Bits of the misc of a record. The lowest three are the mode of the processor. */
enum {
    PERF_MODE_MASK = 7,
    PERF_MODE_KERNEL = 1,
    PERF_MISC_EXEC = 1 << 13,    /* of COMM: a program was executed */
    PERF_MISC_BUILD_ID = 1 << 14 /* of MMAP2: it has the build id of the file */
};

/* Bits of sample_type, in the order of the fields of a sample, except for IDENTIFIER, which is first, and ID. */
enum {
    PERF_SAMPLE_IP = 1 << 0,
    PERF_SAMPLE_TID = 1 << 1,
    PERF_SAMPLE_TIME = 1 << 2,
    PERF_SAMPLE_ADDR = 1 << 3,
    PERF_SAMPLE_READ = 1 << 4,
    PERF_SAMPLE_CALLCHAIN = 1 << 5,
    PERF_SAMPLE_ID = 1 << 6,
    PERF_SAMPLE_CPU = 1 << 7,
    PERF_SAMPLE_PERIOD = 1 << 8,
    PERF_SAMPLE_STREAM_ID = 1 << 9,
    PERF_SAMPLE_RAW = 1 << 10,
    PERF_SAMPLE_BRANCH_STACK = 1 << 11,
    PERF_SAMPLE_REGS_USER = 1 << 12,
    PERF_SAMPLE_STACK_USER = 1 << 13,
    PERF_SAMPLE_IDENTIFIER = 1 << 16
};

/* Bits of read_format. */
enum {
    PERF_READ_ENABLED = 1 << 0,
    PERF_READ_RUNNING = 1 << 1,
    PERF_READ_ID = 1 << 2,
    PERF_READ_GROUP = 1 << 3,
    PERF_READ_LOST = 1 << 4
};

/* Bits of the flags of an attribute. */
enum {
    PERF_ATTR_EXCLUDE_USER = 1 << 4,
    PERF_ATTR_EXCLUDE_KERNEL = 1 << 5,
    PERF_ATTR_FREQ = 1 << 10,
    PERF_ATTR_SAMPLE_ID_ALL = 1 << 18
};

enum { PERF_TYPE_HARDWARE = 0, PERF_TYPE_SOFTWARE = 1, PERF_TYPE_TRACEPOINT = 2, PERF_TYPE_RAW = 4 };

/* Entries of a call chain from here on say the mode of the entries that follow. */
#define PERF_CONTEXT_FIRST ((uint64_t)-4095)
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_USER ((uint64_t)-512)

/* Features: sections behind the data, or records of a pipe. */
enum {
    PERF_FEATURE_TRACING_DATA = 1,
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOSTNAME = 3,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_VERSION = 5,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_CPUDESC = 8,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12
};

#endif
