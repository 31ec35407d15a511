/* Every directive that GCC compiles to a run-time call, one section each.  */
#include <openacc.h>
#include <stdint.h>
#include <stdlib.h>

extern void record_section_ (const char *);
extern void record_variable_ (const char *, const void *, const int64_t *);
#define SECTION(name) record_section_ (name)

#define N 100
struct pair { int n; float *values; };

static void
declared (void)
{
  float local[N];
#pragma acc declare create(local)
  int64_t bytes = sizeof local;
  record_variable_ ("local", local, &bytes);
#pragma acc parallel loop present(local)
  for (int i = 0; i < N; i++)
    local[i] = 1.0f;
}

int
main (void)
{
  float *a = malloc (N * sizeof *a), *b = malloc (N * sizeof *b);
  static struct pair s;
  int scalar = 3, sum = 0, yes = 1, no = 0;
  int64_t bytes = N * sizeof *a, pair_bytes = sizeof s, int_bytes = sizeof (int);
  s.n = N;
  s.values = b;
  for (int i = 0; i < N; i++)
    a[i] = b[i] = 1.0f;
  record_variable_ ("s", &s, &pair_bytes);
  record_variable_ ("scalar", &scalar, &int_bytes);
  record_variable_ ("sum", &sum, &int_bytes);
  record_variable_ ("a", a, &bytes);
  record_variable_ ("b", b, &bytes);

  SECTION ("parallel copy(a), first use of the device");
#pragma acc parallel loop copy(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;

  SECTION ("parallel copyin(a) copyout(b) num_gangs(4) vector_length(32)");
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N]) num_gangs(4) vector_length(32)
  for (int i = 0; i < N; i++)
    b[i] = a[i];

  SECTION ("kernels copyin(a) copy(b)");
#pragma acc kernels copyin(a[0:N]) copy(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] += a[i];

  SECTION ("serial copy(a)");
#pragma acc serial copy(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;

  SECTION ("parallel reduction(sum) firstprivate(scalar)");
#pragma acc parallel loop copyin(a[0:N]) reduction(+:sum) firstprivate(scalar)
  for (int i = 0; i < N; i++)
    sum += scalar;

  SECTION ("parallel if(false)");
#pragma acc parallel loop copy(a[0:N]) if(no)
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;

  SECTION ("parallel async(1)");
#pragma acc parallel loop copy(a[0:N]) async(1)
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;

  SECTION ("parallel async(2) wait(1)");
#pragma acc parallel loop copy(b[0:N]) async(2) wait(1)
  for (int i = 0; i < N; i++)
    b[i] += 1.0f;

  SECTION ("parallel wait(2)");
#pragma acc parallel loop copy(b[0:N]) wait(2)
  for (int i = 0; i < N; i++)
    b[i] += 1.0f;

  SECTION ("parallel async");
#pragma acc parallel loop copy(b[0:N]) async
  for (int i = 0; i < N; i++)
    b[i] += 1.0f;

  SECTION ("wait");
#pragma acc wait

  SECTION ("wait(1)");
#pragma acc parallel loop copy(a[0:N]) async(1)
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;
#pragma acc wait(1)

  SECTION ("wait(1) async(2)");
#pragma acc wait(1) async(2)

  SECTION ("data copy(a) create(b)");
#pragma acc data copy(a[0:N]) create(b[0:N])
  {
    SECTION ("update device(a)");
#pragma acc update device(a[0:N])
    SECTION ("update self(a[10:20]) async(3)");
#pragma acc update self(a[10:20]) async(3)
    SECTION ("update self(a) wait(3)");
#pragma acc update self(a[0:N]) wait(3)
    SECTION ("host_data use_device(a)");
#pragma acc host_data use_device(a)
    {
      float *volatile device = a;
      (void) device;
    }
    SECTION ("parallel present(a, b)");
#pragma acc parallel loop present(a[0:N], b[0:N])
    for (int i = 0; i < N; i++)
      b[i] = a[i];
    SECTION ("parallel present(b), the pointer itself, which is not mapped");
#pragma acc parallel loop present(b)
    for (int i = 0; i < N; i++)
      b[i] += 1.0f;
    SECTION ("end of data");
  }

  SECTION ("data copy(a) if(true)");
#pragma acc data copy(a[0:N]) if(yes)
  {
  }

  SECTION ("enter data copyin(a)");
#pragma acc enter data copyin(a[0:N])
  SECTION ("enter data copyin(a) again");
#pragma acc enter data copyin(a[0:N])
  SECTION ("exit data copyout(a), count not zero");
#pragma acc exit data copyout(a[0:N])
  SECTION ("exit data copyout(a)");
#pragma acc exit data copyout(a[0:N])
  SECTION ("enter data create(b) async(1)");
#pragma acc enter data create(b[0:N]) async(1)
  SECTION ("exit data delete(b) async(1)");
#pragma acc exit data delete(b[0:N]) async(1)
  SECTION ("enter data copyin(s, s.values)");
#pragma acc enter data copyin(s, s.values[0:N])
  SECTION ("exit data copyout(s.values) delete(s)");
#pragma acc exit data copyout(s.values[0:N])
#pragma acc exit data delete(s)
  SECTION ("enter data copyin(s) create(b) attach(s.values)");
#pragma acc enter data copyin(s) create(b[0:N])
#pragma acc enter data attach(s.values)
  SECTION ("exit data detach(s.values) delete(b) delete(s) finalize");
#pragma acc exit data detach(s.values)
#pragma acc exit data delete(b[0:N], s) finalize
  SECTION ("data no_create(a), absent");
#pragma acc data no_create(a[0:N])
  {
  }
  SECTION ("update self(a) if_present, absent");
#pragma acc update self(a[0:N]) if_present
  SECTION ("enter data copyin(a) wait(1) async(2)");
#pragma acc enter data copyin(a[0:N]) wait(1) async(2)
  SECTION ("kernels present(a) async(2)");
#pragma acc kernels present(a[0:N]) async(2)
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;
  SECTION ("serial present(a) wait(2)");
#pragma acc serial present(a[0:N]) wait(2)
  a[0] += 1.0f;
  SECTION ("exit data copyout(a) finalize");
#pragma acc exit data copyout(a[0:N]) finalize
  SECTION ("enter data copyin(scalar, sum)");
#pragma acc enter data copyin(scalar, sum)
  SECTION ("update self(scalar, sum) async(1)");
#pragma acc update self(scalar, sum) async(1)
  SECTION ("exit data delete(scalar, sum) wait(1)");
#pragma acc exit data delete(scalar, sum) wait(1)
  SECTION ("declare create(local)");
  declared ();
  SECTION ("parallel present(a), absent, and the end of the program");
#pragma acc parallel loop present(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;
  return 0;
}
