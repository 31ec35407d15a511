/* Ends a host thread while another one ends the program.  */
#ifndef ACCSCOPE_ENGINE_STOP_H
#define ACCSCOPE_ENGINE_STOP_H

/* Ends the calling thread as the system call does: none of the program's code
   (destructors, cleanup handlers) runs for it any more, and a pthread_join returns.
   Returns -1 on the process's first thread, without which /proc/self shows nothing, and
   on the one that calls record functions.  */
int accscope_engine_stop (void);

#endif
