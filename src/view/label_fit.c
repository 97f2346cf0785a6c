#include "view/label_fit.h"

#include "base/utf8.h"

#include <assert.h>
#include <string.h>

static const char ELLIPSIS[] = "\xE2\x80\xA6";
enum { ELLIPSIS_BYTES = 3, ELLIPSIS_CODE = 0x2026, MIN_GLYPHS = 4 };

static void set_text(FittedLabel *out, const char *text, size_t size)
{
    assert(size <= sizeof out->text);
    memcpy(out->text, text, size);
    out->size = size;
}

static bool try_whole(FontFace face, const char *text, size_t size, uint64_t max_units, FittedLabel *out)
{
    if (size == 0 || size > LABEL_FIT_MAX) return false;
    uint64_t units = text_units(face, text, size);
    if (units > max_units) return false;
    set_text(out, text, size);
    out->units = units;
    return true;
}

/* Removes <...> from the name, unless '<' belongs to an operator or nothing else is left. Returns the size. */
static size_t drop_templates(const char *name, size_t size, char out[LABEL_FIT_MAX])
{
    size_t kept = 0;
    int    depth = 0;
    for (size_t i = 0; i < size; i++) {
        bool is_operator = kept >= 8 && memcmp(out + kept - 8, "operator", 8) == 0;
        if (name[i] == '<' && depth == 0 && (is_operator || kept == 0)) return size + 1;
        if (name[i] == '<') depth++;
        if (depth == 0) {
            if (kept == LABEL_FIT_MAX) return size + 1;
            out[kept++] = name[i];
        }
        if (name[i] == '>' && depth > 0 && (i == 0 || name[i - 1] != '-')) depth--;
    }
    return depth == 0 ? kept : size + 1;
}

static bool is_separator(char c)
{
    return c == ':' || c == '.' || c == '/' || c == '\\';
}

/* Returns the begin of the last segment: after the last separator that is not at the end. */
static size_t last_segment(const char *name, size_t size)
{
    size_t end = size;
    size_t stop = 0; /* arguments "(...)" belong to the segment, with all their characters */
    for (size_t i = 0; i < size; i++)
        if (name[i] == '(' || name[i] == ' ') {
            stop = i;
            break;
        }
    if (stop > 0) end = stop;
    while (end > 0 && is_separator(name[end - 1]))
        end--;
    while (end > 0 && !is_separator(name[end - 1]))
        end--;
    return end;
}

static size_t count_glyphs(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

static bool join(FontFace face, const char *head, size_t head_size, const char *tail, size_t tail_size,
                 FittedLabel *out)
{
    if (head_size + ELLIPSIS_BYTES + tail_size > LABEL_FIT_MAX) return false;
    assert(head_size + ELLIPSIS_BYTES + tail_size <= sizeof out->text);
    memcpy(out->text, head, head_size);
    memcpy(out->text + head_size, ELLIPSIS, ELLIPSIS_BYTES);
    memcpy(out->text + head_size + ELLIPSIS_BYTES, tail, tail_size);
    out->size = head_size + ELLIPSIS_BYTES + tail_size;
    out->units = text_units(face, out->text, out->size);
    return true;
}

/* Tries "std::vec…::push_back": the whole last segment, and as much as fits of the begin. */
static bool try_front_cut(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out)
{
    size_t last = last_segment(name, size);
    size_t tail = last;
    while (tail > 0 && is_separator(name[tail - 1]))
        tail--;
    if (tail == 0) return false;
    uint64_t fixed = text_units(face, name + tail, size - tail) + text_advance(face, ELLIPSIS_CODE);
    if (fixed > max_units) return false;
    size_t head = text_prefix(face, name, tail, max_units - fixed);
    assert(head <= tail);
    if (count_glyphs(name, head) < MIN_GLYPHS) return false;
    return join(face, name, head, name + tail, size - tail, out);
}

static bool try_middle_cut(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out)
{
    uint64_t dots = text_advance(face, ELLIPSIS_CODE);
    if (max_units <= dots) return false;
    uint64_t room = max_units - dots;
    size_t   tail = text_suffix(face, name, size, room * 2 / 5);
    assert(tail <= size && text_units(face, name + tail, size - tail) <= room);
    uint64_t rest = room - text_units(face, name + tail, size - tail);
    size_t   head = text_prefix(face, name, tail, rest);
    if (count_glyphs(name, head) + count_glyphs(name + tail, size - tail) < MIN_GLYPHS) return false;
    return join(face, name, head, name + tail, size - tail, out);
}

void label_fit_middle(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out)
{
    out->size = 0;
    out->units = 0;
    if (try_whole(face, name, size, max_units, out) || try_middle_cut(face, name, size, max_units, out))
        return;
    out->size = 0;
    out->units = 0;
}

void label_fit(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out)
{
    out->size = 0;
    out->units = 0;
    if (try_whole(face, name, size, max_units, out)) return;
    char   plain[LABEL_FIT_MAX];
    size_t plain_size = drop_templates(name, size, plain);
    if (plain_size < size) {
        if (try_whole(face, plain, plain_size, max_units, out)) return;
        name = plain;
        size = plain_size;
    }
    if (try_front_cut(face, name, size, max_units, out)) return;
    size_t last = last_segment(name, size);
    if (try_whole(face, name + last, size - last, max_units, out)) return;
    if (try_middle_cut(face, name + last, size - last, max_units, out)) return;
    out->size = 0;
    out->units = 0;
}
