#include "codec/zip.h"

#include "base/cursor.h"
#include "base/utf8.h"
#include "codec/inflate.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

enum {
    FLAG_ENCRYPTED = 1 << 0,
    FLAG_DESCRIPTOR = 1 << 3, /* checksum and sizes follow the data */
    METHOD_STORED = 0,
    METHOD_DEFLATE = 8,
    METHOD_ZSTD = 93,
    EXTRA_ZIP64 = 1,
    DESCRIPTOR_BYTES = 24 /* the longest form: signature, checksum, two sizes of 8 bytes */
};

typedef struct Header {
    unsigned flags, method;
    uint32_t checksum;
    uint64_t packed_size, plain_size;
} Header;

typedef enum {
    MEMBER_NONE,
    MEMBER_DATA,
    MEMBER_SUMS, /* all data was returned: checksum and sizes are to be compared */
    MEMBER_END,
    MEMBER_FAILED /* `failure` holds the error */
} MemberPlace;

struct ZipReader {
    HeldSource *archive; /* borrowed */
    uint64_t    offset;  /* of the next byte in the archive */
    Header      header;
    MemberPlace place;
    bool        told_cut; /* the truncation was reported as a failure of a member */
    Err         failure;
    uint64_t    packed_read, plain_read; /* bytes of the current member so far */
    uint32_t    checksum;                /* CRC-32 of those plain bytes */
    Inflater   *inflater;
};

/* ---- opening ---- */

ZipReader *zip_open(Arena *arena, HeldSource *archive, Err *err)
{
    assert(archive->capacity >= ZIP_LOOK_BYTES);
    ZipReader *zip = ARENA_NEW(arena, ZipReader);
    if (zip != NULL) {
        zip->archive = archive;
        zip->inflater = inflater_create(arena, INFLATE_RAW);
        if (zip->inflater != NULL) return zip;
    }
    err_set(err, ERR_MEMORY, "out of memory for reading a zip archive");
    return NULL;
}

/* ---- bytes of a member ---- */

static void skip(ZipReader *zip, size_t count)
{
    held_skip(zip->archive, count);
    zip->offset += count;
}

static const uint8_t *at(const ZipReader *zip)
{
    return zip->archive->bytes + zip->archive->at;
}

static bool member_fail(ZipReader *zip, ErrCode code, const char *message)
{
    zip->place = MEMBER_FAILED;
    return err_set_at(&zip->failure, code, zip->offset, ERR_NOWHERE, "%s", message);
}

/* Fails because the archive ended, or its source failed, inside a member. */
static bool member_cut(ZipReader *zip)
{
    zip->told_cut = true;
    if (!zip->archive->failed) return member_fail(zip, ERR_TRUNCATED, "the zip archive ends inside a member");
    zip->place = MEMBER_FAILED;
    zip->failure = zip->archive->failure;
    return false;
}

static bool sizes_are_known(const ZipReader *zip)
{
    return !(zip->header.flags & FLAG_DESCRIPTOR) || zip->header.packed_size != 0;
}

/* True if `bytes` begins with a data descriptor that matches the member's data read so far. Sets *length to its size.
 * Spec 4.3.9: an optional signature, the checksum, packed and plain size of 4 or of 8 bytes each. */
static bool is_descriptor(const uint8_t *bytes, size_t size, const ZipReader *zip, size_t *length)
{
    size_t signature = size >= 4 && memcmp(bytes, "PK\x07\x08", 4) == 0 ? 4 : 0;
    for (size_t width = 8; width >= 4; width -= 4) {
        ByteCursor c = cursor_over(bytes, size, 0);
        (void)cursor_take(&c, signature);
        uint32_t checksum = cursor_u32le(&c);
        uint64_t packed = width == 8 ? cursor_u64le(&c) : cursor_u32le(&c);
        uint64_t plain = width == 8 ? cursor_u64le(&c) : cursor_u32le(&c);
        uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX;
        *length = c.at;
        if (!c.failed && checksum == zip->checksum && packed == (zip->packed_read & mask) &&
            plain == (zip->plain_read & mask))
            return true;
    }
    return false;
}

/* Compares the member's checksum and sizes with the header or the descriptor after the data. */
static bool member_check(ZipReader *zip)
{
    zip->place = MEMBER_END;
    if (zip->header.flags & FLAG_DESCRIPTOR) {
        size_t length, size = held_look(zip->archive, DESCRIPTOR_BYTES);
        if (!is_descriptor(at(zip), size, zip, &length))
            return member_fail(zip, ERR_CORRUPT, "a zip member does not match its data descriptor");
        skip(zip, length);
        return true;
    }
    if (zip->header.method == METHOD_ZSTD) return true; /* the header describes the decompressed bytes */
    if (zip->header.checksum == zip->checksum && zip->header.plain_size == zip->plain_read) return true;
    return member_fail(zip, ERR_CORRUPT, "a zip member does not match its checksum");
}

