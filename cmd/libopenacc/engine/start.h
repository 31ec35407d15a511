/* When the first thread may cross into Go.  */
#ifndef ACCSCOPE_ENGINE_START_H
#define ACCSCOPE_ENGINE_START_H

/* Lets it, from when all packages of the Go part are initialised.  */
void accscope_engine_initialised (int all);

#endif
