/* format/apitrace/grammar.h - the stream of a capture: its header, its events, their details and values.
 *
 * There is one walk over the bytes. It steps over values without decoding them, and notes the definitions
 * that it meets; who wants values walks the details of an event that was stepped over before (text.h,
 * values.h). Facts come from apitrace's lib/trace/trace_parser.cpp and docs/FORMAT.markdown, January 2026,
 * and from the captures in test/data/apitrace; where the two pages differ the code is right.
 *
 *   stream   version uint, if it is 6: semantic version uint, properties (string string)*, 00; then events
 *   event    00 [thread uint, from version 4] function detail* 00     a call begins
 *            01 call uint detail* 00                                  it returns
 *            02 string                                                a message: versions 0 and 1, up to May 2011
 *   detail   01 index uint value  an argument      02 value  what it returns
 *            03 thread uint       (never written)  04 count uint frame*  backtrace    05 flags uint
 *   uint     7 bits a byte, least significant first
 *
 * A walk fails in two ways: the bytes end (the cursor says so), or they cannot be what they should (fault). */
#ifndef FORMAT_APITRACE_GRAMMAR_H
#define FORMAT_APITRACE_GRAMMAR_H
#include "base/cursor.h"
#include "base/err.h"
#include "format/apitrace/signatures.h"

enum { API_VERSION_MOST = 6, API_DEPTH_MOST = 64, API_ARGS_MOST = 1024 };
/* Strings, wide strings and blobs above this are taken for damage. */
#define API_BYTES_MOST (UINT64_C(1) << 30)

typedef enum {
    VALUE_NULL,
    VALUE_FALSE,
    VALUE_TRUE,
    VALUE_SINT, /* the negative of its number */
    VALUE_UINT,
    VALUE_FLOAT,
    VALUE_DOUBLE,
    VALUE_STRING,
    VALUE_BLOB,
    VALUE_ENUM,
    VALUE_BITMASK,
    VALUE_ARRAY,
    VALUE_STRUCT,
    VALUE_OPAQUE,
    VALUE_REPR, /* one for people, one for machines */
    VALUE_WSTRING
} ValueTag;

typedef enum { EVENT_ENTER, EVENT_LEAVE, EVENT_MESSAGE } ApiEventKind;
typedef enum {
    DETAIL_END,
    DETAIL_ARGUMENT,
    DETAIL_RETURN,
    DETAIL_THREAD,
    DETAIL_BACKTRACE,
    DETAIL_FLAGS
} DetailTag;

typedef enum { DEFINE_NEW, DEFINE_NONE } DefineRule; /* DEFINE_NONE: an unknown id is a fault */

typedef struct Grammar {
    Signatures *sigs;    /* borrowed; only DEFINE_NEW changes it */
    uint64_t    version; /* of the stream; above API_VERSION_MOST only where api_header failed for it */
    DefineRule  rule;
    const char *fault; /* static: what cannot be, or NULL */
    uint64_t    fault_offset;
    bool        out_of_memory; /* for a definition */
} Grammar;

typedef struct ApiEvent {
    ApiEventKind       kind;
    bool               fake;
    bool               has_backtrace;
    uint32_t           thread;   /* ENTER; 0 before version 4 */
    const FunctionSig *function; /* ENTER */
    uint64_t           call;     /* LEAVE: the number of the call that returns */
    uint64_t           offset;   /* in the stream, of its first byte */
    uint64_t           details;  /* likewise, of its details; MESSAGE: of its string */
} ApiEvent;

/* The event at the cursor, which then stands behind it. False: see g->fault, g->out_of_memory, c->failed, in
 * this order; definitions that were met stay. */
bool api_event(Grammar *g, ByteCursor *c, ApiEvent *event);

/* What opens every stream. */
typedef struct ApiHeader {
    uint32_t version, semantic_version;
    uint64_t properties; /* offset of the first; they were stepped over */
} ApiHeader;
bool api_header(Grammar *g, ByteCursor *c, ApiHeader *header); /* sets g->version */
/* Fills `err` with the fault that made api_header fail; returns false. */
bool api_header_refuse(const Grammar *g, Err *err);
/* The next property; false behind the last. */
bool api_property(Grammar *g, ByteCursor *c, StringView *name, StringView *value);

/* -- the parts, for who walks by himself; all fail as api_event -- */

uint64_t api_long_uint(Grammar *g, ByteCursor *c); /* of any length; api_uint is quick with the usual ones */
static inline uint64_t api_uint(Grammar *g, ByteCursor *c)
{
    if (LIKELY(c->size - c->at >= 2 && !c->failed)) {
        const uint8_t *b = c->bytes + c->at;
        if (LIKELY(b[0] < 0x80)) {
            c->at++;
            return b[0];
        }
        if (LIKELY(b[1] < 0x80)) {
            c->at += 2;
            return (uint64_t)(b[0] & 0x7f) | (uint64_t)b[1] << 7;
        }
    }
    return api_long_uint(g, c);
}
StringView api_string(Grammar *g, ByteCursor *c);
/* Inside enums: 03 n or 04 n. */
int64_t api_typed_sint(Grammar *g, ByteCursor *c);
void    api_skip_value(Grammar *g, ByteCursor *c, unsigned depth);
void    api_skip_backtrace(Grammar *g, ByteCursor *c);
/* The signature of the id at the cursor, defined or looked up; NULL = failed. */
const void *api_signature(Grammar *g, ByteCursor *c, SigSpace space);
/* The value of an enum before version 3 is that of its signature. */
static inline int64_t api_enum_value(Grammar *g, ByteCursor *c, const EnumSig *sig)
{
    if (g->version < 3) return sig->count > 0 ? sig->entries[0].value : 0;
    return api_typed_sint(g, c);
}
bool api_fault(Grammar *g, const ByteCursor *c, const char *what); /* notes the first; gives false */
static inline bool api_failed(const Grammar *g, const ByteCursor *c)
{
    return c->failed || g->fault != NULL || g->out_of_memory;
}

/* How sure, 0-100, that a stream begins with these bytes. */
int api_probe(const uint8_t *head, size_t size);

#endif
