#include "base/utf8.h"
#include "codec/page.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128, NO_VALUE = 0xff };

/* The tags that the reader looks for. TAG_TRACE is followed by the name of the trace in base64 and ">. */
typedef enum { TAG_TRACE, TAG_MORE, TAG_END, TAG_COUNT } Tag;

static const StringView TAGS[TAG_COUNT] = {
    [TAG_TRACE] = STRING_LITERAL("<script type=\"text/plain\" data-trace=\""),
    [TAG_MORE] = STRING_LITERAL("<script type=\"text/plain\" data-more>"),
    [TAG_END] = STRING_LITERAL("</html>"),
};
static const char BLOCK_END[] = "</script>";

typedef enum { BEFORE_TRACE, IN_BLOCK, AFTER_BLOCK, IN_OTHERS, ENDED, FAILED } PageState;

struct PageReader {
    HeldSource *below;  /* borrowed */
    Arena      *arena;  /* borrowed */
    uint64_t    offset; /* bytes of the page consumed */
    PageState   state;
    uint32_t    bits;      /* decoded bits that are not returned yet */
    unsigned    bit_count; /* their number */
    unsigned    padding;   /* the characters '=' at the end of the block so far */
    PageOthers  others;
    Err         failure;
    uint8_t values[256]; /* of the characters of base64 (RFC 4648, section 4); NO_VALUE: another character */
};

bool page_detect(const uint8_t *head, size_t size)
{
    static const char DOCTYPE[] = "<!doctype html";
    if (size < sizeof DOCTYPE - 1) return false;
    for (size_t i = 0; i < sizeof DOCTYPE - 1; i++)
        if ((head[i] >= 'A' && head[i] <= 'Z' ? head[i] | 0x20 : head[i]) != DOCTYPE[i]) return false;
    return true;
}

