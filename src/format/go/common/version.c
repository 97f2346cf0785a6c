#include "format/go/common/version.h"

#include <string.h>

static const struct {
    unsigned    number;
    const char *name;
} VERSIONS[] = {
    { GO_1_5, "1.5" },   { GO_1_7, "1.7" },   { GO_1_8, "1.8" },   { GO_1_9, "1.9" },
    { GO_1_10, "1.10" }, { GO_1_11, "1.11" }, { GO_1_19, "1.19" }, { GO_1_21, "1.21" },
    { GO_1_22, "1.22" }, { GO_1_23, "1.23" }, { GO_1_25, "1.25" }, { GO_1_26, "1.26" },
};

/* offset size meaning
 *      0    5 "go 1."
 *      5  1-3 minor version in decimal, without leading zeros
 *      -    6 " trace"
 *      -    - zeros up to byte 16 */
bool go_version_parse(const uint8_t *bytes, size_t size, GoVersion *version)
{
    static const char BEGIN[] = "go 1.", TRACE[GO_HEADER_BYTES] = " trace";
    size_t            at = sizeof BEGIN - 1;
    unsigned          minor = 0;
    if (size < GO_HEADER_BYTES || memcmp(bytes, BEGIN, at) != 0 || bytes[at] == '0') return false;
    for (unsigned digits = 0; digits < 3 && bytes[at] >= '0' && bytes[at] <= '9'; digits++, at++)
        minor = minor * 10 + (unsigned)(bytes[at] - '0');
    if (memcmp(bytes + at, TRACE, GO_HEADER_BYTES - at) != 0) return false;
    version->written = 1000 + minor;
    version->read_as = 0;
    for (size_t i = 0; i < sizeof VERSIONS / sizeof VERSIONS[0]; i++) {
        if (VERSIONS[i].number > version->written) break;
        version->read_as = VERSIONS[i].number;
        version->name = VERSIONS[i].name;
    }
    return version->read_as != 0;
}
