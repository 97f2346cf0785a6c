#include "app/server/handler.h"

#include "app/server/recent_files.h"
#include "app/server/site.h"
#include "app/server/stored_files.h"
#include "app/session/session_open.h"
#include "base/bits.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/json_check.h"
#include "base/json_members.h"
#include "base/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char API_PREFIX[] = "api/";

/* -- replies -- */

static void reply_text(Reply *reply, HttpStatus status, const char *text)
{
    *reply = (Reply){ .status = status,
                      .content_type = "text/plain; charset=utf-8",
                      .cache = "no-store",
                      .bytes = text,
                      .size = strlen(text) };
}

static void reply_wrong_method(Reply *reply, const char *allow)
{
    reply_text(reply, HTTP_METHOD_NOT_ALLOWED, "Method not allowed.\n");
    reply->allow = allow;
}

/* Makes the reply a 304 if the browser has the same content. */
static void reply_if_changed(const HttpRequest *request, Reply *reply)
{
    const char *known = request->if_none_match;
    if (known == NULL || reply->etag[0] == '\0') return;
    if (strcmp(known, "*") != 0 && strstr(known, reply->etag) == NULL) return;
    reply->status = HTTP_NOT_MODIFIED;
    reply->content_type = NULL;
    reply->size = 0;
}

void reply_release(Reply *reply)
{
    bytes_release(&reply->owned);
}

/* -- access -- */

/* True for "NAME" and "NAME:PORT". */
static bool host_is(const char *host, const char *name)
{
    size_t size = strlen(name);
    if (strncmp(host, name, size) != 0) return false;
    return host[size] == '\0' ||
           (host[size] == ':' && strspn(host + size + 1, "0123456789") == strlen(host + size + 1));
}

/* True for names of this machine. Names that an attacker resolves to it (DNS rebinding) are not among
 * them. */
static bool host_is_here(const char *host)
{
    return host != NULL && (host_is(host, "127.0.0.1") || host_is(host, "localhost"));
}

static bool origin_is_here(const char *origin, const char *host)
{
    static const char SCHEME[] = "http://";
    if (origin == NULL) return true; /* a navigation, or a program other than a browser */
    return strncmp(origin, SCHEME, sizeof SCHEME - 1) == 0 && strcmp(origin + sizeof SCHEME - 1, host) == 0;
}

static bool may_ask(const HttpRequest *request)
{
    return host_is_here(request->host) && origin_is_here(request->origin, request->host);
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *target_path(const char *target)
{
    return target[0] == '/' ? target + 1 : target;
}

bool handler_is_secret(const Handler *handler, const char *target)
{
    const char *path = target_path(target);
    return token_starts(&handler->secret, path) && path[TOKEN_TEXT] == '/';
}

size_t handler_most_body(const char *target)
{
    const char *path = target_path(target) + TOKEN_TEXT + 1;
    if (is_stored_file(path)) return STORED_FILE_MAX;
    const bool has_profile = starts_with(path, "api/compare?") || starts_with(path, "api/flame-change?");
    return has_profile ? SESSION_MAX_PROFILE : SESSION_MAX_BODY;
}

/* -- the page -- */

static const struct {
    const char *suffix, *type;
} CONTENT_TYPES[] = { { ".html", "text/html; charset=utf-8" },
                      { ".js", "text/javascript; charset=utf-8" },
                      { ".css", "text/css; charset=utf-8" },
                      { ".wasm", "application/wasm" },
                      { ".json", "application/json" },
                      { ".webmanifest", "application/manifest+json" },
                      { ".svg", "image/svg+xml" },
                      { ".png", "image/png" },
                      { ".ico", "image/x-icon" },
                      { ".woff2", "font/woff2" },
                      { ".ttf", "font/ttf" },
                      { ".txt", "text/plain; charset=utf-8" } };

static const char *content_type_of(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < sizeof CONTENT_TYPES / sizeof CONTENT_TYPES[0]; i++) {
        size_t suffix = strlen(CONTENT_TYPES[i].suffix);
        if (size > suffix && strcmp(path + size - suffix, CONTENT_TYPES[i].suffix) == 0)
            return CONTENT_TYPES[i].type;
    }
    return "application/octet-stream";
}

