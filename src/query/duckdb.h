/* query/duckdb.h - DuckDB's C API, loaded at run time.
 *
 * DuckDB is optional: nothing links to it. duckdb_load finds its shared library and fills a table of functions. The types
 * and functions are declared here from the documentation of the C API (duckdb.org/docs/stable/clients/c/api), as far as
 * this folder uses them. Handles are opaque. The caller destroys a handle that it created, with the function of its kind,
 * which takes the address of the handle and sets it to NULL. */
#ifndef QUERY_DUCKDB_H
#define QUERY_DUCKDB_H
#include "base/arrow_abi.h"
#include "base/err.h"

typedef struct DuckDatabase_    *DuckDatabase;
typedef struct DuckConnection_  *DuckConnection;
typedef struct DuckConfig_      *DuckConfig;
typedef struct DuckPrepared_    *DuckPrepared;
typedef struct DuckPending_     *DuckPending;
typedef struct DuckChunk_       *DuckChunk;
typedef struct DuckVector_      *DuckVector;
typedef struct DuckSelection_   *DuckSelection;
typedef struct DuckLogicalType_ *DuckLogicalType;
typedef struct DuckValue_       *DuckValue;
typedef struct DuckFunction_    *DuckFunction;
typedef struct DuckBind_        *DuckBind;
typedef struct DuckInit_        *DuckInit;
typedef struct DuckCall_        *DuckCall;
typedef struct DuckError_       *DuckError;
typedef struct DuckArrow_       *DuckArrow; /* duckdb_arrow_options */

/* duckdb_result: the first five members are deprecated and not read. */
typedef struct DuckResult {
    uint64_t deprecated[3];
    void    *deprecated_columns;
    char    *deprecated_message;
    void    *data;
} DuckResult;

/* duckdb_string_t: up to 12 bytes lie in the value itself, longer ones behind a pointer. */
typedef struct DuckString {
    uint32_t size;
    char     prefix[4];
    union {
        char        rest[8];
        const char *bytes;
    } tail;
} DuckString;
enum { DUCK_STRING_INLINE = 12 };

typedef enum { DUCK_OK = 0, DUCK_FAILED = 1 } DuckState;
typedef enum {
    DUCK_RESULT_READY,
    DUCK_RESULT_NOT_READY,
    DUCK_PENDING_FAILED,
    DUCK_NO_TASKS
} DuckPendingState;
enum { DUCK_STATEMENT_SELECT = 1 }; /* duckdb_statement_type */

/* duckdb_type, as far as it is named here. */
typedef enum {
    DUCK_BOOLEAN = 1,
    DUCK_TINYINT,
    DUCK_SMALLINT,
    DUCK_INTEGER,
    DUCK_BIGINT,
    DUCK_UTINYINT,
    DUCK_USMALLINT,
    DUCK_UINTEGER,
    DUCK_UBIGINT,
    DUCK_FLOAT,
    DUCK_DOUBLE,
    DUCK_HUGEINT = 16,
    DUCK_VARCHAR = 17,
    DUCK_DECIMAL = 19,
    DUCK_LIST = 24,
    DUCK_STRUCT = 25,
    DUCK_MAP = 26,
    DUCK_UNION = 28,
    DUCK_UHUGEINT = 32,
    DUCK_ARRAY = 33,
    DUCK_BIGNUM = 35
} DuckType;

enum { DUCK_VECTOR_ROWS = 2048 }; /* duckdb_vector_size() of every published build; duckdb_load verifies it */

