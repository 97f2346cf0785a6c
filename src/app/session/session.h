/* app/session/session.h - the engine behind one small protocol: a request is a path with a query, the answer is
 * bytes with a content type. HTTP (app/server) and a Worker's messages (app/wasm) carry it unchanged.
 *
 *   status                                    JSON: STATUS below
 *   cancel?trace=0                            JSON: {"cancelled":true}; stops a load (over HTTP: POST only)
 *   look?trace=0&perspective=Goroutines       JSON: {"trace": 3}; loads the same file once more, made for that
 *                                             perspective (without it for all), as a trace of its own, or gives the one
 *                                             that was (POST only)
 *   outline?trace=0                           trace/outline.h
 *   overview?trace=0&buckets=1024             trace/outline.h; 1..65536 buckets
 *   labels?trace=0&page=0                     trace/outline.h
 *   tiles?trace=0&keys=T.B.L.I,T.B.L.I,...    trace/tile.h, each tile preceded by its size (u32 little-endian; 0 = no
 *                                             such tile); at most 256 keys. T track, B band, L level, I index
 *   slice?trace=0&id=5                        JSON: SLICE: everything about a slice
 *   ends?trace=0&id=5                         JSON: {"begin": END, "end": END}: how a slice begins and ends, read again
 *                                             from the input around it, which may take some hundredths of a second
 *   tooltip?trace=0&id=5                      text: lines "key\tvalue\n" about a slice for view_put_details: category,
 *                                             flags, then its arguments; at most 12. Or flow=5: about an arrow
 *   instant?trace=0&id=5                      JSON: INSTANT
 *   process?trace=0&id=0                      JSON: OWNER: what is known of a process; id: its place in the outline
 *   thread?trace=0&id=3                       JSON: OWNER: of the thread of a track; id: the track's
 *   near?trace=0&id=5&move=parent             JSON: {"place": PLACE, "mark": MARK} of a neighbour: a slice, an
 *                                             instant, or both null. Moves: parent child next previous (in the row;
 *                                             also to instants) next-same previous-same (of that name, in the
 *                                             track, by begin) flow-next flow-previous (along an arrow): null or
 *                                             {"place": PLACE, "walk": "12.1.15"}, the text to be sent as walk= with
 *                                             the next such step: it leads back, or to the next of several (flows_step
 *                                             of trace/flows.h)
 *   flow?trace=0&id=5                         JSON: {"from": FLOW, "to": FLOW}: the two ends of an arrow
 *   counterpart?trace=0&subject=G7&perspective=Goroutines&at=5 JSON: PLACE or null: the slice about the subject
 *                                             ("subject" of SLICE) that holds this tick from the trace's begin, or the
 *                                             nearest, in a perspective
 *   stats?trace=0&begin=B&end=E&tracks=1,2    JSON: STATS. begin and end in ticks from the trace's begin, may lie outside
 *                                             it, and are optional; so are tracks (all) and top=N (default 10000 rows)
 *   flame?trace=0&tree=calls&by=total         JSON: FLAME: the rows of a flame graph that a screen shows. begin, end and
 *                                             tracks as for stats (of the tracks those of threads and samples, if any is);
 *                                             source: slices (default), samples, net, sync, syscall or sched; tree: calls
 *                                             (default), inverted, callers or callees (of name=f); by: total, self, count
 *                                             or cpu; recursion=collapsed; at: key of the front frame; row: the first row;
 *                                             parts=1200: frames of less than a part of the width are left out (1 to
 *                                             4096); find=text marks frames; slice=5 marks the frame of a slice. to=folded, json,
 *                                             svg or html: the whole graph as bytes, as `varve flame` writes it
 *   find?trace=0&text=foo&from=5&move=next    JSON: FIND: the next slice whose name or category holds the text,
 *                                             whatever its case. move: next (default) previous; from: a slice id,
 *                                             without it the first or last of all; or at: ticks from the trace's begin.
 *                                             Goes on at the other end when it runs out
 *   search?trace=0&text=foo&in=values&behind=s5   JSON: SEARCH: a stretch of a search through what find finds
 *                                             (in=names) or through arguments (in=values: the default). behind: "next"
 *                                             of the answer before, without it from the begin. A stretch takes some
 *                                             hundredths of a second
 *   categories?trace=0                        JSON: CATEGORIES
 *   visible?trace=0&hide=0,3-7&filter=2       trace/outline.h: what is left of every track
 *   go?trace=0&what=gc&begin=B&end=E          JSON: as `varve go --json` of a Go trace: what is functions, goroutines,
 *                                             net, sync, syscall, sched, tasks, regions, mmu or gc; begin and end as
 *                                             for stats, without them the trace's window. Of mmu
 *                                             counts=stw,background,assist,sweep,per-processor. At most 2000 rows, of goroutines
 *                                             those that ran longest
 *   pprof?trace=0&what=sync&begin=B&end=E     bytes: what `varve go --pprof` writes of a Go trace, not compressed: what is net, sync,
 *                                             syscall or sched; begin and end as for go
 *   call?trace=0&number=5                     JSON: CALL: where a call of a capture stands, by its number; or frame=2,
 *                                             a frame
 *   frames?trace=0&from=9                     JSON: FRAMES: what the frames of a capture hold, from that one on. They
 *                                             are counted by and by, some megabytes with each request, until "next" is
 *                                             null
 *   blob?trace=0&id=5&number=1                bytes: the blob that the arguments of a slice give this number
 *   info?trace=0                              JSON: as `varve info --json`, without properties of more than 16 KiB
 *   properties?trace=0                        JSON: {"properties": [{"key": "otherData", "bytes": 30, "value": any
 *                                             JSON}]}: what the file says of itself; value null: it is longer than 16
 *                                             KiB
 *   property?trace=0&index=2                  JSON: the whole value of one of them
 *   sql                                       JSON: {"run": 7}; starts the SQL statements that are the body of the request (POST
 *                                             only), and cancels the ones that run. They read all traces that are ready
 *   sql-result?run=7                          JSON: SQL_RESULT: of these statements, as far as they are. The last four results
 *                                             are kept
 *   sql-cancel?run=7                          JSON: {"cancelled":true} (POST only)
 *   sql-schema                                JSON: {"missing": null or a sentence that says why there is no SQL here and how
 *                                             to get it, "tables": TABLES}. TABLES: as `varve query --schema --json`
 *   changes?trace=0&since=12                  JSON: CHANGES: what has changed since a generation (0 = all) in a trace
 *                                             that grows
 *
 * slice, ends, tooltip and near take track=3&row=2&begin=123 instead of an id: the slice that begins there,
 * in ticks from the trace's begin. instant, and near with instant=5, take the same beside an id: the instant at that
 * time; of several there the one with the id, if it still has it, else the first. flow takes the same and end=from or
 * end=to instead of an id: an arrow with that end there.
 *
 * A trace that grows (live_source.h) has generations and shapes. Ids of slices and instants hold for a shape,
 * those of tracks and rows for longer: any request about such a trace may say shape=N, that which its ids are
 * of, and is refused with SESSION_MOVED when they mean something else by now.
 *
 * tiles, overview, visible, stats, flame, find, search and near take hide=SET: categories (trace/categories.h) whose
 * events are left out, as if they were not there, but for self times. tiles, overview and visible carry the
 * number filter=N (0 without) along, so that the asker can tell to which set an answer belongs.
 *
 * JSON. A tick, a tick offset and a count of nanoseconds is a string that holds an exact decimal integer,
 * because it may pass 2^53; so are ids of processes and threads (they may be text). Ids of slices, instants,
 * tracks, labels and all counts are numbers: memory ends long before 2^53. "text" is for people. Missing
 * values are null; no key is left out.
 *
 *   STATUS   {"version": "0.1.0", "listens": null or "udp:127.0.0.1:5000" (more traces may come from there),
 *             "traces": [{"trace": 0, "name": "x.json.gz", "state": "loading", "phase": "reading", "done": 1234,
 *             "total": 5678, "error": null, "tag": null, "warnings": 0, "complete": true, "copy_of": null,
 *             "live": LIVE or null}]}
 *            state: loading ready failed cancelled; phase: reading sorting indexing done; total 0 = not known;
 *            copy_of: the trace of which it shows another perspective; error: a sentence once failed; tag:
 *            hexadecimal once ready, changes with what the trace holds
 *   LIVE     {"generation": 12, "shape": 3, "tracks": 2, "state": "receiving", "bytes": 4096, "events": 97,
 *             "lost": 0, "skipped": 0, "dropped": 0, "unshown": 0}
 *            tracks: the shape that numbered tracks and rows; state: receiving paused ended; bytes and events:
 *            received; lost: events that were sent and did not come; skipped: bytes in which nothing was
 *            recognised; dropped: slices and instants let go to keep memory bounded; unshown: events of flows
 *            that have no arrows yet
 *   CHANGES  {"trace": 0, "traces": 2, "from": "123", "span": "456", "slices": 10, "instants": 0, "live": LIVE}
 *            traces: how many the session has by now; from: what stands wholly before this offset is as it was, if the shape
 *            is the same; null: nothing changed
 *   PLACE    {"trace": 0, "track": 3, "row": 2, "slice": 17, "begin": "123", "extent": "45", "label": 7}
 *            track: id; row: within the track; begin: ticks from the trace's begin; extent: ticks. As SlicePlace of view.h
 *   TIME     {"tick": "1000123", "offset": "123", "ns": "1000123", "text": "123 ns",
 *             "utc": "2021-01-08 13:48:54.1180101 UTC" or null}
 *            tick: as the source writes it; offset: from the trace's begin; ns: on the source's axis; text: of the offset, or
 *            of a capture's call and frame; utc: null where the trace does not say its time of day
 *   SPAN     {"ticks": "45", "ns": "45", "text": "45 ns"}
 *   CPU      {"ns": "40", "text": "40 ns"}: of a thread's CPU time
 *   THREAD   {"track": 3, "id": "7", "name": "main" or null, "title": "main (TID 7)"}       (process: without "track")
 *   SLICE    {"place": PLACE, "name": "f" or null, "category": "c" or null, "process": {"id", "name", "title"} or null,
 *             "thread": THREAD, "begin": TIME, "end": TIME, "duration": SPAN, "self": SPAN,
 *             "cpu": CPU or null, "cpu_self": CPU or null, "depth": 2, "lane": 0,
 *             "flags": ["unfinished", "no-end", "repaired"], "children": 3, "object": OBJECT or null, "refs": REFS,
 *             "contexts": [{"name", "category", "id", "begin": TIME, "snapshot": MARK or null}, ...] (active on its
 *             thread when it began; snapshot: of the object that has the context's id), "args": any JSON or null,
 *             "other": {...} or null, "details_error": null or a sentence (args could not be read),
 *             "parents": [{"place": PLACE, "name": "g", "duration": SPAN}, ...],             parents: innermost first
 *             "stack": STACK or null, "end_stack": STACK or null (where the code stood at begin and end), "samples": null or
 *             {"total": 5, "self": 2, "track_total": 9, "track_self": 4, "track_count": 90} (of a frame on a track of
 *             samples: how many of them it stands for, with and without more on top; on the whole track; all of that),
 *             "subject": "G7" or null (what it is about, that every perspective shows), "has_ends": false (`ends`
 *             has more to say), "flows_in": FLOWS, "flows_out": FLOWS}
 *   END      {"why": "waits: chan receive" or null, "stack": STACK or null, "beside": null or {"place": PLACE,
 *             "thread": THREAD, "gap": SPAN}}
 *            of a run of a goroutine: what it did before, or does then, where its code stood, and its run before or
 *            afterwards, with the time between
 *   STACK    {"depth": 7, "frames": [{"function", "file", "line", "column", "module", "address": "0x1f"}, ...]}
 *            the innermost first, at most 1000; line and column from 1; each null where it is not known
 *   FLOW     {"name", "category", "place": PLACE or null, "slice_name": "g" or null, "thread": THREAD, "process",
 *             "from": TIME, "to": TIME, "duration": SPAN, "backwards": false}
 *            an arrow; place, slice_name, thread and process are of one end; place null: no slice there; duration: from one end
 *            to the other
 *   FLOWS    {"count": 3, "flows": [FLOW, ...]}
 *            arrows that end or begin in the slice, the first 100 of them by time, with their other ends
 *   INSTANT  {"trace": 0, "instant": 5, "name", "category", "scope": "thread" or "process" or "global", "process",
 *             "thread": THREAD or null (who wrote it), "track": 3 (where it stands), "row": 0, "time": TIME, "label": 9,
 *             "object": OBJECT or null, "refs": REFS, "dump": null or {"id": "0x1" or null, "parts": [{"process",
 *             "mark": MARK}, ...]} (a memory dump's parts in all processes), "args", "other", "details_error",
 *             "stack": STACK or null}
 *   MARK     {"trace": 0, "instant": 5, "track": 3, "row": 0, "begin": "123"}                 where an instant stands
 *   OBJECT   {"id": "0x1000", "scope": "ptr", "type": "Layer" or null, "base_type": null, "created": true, "life": 1,
 *             "lives": 2, "place": PLACE, "snapshot": 3, "snapshots": 9, "first", "previous", "next", "last": MARK or null}
 *            whose life the slice or whose snapshot the instant is. created: its creation was recorded; life: which of the
 *            lives of the id; place: of that life; snapshot: which of the life's it is, 0 = none; the others: snapshots
 *   REFS     [{"id": "0x12", "scope": null, "pid": null, "snapshot": MARK or null}, ...]
 *            the objects {"id_ref": "0x12"} in the arguments, at most 1000, and what each means at that time; null: nothing
 *   OWNER    {"process": {...} or null, "thread": THREAD or null, "labels": null, "sort_index": 0, "threads": 3, "slices": 9,
 *             "instants": 2, "metadata": [{"name", "thread": THREAD, "args", "other",
 *             "details_error"}, ...], "metadata_count": 4}
 *            metadata: the events, in file order, at most 1000: of a process those of all its threads
 *   STATS    {"begin": "0", "end": "99", "slices": 10, "names": 2, "total": SPAN, "left_out_tracks": 0,
 *             "perspective": "Goroutines" or null,
 *             "rows": [{"name": "f" or null, "label": 7, "count": 4, "total": SPAN, "self": SPAN, "average": SPAN,
 *                       "min": SPAN, "max": SPAN, "cpu": CPU or null, "longest": PLACE}]}
 *            rows: by total, greatest first; names: how many rows there are without `top`; total: of all self times;
 *            label: one of the labels of that name (for colours); perspective: the one that counts, null where there
 *            is one view. What counts: analysis/stats.h
 *   FLAME    {"unit": "ns" or "call" or "event" (of total and self), "counted": "call" or "wait", "perspective": "Goroutines" or null,
 *             "left_out_tracks": 0, "has_cpu": false, "all": {"count": 9, "total": "45", "self": "0"} (of the root),
 *             "share": 0.5 (of the front frame in the root), "path": [{"key": "1f", "name": "f" or null}, ...] (the front frame
 *             and up to 63 frames around it, outermost first; empty: the root is in front), "rows": 12, "first_row": 0,
 *             "next_row": 5 (rows from there on are not here), "found": {"share": 0.25 (of the front frame), "frames": 3} or
 *             null, "selected": "2e" or null, "names": [{"name": "f" or null, "label": 7 or 0}, ...],
 *             "frames": [[row, name, begin, share, count, "total", "self", "cpu", marks, "key"], ...]}
 *            name: index into names; begin and share: place in the width of the front frame, 0 to 1; total, self: in the unit;
 *            cpu: ns; marks: 1 found, 2 leads to the selected slice, 4 is its frame; key: hexadecimal, of the names from the
 *            root to the frame, "0": the root
 *   CATEGORIES {"categories": [{"id": 3, "name": "gc" or null, "slices": 10, "instants": 0, "counters": 0, "hidden": false}]}
 *            null: events without a category; an event of several counts in each; hidden: at first
 *   CALL     {"call": 5 or null, "calls": 392, "frame": 2 or null (there are none), "frames": 7, "place": PLACE or null}
 *            call: the first that begins then or later; frame: the one around it; place: of the call, or of the frame; call
 *            and place null: there is no such call, or frame
 *   FRAMES   {"families": ["state", "draw", ...], "frames": [{"frame": 9, "first_call": 17, "calls": 40, "incomplete": 0,
 *             "families": [20, 8, ...], "redundant_state_calls": 3, "upload_bytes": 4096, "ended": true}, ...],
 *             "next": 11 or null, "share": 0.5}
 *            at most 5000 frames, each with its calls by family; next: the first that is not told, null: there are no more;
 *            share: of all calls are counted. As `varve frames --json`
 *   FIND     {"place": PLACE or null, "name": "f" or null, "count": 12, "index": 3, "wrapped": false}   index: from 1
 *   SEARCH   {"matches": [{"place": PLACE or null, "mark": MARK or null, "name": "f" or null, "at": "45 ns", "key": "k" or null,
 *             "value": "v" or null}, ...], "labels": [7, ...], "next": "s17" or null, "share": 0.5, "unread": 0}
 *            matches: slices (place) and, in values, instants (mark) by time; key and value: the first argument that matches, as
 *            text, cut where it is long. labels: of all slices found by name. next: where to go on, null at the end; share: of
 *            the time is behind it; unread: events whose arguments could not be read
 *   SQL_RESULT {"run": 7, "state": "running", "error": null or DuckDB's message, "line": 3 or null, "columns": [{"name": "n",
 *             "kind": "integer"}, ...], "rows": [["17", null, ...], ...], "more": false, "traces": [{"trace": 0, "name":
 *             "x.json", "shape": 0}, ...]}
 *            state: running done failed cancelled; line: of the text, from 1, which the error points to; kind: bool integer real
 *            number (digits that neither integer nor real holds) text json; a value is a text or null; more: there are further
 *            rows: a result has at most 10000, and some 32 MiB; traces: the names in the column `trace`; shape: that the ids
 *            in the rows are of, 0 = the trace does not grow
 *
 * Failures are one line of text with a status other than SESSION_OK. Answers are deterministic and, but for
 * status and those about traces that grow, immutable: they may be cached under the answer's tag. */
