#include "app/cli/convert_tiles.h"

#include "api/api.h"
#include "app/cli/losses.h"
#include "app/session/range_answers.h"
#include "export/left_out.h"
#include "format/varve/writer.h"

static bool write_tiles(const Loaded *loaded, const VarveFileOptions *options, const char *path,
                        WriterReport *report, Err *err)
{
    FileWriter       file;
    const OutputSink sink = output_to_file(&file);
    if (!file_writer_open(&file, path, err)) return false;
    if (trace_file_write(loaded, options, &sink, report, err)) return file_writer_commit(&file, err);
    file_writer_abort(&file);
    return false;
}

/* Returns a session with the trace under the name of the output. It owns the trace, also on failure: NULL, err filled. */
static Session *session_of(const Loaded *loaded, const char *path, Err *err)
{
    Loaded   named = *loaded;
    Session *session = session_create();
    named.name = file_name_of(path);
    if (session != NULL && session_add_loaded(session, &named)) return session;
    session_destroy(session);
    loaded_release(&named);
    (void)err_set(err, ERR_MEMORY, "out of memory for the answers of the file");
    return NULL;
}

ExitStatus convert_with_tiles(const Cli *cli, const Loaded *loaded, VarveArgumentUse arguments,
                              const char *path)
{
    ExitStatus   status = EXIT_DONE;
    RangeAnswers answers;
    WriterReport report = { .loss_count = 0 };
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Session     *session = session_of(loaded, path, &err);
    if (session == NULL || !range_answers_create(session, 0, VARVE_ALL_LEVELS, &answers, &err)) {
        session_destroy(session);
        cli_output_error(path, &err);
        return EXIT_OUTPUT;
    }
    const VarveFileOptions options = { .packing = VARVE_PACKED,
                                       .details = arguments == VARVE_ARGUMENTS_SOURCE ? VARVE_DETAILS_SOURCE
                                                                                      : VARVE_DETAILS_STORED,
                                       .tiles = &answers.tiles };
    if (write_tiles(loaded, &options, path, &report, &err)) {
        report_views(loaded->trace, &report);
        api_report_losses(&report, losses_note, &(LossOutput){ cli, path });
    } else {
        status = losses_fail(loaded->name, path, &err);
    }
    range_answers_release(&answers);
    session_destroy(session);
    return status;
}
