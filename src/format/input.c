#include "format/input.h"

#include "codec/zip.h"
#include "format/content.h"
#include "format/input_notes.h"
#include "format/raw_source.h"
#include "format/segments.h"
#include "format/spool.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum { ARCHIVE_NONE, ARCHIVE_ZIP, ARCHIVE_UNPACKED } ArchiveKind;

typedef struct Member {
    char        name[ZIP_NAME_BYTES];
    const char *unreadable; /* NULL = it can be read */
    bool        is_directory;
} Member;

/* The parts of an archive. */
typedef struct Archive {
    ArchiveKind      kind;
    ZipReader       *zip;                    /* ARCHIVE_ZIP; in the arena */
    Content          member;                 /* the current member */
    const InputPart *parts;                  /* ARCHIVE_UNPACKED; borrowed */
    size_t           part_count, part_index; /* part_index: of the next part */
    uint64_t         part_begin;             /* offset of the next part in the source */
    uint64_t         member_count;           /* files seen */
    Member           current;
} Archive;

/* Bytes that are decoded or given back, and that the next piece begins with. */
typedef struct Waiting {
    /* an input of Snappy chunks, read instead of `whole`; in the arena, owned until taken */
    ChunkFile *chunks;
    Bytes      packed;      /* scratch memory for decoding a chunk */
    Bytes      large_chunk; /* a decoded chunk that did not fit into the caller's buffer */
    size_t     large_at;    /* number of its bytes returned so far */
    Bytes      given_back;  /* bytes of input_give_back */
    size_t     given_back_at;
    bool       is_claimed; /* a piece has claimed the rest of large_chunk and given_back */
} Waiting;

/* The bytes kept for the store. */
typedef struct Kept {
    bool      is_on;      /* bytes returned by input_fill are appended to the spool */
    Spool     spool;      /* owned until taken */
    Err       err;        /* the reason why the spool was given up; ERR_NONE = it was not */
    Segments *segments;   /* in the arena; NULL = not needed */
    uint64_t  segment_at; /* offset of the last segment in the returned bytes */
} Kept;

struct Input {
    Arena    *arena; /* borrowed */
    RawSource source;
    Content   whole; /* the whole input, or the trace in a page */
    Archive   archive;
    Content  *part;          /* the part being read: `whole` or `archive.member`; NULL = no part has begun */
    uint64_t  content_begin; /* offset of the current content in the source */
    Waiting   waiting;
    uint64_t  given_bytes; /* bytes returned to the reader, or claimed for it */
    Kept      kept;
    Notes     notes;
};

/* ---- notes ---- */

static const char NOTE_SKIPPED[] = "archive-member-skipped";
static const char NOTE_ENCODING[] = "bad-encoding";

static void leave_out(Input *input, const char *name, const char *why)
{
    notes_add(&input->notes, NOTE_SKIPPED, input->given_bytes, "%s is left out: %.96s", name, why);
}

const InputNote *input_note(const Input *input, size_t i)
{
    return i < input->notes.count ? &input->notes.items[i] : NULL;
}

/* ---- opening ---- */

static bool is_unpacked(const Input *input)
{
    return input->archive.kind == ARCHIVE_UNPACKED;
}

static bool needs_spool(const Input *input)
{
    if (input->waiting.chunks != NULL) return false;
    return (input->whole.codec != CODEC_NONE && !is_unpacked(input)) ||
           raw_source_is_sequential(&input->source);
}

static bool needs_segments(const Input *input)
{
    return is_unpacked(input) || (!needs_spool(input) && input->whole.encoding != TEXT_UTF8);
}

static bool begin_archive(Input *input, Err *err)
{
    if (input->archive.part_count > 0) {
        input->archive.kind = ARCHIVE_UNPACKED;
    } else if (input->whole.codec == CODEC_ZIP) {
        input->archive.kind = ARCHIVE_ZIP;
        input->archive.zip = zip_open(input->arena, &input->whole.packed, err);
        if (input->archive.zip == NULL) return false;
    }
    return input->archive.kind == ARCHIVE_NONE || content_create(&input->archive.member, input->arena, err);
}

static bool create_segments(Input *input, Err *err)
{
    if (!needs_segments(input)) return true;
    input->kept.segments = ARENA_NEW(input->arena, Segments);
    return input->kept.segments != NULL || err_set(err, ERR_MEMORY, "out of memory");
}

