/* A recorder of native .spall streams for test programs: one thread, small buffers. It is compiled without
 * -finstrument-functions, the program with it. */
#ifndef TEST_NATIVE_RECORDER_H
#define TEST_NATIVE_RECORDER_H

/* Starts recording to a file, as version 1, 2 or 3 of the format. The original recorders have a function of this name,
 * and versions 1 and 2 locate everything by its address. Records nothing if it fails. */
int  spall_auto_init(const char *file, int version);
void spall_auto_quit(void);

#endif
