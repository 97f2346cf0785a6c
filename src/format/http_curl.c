#include "format/http.h"

#include <assert.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The functions of libcurl that are used. */
#define CURL_FUNCTIONS(X)                                                                                    \
    X(CURLcode, curl_global_init, (long))                                                                    \
    X(CURL *, curl_easy_init, (void))                                                                        \
    X(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...))                                                 \
    X(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...))                                                  \
    X(CURLcode, curl_easy_pause, (CURL *, int))                                                              \
    X(const char *, curl_easy_strerror, (CURLcode))                                                          \
    X(CURLcode, curl_easy_perform, (CURL *))                                                                 \
    X(CURLHcode, curl_easy_header, (CURL *, const char *, size_t, unsigned, int, struct curl_header **))     \
    X(void, curl_easy_cleanup, (CURL *))                                                                     \
    X(CURLM *, curl_multi_init, (void))                                                                      \
    X(CURLMcode, curl_multi_add_handle, (CURLM *, CURL *))                                                   \
    X(CURLMcode, curl_multi_remove_handle, (CURLM *, CURL *))                                                \
    X(CURLMcode, curl_multi_perform, (CURLM *, int *))                                                       \
    X(CURLMcode, curl_multi_poll, (CURLM *, struct curl_waitfd[], unsigned, int, int *))                     \
    X(CURLMsg *, curl_multi_info_read, (CURLM *, int *))                                                     \
    X(CURLMcode, curl_multi_cleanup, (CURLM *))

/* The parentheses keep the names from being expanded: some are macros of curl.h. */
typedef struct CurlLibrary {
#define CURL_MEMBER(Result, name, parameters) Result(*(name)) parameters;
    CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
} CurlLibrary;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CurlLibrary    curl;
static bool           is_loaded;

static bool find_functions(void *library)
{
    /* ISO C has no conversion from void * to a function pointer. */
#define CURL_FIND(Result, name, parameters)                                                                  \
    do {                                                                                                     \
        void *address = dlsym(library, #name);                                                               \
        if (address == NULL) return false;                                                                   \
        memcpy(&curl.name, &address, sizeof address);                                                        \
    } while (0);
    CURL_FUNCTIONS(CURL_FIND)
#undef CURL_FIND
    return true;
}

static void load_once(void)
{
    static const char *const NAMES[] = { "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so" };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0] && !is_loaded; i++) {
        void *library = dlopen(NAMES[i], RTLD_NOW | RTLD_LOCAL);
        is_loaded = library != NULL && find_functions(library) &&
                    (curl.curl_global_init)(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    }
}

enum {
    MOST_HELD = 4 << 20, /* bytes received and not read: more wait in the connection */
    STALLED_S = 60,
    POLL_MS = 100, /* until the next look for a cancellation */
    MOST_REDIRECTS = 5
};

struct HttpSource {
    const Progress *progress;
    CURL           *easy; /* owned */
    CURLM          *multi;
    Bytes           held; /* received bytes; those before `at` were read */
    size_t          at;
    uint64_t        received, size; /* size: 0 = unknown */
    CURLcode        result;
    bool            is_paused, has_ended;
    char            message[CURL_ERROR_SIZE]; /* of libcurl */
};

static size_t receive(char *bytes, size_t one, size_t size, void *context)
{
    HttpSource *source = context;
    assert(one == 1);
    (void)one;
    if (source->held.size - source->at > MOST_HELD) {
        source->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    bytes_append(&source->held, bytes, size);
    source->received += size;
    return source->held.failed ? 0 : size; /* 0: the transfer fails */
}

/* Sets the options that all transfers have. False: this libcurl lacks one. */
static bool prepare_common(CURL *easy, const char *address, char *message)
{
    const bool is_secure = strncmp(address, "https:", 6) == 0;
    CURLcode   failed = CURLE_OK;
#define SET(option, value)                                                                                   \
    if (failed == CURLE_OK) failed = (curl.curl_easy_setopt)(easy, option, value)
    SET(CURLOPT_URL, address);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_REDIR_PROTOCOLS_STR, is_secure ? "https" : "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_USERAGENT, "varve");
    SET(CURLOPT_CONNECTTIMEOUT, (long)STALLED_S);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, (long)STALLED_S);
    SET(CURLOPT_BUFFERSIZE, 512L * 1024);
    SET(CURLOPT_ERRORBUFFER, message);
    return failed == CURLE_OK;
}

/* Sets the options of the transfer. False: this libcurl lacks one. */
static bool prepare(HttpSource *source, const char *address)
{
    CURL    *easy = source->easy;
    CURLcode failed = prepare_common(easy, address, source->message) ? CURLE_OK : CURLE_UNKNOWN_OPTION;
    SET(CURLOPT_FAILONERROR, 1L);
    SET(CURLOPT_WRITEFUNCTION, receive);
    SET(CURLOPT_WRITEDATA, source);
    return failed == CURLE_OK;
}

