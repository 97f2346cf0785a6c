/* app/session/slot.h - the traces of a session: a slot holds a trace and the data that requests
 * about it share. For app/session only. */
#ifndef APP_SESSION_SLOT_H
#define APP_SESSION_SLOT_H
#include "app/cache/cache.h"
#include "app/session/live_source.h"
#include "app/session/session.h"
#include "base/lock.h"
#include "format/load.h"

/* SLOT_SHOWN: the trace is in the cache, whose tiles answer for the first picture while the rest is not checked yet. The load has
 * ended in the states behind it. */
typedef enum { SLOT_LOADING, SLOT_SHOWN, SLOT_READY, SLOT_FAILED, SLOT_CANCELLED } SlotState;

typedef struct SlotFilters SlotFilters; /* slot_filters.h */
typedef struct SlotGo      SlotGo;      /* slot_go.h */
typedef struct SlotFrames  SlotFrames;  /* slot_frames.h */
typedef struct SlotDetails SlotDetails; /* slot_details.h */
typedef struct SessionSql  SessionSql;  /* session_sql.h */
typedef struct LongWorks   LongWorks;   /* long_work.h */

typedef struct SessionSlot SessionSlot;

/* The tiles of a trace in the cache. */
typedef struct ShownTiles {
    Lock        *lock;          /* protects `file`; NULL: the slot is never in SLOT_SHOWN */
    RemoteFile  *file;          /* owned; NULL: the trace is loaded */
    uint64_t     warning_count; /* of the trace, once SLOT_SHOWN */
    bool         complete;
    _Atomic bool is_short; /* a request needs more than the tiles */
    /* Waits some milliseconds for the end of SLOT_SHOWN; set with `lock`. */
    void (*await)(const SessionSlot *slot);
} ShownTiles;

/* One trace. `loaded`, `error` and `tag` are written by the loading thread before it stores `state`, and may
 * be read once `state` is the one of their comment. */
struct SessionSlot {
    _Atomic int  state; /* SlotState */
    uint32_t     index;
    const char  *path;  /* as given by the user, in the session's arena */
    const char  *name;  /* the last part of the path */
    const char  *title; /* the displayed name; NULL: `name` */
    Progress     progress;
    Loaded       loaded;  /* owned once SLOT_READY */
    Err          error;   /* once SLOT_FAILED */
    uint64_t     tag;     /* once SLOT_READY; not 0 */
    SlotFilters *filters; /* owned */
    SlotGo      *go;      /* owned */
    LiveSource  *live;    /* owned; NULL: the trace does not grow. Else `loaded` is the receiver's */
    RemoteFile  *remote;  /* owned; a file that is read by ranges: there is no `loaded`. NULL: others */
    ShownTiles   shown;
    SlotFrames  *frames;  /* owned */
    SlotDetails *details; /* owned */
    LongWorks   *works;   /* owned */
    /* Cancels the load and waits for its end; NULL if the trace was added loaded. */
    void (*join)(struct SessionSlot *slot);
    void        *job;     /* data for `join`, in the session's arena */
    LoadOptions  options; /* of the load in progress */
    const Cache *cache;   /* of the user; NULL = none */
    Session     *session; /* of the load in progress */
    bool         is_copy; /* of the trace `of`, loaded with other options */
    uint32_t     of;
    bool         is_by_page; /* opened by a request of the page, which forgets it when it is loaded again */
};

struct Session {
    Arena            arena;   /* holds the session; used by session_create, _open and _add_loaded only */
    const char      *listens; /* the addresses where more traces may arrive; NULL = none */
    _Atomic uint32_t slot_count;
    SessionSlot     *slots[SESSION_MAX_TRACES];
    /* Loads a slot's file again, with other options, into a new slot and sets its number; NULL if this is not
     * possible. Any thread. */
    bool (*open_copy)(struct Session *session, const SessionSlot *slot, const LoadOptions *options,
                      uint32_t *copy, Err *err);
    Lock       *opening; /* held while a slot is added */
    SessionSql *sql;     /* owned; NULL in the browser */
};

/* Returns a slot in SLOT_LOADING, invisible to requests until session_slot_publish; NULL if out of memory or
 * slots. One thread at a time. */
SessionSlot *session_slot_create(Session *session, const char *path) WARN_UNUSED;
/* Releases a slot that was not published. NULL is allowed. */
void session_slot_discard(SessionSlot *slot);
/* Makes the slot visible to requests as the next trace. */
void session_slot_publish(Session *session, SessionSlot *slot);
/* Stores the tiles of the trace that is being loaded from the cache, which the slot then owns. */
void session_slot_shown(SessionSlot *slot, RemoteFile *tiles);
/* Notes that a request needs the trace of a slot in SLOT_SHOWN, and waits some milliseconds for it. */
void session_slot_await(SessionSlot *slot);
/* Stores the loaded trace, which the slot then owns. */
void session_slot_ready(SessionSlot *slot, const Loaded *loaded);
/* As session_slot_ready, for a file that is read by ranges. */
void session_slot_remote(SessionSlot *slot, RemoteFile *remote);
void session_slot_failed(SessionSlot *slot, const Err *err);

#endif