PageReader *page_open(Arena *arena, HeldSource *page, Err *err)
{
    assert(page->capacity >= PAGE_LOOK_BYTES);
    PageReader *reader = ARENA_NEW(arena, PageReader);
    if (reader == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    *reader = (PageReader){ .below = page, .arena = arena };
    memset(reader->values, NO_VALUE, sizeof reader->values);
    for (size_t i = 0; i < sizeof DIGITS - 1; i++)
        reader->values[(uint8_t)DIGITS[i]] = (uint8_t)i;
    return reader;
}

static const uint8_t *at(const PageReader *page)
{
    return page->below->bytes + page->below->at;
}

static void skip(PageReader *page, size_t count)
{
    held_skip(page->below, count);
    page->offset += count;
}

static PRINTF_LIKE(3, 4) bool fail(PageReader *page, ErrCode code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    page->failure = (Err){ code, page->offset, ERR_NOWHERE, "" };
    (void)vsnprintf(page->failure.message, sizeof page->failure.message, format, values);
    va_end(values);
    page->state = FAILED;
    return false;
}

/* Fails because no byte follows. */
static bool fail_at_end(PageReader *page)
{
    if (!page->below->failed) {
        return page->state == BEFORE_TRACE
                   ? fail(page, ERR_UNKNOWN,
                          "it is an HTML page without a trace, or cut short before the trace")
                   : fail(page, ERR_TRUNCATED, "the HTML page is cut short");
    }
    page->failure = page->below->failure;
    page->state = FAILED;
    return false;
}

/* ---- blocks ---- */

/* Skips to the next of the tags and past it. False at the end of the page. */
static bool find_tag(PageReader *page, Tag *tag)
{
    for (;;) {
        const size_t size = held_look(page->below, 1);
        if (size == 0) return fail_at_end(page);
        const uint8_t *found = (const uint8_t *)memchr(at(page), '<', size);
        skip(page, found == NULL ? size : (size_t)(found - at(page)));
        if (found == NULL) continue;
        const size_t have = held_look(page->below, PAGE_LOOK_BYTES);
        for (*tag = TAG_TRACE; *tag < TAG_COUNT; ++*tag) {
            const StringView text = TAGS[*tag];
            if (have < text.size || memcmp(at(page), text.bytes, text.size) != 0) continue;
            skip(page, text.size);
            return true;
        }
        skip(page, 1);
    }
}

static void restart_code(PageReader *page)
{
    page->bits = page->bit_count = page->padding = 0;
}

/* Decodes one character, and appends a byte to `out` if it completes one. False: the character is wrong. */
static bool take_character(PageReader *page, uint8_t c, uint8_t *out, size_t *count)
{
    const uint8_t value = page->values[c];
    if (c == '=') return page->bit_count < 6 && ++page->padding <= page->bit_count / 2;
    if (value == NO_VALUE) return memchr(" \t\n\f\r", c, 5) != NULL;
    if (page->padding > 0) return false;
    page->bits = page->bits << 6 | value;
    page->bit_count += 6;
    if (page->bit_count < 8) return true;
    page->bit_count -= 8;
    out[(*count)++] = (uint8_t)(page->bits >> page->bit_count);
    return true;
}

/* The result of decode. */
typedef struct Decoded {
    size_t used;     /* characters */
    size_t count;    /* bytes */
    bool   is_wrong; /* the next character is */
} Decoded;

/* Decodes base64 up to `stop`, up to `size` characters or until `out` is full. */
static Decoded decode(PageReader *page, uint8_t stop, const uint8_t *in, size_t size, uint8_t *out,
                      size_t room)
{
    const uint8_t *values = page->values;
    size_t         i = 0, n = 0;
    while (i < size && n < room && in[i] != stop) {
        if (page->bit_count == 0 && page->padding == 0 && size - i >= 4 && room - n >= 3) {
            const uint8_t a = values[in[i]], b = values[in[i + 1]], c = values[in[i + 2]],
                          d = values[in[i + 3]];
            if ((a | b | c | d) < 64) {
                out[n++] = (uint8_t)(a << 2 | b >> 4);
                out[n++] = (uint8_t)(b << 4 | c >> 2);
                out[n++] = (uint8_t)(c << 6 | d);
                i += 4;
                continue;
            }
        }
        if (!take_character(page, in[i], out, &n)) return (Decoded){ i, n, true };
        i++;
    }
    return (Decoded){ i, n, false };
}

/* True if the base64 so far can end. */
static bool code_can_end(const PageReader *page)
{
    return page->bit_count < 6 && (page->padding == 0 || page->padding == page->bit_count / 2);
}

/* Reads the rest of a tag of a trace: its name in base64, and the end of the tag. `name` may be NULL. */
static bool read_name(PageReader *page, const char **name)
{
    uint8_t      raw[PAGE_LOOK_BYTES];
    const size_t have = held_look(page->below, PAGE_LOOK_BYTES);
    const size_t size = have < PAGE_LOOK_BYTES ? have : PAGE_LOOK_BYTES;
    restart_code(page);
    const Decoded code = decode(page, '"', at(page), size, raw, sizeof raw);
    const size_t  used = code.used;
    if (!code.is_wrong && used + 2 > size && size < PAGE_LOOK_BYTES) {
        skip(page, size);
        return fail_at_end(page);
    }
    if (code.is_wrong || used + 2 > size || memcmp(at(page) + used, "\">", 2) != 0 || !code_can_end(page)) {
        skip(page, used);
        return fail(page, ERR_CORRUPT, "the name of a trace in the page is damaged");
    }
    skip(page, used + 2);
    restart_code(page);
    if (name == NULL) return true;
    Bytes text = { 0 };
    (void)utf8_append_repaired(&text, raw, code.count);
    const size_t cut = text.failed ? 0 : utf8_cut(text.data, text.size, NAME_BYTES);
    *name = arena_push_copy(page->arena, cut == 0 ? "" : (const char *)text.data, cut);
    bytes_release(&text);
    return *name != NULL || fail(page, ERR_MEMORY, "out of memory");
}

/* Decodes bytes of the current block to `out`. At its end goes to AFTER_BLOCK. */
static bool read_block(PageReader *page, uint8_t *out, size_t room, size_t *got)
{
    const size_t size = held_look(page->below, 1);
    if (size == 0) return fail_at_end(page);
    const Decoded code = decode(page, '<', at(page), size, out, room);
    const bool    ends = !code.is_wrong && code.used < size && at(page)[code.used] == '<';
    *got = code.count;
    skip(page, code.used);
    if (code.is_wrong)
        return fail(page, ERR_CORRUPT, "the trace in the page is damaged: not a character of base64");
    if (!ends) return true;
    const size_t end_size = sizeof BLOCK_END - 1;
    if (held_look(page->below, end_size) < end_size) {
        skip(page, held_look(page->below, end_size));
        return fail_at_end(page);
    }
    if (memcmp(at(page), BLOCK_END, end_size) != 0 || !code_can_end(page))
        return fail(page, ERR_CORRUPT, "the trace in the page is damaged: a block ends too early");
    restart_code(page);
    skip(page, end_size);
    page->state = AFTER_BLOCK;
    return true;
}

/* Goes to the next block of the first trace, or to IN_OTHERS or ENDED if none follows. */
static bool next_block(PageReader *page)
{
    Tag tag;
    if (!find_tag(page, &tag)) return false;
    const bool is_first = page->state == BEFORE_TRACE;
    if (tag == TAG_TRACE && !read_name(page, is_first ? NULL : &page->others.name)) return false;
    if (tag == TAG_TRACE && !is_first) page->others.count = 1;
    if (tag == TAG_END && !is_first) /* before the trace it is in a script of the viewer */
        page->state = ENDED;
    else if (tag == TAG_TRACE)
        page->state = is_first ? IN_BLOCK : IN_OTHERS;
    else if (tag == TAG_MORE && !is_first)
        page->state = IN_BLOCK;
    return true;
}

static bool page_read(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    PageReader *page = (PageReader *)context;
    bool        done = page->state != FAILED;
    *got = 0;
    while (done && *got == 0 && page->state != IN_OTHERS && page->state != ENDED)
        done = page->state == IN_BLOCK ? read_block(page, (uint8_t *)buffer, size, got) : next_block(page);
    if (done || *got > 0) return true;
    *err = page->failure;
    return false;
}

ByteSource page_source(PageReader *page)
{
    return (ByteSource){ page_read, page };
}

bool page_finish(PageReader *page, PageOthers *others, Err *err)
{
    bool done = page->state != FAILED;
    if (page->state == IN_BLOCK || page->state == AFTER_BLOCK) page->state = IN_OTHERS;
    while (done && page->state == IN_OTHERS) {
        Tag          tag;
        const char **name = page->others.count == 0 ? &page->others.name : NULL;
        done = find_tag(page, &tag) && (tag != TAG_TRACE || read_name(page, name));
        if (done && tag == TAG_TRACE) page->others.count++;
        if (done && tag == TAG_END) page->state = ENDED;
    }
    *others = page->others;
    if (!done) *err = page->failure;
    return done;
}

bool page_has_failed(const PageReader *page)
{
    return page->state == FAILED;
}
