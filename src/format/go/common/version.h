/* format/go/common/version.h - the first 16 bytes of all Go execution traces: "go 1.N trace", padded with zeros. */
#ifndef FORMAT_GO_COMMON_VERSION_H
#define FORMAT_GO_COMMON_VERSION_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GO_HEADER_BYTES = 16 };

/* Versions as numbers: 1000 * major + minor. Each row of the table in version.c is a version of the format. */
enum {
    GO_1_5 = 1005,
    GO_1_7 = 1007,
    GO_1_8 = 1008,
    GO_1_9 = 1009,
    GO_1_10 = 1010,
    GO_1_11 = 1011,
    GO_1_19 = 1019,
    GO_1_21 = 1021,
    GO_1_22 = 1022,
    GO_1_23 = 1023,
    GO_1_25 = 1025,
    GO_1_26 = 1026
};

typedef struct GoVersion {
    unsigned    written; /* in the header */
    unsigned    read_as; /* a row of the table: `written`, or the newest one before it */
    const char *name;    /* of `read_as`: "1.26"; static */
} GoVersion;

/* Parses the header. False if the bytes are not the header of version 1.5 or later. */
bool go_version_parse(const uint8_t *bytes, size_t size, GoVersion *version) WARN_UNUSED;

#endif
