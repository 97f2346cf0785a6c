/* format/apitrace/grammar.h - parses the stream of a capture: its header, its events, their details and values.
 *
 * The parser skips values without decoding them, and stores the definitions that it meets. To decode values, the caller
 * parses the details of a skipped event again (text.h, values.h). Sources: apitrace's lib/trace/trace_parser.cpp and
 * docs/FORMAT.markdown, January 2026, and the captures in test/data/apitrace. Where the two sources differ, the code is
 * right.
 *
 *   stream   version uint, if it is 6: semantic version uint, properties (string string)*, 00; then events
 *   event    00 [thread uint, from version 4] function detail* 00     a call begins
 *            01 call uint detail* 00                                  it returns
 *            02 string                                                a message: versions 0 and 1, up to May 2011
 *   detail   01 index uint value  an argument      02 value  the result
 *            03 thread uint       (never written)  04 count uint frame*  backtrace    05 flags uint
 *   uint     7 bits a byte, least significant first
 *
 * Parsing fails in two ways: the bytes end (cursor.failed), or they are invalid (fault). */
#ifndef FORMAT_APITRACE_GRAMMAR_H
#define FORMAT_APITRACE_GRAMMAR_H
#include "base/cursor.h"
#include "base/err.h"
#include "format/apitrace/signatures.h"

enum { API_VERSION_MOST = 6, API_DEPTH_MOST = 64, API_ARGS_MOST = 1024 };
/* Larger strings, wide strings and blobs count as damage. */
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
    VALUE_REPR, /* two values: one for display, one for programs */
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
    uint64_t    version; /* of the stream; > API_VERSION_MOST only if api_header failed because of it */
    DefineRule  rule;
    const char *fault; /* static: the error, or NULL */
    uint64_t    fault_offset;
    bool        out_of_memory; /* a definition could not be stored */
} Grammar;

typedef struct ApiEvent {
    ApiEventKind       kind;
    bool               fake;
    uint32_t           thread;   /* ENTER; 0 before version 4 */
    const FunctionSig *function; /* ENTER */
    uint64_t           call;     /* LEAVE: the number of the call that returns */
    uint64_t           offset;   /* of its first byte in the stream */
    uint64_t           details;  /* offset of its details; MESSAGE: of its string */
} ApiEvent;

/* Parses the event at the cursor and advances over it. On failure check g->fault, g->out_of_memory, c->failed, in this
 * order. Definitions before the failure are stored. */
bool api_event(Grammar *g, ByteCursor *c, ApiEvent *event);

/* The header of a stream. */
typedef struct ApiHeader {
    uint32_t version, semantic_version;
    uint64_t properties; /* offset of the first property; api_header skips them */
} ApiHeader;
bool api_header(Grammar *g, ByteCursor *c, ApiHeader *header); /* sets g->version */
/* Fills `err` with the fault that made api_header fail on the stream that begins with `head`; returns false. */
bool api_header_refuse(const Grammar *g, const uint8_t *head, size_t size, Err *err);
/* Parses the next property. False after the last one. */
bool api_property(Grammar *g, ByteCursor *c, StringView *name, StringView *value);

/* -- parts of an event; all functions fail as api_event -- */

/* of any length; api_uint has a fast path for short ones */
uint64_t               api_long_uint(Grammar *g, ByteCursor *c);
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
/* Parses a value inside an enum: 03 n or 04 n. */
int64_t api_typed_sint(Grammar *g, ByteCursor *c);
void    api_skip_value(Grammar *g, ByteCursor *c, unsigned depth);
void    api_skip_backtrace(Grammar *g, ByteCursor *c);
/* Returns the signature of the id at the cursor, from its definition or from the dictionary; NULL = failed. */
const void *api_signature(Grammar *g, ByteCursor *c, SigSpace space);
/* Parses the value of an enum. Before version 3 the signature has the value. */
static inline int64_t api_enum_value(Grammar *g, ByteCursor *c, const EnumSig *sig)
{
    if (g->version < 3) return sig->count > 0 ? sig->entries[0].value : 0;
    return api_typed_sint(g, c);
}
bool api_fault(Grammar *g, const ByteCursor *c, const char *what); /* sets the first fault; returns false */
static inline bool api_failed(const Grammar *g, const ByteCursor *c)
{
    return c->failed || g->fault != NULL || g->out_of_memory;
}

/* Returns the confidence, 0-100, that a stream begins with these bytes. */
int api_probe(const uint8_t *head, size_t size);

#endif
