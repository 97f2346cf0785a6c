/* varve query - runs SQL over one or more traces. */
#include "app/cli/query_rows.h"
#include "app/cli/sql_prompt.h"
#include "app/cli/traces.h"
#include "base/csv.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const OptionSpec OPTIONS[] = {
    { "json", '\0', NULL, "a JSON array with an object for each row" },
    { "csv", '\0', NULL, "comma-separated values, with a heading" },
    { "parquet", '\0', NULL, "a Parquet file: needs --output" },
    { "output", 'o', "OUT", "output; - is standard output, and the default" },
    { "schema", '\0', NULL, "list the tables and columns instead; needs no FILE" },
    { NULL, '\0', NULL, NULL }
};

enum { INPUT_BLOCK_BYTES = 65536 };

/* Traces and the database over them. */
typedef struct Query {
    Cli        *cli;
    const char *sql; /* NULL = from standard input */
    size_t      file_count;
    CliTraces   traces;
    VarveQuery *database;
    RowsForm    form;
} Query;

static VarveProgress *running; /* of the current statement: a signal cancels it */

/* -- the schema -- */

static void put_schema_rows(RowsForm form, Bytes *out)
{
    if (form == ROWS_CSV) bytes_append_text(out, "table,column,type,unit,help\r\n");
    const char *table;
    for (uint32_t t = 0; (table = varve_table_name(t)) != NULL; t++) {
        VarveColumnInfo column;
        if (form == ROWS_TABLE)
            bytes_printf(out, "%s%s: %s\n", t == 0 ? "" : "\n", table, varve_table_help(table));
        for (uint32_t c = 0; varve_table_column(table, c, &column); c++) {
            const char *const texts[] = { table, column.name, varve_type_name(column.type), column.unit,
                                          column.help };
            if (form == ROWS_TABLE) {
                bytes_printf(out, "  %-16s %-8s %-9s %s\n", column.name, texts[2], column.unit, column.help);
                continue;
            }
            for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
                if (i > 0) bytes_append_text(out, ",");
                csv_append_field(c_string_view(texts[i]), out);
            }
            bytes_append_text(out, "\r\n");
        }
    }
}

static ExitStatus print_schema(RowsForm form)
{
    Bytes      out = { 0 };
    VarveBytes json = { 0 };
    if (form != ROWS_JSON) {
        put_schema_rows(form, &out);
    } else if (varve_schema_json(&json, NULL)) {
        bytes_append(&out, json.bytes, json.size_bytes);
    } else {
        out.failed = true;
    }
    ExitStatus status = cli_print(&out);
    varve_bytes_release(&json);
    bytes_release(&out);
    return status;
}

/* -- arguments -- */

static ExitStatus parse_options(Query *query)
{
    static const char *const FORMS[] = { "csv", "json", "parquet" }; /* by RowsForm, and a file */
    Cli                     *cli = query->cli;
    size_t                   form;
    if (!CLI_OPTION_FLAG(cli, FORMS, &form)) return EXIT_USAGE;
    const bool is_parquet = form > ROWS_JSON;
    query->form = is_parquet ? ROWS_TABLE : (RowsForm)form;
    if (cli_option(cli, "schema") != NULL) return EXIT_DONE;
    if (cli->file_count == 0) return cli_usage_error(cli, "query needs a FILE");
    query->file_count = cli->file_count;
    const char *last = cli->files[cli->file_count - 1];
    if (cli->file_count > 1 && strcmp(last, "-") != 0 && !load_is_address(last) && access(last, F_OK) != 0) {
        query->sql = last;
        query->file_count--;
    }
    const char *output = cli_option(cli, "output");
    if (is_parquet && (output == NULL || strcmp(output, "-") == 0))
        return cli_usage_error(cli, "--parquet needs -o FILE");
    if (is_parquet && query->sql == NULL) return cli_usage_error(cli, "--parquet needs a SQL query");
    return EXIT_DONE;
}

static ExitStatus no_memory(void)
{
    (void)fputs("varve: out of memory for the query\n", stderr);
    return EXIT_INPUT;
}

/* -- statements -- */

static ExitStatus query_failed(const Query *query, const Err *err)
{
    const char *message = query->database == NULL ? "" : varve_query_message(query->database);
    const char *output = cli_option(query->cli, "output");
    if (err->code == ERR_OUTPUT) {
        cli_output_error(output == NULL ? "-" : output, err);
    } else if (err->code == ERR_USAGE && *message != '\0') {
        (void)fprintf(stderr, "varve: SQL: %s\n", message);
    } else {
        (void)fprintf(stderr, "varve: SQL: %s\n", err->message);
    }
    return err->code == ERR_OUTPUT ? EXIT_OUTPUT : err->code == ERR_USAGE ? EXIT_USAGE : EXIT_INPUT;
}

static ExitStatus library_failed(const Query *query, const VarveError *error)
{
    const Err err = cli_library_err(error);
    return query_failed(query, &err);
}

static ExitStatus run_to_file(Query *query, const char *sql)
{
    const char *output = cli_option(query->cli, "output");
    FileWriter  file = { 0 };
    VarveError  error;
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!varve_query_run(query->database, sql, NULL, &error)) return library_failed(query, &error);
    const bool is_done = file_writer_open(&file, output == NULL ? "-" : output, &err) &&
                         query_rows_write(query->database, query->form, &file, &err) &&
                         file_writer_commit(&file, &err);
    file_writer_abort(&file);
    return is_done ? EXIT_DONE : query_failed(query, &err);
}

