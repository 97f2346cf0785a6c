#include "format/ranges.h"

#include "base/digits.h"
#include "base/string_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_ADDRESS = 80 };

/* The numbers of a Content-Range. */
typedef struct ContentRange {
    uint64_t first, last, total; /* total: 0 = not given */
} ContentRange;

/* Reads a number and the character after it. */
static bool take_number(const char **text, char end, uint64_t *number)
{
    const char *stop = strchr(*text, end);
    if (stop == NULL || !text_to_u64((StringView){ *text, (size_t)(stop - *text) }, number)) return false;
    *text = end == '\0' ? stop : stop + 1;
    return true;
}

/* Reads "bytes 0-63/1000" or "bytes 0-63/" followed by an asterisk. */
static bool parse_content_range(const char *text, ContentRange *range)
{
    *range = (ContentRange){ .total = 0 };
    if (strncmp(text, "bytes ", 6) != 0) return false;
    text += 6;
    if (!take_number(&text, '-', &range->first) || !take_number(&text, '/', &range->last)) return false;
    return strcmp(text, "*") == 0 || take_number(&text, '\0', &range->total);
}

static bool refuse(const RangeTarget *target, Err *err, const char *what)
{
    return err_set(err, ERR_IO, "cannot read %.*s by ranges: %s", SHOWN_ADDRESS, target->address, what);
}

static bool check_status(const RangeTarget *target, uint32_t status, Err *err)
{
    char text[80];
    if (status == 206) return true;
    if (status == 200)
        return refuse(target, err,
                      "the server sends no ranges: it answered with the whole file (status 200)");
    if (status == 416)
        return refuse(target, err,
                      "the server has no such range (status 416): the file is shorter than before");
    (void)snprintf(text, sizeof text, "the server answered with status %u", status);
    return refuse(target, err, text);
}

static bool check_range(RangeTarget *target, uint64_t offset, size_t size, const RangeReply *reply, Err *err)
{
    char         text[112];
    ContentRange range;
    const bool   is_given = reply->content_range[0] != '\0';
    if (is_given && !parse_content_range(reply->content_range, &range))
        return refuse(target, err, "the server answered with an invalid Content-Range");
    if (is_given && target->size == 0 && range.total != 0) target->size = range.total;
    if (target->size == 0) return refuse(target, err, "the server does not tell the size of the file");
    if (is_given && range.total != 0 && range.total != target->size) {
        (void)snprintf(text, sizeof text,
                       "the file has changed: it had %" PRIu64 " bytes, now %" PRIu64 "; open it again",
                       target->size, range.total);
        return refuse(target, err, text);
    }
    const uint64_t left = offset < target->size ? target->size - offset : 0;
    const uint64_t expected = size < left ? size : left;
    if (expected > 0 && is_given && (range.first != offset || range.last != offset + expected - 1)) {
        (void)snprintf(text, sizeof text,
                       "the server sent bytes %" PRIu64 "-%" PRIu64 ", requested were %" PRIu64 "-%" PRIu64,
                       range.first, range.last, offset, offset + expected - 1);
        return refuse(target, err, text);
    }
    if (reply->received == expected) return true;
    (void)snprintf(text, sizeof text,
                   "the server sent %s%" PRIu64 " bytes, requested were %" PRIu64 " at offset %" PRIu64,
                   reply->received > expected ? "more than " : "",
                   reply->received > expected ? expected : reply->received, expected, offset);
    return refuse(target, err, text);
}

/* Compares a tag of the file with the one of the first answer. */
static bool is_same(const char *known, const char *now)
{
    return known[0] == '\0' || now[0] == '\0' || strncmp(known, now, RANGE_TAG_BYTES - 1) == 0;
}

static bool check_tags(RangeTarget *target, const RangeReply *reply, Err *err)
{
    if (!target->is_known) {
        (void)snprintf(target->etag, sizeof target->etag, "%s", reply->etag);
        (void)snprintf(target->last_modified, sizeof target->last_modified, "%s", reply->last_modified);
        target->is_known = true;
    }
    if (!is_same(target->etag, reply->etag))
        return refuse(target, err, "the file has changed: it has another ETag; open it again");
    if (!is_same(target->last_modified, reply->last_modified))
        return refuse(target, err,
                      "the file has changed: it has another time (Last-Modified); open it again");
    return true;
}

bool range_reply_check(RangeTarget *target, uint64_t offset, size_t size, const RangeReply *reply, Err *err)
{
    return check_status(target, reply->status, err) && check_tags(target, reply, err) &&
           check_range(target, offset, size, reply, err);
}
