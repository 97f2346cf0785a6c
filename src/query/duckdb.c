#include "query/duckdb.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__aarch64__)
#define NPM_PACKAGE "@duckdb/node-bindings-linux-arm64"
#else
#define NPM_PACKAGE "@duckdb/node-bindings-linux-x64"
#endif

/* Places relative to the folder of the program: where a package puts the library, and where npm puts it for a program in
 * the build folder of a source tree, or in a folder of that. */
static const char *const PLACES[] = { "../lib/varve/libduckdb.so",
                                      "../web/node_modules/" NPM_PACKAGE "/libduckdb.so",
                                      "../../web/node_modules/" NPM_PACKAGE "/libduckdb.so" };
static const char HOW_TO_GET[] = "SQL needs DuckDB's library: install libduckdb.so, or set VARVE_DUCKDB to "
                                 "its path. `npm ci` in web/ of the source tree installs it, and for Python "
                                 "`pip install duckdb`";

static pthread_once_t once = PTHREAD_ONCE_INIT;
static DuckDb         loaded;
static bool           is_loaded;
static Err            failure;

static void *open_beside_program(void)
{
    char    program[4096], path[sizeof program + 128];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size <= 0) return NULL;
    program[size] = '\0';
    char *slash = strrchr(program, '/');
    if (slash == NULL) return NULL;
    *slash = '\0';
    for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", program, PLACES[i]);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

/* Copies the address of each function into the table. ISO C has no conversion from void * to a function pointer. */
static bool find_functions(void *library)
{
#define DUCKDB_FIND(Result, name, parameters)                                                                \
    do {                                                                                                     \
        void *address = dlsym(library, "duckdb_" #name);                                                     \
        if (address == NULL)                                                                                 \
            return err_set(&failure, ERR_UNKNOWN,                                                            \
                           "DuckDB's library has no duckdb_" #name ": Varve needs version 1.5 or later");    \
        memcpy(&loaded.name, &address, sizeof address);                                                      \
    } while (0);
    DUCKDB_FUNCTIONS(DUCKDB_FIND)
#undef DUCKDB_FIND
    return true;
}

static void load_once(void)
{
    const char *chosen = getenv("VARVE_DUCKDB");
    void       *library;
    failure = (Err){ .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (chosen != NULL && *chosen != '\0') {
        library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            (void)err_set(&failure, ERR_UNKNOWN, "VARVE_DUCKDB: %.150s", dlerror());
            return;
        }
    } else {
        library = open_beside_program();
        if (library == NULL) library = dlopen("libduckdb.so", RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        (void)err_set(&failure, ERR_UNKNOWN, "%s", HOW_TO_GET);
    } else if (find_functions(library)) {
        is_loaded = loaded.vector_size() == DUCK_VECTOR_ROWS;
        if (!is_loaded)
            (void)err_set(&failure, ERR_UNKNOWN, "DuckDB's library has vectors of another size than %d rows",
                          DUCK_VECTOR_ROWS);
    }
}

const DuckDb *duckdb_load(Err *err)
{
    (void)pthread_once(&once, load_once);
    if (is_loaded) return &loaded;
    if (err != NULL) *err = failure;
    return NULL;
}
