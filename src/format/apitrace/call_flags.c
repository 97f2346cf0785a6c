#include "format/apitrace/call_flags.h"

#include "base/ascii.h"
#include "format/apitrace/call_flags_table.h"
#include "trace/store/trace.h"

#include <assert.h>
#include <stdlib.h>

enum { NAME_MOST = 256 };

/* -- patterns: each removes its match from the front of *p -- */

static bool take(const char **p, const char *word)
{
    size_t size = strlen(word);
    if (strncmp(*p, word, size) != 0) return false;
    *p += size;
    return true;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static void take_digits(const char **p)
{
    while (ascii_is_digit(**p))
        ++*p;
}

/* [0-9A-Z]* to the end */
static bool ends_in_suffix(const char *p)
{
    while (ascii_is_digit(*p) || is_upper(*p))
        p++;
    return *p == '\0';
}

/* \w* to the end */
static bool ends_in_word(const char *p)
{
    while (is_word(*p))
        p++;
    return *p == '\0';
}

/* ([A-Z][a-zA-Z]*)? to the end */
static bool ends_in_name(const char *p)
{
    if (*p == '\0') return true;
    if (!is_upper(*p)) return false;
    while (is_upper(*p) || is_lower(*p))
        p++;
    return *p == '\0';
}

/* gl([A-Z][a-z]+)*Draw(Range|Mesh)?(Arrays|Elements)([A-Z][a-zA-Z]*)? */
static bool draws_vertices(const char *name)
{
    const char *p = name;
    if (!take(&p, "gl")) return false;
    for (;;) {
        const char *word = p;
        if (take(&word, "Draw")) {
            (void)(take(&word, "Range") || take(&word, "Mesh"));
            if ((take(&word, "Arrays") || take(&word, "Elements")) && ends_in_name(word)) return true;
        }
        if (!is_upper(p[0]) || !is_lower(p[1])) return false;
        for (p++; is_lower(*p); p++) {
        }
    }
}

/* DrawTransformFeedback([A-Z][a-zA-Z]*)?[0-9A-Z]* */
static bool draws_feedback(const char *p)
{
    if (!take(&p, "DrawTransformFeedback")) return false;
    if (is_upper(*p)) {
        while (is_upper(*p) || is_lower(*p))
            p++;
    }
    return ends_in_suffix(p);
}

/* gl(CallLists?|Clear|End|DrawPixels|...|BlitFramebuffer|Rect[dfis]v?|EvalMesh[0-9]+)[0-9A-Z]* */
static bool draws_otherwise(const char *name)
{
    static const char *const WORDS[] = { "CallLists", "CallList",   "Clear",
                                         "End",       "DrawPixels", "BlitFramebuffer" };
    const char              *p = name;
    if (!take(&p, "gl")) return false;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        const char *rest = p;
        if (take(&rest, WORDS[i]) && ends_in_suffix(rest)) return true;
    }
    const char *rest = p;
    if (take(&rest, "Rect") && *rest != '\0' && strchr("dfis", *rest) != NULL) {
        rest++;
        (void)take(&rest, "v");
        if (ends_in_suffix(rest)) return true;
    }
    rest = p;
    if (take(&rest, "EvalMesh") && ascii_is_digit(*rest) && ends_in_suffix(rest)) return true;
    return draws_feedback(p);
}

/* gl(GetFloat|GetInteger|GetVertexAttrib|GetTex(ture)?(Level)?Parameter)\w+ */
static bool queries(const char *name)
{
    static const char *const WORDS[] = { "glGetFloat", "glGetInteger", "glGetVertexAttrib" };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        const char *p = name;
        if (take(&p, WORDS[i])) return *p != '\0' && ends_in_word(p);
    }
    const char *p = name;
    if (!take(&p, "glGetTex")) return false;
    (void)take(&p, "ture");
    (void)take(&p, "Level");
    return take(&p, "Parameter") && *p != '\0' && ends_in_word(p);
}

static uint32_t gl_flags(const char *name)
{
    const char *p = name;
    if (draws_vertices(name) || draws_otherwise(name)) return CALL_RENDER;
    if (take(&p, "glBindFramebuffer") && ends_in_suffix(p)) return CALL_SWAP_TARGET;
    return queries(name) ? CALL_NO_SIDE_EFFECTS : 0;
}

/* ID3D1(0Device|1DeviceContext)\d*:: and a method */
static uint32_t context_flags(const char *p)
{
    if (!take(&p, "ID3D1") || !(take(&p, "0Device") || take(&p, "1DeviceContext"))) return 0;
    take_digits(&p);
    if (!take(&p, "::")) return 0;
    if (strcmp(p, "ExecuteCommandList") == 0) return CALL_RENDER;
    if (take(&p, "Draw") && ends_in_word(p)) return CALL_RENDER;
    return take(&p, "OMSetRenderTargets") && ends_in_word(p) ? CALL_SWAP_TARGET : 0;
}