#ifndef APP_SESSION_SESSION_H
#define APP_SESSION_SESSION_H
#include "format/load.h"

typedef struct Session Session;

enum { SESSION_MAX_TRACES = 64, SESSION_MAX_BODY = 1 << 20 };

typedef enum {
    SESSION_OK,
    SESSION_NOT_READY, /* the trace is still loading */
    SESSION_BAD_REQUEST,
    SESSION_NOT_FOUND,
    SESSION_MOVED,  /* the trace no longer has the shape that was asked about */
    SESSION_FAILED /* out of memory, or the input could not be read again */
} SessionStatus;

typedef struct Answer {
    SessionStatus status;
    const char   *content_type; /* static */
    bool          immutable;
    uint64_t      tag;  /* of the trace that was asked; 0 = none */
    Bytes         body; /* the caller's, released by it; for failures one line of text */
} Answer;

Session *session_create(void) WARN_UNUSED;
/* Cancels and joins what still loads. */
void session_destroy(Session *session);

/* Takes over a finished load (traces are numbered in this order). False when out of memory: `loaded` is
 * then still the caller's. */
bool session_add_loaded(Session *session, Loaded *loaded) WARN_UNUSED;
/* Answers "DIR?QUERY" (percent-encoded, no leading slash). Any number of threads at once. */
Answer session_answer(Session *session, const char *request);
/* The same for a request with a body, at most SESSION_MAX_BODY bytes. */
Answer session_answer_body(Session *session, const char *request, StringView body);

#endif
