/* The leak checker of a program's sanitizer finds what C holds through C's memory
   alone, and would report what only Go's heap refers to as the program's leaks.  */
#ifndef ACCSCOPE_ENGINE_LEAKS_H
#define ACCSCOPE_ENGINE_LEAKS_H

/* Has the checker, where there is one, look through Go's heap too; object lies in it.  */
void accscope_engine_leaks_begin (const void *object);

#endif