/* IDXGI(Decode)?SwapChain\w*::Present\w* */
static bool presents(const char *p)
{
    if (!take(&p, "IDXGI")) return false;
    (void)take(&p, "Decode");
    if (!take(&p, "SwapChain")) return false;
    while (is_word(*p))
        p++;
    return take(&p, "::Present") && ends_in_word(p);
}

/* ID3D1[01]Device\d*::(CheckFormatSupport|CheckMultisampleQualityLevels) */
static bool checks_device(const char *p)
{
    if (!take(&p, "ID3D10Device") && !take(&p, "ID3D11Device")) return false;
    take_digits(&p);
    return strcmp(p, "::CheckFormatSupport") == 0 || strcmp(p, "::CheckMultisampleQualityLevels") == 0;
}

static uint32_t interface_flags(const char *name)
{
    uint32_t flags = context_flags(name);
    if (flags != 0) return flags;
    if (presents(name)) return CALL_END_FRAME;
    return checks_device(name) ? (uint32_t)CALL_NO_SIDE_EFFECTS | CALL_VERBOSE : 0;
}

static int compare_named(const void *key, const void *item)
{
    return strcmp((const char *)key, ((const NamedFlags *)item)->name);
}

/* Copies the name to a C string; "" if it is longer than all known names. */
static void to_text(StringView name, char out[NAME_MOST])
{
    StringView text = text_before_nul(name);
    size_t     size = text.size < NAME_MOST ? text.size : 0;
    if (size > 0) memcpy(out, text.bytes, size);
    out[size] = '\0';
}

uint32_t call_flags_of(StringView name)
{
    char text[NAME_MOST];
    to_text(name, text);
    uint32_t flags = text[0] == 'g' ? gl_flags(text) : text[0] == 'I' ? interface_flags(text) : 0;
    if (flags != 0) return flags;
    const NamedFlags *named = (const NamedFlags *)bsearch(
        text, NAMED_FLAGS, sizeof NAMED_FLAGS / sizeof NAMED_FLAGS[0], sizeof NAMED_FLAGS[0], compare_named);
    return named == NULL ? 0 : named->flags;
}

/* -- families -- */

typedef struct FamilyWord {
    const char *word;
    ApiFamily   family;
} FamilyWord;

/* Families by the begin of a name. The first match counts. */
static const FamilyWord BEGINNINGS[] = {
    { "glXGet", FAMILY_QUERY },
    { "glXQuery", FAMILY_QUERY },
    { "glXWait", FAMILY_SYNC },
    { "eglGet", FAMILY_QUERY },
    { "eglQuery", FAMILY_QUERY },
    { "eglWait", FAMILY_SYNC },
    { "eglClientWait", FAMILY_SYNC },
    { "glX", FAMILY_CONTEXT },
    { "egl", FAMILY_CONTEXT },
    { "wgl", FAMILY_CONTEXT },
    { "CGL", FAMILY_CONTEXT },
    { "glFinish", FAMILY_SYNC },
    { "glFlushMapped", FAMILY_UPLOAD },
    { "glFlush", FAMILY_SYNC },
    { "glFenceSync", FAMILY_SYNC },
    { "glWaitSync", FAMILY_SYNC },
    { "glClientWaitSync", FAMILY_SYNC },
    { "glMemoryBarrier", FAMILY_SYNC },
    { "glTextureBarrier", FAMILY_SYNC },
    { "glGet", FAMILY_QUERY },
    { "glIs", FAMILY_QUERY },
    { "glCheck", FAMILY_QUERY },
    { "glReadPixels", FAMILY_QUERY },
    { "glMap", FAMILY_UPLOAD },
    { "glUnmap", FAMILY_UPLOAD },
    { "glShaderSource", FAMILY_UPLOAD },
    { "glProgramString", FAMILY_UPLOAD },
    { "glCompressedTex", FAMILY_UPLOAD },
    { "glDispatchCompute", FAMILY_DRAW },
    { "memcpy", FAMILY_UPLOAD },
    { "malloc", FAMILY_MEMORY },
    { "free", FAMILY_MEMORY },
    { "realloc", FAMILY_MEMORY },
};

/* Families by a part of the name of a GL function: glTexSubImage2D, glNamedBufferData. */
static const FamilyWord GL_PARTS[] = {
    { "BufferData", FAMILY_UPLOAD },      { "BufferSubData", FAMILY_UPLOAD },
    { "BufferStorage", FAMILY_UPLOAD },   { "TexImage", FAMILY_UPLOAD },
    { "TexSubImage", FAMILY_UPLOAD },     { "TextureImage", FAMILY_UPLOAD },
    { "TextureSubImage", FAMILY_UPLOAD },
};