/* Receives bytes until some are held, the transfer ends, or it is cancelled. */
static bool advance(HttpSource *source, Err *err)
{
    bytes_clear(&source->held);
    source->at = 0;
    while (source->held.size == 0 && !source->has_ended) {
        int      running = 0, left;
        CURLMsg *message;
        if (progress_cancelled(source->progress)) return err_set(err, ERR_CANCELLED, "cancelled");
        if (source->is_paused) {
            source->is_paused = false;
            (void)(curl.curl_easy_pause)(source->easy, CURLPAUSE_CONT);
        }
        if ((curl.curl_multi_perform)(source->multi, &running) != CURLM_OK)
            return err_set(err, ERR_IO, "the transfer failed");
        while ((message = (curl.curl_multi_info_read)(source->multi, &left)) != NULL) {
            if (message->msg != CURLMSG_DONE) continue;
            source->has_ended = true;
            source->result = message->data.result;
        }
        if (source->held.size == 0 && !source->has_ended)
            (void)(curl.curl_multi_poll)(source->multi, NULL, 0, POLL_MS, NULL);
    }
    return true;
}

/* Sets the error of a transfer that failed before any byte. */
static bool refuse(const HttpSource *source, Err *err)
{
    long status = 0;
    (void)(curl.curl_easy_getinfo)(source->easy, CURLINFO_RESPONSE_CODE, &status);
    if (source->result == CURLE_HTTP_RETURNED_ERROR)
        return err_set(err, ERR_IO, "the server answered with status %ld", status);
    return err_set(err, ERR_IO, "%.150s",
                   source->message[0] != '\0' ? source->message : (curl.curl_easy_strerror)(source->result));
}

/* Loads libcurl. False: err filled. */
static bool is_usable(Err *err)
{
    (void)pthread_once(&once, load_once);
    return is_loaded ||
           err_set(err, ERR_IO, "addresses need the library libcurl 7.85 or later: install libcurl4");
}

