/* content.c - transfers that are hashed, and others.  Usage: content LIBRARY plain or
   told.  It prints "line hash overwritten" for each transfer that it begins: what is
   to be recorded of it, "-" for nothing.  With plain the runtime does not tell of learning
   (accscope_activity.h).  */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "standin_runtime.h"
#include "../../proflib/xxh.h"

#define SYNC acc_async_sync
#define UPDATE acc_construct_update
#define ROUTINE acc_construct_runtime_api

static void
transfer (int kind, int line, int64_t queue, int parent, void *host, size_t bytes)
{
  event (kind, line, queue, parent, host, bytes);
  event (kind + 1, line, queue, parent, host, bytes);
}

static void
sends (int line, int64_t queue, void *host, size_t bytes)
{
  transfer (acc_ev_enqueue_upload_start, line, queue, UPDATE, host, bytes);
}

static void
brings (int line, int64_t queue, int parent, void *host, size_t bytes)
{
  transfer (acc_ev_enqueue_download_start, line, queue, parent, host, bytes);
}

static void
ends (void)
{
  event (acc_ev_update_end, 0, SYNC, UPDATE, NULL, 0);
}

static void
expect (int line, int hashed, uint64_t hash, int known, uint64_t overwritten)
{
  printf ("%d ", line);
  printf (hashed ? "%016" PRIx64 " " : "- ", hash);
  printf (known ? "%016" PRIx64 "\n" : "-\n", overwritten);
}

#define NONE(line) expect (line, 0, 0, 0, 0)
#define SIZE 3000

static void *
waits_for_1 (void *unused)
{
  waits (1);
  return unused;
}

int
main (int argc, char **argv)
{
  static char a[SIZE], b[SIZE], many[2000][16];
  char *hole, *gone;
  pthread_t thread;
  if (argc != 3)
    return 2;
  int told = tells = strcmp (argv[2], "plain") != 0;
  if (!load (argv[1]))
    return 1;
  for (int i = 0; i < SIZE; i++)
    a[i] = (char) (i * i), b[i] = (char) i;
  uint64_t of_a = xxh (a, SIZE), of_b = xxh (b, SIZE);

  /* What an upload finds, of every kind of size.  */
  sends (1, SYNC, a, SIZE);
  expect (1, 1, of_a, 0, 0);
  sends (2, 1, b, 3);
  expect (2, 1, xxh (b, 3), 0, 0);

  /* What can't be read is not.  */
  hole = mmap (NULL, 3 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  gone = mmap (NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect (hole + (1 << 20), 1 << 16, PROT_NONE);
  sends (3, SYNC, hole, 3 << 20);
  NONE (3);
  sends (4, SYNC, NULL, 100);
  NONE (4);
  sends (5, SYNC, a, (size_t) -1);
  NONE (5);
  sends (6, SYNC, a, 0);
  NONE (6);
  sends (7, SYNC, (void *) -(uintptr_t) 4096, 8192);
  NONE (7);
  uint64_t empty = xxh (hole, 1 << 20);
  sends (8, SYNC, hole, 1 << 20);
  expect (8, 1, empty, 0, 0);

  /* What a directive brings is there at its end.  */
  brings (10, SYNC, UPDATE, a, SIZE);
  memcpy (a, b, SIZE);
  ends ();
  expect (10, 1, of_b, 1, of_a);
  a[0]++;
  ends ();	/* of another one */

  /* A routine's end is the end of a wait, if there is one.  */
  uint64_t changed = xxh (a, SIZE);
  brings (11, SYNC, ROUTINE, a, SIZE);
  waits (SYNC);
  expect (11, told, changed, told, changed);

  /* What a queue brings is there when somebody has waited for it.  */
  brings (12, 1, UPDATE, a, SIZE);
  ends ();
  waits (2);
  memcpy (a, b, SIZE);
  waits (1);
  expect (12, told, of_b, told, changed);

  /* Not if the program may know it already.  */
  brings (13, 1, UPDATE, a, SIZE);
  learned_times++;
  a[1]++;
  waits (1);
  NONE (13);
  memcpy (a, b, SIZE);

  /* Nor if another one came behind; and nothing is sent while it may come.  */
  brings (14, 1, UPDATE, a, SIZE);
  NONE (14);
  if (told)
    {
      brings (15, 1, UPDATE, a + 8, SIZE - 8);
      sends (16, 1, a + SIZE - 1, 1);
      waits (1);
      expect (15, 1, xxh (a + 8, SIZE - 8), 0, 0);
      NONE (16);
    }
  sends (17, 1, a, SIZE);
  expect (17, 1, of_b, 0, 0);

  /* Another thread may wait.  */
  brings (18, 1, UPDATE, b, SIZE);
  if (pthread_create (&thread, NULL, waits_for_1, NULL) || pthread_join (thread, NULL))
    return 1;
  expect (18, told, of_b, told, of_b);

  /* Memory that is gone by then.  */
  brings (19, 1, UPDATE, gone, 1 << 20);
  munmap (gone, 1 << 20);
  waits (1);
  NONE (19);

  /* No more at one time than there is room for.  */
  for (int i = 0; i < 2000; i++)
    {
      uint64_t hash = xxh (many[i], sizeof many[i]);
      brings (100 + i, 1, UPDATE, many[i], sizeof many[i]);
      expect (100 + i, told && i < 1024, hash, told && i < 1024, hash);
    }
  waits (1);

  /* By its own handle the program can wait without a word.  */
  learned_times = UINT64_MAX;
  brings (20, 1, UPDATE, a, SIZE);
  waits (1);
  NONE (20);
  return 0;
}