static ExitStatus open_database(Query *query, const char *output)
{
    const VarveQueryOptions options = { .thread_count = cli_threads(query->cli),
                                        .output_path = output,
                                        .progress = running,
                                        .memory_bytes = memory_spare() };
    VarveError              error;
    query->database = varve_query_open(query->traces.handles, query->traces.count, &options, &error);
    return query->database != NULL ? EXIT_DONE : library_failed(query, &error);
}

static ExitStatus run_to_parquet(Query *query)
{
    FileWriter file = { 0 };
    VarveError error;
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!file_writer_open(&file, cli_option(query->cli, "output"), &err)) return query_failed(query, &err);
    const char *path = file.target[0] == '\0' ? cli_option(query->cli, "output") : file.temporary;
    ExitStatus  status = open_database(query, path);
    if (status == EXIT_DONE && !varve_query_parquet(query->database, query->sql, path, NULL, &error))
        status = library_failed(query, &error);
    if (status == EXIT_DONE && !file_writer_commit(&file, &err)) status = query_failed(query, &err);
    file_writer_abort(&file);
    return status;
}

/* -- statements without the argument SQL -- */

static void cancel_statement(int number)
{
    (void)number;
    varve_progress_cancel(running);
}

/* Runs the statements of the terminal one by one until Ctrl+D. A failed statement does not end the prompt. */
static ExitStatus run_prompt(Query *query)
{
    SqlPrompt *prompt = sql_prompt_open();
    if (prompt == NULL) return no_memory();
    const struct sigaction cancel = { .sa_handler = cancel_statement };
    struct sigaction       before;
    Bytes                  statement = { 0 };
    (void)fprintf(stderr,
                  "SQL over the trace. A statement ends with a semicolon; `SHOW TABLES;` lists the tables; "
                  "%sCtrl+C cancels, Ctrl+D leaves.\n",
                  SQL_PROMPT_KEYS);
    (void)sigaction(SIGINT, &cancel, &before);
    while (sql_prompt_read(prompt, &statement)) {
        varve_progress_restart(running);
        (void)run_to_file(query, (const char *)statement.data);
    }
    (void)sigaction(SIGINT, &before, NULL);
    sql_prompt_close(prompt);
    bytes_release(&statement);
    return EXIT_DONE;
}

/* Runs all statements of standard input together. */
static ExitStatus run_input(Query *query)
{
    Bytes      text = { 0 };
    ExitStatus status = EXIT_DONE;
    for (;;) {
        void         *room = bytes_reserve(&text, INPUT_BLOCK_BYTES);
        const int64_t size = room == NULL ? -1 : file_read_fd(STDIN_FILENO, room, INPUT_BLOCK_BYTES);
        if (size <= 0) break;
        bytes_grow(&text, (size_t)size);
    }
    const char *statements = bytes_text(&text);
    if (statements == NULL) {
        status = no_memory();
    } else if (text.size > 0) {
        status = run_to_file(query, statements);
    }
    bytes_release(&text);
    return status;
}

static ExitStatus run_statements(Query *query)
{
    if (query->sql != NULL) return run_to_file(query, query->sql);
    return isatty(STDIN_FILENO) == 1 ? run_prompt(query) : run_input(query);
}

static ExitStatus run(Cli *cli)
{
    Query      query = { .cli = cli };
    ExitStatus status = parse_options(&query);
    if (status != EXIT_DONE) return status;
    if (cli_option(cli, "schema") != NULL) return print_schema(query.form);
    running = varve_progress_open();
    if (running == NULL) return no_memory();
    status = cli_traces_load(cli, 0, query.file_count, &query.traces);
    if (status == EXIT_DONE && cli_option(cli, "parquet") != NULL) {
        status = run_to_parquet(&query);
    } else if (status == EXIT_DONE) {
        status = open_database(&query, NULL);
        if (status == EXIT_DONE) status = run_statements(&query);
    }
    varve_query_close(query.database);
    varve_progress_close(running);
    cli_traces_release(&query.traces);
    return status;
}

const CliCommand COMMAND_QUERY = {
    .name = "query",
    .summary = "Runs SQL over one or more traces",
    .usage = "[OPTIONS] FILE... [SQL]",
    .details =
        "The last argument is SQL unless a file has its name; without SQL, statements are read from standard "
        "input,\n"
        "with completion and a history if it is a terminal.\n"
        "Tables are slice, instant, counter, thread, process, ...: `varve query --schema` lists them. Table\n"
        "functions of the same names bound the rows first: slice(range := '1s..2s', name := 'x', thread := "
        "'main').\n"
        "SQL is that of DuckDB. It reads and writes no files and cannot change the trace.",
    .examples = "  varve query trace.json \"SELECT name, count(*), sum(self_ns) FROM slice GROUP BY name "
                "ORDER BY 3 DESC "
                "LIMIT 10\"\n"
                "  varve query a.json b.json --csv \"SELECT trace, avg(duration_ns) FROM slice(name := "
                "'parse') GROUP BY "
                "trace\"\n"
                "  varve query trace.json --parquet -o slices.parquet \"FROM slice\"",
    .options = OPTIONS,
    .run = run
};
