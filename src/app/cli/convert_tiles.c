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

ExitStatus convert_with_tiles(const Cli *cli, const Loaded *loaded, VarveArgumentUse arguments,
                              const char *path)
{
    ExitStatus   status = EXIT_DONE;
    RangeAnswers answers;
    WriterReport report = { .loss_count = 0 };
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!range_answers_create(loaded, file_name_of(path), &answers, &err)) {
        cli_error(path, &err);
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
    return status;
}