/* One row a function: the type of its result, its name without "duckdb_", its parameters. */
#define DUCKDB_FUNCTIONS(FUNCTION)                                                                           \
    FUNCTION(uint64_t, vector_size, (void))                                                                  \
    FUNCTION(void, free, (void *))                                                                           \
    /* the database */                                                                                       \
    FUNCTION(DuckState, open_ext, (const char *path, DuckDatabase *, DuckConfig, char **error))              \
    FUNCTION(void, close, (DuckDatabase *))                                                                  \
    FUNCTION(DuckState, connect, (DuckDatabase, DuckConnection *))                                           \
    FUNCTION(void, disconnect, (DuckConnection *))                                                           \
    FUNCTION(void, interrupt, (DuckConnection))                                                              \
    FUNCTION(DuckState, query, (DuckConnection, const char *sql, DuckResult *))                              \
    /* statements */                                                                                         \
    FUNCTION(DuckState, prepare, (DuckConnection, const char *sql, DuckPrepared *))                          \
    FUNCTION(const char *, prepare_error, (DuckPrepared))                                                    \
    FUNCTION(void, destroy_prepare, (DuckPrepared *))                                                        \
    FUNCTION(int, prepared_statement_type, (DuckPrepared))                                                   \
    FUNCTION(uint64_t, prepared_statement_column_count, (DuckPrepared))                                      \
    FUNCTION(char *, prepared_statement_column_name, (DuckPrepared, uint64_t column)) /* for free() */       \
    FUNCTION(DuckLogicalType, prepared_statement_column_logical_type, (DuckPrepared, uint64_t column))       \
    FUNCTION(DuckState, pending_prepared_streaming, (DuckPrepared, DuckPending *))                           \
    FUNCTION(DuckPendingState, pending_execute_task, (DuckPending))                                          \
    FUNCTION(bool, pending_execution_is_finished, (DuckPendingState))                                        \
    FUNCTION(const char *, pending_error, (DuckPending))                                                     \
    FUNCTION(DuckState, execute_pending, (DuckPending, DuckResult *))                                        \
    FUNCTION(void, destroy_pending, (DuckPending *))                                                         \
    /* results */                                                                                            \
    FUNCTION(const char *, result_error, (DuckResult *))                                                     \
    FUNCTION(void, destroy_result, (DuckResult *))                                                           \
    FUNCTION(uint64_t, column_count, (DuckResult *))                                                         \
    FUNCTION(const char *, column_name, (DuckResult *, uint64_t column))                                     \
    FUNCTION(DuckType, column_type, (DuckResult *, uint64_t column))                                         \
    FUNCTION(DuckChunk, fetch_chunk, (DuckResult))                                                           \
    FUNCTION(void, destroy_data_chunk, (DuckChunk *))                                                        \
    FUNCTION(uint64_t, data_chunk_get_size, (DuckChunk))                                                     \
    FUNCTION(void, data_chunk_set_size, (DuckChunk, uint64_t rows))                                          \
    FUNCTION(DuckVector, data_chunk_get_vector, (DuckChunk, uint64_t column))                                \
    /* results as Arrow */                                                                                   \
    FUNCTION(DuckLogicalType, column_logical_type, (DuckResult *, uint64_t column))                          \
    FUNCTION(DuckArrow, result_get_arrow_options, (DuckResult *))                                            \
    FUNCTION(void, destroy_arrow_options, (DuckArrow *))                                                     \
    FUNCTION(DuckError, to_arrow_schema,                                                                     \
             (DuckArrow, DuckLogicalType *, const char **names, uint64_t count, struct ArrowSchema *))       \
    FUNCTION(DuckError, data_chunk_to_arrow, (DuckArrow, DuckChunk, struct ArrowArray *))                    \
    FUNCTION(bool, error_data_has_error, (DuckError))                                                        \
    FUNCTION(const char *, error_data_message, (DuckError))                                                  \
    FUNCTION(void, destroy_error_data, (DuckError *))                                                        \
    /* vectors */                                                                                            \
    FUNCTION(DuckVector, create_vector, (DuckLogicalType, uint64_t rows))                                    \
    FUNCTION(void, destroy_vector, (DuckVector *))                                                           \
    FUNCTION(void *, vector_get_data, (DuckVector))                                                          \
    FUNCTION(uint64_t *, vector_get_validity, (DuckVector))                                                  \
    FUNCTION(void, vector_ensure_validity_writable, (DuckVector))                                            \
    FUNCTION(void, vector_assign_string_element_len,                                                         \
             (DuckVector, uint64_t row, const char *, uint64_t size))                                        \
    FUNCTION(void, vector_reference_vector, (DuckVector to, DuckVector from))                                \
    FUNCTION(DuckSelection, create_selection_vector, (uint64_t rows))                                        \
    FUNCTION(void, destroy_selection_vector, (DuckSelection))                                                \
    FUNCTION(uint32_t *, selection_vector_get_data_ptr, (DuckSelection))                                     \
    FUNCTION(void, slice_vector, (DuckVector, DuckSelection, uint64_t rows))                                 \
    /* types and values */                                                                                   \
    FUNCTION(DuckLogicalType, create_logical_type, (DuckType))                                               \
    FUNCTION(DuckType, get_type_id, (DuckLogicalType))                                                       \
    FUNCTION(void, destroy_logical_type, (DuckLogicalType *))                                                \
    FUNCTION(char *, get_varchar, (DuckValue))                                                               \
    FUNCTION(bool, is_null_value, (DuckValue))                                                               \
    FUNCTION(int64_t, get_int64, (DuckValue))                                                                \
    FUNCTION(void, destroy_value, (DuckValue *))                                                             \
    /* table functions */                                                                                    \
    FUNCTION(DuckFunction, create_table_function, (void))                                                    \
    FUNCTION(void, destroy_table_function, (DuckFunction *))                                                 \
    FUNCTION(void, table_function_set_name, (DuckFunction, const char *))                                    \
    FUNCTION(void, table_function_add_named_parameter, (DuckFunction, const char *, DuckLogicalType))        \
    FUNCTION(void, table_function_set_extra_info, (DuckFunction, void *, void (*release)(void *)))           \
    FUNCTION(void, table_function_set_bind, (DuckFunction, void (*)(DuckBind)))                              \
    FUNCTION(void, table_function_set_init, (DuckFunction, void (*)(DuckInit)))                              \
    FUNCTION(void, table_function_set_function, (DuckFunction, void (*)(DuckCall, DuckChunk)))               \
    FUNCTION(void, table_function_supports_projection_pushdown, (DuckFunction, bool))                        \
    FUNCTION(DuckState, register_table_function, (DuckConnection, DuckFunction))                             \
    FUNCTION(void *, bind_get_extra_info, (DuckBind))                                                        \
    FUNCTION(void, bind_add_result_column, (DuckBind, const char *, DuckLogicalType))                        \
    FUNCTION(DuckValue, bind_get_named_parameter, (DuckBind, const char *))                                  \
    FUNCTION(void, bind_set_bind_data, (DuckBind, void *, void (*release)(void *)))                          \
    FUNCTION(void, bind_set_error, (DuckBind, const char *))                                                 \
    FUNCTION(void *, init_get_bind_data, (DuckInit))                                                         \
    FUNCTION(uint64_t, init_get_column_count, (DuckInit))                                                    \
    FUNCTION(uint64_t, init_get_column_index, (DuckInit, uint64_t i))                                        \
    FUNCTION(void, init_set_init_data, (DuckInit, void *, void (*release)(void *)))                          \
    FUNCTION(void, init_set_max_threads, (DuckInit, uint64_t))                                               \
    FUNCTION(void, init_set_error, (DuckInit, const char *))                                                 \
    FUNCTION(void *, function_get_init_data, (DuckCall))                                                     \
    FUNCTION(void, function_set_error, (DuckCall, const char *))

typedef struct DuckDb {
#define DUCKDB_MEMBER(Result, name, parameters) Result(*name) parameters;
    DUCKDB_FUNCTIONS(DUCKDB_MEMBER)
#undef DUCKDB_MEMBER
} DuckDb;

/* Returns the functions of the library, which stays loaded until the process ends. The first call tries these places in
 * order: the path in the environment variable VARVE_DUCKDB, and no other if it is set; the npm package beside the program;
 * the libraries of the system. NULL: no library was found; err is ERR_UNKNOWN, and its message says how to install one.
 * Any thread. */
const DuckDb *duckdb_load(Err *err);

#endif