HttpSource *http_open(Arena *arena, const char *address, const Progress *progress, Err *err)
{
    if (!is_usable(err)) return NULL;
    HttpSource *source = ARENA_NEW(arena, HttpSource);
    if (source == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    source->progress = progress;
    source->easy = (curl.curl_easy_init)();
    source->multi = (curl.curl_multi_init)();
    curl_off_t size = -1;
    bool       done = source->easy != NULL && source->multi != NULL && prepare(source, address) &&
                (curl.curl_multi_add_handle)(source->multi, source->easy) == CURLM_OK;
    if (!done) err_set(err, ERR_IO, "libcurl cannot be used: Varve needs version 7.85 or later");
    done = done && advance(source, err);
    if (done && source->has_ended && source->result != CURLE_OK && source->received == 0)
        done = refuse(source, err);
    if (!done) {
        http_close(source);
        return NULL;
    }
    (void)(curl.curl_easy_getinfo)(source->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    if (size > 0) source->size = (uint64_t)size;
    return source;
}

uint64_t http_size(const HttpSource *source)
{
    return source->size;
}

bool http_read(HttpSource *source, void *buffer, size_t size, size_t *got, Err *err)
{
    *got = 0;
    if (source->at == source->held.size && !source->has_ended && !advance(source, err)) return false;
    const size_t left = source->held.size - source->at;
    *got = left < size ? left : size;
    if (*got > 0) memcpy(buffer, source->held.data + source->at, *got);
    source->at += *got;
    if (*got > 0 || source->result == CURLE_OK) return true;
    if (source->held.failed) return err_set(err, ERR_MEMORY, "out of memory");
    if (source->size == 0)
        return err_set(err, ERR_IO, "the transfer ended after %llu bytes: %.80s",
                       (unsigned long long)source->received, (curl.curl_easy_strerror)(source->result));
    return err_set(err, ERR_IO, "the transfer ended after %llu of %llu bytes: %.80s",
                   (unsigned long long)source->received, (unsigned long long)source->size,
                   (curl.curl_easy_strerror)(source->result));
}

void http_close(HttpSource *source)
{
    if (source == NULL) return;
    if (source->multi != NULL && source->easy != NULL)
        (void)(curl.curl_multi_remove_handle)(source->multi, source->easy);
    if (source->easy != NULL) (curl.curl_easy_cleanup)(source->easy);
    if (source->multi != NULL) (void)(curl.curl_multi_cleanup)(source->multi);
    bytes_release(&source->held);
}

/* ---- ranges ---- */

typedef struct HttpRanges {
    Arena           arena; /* holds this struct */
    const Progress *progress;
    CURL           *easy; /* owned; its connection stays open */
    RangeTarget     target;
    uint8_t        *buffer; /* of the request in progress */
    size_t          size;
    uint64_t        received;
    char            message[CURL_ERROR_SIZE];
} HttpRanges;

/* Stops the transfer of another answer than a range, and of more bytes than requested. */
static size_t receive_range(char *bytes, size_t one, size_t size, void *context)
{
    HttpRanges *ranges = context;
    long        status = 0;
    (void)one;
    (void)(curl.curl_easy_getinfo)(ranges->easy, CURLINFO_RESPONSE_CODE, &status);
    const uint64_t left = ranges->size - ranges->received;
    ranges->received += size;
    if (status != 206 || size > left) return 0;
    memcpy(ranges->buffer + (ranges->received - size), bytes, size);
    return size;
}

static int stop_if_cancelled(void *context, curl_off_t total, curl_off_t now, curl_off_t up,
                             curl_off_t up_now)
{
    (void)total, (void)now, (void)up, (void)up_now;
    return progress_cancelled(((HttpRanges *)context)->progress);
}

static const char *header_of(const HttpRanges *ranges, const char *name)
{
    struct curl_header *header;
    return (curl.curl_easy_header)(ranges->easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
               ? header->value
               : "";
}

/* Requests bytes; fewer are received only at the end of the file. */
static bool request_range(HttpRanges *ranges, uint64_t offset, void *buffer, size_t size, Err *err)
{
    char range[64];
    long status = 0;
    (void)snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)offset,
                   (unsigned long long)(offset + size - 1));
    ranges->buffer = buffer;
    ranges->size = size;
    ranges->received = 0;
    ranges->message[0] = '\0';
    if ((curl.curl_easy_setopt)(ranges->easy, CURLOPT_RANGE, range) != CURLE_OK)
        return err_set(err, ERR_MEMORY, "out of memory");
    const CURLcode result = (curl.curl_easy_perform)(ranges->easy);
    if (result == CURLE_ABORTED_BY_CALLBACK) return err_set(err, ERR_CANCELLED, "cancelled");
    (void)(curl.curl_easy_getinfo)(ranges->easy, CURLINFO_RESPONSE_CODE, &status);
    const bool is_stopped = result == CURLE_WRITE_ERROR; /* receive_range: the check below says why */
    if (result != CURLE_OK && result != CURLE_PARTIAL_FILE && !is_stopped)
        return err_set(err, ERR_IO, "%.80s: %.100s", ranges->target.address,
                       ranges->message[0] != '\0' ? ranges->message : (curl.curl_easy_strerror)(result));
    const RangeReply reply = { .status = (uint32_t)status,
                               .received = ranges->received,
                               .content_range = header_of(ranges, "Content-Range"),
                               .etag = header_of(ranges, "ETag"),
                               .last_modified = header_of(ranges, "Last-Modified") };
    return range_reply_check(&ranges->target, offset, size, &reply, err);
}

static bool read_range(void *context, uint64_t offset, void *buffer, size_t size, Err *err)
{
    return request_range(context, offset, buffer, size, err);
}

static void close_ranges(void *context)
{
    HttpRanges *ranges = context;
    if (ranges->easy != NULL) (curl.curl_easy_cleanup)(ranges->easy);
    Arena arena = ranges->arena;
    arena_release(&arena);
}

static bool prepare_ranges(HttpRanges *ranges, const char *address)
{
    CURL    *easy = ranges->easy;
    CURLcode failed = prepare_common(easy, address, ranges->message) ? CURLE_OK : CURLE_UNKNOWN_OPTION;
    SET(CURLOPT_WRITEFUNCTION, receive_range);
    SET(CURLOPT_WRITEDATA, ranges);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, stop_if_cancelled);
    SET(CURLOPT_XFERINFODATA, ranges);
    return failed == CURLE_OK;
}

bool http_ranges_open(const char *address, const char *shown, const Progress *progress, RangeSource *source,
                      uint8_t *probe, size_t *got, Err *err)
{
    if (!is_usable(err)) return false;
    Arena       arena = arena_create(0);
    HttpRanges *ranges = ARENA_NEW(&arena, HttpRanges);
    if (ranges == NULL) {
        arena_release(&arena);
        return err_set(err, ERR_MEMORY, "out of memory");
    }
    ranges->progress = progress;
    ranges->target.address = arena_push_copy(&arena, shown, strlen(shown));
    ranges->arena = arena;
    ranges->easy = (curl.curl_easy_init)();
    if (ranges->target.address == NULL || ranges->easy == NULL || !prepare_ranges(ranges, address)) {
        close_ranges(ranges);
        return err_set(err, ERR_IO, "libcurl cannot be used: Varve needs version 7.85 or later");
    }
    if (!request_range(ranges, 0, probe, RANGE_PROBE_BYTES, err)) {
        close_ranges(ranges);
        return false;
    }
    *got = (size_t)ranges->received;
    *source = (RangeSource){
        .read = read_range, .close = close_ranges, .context = ranges, .size = ranges->target.size
    };
    return true;
}
