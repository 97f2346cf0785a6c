/* app/cli/listening.h - receives traces until it is stopped, with or without the viewer: shared by `listen`
 * and `open --watch`. */
#ifndef APP_CLI_LISTENING_H
#define APP_CLI_LISTENING_H
#include "app/cli/cli.h"
#include "app/live/receiver.h"

#include <signal.h>

typedef enum { LISTEN_SUM_LINE, LISTEN_SUM_JSON } ListenSum;

/* All borrowed. */
typedef struct ListenPlan {
    const char *const *addresses; /* as of app/live/address.h */
    size_t             address_count;
    const char        *record_path; /* NULL = no recording */
    BindRule           bind;
    EndRule            end;
    ListenSum          sum;              /* when the totals are printed at the end */
    bool               prints_addresses; /* on stdout, once they are open */
    bool               serves;           /* the viewer */
    bool               opens_browser;
    uint16_t           port;                /* of the viewer; 0 = any */
    uint64_t           keep_bytes, keep_ns; /* as ShowRules */
} ListenPlan;

/* Returns SIGINT and SIGTERM. They are blocked in all threads, and waited for or polled, which needs no handler and has no
 * race. */
sigset_t stop_signals(void);
/* Blocks the stop_signals in this thread and in the threads that it creates, and ignores SIGPIPE: a browser may close its
 * connection during an answer. */
void stop_signals_block(void);

ExitStatus listening_run(Cli *cli, const ListenPlan *plan);

/* Parses --keep, "500M" or "10min", into one of both; without the option both keep their values. False: the
 * value is malformed, and a message was printed. */
bool listening_keep(const Cli *cli, uint64_t *keep_bytes, uint64_t *keep_ns) WARN_UNUSED;

#endif
