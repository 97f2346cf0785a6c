#include "format/apitrace/call_set.h"

#include "base/ascii.h"
#include "base/file.h"
#include "format/apitrace/call_flags.h"

typedef struct FlagWord {
    const char *word;
    uint32_t    flags;
} FlagWord;

static const FlagWord WORDS[] = { { "frame", CALL_END_FRAME },
                                  { "fbo", CALL_END_FRAME | CALL_SWAP_TARGET },
                                  { "rendertarget", CALL_END_FRAME | CALL_SWAP_TARGET },
                                  { "draw", CALL_RENDER },
                                  { "render", CALL_RENDER } };

static bool is_separator(char c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static uint64_t take_number(const char **p)
{
    uint64_t value = 0;
    for (; ascii_is_digit(**p); ++*p) {
        uint64_t digit = (uint64_t)(**p - '0');
        value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
    }
    return value;
}

static bool take_word(const char **p, uint32_t *flags)
{
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        size_t size = strlen(WORDS[i].word);
        char   behind = strncmp(*p, WORDS[i].word, size) == 0 ? (*p)[size] : 'x';
        if (behind != '\0' && !is_separator(behind)) continue;
        *p += size;
        *flags = WORDS[i].flags;
        return true;
    }
    return false;
}

static bool take_range(const char **p, CallRange *range)
{
    *range = (CallRange){ .last = UINT64_MAX, .step = 1 };
    if (take_word(p, &range->flags)) return true;
    if (**p == '*') {
        ++*p;
    } else if (ascii_is_digit(**p)) {
        range->first = range->last = take_number(p);
        if (**p == '-') {
            ++*p;
            range->last = ascii_is_digit(**p) ? take_number(p) : UINT64_MAX;
        }
    } else {
        return false;
    }
    if (**p != '/') return true;
    ++*p;
    if (!ascii_is_digit(**p)) return take_word(p, &range->flags);
    range->step = take_number(p);
    return range->step > 0;
}

static bool add_text(CallSet *set, const char *text, Err *err)
{
    const char *p = text;
    while (*p != '\0') {
        CallRange range;
        if (is_separator(*p)) {
            p++;
            continue;
        }
        const char *from = p;
        if (!take_range(&p, &range) || (*p != '\0' && !is_separator(*p)))
            return err_set(err, ERR_USAGE, "'%.40s': expected a range of numbers, for example 10-20", from);
        vec_push(&set->ranges, range);
        if (range.last > set->last) set->last = range.last;
    }
    return !set->ranges.bytes.failed || err_set(err, ERR_MEMORY, "out of memory");
}

bool call_set_add(CallSet *set, const char *text, Err *err)
{
    if (text[0] != '@') return add_text(set, text, err);
    Bytes       copy = { .data = NULL };
    bool        done = file_read_whole(text + 1, &copy, err);
    const char *copied = bytes_text(&copy);
    if (done && copied == NULL) done = err_set(err, ERR_MEMORY, "out of memory");
    if (done) done = add_text(set, copied, err);
    bytes_release(&copy);
    return done;
}

bool call_set_holds(const CallSet *set, uint64_t number, uint32_t flags)
{
    for (size_t i = 0; i < vec_count(&set->ranges); i++) {
        const CallRange *r = &set->ranges.items[i];
        bool             fits = number >= r->first && number <= r->last && (number - r->first) % r->step == 0;
        if (fits && (r->flags == 0 || (flags & r->flags) != 0)) return true;
    }
    return false;
}

void call_set_release(CallSet *set)
{
    vec_release(&set->ranges);
}
