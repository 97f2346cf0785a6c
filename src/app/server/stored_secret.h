/* app/server/stored_secret.h - the secret of a port, which stays the same from run to run, so that links to the port do too.
 *
 * It is in the folder `secrets` of the user's state, in a file with the number of the port, which only its owner can read. */
#ifndef APP_SERVER_STORED_SECRET_H
#define APP_SERVER_STORED_SECRET_H
#include "app/server/token.h"

/* Sets *secret to the stored secret of a port. Creates and stores one if the file is missing, or if others could have read it. Without a
 * folder for state the secret is new at each call. Fails as token_create. */
bool stored_secret_of(unsigned port, Token *secret, Err *err) WARN_UNUSED;

#endif