static void count_plain(ZipReader *zip, const void *bytes, size_t size)
{
    zip->plain_read += size;
    zip->checksum = (uint32_t)crc32_z(zip->checksum, (const Bytef *)bytes, size);
}

static void take_packed(ZipReader *zip, size_t size)
{
    skip(zip, size);
    zip->packed_read += size;
}

static bool read_stored(ZipReader *zip, void *buffer, size_t size, size_t *got)
{
    uint64_t left = zip->header.packed_size - zip->packed_read;
    if (left == 0) {
        zip->place = MEMBER_SUMS;
        return true;
    }
    size_t waiting = held_look(zip->archive, 1);
    if (waiting == 0) return member_cut(zip);
    if (waiting > left) waiting = (size_t)left;
    *got = waiting < size ? waiting : size;
    memcpy(buffer, at(zip), *got);
    take_packed(zip, *got);
    count_plain(zip, buffer, *got);
    return true;
}

/* Reads a stored member whose size follows its data: it ends at the first descriptor that matches the data. */
static bool read_stored_unsized(ZipReader *zip, void *buffer, size_t size, size_t *got)
{
    size_t waiting = held_look(zip->archive, DESCRIPTOR_BYTES), length;
    if (waiting == 0) return member_cut(zip);
    const uint8_t *from = at(zip);
    if (waiting >= 4 && memcmp(from, "PK\x07\x08", 4) == 0 && is_descriptor(from, waiting, zip, &length)) {
        zip->place = MEMBER_SUMS; /* member_check reads the descriptor again */
        return true;
    }
    const uint8_t *next = waiting < 2 ? NULL : (const uint8_t *)memchr(from + 1, 'P', waiting - 1);
    if (next != NULL) waiting = (size_t)(next - from);
    *got = waiting < size ? waiting : size;
    memcpy(buffer, from, *got);
    take_packed(zip, *got);
    count_plain(zip, buffer, *got);
    return true;
}

/* The input bytes of the failed call are not consumed: if the member's size is unknown, the next member may begin in
 * them. */
static bool inflate_fail(ZipReader *zip, const char *failure)
{
    if (failure == NULL) return member_fail(zip, ERR_MEMORY, "out of memory for decompressing zip");
    zip->place = MEMBER_FAILED;
    return err_set_at(&zip->failure, ERR_CORRUPT, zip->offset, ERR_NOWHERE, "zip data: %s", failure);
}

static bool read_deflated(ZipReader *zip, void *buffer, size_t size, size_t *got)
{
    while (*got == 0) {
        size_t waiting = held_look(zip->archive, 1);
        if (sizes_are_known(zip) && waiting > zip->header.packed_size - zip->packed_read)
            waiting = (size_t)(zip->header.packed_size - zip->packed_read);
        CodecStream        stream = { .in = at(zip), .in_size = waiting, .out = buffer, .out_size = size };
        const char        *failure = NULL;
        const InflateState state = inflater_run(zip->inflater, &stream, &failure);
        *got = size - stream.out_size;
        count_plain(zip, buffer, *got);
        if (state == INFLATE_FAILED) return inflate_fail(zip, failure);
        take_packed(zip, waiting - stream.in_size);
        if (state == INFLATE_END) {
            zip->place = MEMBER_SUMS;
            return true;
        }
        if (*got > 0 || waiting > 0) continue;
        if (held_look(zip->archive, 1) == 0) return member_cut(zip);
        return member_fail(zip, ERR_CORRUPT, "a zip member's deflate stream does not end within its size");
    }
    return true;
}

static bool member_read(ZipReader *zip, void *buffer, size_t size, size_t *got)
{
    if (zip->header.method == METHOD_DEFLATE) return read_deflated(zip, buffer, size, got);
    if (sizes_are_known(zip)) return read_stored(zip, buffer, size, got);
    return read_stored_unsized(zip, buffer, size, got);
}

static bool zip_read(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    ZipReader *zip = (ZipReader *)context;
    bool       done = zip->place != MEMBER_FAILED;
    *got = 0;
    if (zip->place == MEMBER_DATA) done = member_read(zip, buffer, size, got);
    if (zip->place == MEMBER_SUMS && *got == 0) done = member_check(zip);
    if (done || *got > 0) return true;
    *err = zip->failure;
    return false;
}

ByteSource zip_source(ZipReader *zip)
{
    return (ByteSource){ zip_read, zip };
}

/* ---- member headers ---- */

static bool skip_bytes(ZipReader *zip, uint64_t count)
{
    while (count > 0) {
        size_t waiting = held_look(zip->archive, 1);
        if (waiting == 0) return false;
        if (waiting > count) waiting = (size_t)count;
        skip(zip, waiting);
        count -= waiting;
    }
    return true;
}

/* Skips the data of the current member: by its size if known, else by reading it. False if the archive ends first.
 * After a failure of the member find_signature searches for the next header. */