/* Families by the begin of a method's name, after "::". */
static const FamilyWord METHODS[] = {
    { "Get", FAMILY_QUERY },
    { "Check", FAMILY_QUERY },
    { "Query", FAMILY_QUERY },
    { "UpdateSubresource", FAMILY_UPLOAD },
    { "UpdateTexture", FAMILY_UPLOAD },
    { "Map", FAMILY_UPLOAD },
    { "Unmap", FAMILY_UPLOAD },
    { "Lock", FAMILY_UPLOAD },
    { "Unlock", FAMILY_UPLOAD },
    { "Flush", FAMILY_SYNC },
    { "WaitFor", FAMILY_SYNC },
    { "Dispatch", FAMILY_DRAW },
    { "Draw", FAMILY_DRAW },
    { "Clear", FAMILY_DRAW },
};

static const ApiFamily *find_beginning(const FamilyWord *words, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text, words[i].word, strlen(words[i].word)) == 0) return &words[i].family;
    }
    return NULL;
}

ApiFamily call_family_of(StringView name, uint32_t flags)
{
    if (flags & CALL_MARKER) return FAMILY_MARKER;
    if (flags & CALL_END_FRAME) return FAMILY_FRAME_END;
    if (flags & CALL_RENDER) return FAMILY_DRAW;
    char text[NAME_MOST];
    to_text(name, text);
    const char      *method = strstr(text, "::");
    const ApiFamily *found = method != NULL
                                 ? find_beginning(METHODS, sizeof METHODS / sizeof METHODS[0], method + 2)
                                 : find_beginning(BEGINNINGS, sizeof BEGINNINGS / sizeof BEGINNINGS[0], text);
    if (found != NULL) return *found;
    for (size_t i = 0; strncmp(text, "gl", 2) == 0 && i < sizeof GL_PARTS / sizeof GL_PARTS[0]; i++) {
        if (strstr(text, GL_PARTS[i].word) != NULL) return GL_PARTS[i].family;
    }
    return flags & CALL_NO_SIDE_EFFECTS ? FAMILY_QUERY : FAMILY_STATE;
}

const char *call_family_name(ApiFamily family)
{
    assert((unsigned)family < FAMILY_COUNT);
    static const char *const NAMES[FAMILY_COUNT] = {
        [FAMILY_STATE] = "state",   [FAMILY_DRAW] = "draw",       [FAMILY_UPLOAD] = "upload",
        [FAMILY_QUERY] = "query",   [FAMILY_SYNC] = "sync",       [FAMILY_FRAME_END] = "frame end",
        [FAMILY_MARKER] = "marker", [FAMILY_CONTEXT] = "context", [FAMILY_MEMORY] = "memory",
    };
    return NAMES[family];
}

/* Returns distinct hues for the important families, and grey for bookkeeping calls. */
uint32_t call_family_colour(ApiFamily family)
{
    assert((unsigned)family < FAMILY_COUNT);
    static const uint32_t COLOURS[FAMILY_COUNT] = {
        [FAMILY_STATE] = LABEL_COLOUR(0x6c8ebf),  [FAMILY_DRAW] = LABEL_COLOUR(0x4caf6d),
        [FAMILY_UPLOAD] = LABEL_COLOUR(0xe08a3c), [FAMILY_QUERY] = LABEL_COLOUR(0x9a86c8),
        [FAMILY_SYNC] = LABEL_COLOUR(0xd9534f),   [FAMILY_FRAME_END] = LABEL_COLOUR(0xd4b429),
        [FAMILY_MARKER] = LABEL_COLOUR(0x3fa7a3), [FAMILY_CONTEXT] = LABEL_COLOUR(0x8d99a6),
        [FAMILY_MEMORY] = LABEL_COLOUR(0xa58a6f),
    };
    return COLOURS[family];
}

const char *call_api_of(StringView name)
{
    char text[NAME_MOST];
    to_text(name, text);
    bool is_wgl = strncmp(text, "wgl", 3) == 0 && is_upper(text[3]);
    bool is_egl = strncmp(text, "egl", 3) == 0 && is_upper(text[3]);
    if (strncmp(text, "glX", 3) == 0 || is_wgl || strncmp(text, "CGL", 3) == 0) return "OpenGL + GLX/WGL/CGL";
    if (is_egl) return "OpenGL/GLES1/GLES2/VG + EGL";
    if (strncmp(text, "Direct", 6) == 0 || strncmp(text, "D3D", 3) == 0 || strncmp(text, "Create", 6) == 0)
        return "DirectX";
    return NULL;
}

const char *call_flag_name(size_t i, uint32_t *flag)
{
    static const struct {
        uint32_t    flag;
        const char *name;
    } NAMES[] = { { CALL_FAKE, "fake" },           { CALL_NO_SIDE_EFFECTS, "no-side-effects" },
                  { CALL_RENDER, "render" },       { CALL_SWAP_TARGET, "swap-rendertarget" },
                  { CALL_END_FRAME, "end-frame" }, { CALL_VERBOSE, "verbose" },
                  { CALL_MARKER, "marker" },       { CALL_PUSH, "marker-push" },
                  { CALL_POP, "marker-pop" } };
    if (i >= sizeof NAMES / sizeof NAMES[0]) return NULL;
    *flag = NAMES[i].flag;
    return NAMES[i].name;
}
