-- What processors were sampled at, on request, in the threads of processes: in user space only.
CREATE TABLE cpu_sample (
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  thread INTEGER,                   -- NULL: one that raised no event
  tid INTEGER NOT NULL,             -- the kernel's thread number
  time INTEGER NOT NULL,
  weight INTEGER NOT NULL,          -- ns of processor time that it stands for
  stack INTEGER NOT NULL,           -- of cpu_stack
  record INTEGER NOT NULL,          -- the innermost span that it lies in, 0: none
  doing INTEGER NOT NULL            -- by the innermost that is none of the program's own: 0 none, 1 OpenACC, 2 a wait, 3 MPI
);
-- Call stacks of samples as a tree: an address as a return address, that is one behind the
-- instruction or behind a call, and the stack that it returns to, whose id is smaller; 0: none.
CREATE TABLE cpu_stack (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, address INTEGER NOT NULL);