static bool skip_member(ZipReader *zip)
{
    uint8_t waste[4096];
    if (sizes_are_known(zip) && zip->packed_read <= zip->header.packed_size)
        return skip_bytes(zip, zip->header.packed_size - zip->packed_read);
    size_t got = 0;
    Err    ignored;
    do {
        if (!zip_read(zip, waste, sizeof waste, &got, &ignored)) return true;
    } while (got > 0);
    return true;
}

/* Skips to the next signature of a local header or of the directory's records. Only descriptors and damaged members lie
 * in between. False if the archive ends first. */
static bool find_signature(ZipReader *zip)
{
    for (;;) {
        size_t size = held_look(zip->archive, 4);
        if (size < 4) return false;
        const uint8_t *from = at(zip);
        if (from[0] == 'P' && from[1] == 'K' &&
            ((from[2] == 3 && from[3] == 4) || (from[2] == 1 && from[3] == 2) ||
             (from[2] == 5 && from[3] == 6) || (from[2] == 6 && from[3] == 6)))
            return true;
        const uint8_t *next = (const uint8_t *)memchr(from + 1, 'P', size - 1);
        skip(zip, next == NULL ? size : (size_t)(next - from));
    }
}

/* Reads the zip64 extra field (4.5.3): the plain and the packed size, each only if its 32-bit field is 0xffffffff. */
static void read_zip64(Header *header, ByteCursor extra, uint32_t packed, uint32_t plain)
{
    while (cursor_left(&extra) >= 4) {
        unsigned       id = cursor_u16le(&extra), size = cursor_u16le(&extra);
        const uint8_t *bytes = cursor_take(&extra, size);
        if (bytes == NULL || id != EXTRA_ZIP64) continue;
        ByteCursor c = cursor_over(bytes, size, 0);
        if (plain == UINT32_MAX) header->plain_size = cursor_u64le(&c);
        if (packed == UINT32_MAX) header->packed_size = cursor_u64le(&c);
    }
}

/* Reads a local header (4.3.7): offset 4 version, 6 flags, 8 method, 10 time, 12 date, 14 checksum, 18 packed size, 22
 * plain size, 26 length of the name, 28 length of the extra field. False if the archive ends inside it. */
static bool read_header(ZipReader *zip, ZipMember *member)
{
    size_t     size = held_look(zip->archive, ZIP_HEADER_BYTES);
    ByteCursor c = cursor_over(at(zip), size, zip->offset);
    (void)cursor_take(&c, 6);
    Header header = { .flags = cursor_u16le(&c), .method = cursor_u16le(&c) };
    (void)cursor_take(&c, 4);
    header.checksum = cursor_u32le(&c);
    uint32_t packed = cursor_u32le(&c), plain = cursor_u32le(&c);
    size_t   name_size = cursor_u16le(&c), extra_size = cursor_u16le(&c);
    if (c.failed || held_look(zip->archive, ZIP_HEADER_BYTES + name_size + extra_size) <
                        ZIP_HEADER_BYTES + name_size + extra_size)
        return false;
    const uint8_t *name = at(zip) + ZIP_HEADER_BYTES;
    header.packed_size = packed;
    header.plain_size = plain;
    read_zip64(&header, cursor_over(name + name_size, extra_size, 0), packed, plain);

    Bytes text = { 0 };
    (void)utf8_append_repaired(&text, name, name_size);
    size_t cut = text.failed || text.size == 0 ? 0 : utf8_cut(text.data, text.size, ZIP_NAME_BYTES - 1);
    *member =
        (ZipMember){ .offset = zip->offset, .is_directory = name_size > 0 && name[name_size - 1] == '/' };
    if (cut > 0) memcpy(member->name, text.data, cut);
    bytes_release(&text);
    skip(zip, ZIP_HEADER_BYTES + name_size + extra_size);
    zip->header = header;
    return true;
}

static const char *unreadable(const Header *header)
{
    if (header->flags & FLAG_ENCRYPTED) return "it is encrypted";
    bool known = header->method == METHOD_STORED || header->method == METHOD_DEFLATE ||
                 (header->method == METHOD_ZSTD && header->packed_size != 0);
    return known ? NULL : "its compression method is not supported";
}

bool zip_next(ZipReader *zip, ZipMember *member, bool *found, Err *err)
{
    *found = false;
    bool cut = (zip->place != MEMBER_NONE && !skip_member(zip)) || !find_signature(zip);
    zip->place = MEMBER_NONE;
    if (!cut && at(zip)[2] != 3) return true; /* the directory: the end of the members */
    cut = cut || !read_header(zip, member);
    if (cut && zip->told_cut) return true;
    if (cut && zip->archive->failed) {
        *err = zip->archive->failure;
        return false;
    }
    if (cut) {
        return err_set_at(err, ERR_TRUNCATED, zip->offset, ERR_NOWHERE,
                          "the zip archive ends before its directory");
    }
    member->unreadable = unreadable(&zip->header);
    zip->place = member->unreadable == NULL ? MEMBER_DATA : MEMBER_END;
    zip->packed_read = zip->plain_read = 0;
    zip->checksum = 0;
    inflater_restart(zip->inflater);
    *found = true;
    return true;
}