/* Finds the file at `path`, `size` bytes without the query. */
static const SiteFile *site_find(const char *path, size_t size)
{
    if (size == 0) return site_find("index.html", strlen("index.html"));
    for (const SiteFile *file = SITE_FILES; file->path != NULL; file++) {
        if (strlen(file->path) == size && memcmp(file->path, path, size) == 0) return file;
    }
    return NULL;
}

static void reply_page(const HttpRequest *request, const char *path, Reply *reply)
{
    size_t          size = strcspn(path, "?");
    const SiteFile *file = site_find(path, size);
    if (file == NULL && SITE_FILES[0].path == NULL && size == 0) {
        reply_text(reply, HTTP_NOT_FOUND,
                   "This build of varve has no viewer (-Dweb=disabled). The requests "
                   "under api/ work, and so do `varve info`, `dump` and `render`.\n");
        return;
    }
    if (file == NULL) {
        reply_text(reply, HTTP_NOT_FOUND, "File not found.\n");
        return;
    }
    *reply = (Reply){ .status = HTTP_OK,
                      .content_type = content_type_of(file->path),
                      .cache = "no-cache",
                      .bytes = file->bytes,
                      .size = file->size };
    (void)snprintf(reply->etag, sizeof reply->etag, "\"%s\"", file->tag);
    reply_if_changed(request, reply);
}

/* -- the page with its theme -- */

/* The requests that the page begins with. The browser sends them while it reads the page and its script, and the script gets the
 * answers without waiting. */
#define FETCHED(path) ", <" path ">; rel=preload; as=fetch; crossorigin"
static const char LINKS[] =
    "<app.js>; rel=modulepreload, <style.css>; rel=preload; as=style" FETCHED("view.wasm") FETCHED("first");

/* Returns the attribute for the theme of the stored settings; "" if they have none or cannot be read. */
static const char *theme_attribute(void)
{
    Err         err;
    Bytes       text = { 0 };
    JsonMembers members;
    StringView  key, value;
    const char *attribute = "";
    const bool  is_read = stored_file_read("settings", &text, &err);
    const bool  is_json = is_read && json_valid_object((const char *)text.data, text.size);
    if (is_json && json_members_open(bytes_view(&text), &members)) {
        while (json_members_next(&members, &key, &value)) {
            if (!string_equal(key, STRING_LITERAL("\"theme\""))) continue;
            if (string_equal(value, STRING_LITERAL("\"dark\""))) attribute = " data-theme=\"dark\"";
            if (string_equal(value, STRING_LITERAL("\"light\""))) attribute = " data-theme=\"light\"";
        }
    }
    bytes_release(&text);
    return attribute;
}

/* Puts the attribute into the page. */
static void reply_add_theme(const char *attribute, Reply *reply)
{
    static const char BEGIN[] = "<!doctype html>\n<html";
    const size_t      begin = sizeof BEGIN - 1;
    const char       *page = reply->bytes;
    Bytes             themed = { 0 };
    if (reply->size < begin || memcmp(page, BEGIN, begin) != 0) return;
    bytes_append_text(&themed, BEGIN);
    bytes_append_text(&themed, attribute);
    bytes_append(&themed, page + begin, reply->size - begin);
    if (themed.failed) {
        bytes_release(&themed);
        return;
    }
    reply->cache = "no-store";
    reply->etag[0] = '\0';
    reply->bytes = themed.data;
    reply->size = themed.size;
    reply->owned = themed;
}

/* Replies with the page. The theme of the stored settings is in it, so that it has its colours before its script runs: the browser
 * has stored no settings for an address with a new port. */
static void reply_first_page(const HttpRequest *request, const char *path, Reply *reply)
{
    const char *theme = theme_attribute();
    HttpRequest fresh = *request;
    if (theme[0] != '\0') fresh.if_none_match = NULL; /* the browser may have the page without a theme */
    reply_page(&fresh, path, reply);
    if (theme[0] != '\0') reply_add_theme(theme, reply);
    if (reply->status != HTTP_NOT_FOUND) reply->link = LINKS;
}

/* Answers the requests without the secret that are allowed: the page of a link and its script, which contain no data. False for
 * another request, and if this build has no page. */
static bool reply_link_page(const HttpRequest *request, Reply *reply)
{
    static const char *const FILES[][2] = { { "", "link.html" }, { "link.js", "link.js" } };
    const char              *path = target_path(request->target);
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        if (strcmp(path, FILES[i][0]) != 0 || site_find(FILES[i][1], strlen(FILES[i][1])) == NULL) continue;
        reply_page(request, FILES[i][1], reply);
        return true;
    }
    return false;
}