static InputStore take_spool(Input *input);

/* Copies the whole compressed input of a sequential source to temporary files, before the first chunk is decompressed. */
static bool keep_sequential(Input *input, Err *err)
{
    HeldSource *packed = &input->whole.packed;
    Err         why;
    input->kept.is_on = true;
    for (size_t size; (size = held_look(packed, 1)) > 0; held_skip(packed, size)) {
        if (!spool_append(&input->kept.spool, packed->bytes + packed->at, size, &why))
            return err_set(err, ERR_IO, "a capture that is not a file needs temporary files: %.120s",
                           why.message);
    }
    return true;
}

static bool begin_chunks(Input *input, Err *err)
{
    const bool is_sequential = raw_source_is_sequential(&input->source);
    if (is_sequential && !keep_sequential(input, err)) return false;
    InputStore raw = is_sequential ? take_spool(input) : raw_source_take(&input->source);
    input->waiting.chunks = chunk_file_create(input->arena, raw, err);
    return input->waiting.chunks != NULL;
}

static bool begin_raw(Input *input, Content *content, Err *err)
{
    ByteSource bytes = { raw_source_read, &input->source };
    if (!input->source.is_plain) return content_begin(content, bytes, err);
    content_begin_plain(content, bytes);
    return true;
}

/* Goes to the trace in an HTML page: input->whole reads it in the place of the page. */
static bool begin_page(Input *input, Err *err)
{
    ByteSource trace;
    return raw_source_open_page(&input->source, input->arena, &input->whole.packed, &trace, err) &&
           content_create(&input->whole, input->arena, err) && content_begin(&input->whole, trace, err) &&
           (input->whole.codec != CODEC_PAGE ||
            err_set(err, ERR_UNKNOWN, "an HTML page in an HTML page instead of a trace"));
}

/* Reads the first block and detects the input's compression, encoding and archive kind. */
static Input *start(Input *input, Err *err)
{
    input->source.limit = UINT64_MAX;
    bool done = content_create(&input->whole, input->arena, err) && begin_raw(input, &input->whole, err);
    if (done && input->whole.codec == CODEC_PAGE && !is_unpacked(input)) done = begin_page(input, err);
    if (done && input->whole.packed.end == 0) {
        if (input->whole.packed.failed)
            *err = input->whole.packed.failure;
        else
            err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "the input is empty");
        done = false;
    }
    if (done && input->whole.codec == CODEC_SNAPPY && !is_unpacked(input)) done = begin_chunks(input, err);
    if (done && begin_archive(input, err) && create_segments(input, err)) return input;
    input_close(input);
    return NULL;
}

