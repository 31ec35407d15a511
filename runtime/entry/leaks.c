/* The leak checker of a program built with -fsanitize=address or leak asks these two for
   what it is to leave out; a program's own definitions come first. Memory of the Go part
   that waits for its collector is referred to by nothing the checker looks through
   (cmd/libopenacc/engine/leaks.c shows it the rest), and is no mistake of the program's.  */
#define EXPORTED __attribute__ ((visibility ("default")))

EXPORTED const char *__lsan_default_suppressions (void);
EXPORTED const char *__lsan_default_options (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:libopenacc-engine.so\n";
}

const char *
__lsan_default_options (void)
{
  return "print_suppressions=0";
}