/* -- the session -- */

static HttpStatus http_status_of(SessionStatus status)
{
    switch (status) {
    case SESSION_OK:
        return HTTP_OK;
    case SESSION_RUNNING:
        return HTTP_ACCEPTED;
    case SESSION_NOT_READY:
        return HTTP_SERVICE_UNAVAILABLE;
    case SESSION_BAD_REQUEST:
        return HTTP_BAD_REQUEST;
    case SESSION_NOT_FOUND:
        return HTTP_NOT_FOUND;
    case SESSION_MOVED:
        return HTTP_CONFLICT;
    case SESSION_FAILED:
        break;
    }
    return HTTP_INTERNAL_SERVER_ERROR;
}

/* `api` is the part of the target after "api/". */
static void reply_answer(const Handler *handler, const HttpRequest *request, const char *api, Reply *reply)
{
    Answer answer = session_answer_body(handler->session, api, request->body);
    *reply = (Reply){ .status = http_status_of(answer.status),
                      .content_type = answer.content_type,
                      .cache = answer.immutable ? "private, max-age=31536000, immutable" : "no-store",
                      .bytes = answer.body.size == 0 ? "" : (const void *)answer.body.data,
                      .size = answer.body.size,
                      .owned = answer.body };
    if (answer.immutable) (void)snprintf(reply->etag, sizeof reply->etag, "\"%016" PRIx64 "\"", answer.tag);
    reply_if_changed(request, reply);
}

/* True for requests that start or stop work, or have a body. */
static bool request_acts(const char *request)
{
    static const char *const NAMES[] = { "begin", "cancel", "compare",    "flame-change",
                                         "look",  "sql",    "sql-cancel", "whole" };
    const size_t             size = strcspn(request, "?");
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strlen(NAMES[i]) == size && memcmp(request, NAMES[i], size) == 0) return true;
    return false;
}

/* -- stored files -- */

/* Replies with JSON, which the reply then owns; after a failure with the reason. */
static void reply_json(Reply *reply, bool done, Bytes json, const Err *err)
{
    if (done) {
        *reply = (Reply){ .status = HTTP_OK,
                          .content_type = "application/json",
                          .cache = "no-store",
                          .bytes = json.size == 0 ? "" : (const void *)json.data,
                          .size = json.size,
                          .owned = json };
        return;
    }
    bytes_release(&json);
    reply_text(reply, err->code == ERR_USAGE ? HTTP_NOT_FOUND : HTTP_INTERNAL_SERVER_ERROR, "");
    bytes_append_text(&reply->owned, err->message);
    bytes_append_text(&reply->owned, "\n");
    reply->bytes = reply->owned.data;
    reply->size = reply->owned.size;
}

static void reply_stored(const HttpRequest *request, const char *target, bool posts, Reply *reply)
{
    Err        err;
    Bytes      stored = { 0 };
    const bool done = posts ? stored_file_write(target, request->body.bytes, request->body.size, &err)
                            : stored_file_read(target, &stored, &err);
    reply_json(reply, done, stored, &err);
}

/* -- recent files -- */

/* Adds the file of a trace to the list. */
static bool add_recent(Session *session, StringView body, Err *err)
{
    uint64_t    trace;
    const char *path = text_to_u64(body, &trace) ? session_path(session, trace) : NULL;
    return path == NULL ? err_set(err, ERR_USAGE, "this is not a trace of a file")
                        : recent_files_add(path, err);
}

/* Opens a file of the list: the page cannot choose any other. Appends {"trace": 3}. */
static bool open_recent(Session *session, StringView body, Bytes *out, Err *err)
{
    char     path[FILE_PATH_BYTES];
    uint32_t trace;
    if (!recent_files_has(body)) return err_set(err, ERR_USAGE, "the file is not a recent one");
    memcpy(path, body.bytes, body.size); /* a listed path is shorter */
    path[body.size] = '\0';
    if (!session_open_by_page(session, path, &trace, err)) return false;
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_u64(&w, "trace", trace);
    json_object_end(&w);
    return true;
}

