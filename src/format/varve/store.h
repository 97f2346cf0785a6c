/* format/varve/store.h - the bytes of the input of a `.varve` file: blocks of the file, or the source file itself. */
#ifndef FORMAT_VARVE_STORE_H
#define FORMAT_VARVE_STORE_H
#include "format/container.h"
#include "format/varve/file.h"

/* Returns a store in the arena of the file. It owns `mapping`, the bytes of the file, whatever it reads: they are released
 * when the store is closed. *fault: the reason why it returns no bytes, or ERR_NONE. `request` has the paths of the `.varve` file
 * and of its source, if they are known. */
InputStore trace_file_store(VarveFile *file, TraceMapping mapping, const UnpackRequest *request, Err *fault);

#endif
