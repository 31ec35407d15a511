/* facts.c - what the file "info" says of the process: "key=value" texts, each
   ended by a zero byte.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"
#include <string.h>
#include <sys/utsname.h>

static long
read_file (const char *path, char *buffer, size_t size)
{
  int file = system_open (path, O_RDONLY, 0);
  if (file < 0)
    return file;
  size_t length = 0;
  while (length < size - 1)
    {
      long bytes = system_read (file, buffer + length, size - 1 - length);
      if (bytes <= 0)
	break;
      length += (size_t) bytes;
    }
  system_close (file);
  buffer[length] = 0;
  return (long) length;
}

/* Field 22 of /proc/self/stat; the program's name before it may hold anything,
   brackets included.  */
uint64_t
facts_start_ticks (char *buffer, size_t size)
{
  if (read_file ("/proc/self/stat", buffer, size) <= 0)
    return 0;
  char *at = strrchr (buffer, ')');
  for (int field = 2; at && field < 22; field++)
    at = strchr (at + 1, ' ');
  uint64_t value = 0;
  if (at)
    for (at++; *at >= '0' && *at <= '9'; at++)
      value = value * 10 + (uint64_t) (*at - '0');
  return value;
}

static size_t
fact (char *to, size_t length, const char *key, const char *value)
{
  return path_append (to, length, key, "=", value) + 1;
}

int
facts_write (const char *path, char *buffer, size_t size)
{
  int file = system_open (path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file < 0)
    return file;
  static char text[PATH_LIMIT + 512];
  struct utsname name;
  size_t length = 0;
  memset (text, 0, sizeof text);
  if (SYSTEM1 (SYS_uname, &name) == 0)
    {
      length = fact (text, length, "host", name.nodename);
      length = fact (text, length, "machine", name.machine);
    }
  memcpy (text + length, "program=", 8);
  long bytes = SYSTEM4 (SYS_readlinkat, AT_FDCWD, "/proc/self/exe",
			text + length + 8, PATH_LIMIT - length - 9);
  length += 8 + (bytes > 0 ? (size_t) bytes : 0) + 1;
  long result = system_append (file, text, length);

  static const char *const of_kernel[][2] = {
    { "boot", "/proc/sys/kernel/random/boot_id" }, { "name", "/proc/self/comm" }
  };
  char line[64];
  for (int i = 0; i < 2; i++)
    if (result == 0 && read_file (of_kernel[i][1], line, sizeof line) > 0)
      {
	line[strcspn (line, "\n")] = 0;
	result = system_append (file, text, fact (text, 0, of_kernel[i][0], line));
      }
  long arguments = read_file ("/proc/self/cmdline", buffer, size);
  for (long at = 0; result == 0 && at < arguments; )
    {
      size_t one = strlen (buffer + at);
      result = system_append (file, "argument=", 9);
      if (result == 0)
	result = system_append (file, buffer + at, one + 1);
      at += (long) one + 1;
    }
  if (result == 0)
    result = system_append (file, settings.facts, settings.facts_length);
  system_close (file);
  return (int) result;
}
