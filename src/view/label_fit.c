#include "view/label_fit.h"

#include "base/utf8.h"

#include <assert.h>
#include <string.h>

static const char ELLIPSIS[] = "\xE2\x80\xA6";
enum { ELLIPSIS_BYTES = 3, ELLIPSIS_CODE = 0x2026, MIN_GLYPHS = 4, LEAST_ROOM_EM = 2 };

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

/* Returns the end of the names: the begin of the arguments "(...)" or of the text after a space. A group that begins a
 * segment, as in "(*heap).alloc" and "(anonymous namespace)::run", belongs to the names if they continue after it. */
static size_t names_end(const char *name, size_t size)
{
    size_t group = 0; /* the begin of the group around i */
    int    depth = 0;
    for (size_t i = 0; i < size; i++) {
        const bool begins_segment = i == 0 || is_separator(name[i - 1]);
        if (name[i] == '(') {
            if (depth == 0 && !begins_segment) return i;
            if (depth++ == 0) group = i;
        } else if (name[i] == ')' && depth > 0) {
            if (--depth == 0 && (i + 1 == size || !is_separator(name[i + 1]))) return group;
        } else if (name[i] == ' ' && depth == 0) {
            return i;
        }
    }
    return depth > 0 ? group : size;
}

/* True for a segment that a compiler appends to the name of a function of which it makes a copy: "sort.constprop.0". */
static bool is_of_compiler(const char *segment, size_t size)
{
    static const char *const WORDS[] = { "cold", "constprop", "isra", "llvm", "lto_priv", "part" };
    size_t                   digits = 0;
    while (digits < size && segment[digits] >= '0' && segment[digits] <= '9')
        digits++;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strlen(WORDS[i]) == size && memcmp(segment, WORDS[i], size) == 0) return true;
    return size > 0 && digits == size;
}

/* Returns the begin of the last segment, with those of the compiler behind it: after the last separator of the names that is not
 * at their end. */
static size_t last_segment(const char *name, size_t size)
{
    size_t end = names_end(name, size), begin;
    if (end == 0) end = size;
    while (end > 0 && is_separator(name[end - 1]))
        end--;
    for (;; end = begin - 1) {
        begin = end;
        while (begin > 0 && !is_separator(name[begin - 1]))
            begin--;
        if (begin < 2 || name[begin - 1] != '.' || !is_of_compiler(name + begin, end - begin)) return begin;
    }
}

static size_t count_glyphs(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Joins the begin and the end of a name. A separator is not repeated before and after the ellipsis. */
static bool join(FontFace face, const char *head, size_t head_size, const char *tail, size_t tail_size,
                 FittedLabel *out)
{
    while (tail_size > 0 && is_separator(tail[0]) && head_size > 0 && head[head_size - 1] == tail[0])
        head_size--;
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

/* Tries the first characters, at least one, in a room of LEAST_ROOM_EM. */
static bool try_begin(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out)
{
    uint64_t dots = text_advance(face, ELLIPSIS_CODE);
    if (max_units < (uint64_t)LEAST_ROOM_EM * TEXT_UNITS_PER_EM || max_units < dots) return false;
    size_t head = text_prefix(face, name, size, max_units - dots);
    return head > 0 && join(face, name, head, name + size, 0, out);
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
    const size_t end = names_end(name, size);
    if (end > last && end < size && name[end] == '(')
        size = end; /* the name matters more than the arguments */
    if (try_whole(face, name + last, size - last, max_units, out)) return;
    if (try_middle_cut(face, name + last, size - last, max_units, out)) return;
    if (try_begin(face, name + last, size - last, max_units, out)) return;
    out->size = 0;
    out->units = 0;
}

double label_pad_px(double bar_px)
{
    static const double LEAST_BAR_PX = 18, NARROW_BAR_PX = 48;
    if (!(bar_px >= LEAST_BAR_PX)) return -1;
    return bar_px < NARROW_BAR_PX ? 3 : 5;
}
