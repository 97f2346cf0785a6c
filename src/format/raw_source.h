/* format/raw_source.h - the bytes of an input as its source has them: a file, standard input, an address, memory or a
 * store. */
#ifndef FORMAT_RAW_SOURCE_H
#define FORMAT_RAW_SOURCE_H
#include "base/file.h"
#include "codec/page.h"
#include "format/http.h"
#include "format/load.h"

typedef enum { RAW_FILE, RAW_PIPE, RAW_HTTP, RAW_BYTES, RAW_STORE } RawKind;

typedef struct MemoryView {
    const uint8_t *bytes; /* borrowed */
    size_t         size;
} MemoryView;

typedef struct RawSource {
    RawKind     kind;
    FileReader *file;       /* RAW_FILE; in the arena; open until taken as a store */
    HttpSource *http;       /* RAW_HTTP; owned */
    MemoryView  memory;     /* RAW_BYTES */
    InputStore  given;      /* RAW_STORE: owned until taken */
    bool        is_plain;   /* RAW_STORE: the bytes of a loaded trace, decompressed and UTF-8 */
    uint64_t    size;       /* 0 = not known, as for a pipe */
    uint64_t    read;       /* bytes read so far, or left to raw_source_read_at */
    uint64_t    limit;      /* end of the part to read */
    HeldSource  page_bytes; /* the bytes for `page` */
    PageReader *page;       /* in the arena; NULL = the source is not an HTML page */
    bool        page_is_finished;
} RawSource;

/* Reads up to `size` bytes, but not past the limit; *got == 0: the end. `context` is the RawSource. */
bool raw_source_read(void *context, void *buffer, size_t size, size_t *got, Err *err);
/* True if raw_source_read_at can read the next `size` bytes: a file or memory has them. */
bool raw_source_can_read_at(const RawSource *source, size_t size);
/* Reads up to `size` bytes of a file or of memory at an offset. Returns their number, 0 = the end, or -1. Any thread. */
int64_t raw_source_read_at(const RawSource *source, uint64_t offset, void *buffer, size_t size);
/* True if the bytes can be read only once, from the first to the last. */
bool raw_source_is_sequential(const RawSource *source);
/* Returns the trace in an HTML page as *trace. `head`: the bytes read so far. The source is sequential from now on. */
bool raw_source_open_page(RawSource *source, Arena *arena, const HeldSource *head, ByteSource *trace,
                          Err *err) WARN_UNUSED;
/* Reads the rest of the page after its first trace. *others is zeroed at later calls. */
bool raw_source_finish_page(RawSource *source, PageOthers *others, Err *err) WARN_UNUSED;
/* Returns the number of bytes read, without bytes that are waiting in `held`, or in the page. */
uint64_t raw_source_read_bytes(const RawSource *source, const HeldSource *held);
/* Returns the source as a store, and gives up its ownership. The store of a sequential source returns no bytes. */
InputStore raw_source_take(RawSource *source);
/* Returns access to all bytes, valid while the source is open. Zeroed if it is sequential. */
ReadAgain raw_source_again(RawSource *source);
void      raw_source_close(RawSource *source);
/* Returns a store without bytes. */
InputStore empty_store(void);

#endif