/* Answers a request for the recent files. False: `path` is another one. */
static bool reply_recent(const Handler *handler, const HttpRequest *request, const char *path, bool posts,
                         Reply *reply)
{
    static const char *const ACTIONS[] = { "recent", "recent/add", "recent/open", "recent/clear" };
    Err                      err;
    Bytes                    json = { 0 };
    bool                     done = false;
    size_t                   action = 0;
    while (action < 4 && strcmp(path, ACTIONS[action]) != 0)
        action++;
    if (action == 4) return false;
    if (posts != (action > 0)) {
        reply_wrong_method(reply, action > 0 ? "POST" : "GET, HEAD");
        return true;
    }
    if (action == 0) done = recent_files_write(&json, &err);
    if (action == 1) done = add_recent(handler->session, request->body, &err);
    if (action == 2) done = open_recent(handler->session, request->body, &json, &err);
    if (action == 3) done = recent_files_clear(&err);
    reply_json(reply, done, json, &err);
    return true;
}

/* -- the first answers -- */

static const char FIRST[] = "first";

bool handler_waits(const char *target)
{
    return strcmp(target_path(target) + TOKEN_TEXT + 1, FIRST) == 0;
}

/* Appends a part of the first answers, with its size before it. */
static void append_part(Bytes *out, const void *bytes, size_t size)
{
    uint8_t number[4];
    bits_store_u32(number, (uint32_t)size);
    bytes_append(out, number, sizeof number);
    bytes_append(out, bytes, size);
}

/* Appends the answer to a request of the session as a part; an empty one if it fails. */
static void append_answer(Bytes *out, Session *session, const char *request)
{
    Answer answer = session_answer(session, request);
    if (answer.status == SESSION_OK && answer.body.size <= UINT32_MAX)
        append_part(out, answer.body.data, answer.body.size);
    else
        append_part(out, "", 0);
    bytes_release(&answer.body);
}

/* Replies with the answers to all requests that the page begins with. Those about trace 0 are left out if it is not loaded, or not
 * a file. */
static void reply_first(const Handler *handler, Reply *reply)
{
    static const char *const OF_TRACE[] = { "outline?trace=0", "info?trace=0", "categories?trace=0",
                                            "labels?trace=0&page=0" };
    Err                      err;
    Bytes                    all = { 0 }, settings = { 0 };
    append_answer(&all, handler->session, "status");
    append_part(&all, handler->view.bytes, handler->view.size);
    const bool has_settings = stored_file_read("settings", &settings, &err);
    append_part(&all, settings.data, has_settings ? settings.size : 0);
    bytes_release(&settings);
    const bool is_file = session_path(handler->session, 0) != NULL;
    for (size_t i = 0; i < sizeof OF_TRACE / sizeof OF_TRACE[0] && is_file; i++)
        append_answer(&all, handler->session, OF_TRACE[i]);
    (void)err_set(&err, ERR_MEMORY, "out of memory");
    reply_json(reply, !all.failed, all, &err);
    if (!all.failed) reply->content_type = "application/octet-stream";
}

/* -- one request -- */

void handler_reply(const Handler *handler, const HttpRequest *request, Reply *reply)
{
    const bool reads = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
    const bool posts = strcmp(request->method, "POST") == 0;
    if (!reads && !posts) {
        reply_wrong_method(reply, "GET, HEAD");
        return;
    }
    if (!may_ask(request)) {
        reply_text(reply, HTTP_FORBIDDEN, "This server only answers requests from this machine.\n");
        return;
    }
    if (reads && reply_link_page(request, reply)) return;
    if (!handler_is_secret(handler, request->target)) {
        reply_text(reply, HTTP_FORBIDDEN, "Open the complete address that varve printed.\n");
        return;
    }
    const char *path = target_path(request->target) + TOKEN_TEXT + 1;
    if (is_stored_file(path)) {
        reply_stored(request, path, posts, reply);
        return;
    }
    if (reply_recent(handler, request, path, posts, reply)) return;
    if (strcmp(path, FIRST) == 0 && reads) {
        reply_first(handler, reply);
        return;
    }
    const bool  is_api = starts_with(path, API_PREFIX);
    const char *api = is_api ? path + sizeof API_PREFIX - 1 : "";
    const bool  acts = request_acts(api);
    if (acts != posts) {
        reply_wrong_method(reply, acts ? "POST" : "GET, HEAD");
    } else if (is_api) {
        reply_answer(handler, request, api, reply);
    } else if (path[0] == '\0' || path[0] == '?') {
        reply_first_page(request, path, reply);
    } else {
        reply_page(request, path, reply);
    }
}