static Input *input_create(Arena *arena, RawKind kind, Err *err)
{
    Input *input = ARENA_NEW(arena, Input);
    if (input == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    input->source.kind = kind;
    input->arena = arena;
    return input;
}

static Input *open_address(Arena *arena, const char *address, const Progress *progress, Err *err)
{
    Input *input = input_create(arena, RAW_HTTP, err);
    if (input == NULL) return NULL;
    input->source.http = http_open(arena, address, progress, err);
    if (input->source.http == NULL) return NULL;
    input->source.size = http_size(input->source.http);
    return start(input, err);
}

Input *input_open_file(Arena *arena, const char *path, const Progress *progress, Err *err)
{
    if (load_is_address(path)) return open_address(arena, path, progress, err);
    const bool is_pipe = strcmp(path, "-") == 0;
    Input     *input = input_create(arena, is_pipe ? RAW_PIPE : RAW_FILE, err);
    if (input == NULL) return NULL;
    if (!is_pipe) {
        input->source.file = ARENA_NEW(arena, FileReader);
        if (input->source.file == NULL) {
            err_set(err, ERR_MEMORY, "out of memory");
            return NULL;
        }
        if (!file_reader_open(path, input->source.file, err)) {
            input->source.file = NULL;
            return NULL;
        }
        input->source.size = input->source.file->size;
    }
    return start(input, err);
}

Input *input_open_bytes(Arena *arena, const void *bytes, size_t size, Err *err)
{
    Input *input = input_create(arena, RAW_BYTES, err);
    if (input == NULL) return NULL;
    input->source.memory = (MemoryView){ (const uint8_t *)bytes, size };
    input->source.size = size;
    return start(input, err);
}

static Input *store_create(Arena *arena, InputStore store, const InputPart *parts, size_t part_count,
                           Err *err)
{
    Input *input = input_create(arena, RAW_STORE, err);
    if (input == NULL) {
        store.close(store.context);
        return NULL;
    }
    input->source.given = store;
    input->archive.parts = parts;
    input->archive.part_count = part_count;
    return input;
}

Input *input_open_store(Arena *arena, InputStore store, uint64_t size, const InputPart *parts,
                        size_t part_count, Err *err)
{
    Input *input = store_create(arena, store, parts, part_count, err);
    if (input == NULL) return NULL;
    input->source.size = size;
    return start(input, err);
}

static void keep_open(void *context)
{
    (void)context; /* the store is the Loaded's */
}

Input *input_open_loaded(Arena *arena, const Loaded *loaded, Err *err)
{
    const InputStore store = { loaded->store.read, keep_open, loaded->store.context };
    if (loaded->store_fault.code != ERR_NONE) {
        *err = loaded->store_fault;
        return NULL;
    }
    Input *input = store_create(arena, store, loaded->parts, loaded->part_count, err);
    if (input == NULL) return NULL;
    input->source.is_plain = true;
    return start(input, err);
}

/* ---- parts ---- */

static bool next_unpacked(Input *input, bool *found)
{
    *found = input->archive.part_index < input->archive.part_count;
    if (!*found) return true;
    const InputPart *part = &input->archive.parts[input->archive.part_index++];
    (void)snprintf(input->archive.current.name, sizeof input->archive.current.name, "%s", part->name);
    input->source.read = input->content_begin = input->archive.part_begin;
    input->archive.part_begin += part->size;
    assert(input->archive.part_begin >= input->content_begin);
    input->source.limit = input->archive.part_begin;
    return true;
}

static bool next_zipped(Input *input, bool *found, Err *err)
{
    ZipMember member;
    if (!zip_next(input->archive.zip, &member, found, err)) return false;
    if (!*found) return true;
    memcpy(input->archive.current.name, member.name, sizeof member.name);
    input->archive.current.unreadable = member.unreadable;
    input->archive.current.is_directory = member.is_directory;
    return true;
}

/* The least confidence of a reader for a member of an archive. Other JSON files in an archive have less. */
enum { SURE_ENOUGH = 50 };

/* Returns the reader for the current member; NULL = the member is not a trace, or not of the format `wanted`. */
static const FormatReader *reader_of_member(Input *input, const FormatReader *wanted)
{
    HeldSource    *text = &input->archive.member.text;
    size_t         size = held_look(text, CONTENT_LOOK_BYTES);
    const uint8_t *head = text->bytes + text->at;
    Err            ignored;
    if (text->failed && size == 0) leave_out(input, input->archive.current.name, text->failure.message);
    if (size == 0) return NULL;
    const FormatReader *reader = format_probe(head, size, &ignored);
    if (reader == NULL || reader->probe(head, size) < SURE_ENOUGH) return NULL;
    if (wanted == NULL || reader == wanted) return reader;
    notes_add(&input->notes, NOTE_SKIPPED, input->given_bytes,
              "%s, a trace of the format %s, is left out: the others are of %s; unpack it to see it",
              input->archive.current.name, reader->name, wanted->name);
    return NULL;
}

/* Returns the reason why the current member cannot be read, or NULL. */
static const char *why_unreadable(Input *input)
{
    uint8_t head[8];
    if (!is_unpacked(input)) return input->archive.current.unreadable;
    if (input->source.is_plain) return NULL;
    size_t size =
        input->source.given.read(input->source.given.context, input->source.read, head, sizeof head);
    return codec_detect(head, size) == CODEC_NONE ? NULL : "it is compressed more than once";
}

/* Returns the reason why a member of this kind is not read, or NULL. */
static const char *why_unread(CodecKind codec)
{
    if (codec == CODEC_ZIP) return "an archive in an archive";
    if (codec == CODEC_PAGE) return "an HTML page is read from a file of its own";
    return codec == CODEC_SNAPPY ? "an apitrace capture is read from a file of its own" : NULL;
}

/* Sets *is_part if the current member is a trace to read. Notes the reason why another one is left out. */
static bool judge_member(Input *input, const FormatReader *wanted, bool *is_part, Err *err)
{
    *is_part = false;
    if (input->archive.current.is_directory) return true;
    input->archive.member_count++;
    const char *why = why_unreadable(input);
    if (why != NULL) {
        leave_out(input, input->archive.current.name, why);
        return true;
    }
    bool done = is_unpacked(input)
                    ? begin_raw(input, &input->archive.member, err)
                    : content_begin(&input->archive.member, zip_source(input->archive.zip), err);
    if (!done) return false;
    why = why_unread(input->archive.member.codec);
    if (why != NULL) {
        leave_out(input, input->archive.current.name, why);
        return true;
    }
    const FormatReader *reader = reader_of_member(input, wanted);
    if (reader != NULL && reader->parts == PARTS_ONE && input->part != NULL) {
        notes_add(&input->notes, NOTE_SKIPPED, input->given_bytes,
                  "%s is left out: only one %s trace of an archive is read", input->archive.current.name,
                  reader->name);
        reader = NULL;
    }
    *is_part = reader != NULL;
    return true;
}

static bool begin_member(Input *input, const FormatReader *wanted, bool *found, Err *err)
{
    bool is_part = false;
    do {
        bool done = is_unpacked(input) ? next_unpacked(input, found) : next_zipped(input, found, err);
        if (!done) return false;
        if (!*found) break;
        if (!judge_member(input, wanted, &is_part, err)) return false;
    } while (!is_part);
    if (is_part) {
        input->part = &input->archive.member;
        input->notes.replaced = 0;
        input->kept.segment_at = UINT64_MAX;
    }
    if (*found || input->part != NULL) return true;
    const InputNote *why = input_note(input, 0);
    if (why != NULL) return err_set(err, ERR_UNKNOWN, "no trace in this archive: %s", why->message);
    if (input->archive.member_count == 0) return err_set(err, ERR_UNKNOWN, "an archive without files");
    return err_set(err, ERR_UNKNOWN, "this archive has %llu files, but no trace",
                   (unsigned long long)input->archive.member_count);
}

bool input_begin_part(Input *input, const FormatReader *wanted, bool *found, Err *err)
{
    if (input->archive.kind != ARCHIVE_NONE) return begin_member(input, wanted, found, err);
    *found = input->part == NULL;
    input->part = &input->whole;
    input->kept.segment_at = UINT64_MAX;
    return true;
}

const char *input_part_name(const Input *input)
{
    return input->archive.kind == ARCHIVE_NONE ? NULL : input->archive.current.name;
}

bool input_part_is_plain(const Input *input)
{
    return input->archive.kind == ARCHIVE_NONE && input->source.page == NULL &&
           input->whole.codec == CODEC_NONE && input->whole.encoding == TEXT_UTF8;
}

/* ---- filling ---- */

/* Appends returned bytes to the spool. After a failure, such as a full disk, the trace has no arguments. */
static void spool_bytes(Input *input, const void *bytes, size_t size)
{
    if (!input->kept.is_on || spool_append(&input->kept.spool, bytes, size, &input->kept.err)) return;
    input->kept.err.offset = input->kept.spool.size;
    spool_close(&input->kept.spool);
    input->kept.is_on = false;
}

bool input_take_bytes(Input *input, const Bytes *given, TraceMapping *out, Err *err)
{
    const bool is_whole = input_part_is_plain(input) && input->waiting.chunks == NULL;
    if (is_whole && input->source.kind == RAW_FILE) {
        const FileReader *file = input->source.file;
        void             *bytes = file_reader_map(file);
        *out = (TraceMapping){ bytes, (size_t)file->size, (size_t)file->size, file_unmap };
        if (bytes != NULL) return true;
    }
    if (is_whole && input->source.kind == RAW_BYTES && (uintptr_t)input->source.memory.bytes % 8 == 0) {
        const MemoryView *memory = &input->source.memory;
        *out = (TraceMapping){ (void *)(uintptr_t)memory->bytes, memory->size, memory->size, NULL };
        return true;
    }
    return input_copy_bytes(input, given, out, err);
}

void input_keep(Input *input, const Bytes *given)
{
    if (!needs_spool(input)) return;
    assert(!input->kept.is_on && given->size == input->given_bytes);
    input->kept.is_on = true;
    spool_bytes(input, given->data, given->size);
}

/* Adds a segment for the next bytes to return, if they need one. May reduce *size to the segment's end. */
static bool keep_segment(Input *input, size_t *size, Err *err)
{
    enum { SEGMENT_BYTES = 64 << 10 };
    if (input->kept.segments == NULL) return true;
    const Content *part = input->part;
    bool           is_new = input->kept.segment_at == UINT64_MAX;
    if (part->encoding != TEXT_UTF8) {
        bool   between = part->text.at == part->text.end && part->utf16.tail_at == part->utf16.tail_end;
        size_t waiting = part->text.end - part->text.at;
        if (*size > SEGMENT_BYTES) *size = SEGMENT_BYTES;
        if (waiting > 0 && *size > waiting) *size = waiting;
        is_new |= between && input->given_bytes - input->kept.segment_at >= SEGMENT_BYTES;
    }
    if (!is_new) return true;
    uint64_t source = input->content_begin;
    if (part->encoding != TEXT_UTF8 && input->kept.segment_at != UINT64_MAX)
        source += part->utf16.mark_size + part->utf16.in_offset;
    else if (part->encoding != TEXT_UTF8)
        source += part->utf16.mark_size;
    input->kept.segment_at = input->given_bytes;
    return segments_add(input->kept.segments, input->given_bytes, source, part->encoding) ||
           err_set(err, ERR_MEMORY, "out of memory");
}

/* Fails if the input decompresses to more than 2,000 times its size: such a file is made to fill memory or disk. */
static bool grows_beyond_reason(const Input *input, Err *err)
{
    const uint64_t harmless = UINT64_C(64) << 20, most = 2000;
    if (input->given_bytes <= harmless || input->given_bytes / most <= input->source.read) return false;
    err_set_at(err, ERR_LIMIT, input_raw_read(input), ERR_NOWHERE,
               "it unpacks to more than %llu times its size: no more is read", (unsigned long long)most);
    return true;
}

static void note_replaced(Input *input)
{
    if (input->part->encoding == TEXT_UTF8) return;
    const Utf16Source *utf16 = &input->part->utf16;
    for (; input->notes.replaced < utf16->replaced; input->notes.replaced++) {
        notes_add(&input->notes, NOTE_ENCODING, input->given_bytes,
                  "the UTF-16 text has half a surrogate pair at its byte %llu: shown as U+FFFD",
                  (unsigned long long)(utf16->mark_size + utf16->first_replaced));
    }
}

/* -- chunks -- */

/* Copies up to `size` bytes of `bytes` from *at on and advances *at. Returns their number. */
static size_t take_waiting(const Bytes *bytes, size_t *at, void *buffer, size_t size)
{
    size_t got = bytes->size - *at;
    if (got > size) got = size;
    if (got > 0) memcpy(buffer, bytes->data + *at, got);
    *at += got;
    return got;
}

static bool chunks_ended(const Input *input, Err *err)
{
    const Err *why = chunk_file_error(input->waiting.chunks);
    if (why == NULL) return true;
    *err = *why;
    return false;
}

/* As input_fill, for Snappy chunks. A chunk larger than the buffer is decompressed to large_chunk and returned in
 * parts. */
static bool fill_chunks(Input *input, void *buffer, size_t size, size_t *got, Err *err)
{
    ChunkRun run;
    for (;;) {
        *got = take_waiting(&input->waiting.large_chunk, &input->waiting.large_at, buffer, size);
        if (*got > 0) return true;
        if (!chunk_file_find(input->waiting.chunks, size, &run)) return chunks_ended(input, err);
        bool     is_large = run.plain_bytes > size;
        uint8_t *room = (uint8_t *)buffer;
        if (is_large) {
            bytes_clear(&input->waiting.large_chunk);
            input->waiting.large_at = 0;
            room = (uint8_t *)bytes_reserve(&input->waiting.large_chunk, run.plain_bytes);
        }
        if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory for a chunk");
        chunk_file_decode(input->waiting.chunks, &run, room, &input->waiting.packed);
        chunk_file_settle(input->waiting.chunks, &run);
        if (is_large) {
            bytes_grow(&input->waiting.large_chunk, run.good);
        } else if (run.good > 0) {
            *got = run.good;
            return true;
        }
    }
}

/* -- all inputs -- */

void input_give_back(Input *input, Bytes *bytes)
{
    assert(input->waiting.given_back_at == input->waiting.given_back.size);
    bytes_release(&input->waiting.given_back);
    input->waiting.given_back = *bytes;
    input->waiting.given_back_at = 0;
    *bytes = (Bytes){ .data = NULL };
}

/* Reads the rest of a page after its first trace. */
static bool finish_page(Input *input, Err *err)
{
    PageOthers others;
    if (!raw_source_finish_page(&input->source, &others, err)) return false;
    if (others.count > 0) leave_out(input, others.name, "only the first trace of an HTML page is read");
    return true;
}

bool input_fill(Input *input, void *buffer, size_t size, size_t *got, Err *err)
{
    assert(size > 0 && input->part != NULL);
    *got = take_waiting(&input->waiting.given_back, &input->waiting.given_back_at, buffer, size);
    if (*got > 0) return true;
    if (input->waiting.chunks != NULL) return fill_chunks(input, buffer, size, got, err);
    if (!keep_segment(input, &size, err)) return false;
    if (grows_beyond_reason(input, err)) return false;
    bool filled = content_read(input->part, buffer, size, got, err);
    if (filled && *got == 0 && input->source.page != NULL) filled = finish_page(input, err);
    if (*got > 0) spool_bytes(input, buffer, *got);
    input->given_bytes += *got;
    note_replaced(input);
    return filled;
}

/* -- reading ahead -- */

bool input_is_chunked(const Input *input)
{
    return input->waiting.chunks != NULL;
}

static size_t waiting_bytes(const Input *input)
{
    return (input->waiting.given_back.size - input->waiting.given_back_at) +
           (input->waiting.large_chunk.size - input->waiting.large_at);
}

/* True if the next `size` bytes of the input are bytes of a plain file, which no earlier piece reads. */
static bool is_in_plain_file(const Input *input, size_t size)
{
    return input->part == &input->whole && content_is_below(&input->whole) && waiting_bytes(input) == 0 &&
           input->kept.segments == NULL && raw_source_can_read_at(&input->source, size);
}

static bool claim_chunks(Input *input, size_t size, InputPiece *piece)
{
    piece->kind = !input->waiting.is_claimed && waiting_bytes(input) > 0 ? PIECE_WAITING : PIECE_CHUNKS;
    input->waiting.is_claimed = true;
    if (piece->kind == PIECE_CHUNKS && !chunk_file_find(input->waiting.chunks, size, &piece->run))
        return false;
    piece->most = piece->kind == PIECE_CHUNKS ? piece->run.plain_bytes : waiting_bytes(input);
    piece->raw_end = chunk_file_at(input->waiting.chunks);
    return true;
}

bool input_claim(Input *input, size_t size, InputPiece *piece)
{
    *piece = (InputPiece){ .kind = PIECE_SEQUENTIAL, .most = size };
    if (input->waiting.chunks != NULL) return claim_chunks(input, size, piece);
    if (!is_in_plain_file(input, size)) return true;
    piece->kind = PIECE_PLAIN;
    piece->at = input->source.read;
    input->source.read += size;
    input->given_bytes += size;
    return true;
}

/* Fills a piece of a plain file. */
static void fill_plain(const Input *input, InputPiece *piece, uint8_t *buffer)
{
    int64_t got = 1;
    while (piece->size < piece->most && got > 0) {
        got = raw_source_read_at(&input->source, piece->at + piece->size, buffer + piece->size,
                                 piece->most - piece->size);
        if (got > 0) piece->size += (size_t)got;
    }
    piece->raw_end = piece->at + piece->size;
    piece->failed = piece->size < piece->most;
    if (piece->failed)
        err_set_at(&piece->err, ERR_IO, piece->raw_end, ERR_NOWHERE, "%s",
                   got < 0 ? "reading the input failed" : "the input became shorter while it was read");
}

/* Fills a piece. If a read fails after the first bytes, the next piece fails. */
static void fill_piece(Input *input, InputPiece *piece, uint8_t *buffer)
{
    size_t got = 1;
    while (piece->size < piece->most && got > 0) {
        bool filled = input_fill(input, buffer + piece->size, piece->most - piece->size, &got, &piece->err);
        if (!filled && piece->size == 0) piece->failed = true;
        if (!filled) break;
        piece->size += got;
    }
    piece->raw_end = input_raw_read(input);
}

void input_make(Input *input, InputPiece *piece, void *buffer, Bytes *packed)
{
    Waiting *waiting = &input->waiting;
    switch (piece->kind) {
    case PIECE_SEQUENTIAL:
        fill_piece(input, piece, (uint8_t *)buffer);
        break;
    case PIECE_PLAIN:
        fill_plain(input, piece, (uint8_t *)buffer);
        break;
    case PIECE_CHUNKS:
        chunk_file_decode(waiting->chunks, &piece->run, (uint8_t *)buffer, packed);
        piece->size = piece->run.good;
        break;
    case PIECE_WAITING:
        piece->size = take_waiting(&waiting->given_back, &waiting->given_back_at, buffer, piece->most);
        piece->size += take_waiting(&waiting->large_chunk, &waiting->large_at,
                                    (uint8_t *)buffer + piece->size, piece->most - piece->size);
        break;
    }
}

void input_settle(Input *input, InputPiece *piece)
{
    if (piece->kind != PIECE_CHUNKS || piece->run.fault == ERR_NONE) return;
    chunk_file_settle(input->waiting.chunks, &piece->run);
    piece->failed = true;
    piece->err = *chunk_file_error(input->waiting.chunks);
}

const Err *input_claim_error(const Input *input)
{
    return input->waiting.chunks == NULL ? NULL : chunk_file_error(input->waiting.chunks);
}

uint64_t input_raw_size(const Input *input)
{
    return input->source.size;
}

uint64_t input_raw_read(const Input *input)
{
    if (input->waiting.chunks != NULL) return chunk_file_at(input->waiting.chunks);
    return raw_source_read_bytes(&input->source, &input->whole.packed);
}

CodecKind input_codec(const Input *input)
{
    return input->source.page == NULL ? input->whole.codec : CODEC_PAGE;
}

CodecKind input_error_codec(const Input *input)
{
    const bool is_of_page = input->source.page != NULL && page_has_failed(input->source.page);
    return is_of_page ? CODEC_PAGE : input->whole.codec;
}

const Err *input_store_error(const Input *input)
{
    return input->kept.err.code != ERR_NONE ? &input->kept.err : NULL;
}

/* ---- reading again ---- */

static size_t read_spool_again(void *context, uint64_t offset, void *buffer, size_t size)
{
    return spool_read((const Spool *)context, offset, buffer, size);
}

static void close_spool(void *context)
{
    spool_close((Spool *)context);
}

static InputStore take_spool(Input *input)
{
    InputStore store = { read_spool_again, close_spool, &input->kept.spool };
    input->kept.is_on = false;
    return store;
}

ReadAgain input_again(Input *input)
{
    if (input->waiting.chunks != NULL || input->kept.segments != NULL || input->archive.kind != ARCHIVE_NONE)
        return (ReadAgain){ NULL, NULL };
    return needs_spool(input) ? (ReadAgain){ NULL, NULL } : raw_source_again(&input->source);
}

InputStore input_take_store(Input *input, Err *fault)
{
    InputStore store = empty_store();
    *fault = input->kept.err;
    if (input->waiting.chunks != NULL) {
        store = (InputStore){ chunk_file_read, chunk_file_close, input->waiting.chunks };
        input->waiting.chunks = NULL;
    } else if (needs_spool(input)) {
        if (input->kept.is_on)
            store = take_spool(input);
        else if (fault->code == ERR_NONE)
            (void)err_set(fault, ERR_IO, "the bytes of the input were not kept");
    } else if (input->kept.segments != NULL) {
        input->kept.segments->below = raw_source_take(&input->source);
        store = segments_store(input->kept.segments);
        input->kept.segments = NULL;
    } else {
        store = raw_source_take(&input->source);
    }
    input_close(input);
    return store;
}

void input_close(Input *input)
{
    if (input == NULL) return;
    if (input->waiting.chunks != NULL) chunk_file_close(input->waiting.chunks);
    input->waiting.chunks = NULL;
    bytes_release(&input->waiting.packed);
    bytes_release(&input->waiting.large_chunk);
    bytes_release(&input->waiting.given_back);
    content_close(&input->whole);
    content_close(&input->archive.member);
    input->archive.zip = NULL;
    raw_source_close(&input->source);
    if (input->kept.is_on) spool_close(&input->kept.spool);
    input->kept.is_on = false;
    if (input->kept.segments != NULL) segments_release(input->kept.segments);
    input->kept.segments = NULL;
}
