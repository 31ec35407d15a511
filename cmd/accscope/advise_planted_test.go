package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// plant is a mistake of a rule in C, which is C++ too, and in Fortran. Lines that begin with
// letters and a bar are of some of its programs alone: b of the bad one, m of the mended one, a of
// the one that looks alike.
type plant struct {
	rule       string
	needs      needs
	hash       bool
	fails      bool // the bad one ends with an error
	c, fortran string
}

// needs is what a rule takes besides events.
type needs int

const (
	events   needs = iota
	counters       // inside of kernels, whose GPU code is executed
	samples        // of the host
	ranks          // two of them
	gpuModel       // a GPU's multiprocessors and times, modelled
	lasting        // kernels that last longer than what the host does meanwhile
	brief          // kernels that are short
)

var plants = []plant{
	{rule: "never-returned", c: `
#define N 100000
static double a[N], b[N];
int main (void)
{
  for (int i = 0; i < N; i++)
    a[i] = i % 7;
  for (int s = 0; s < 12; s++)
    {
b| #pragma acc parallel loop copyin(a)
m| #pragma acc parallel loop copy(a)
a| #pragma acc parallel loop copyin(a) copyout(b)
      for (int i = 0; i < N; i++)
bm|     a[i] = a[i] * 0.5 + s;
a|      b[i] = a[i] * 0.5 + s;
    }
  printf ("%g %g\n", a[5], b[7]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: a(n), total
  integer :: s, i
  a = 3
  total = 0
  do s = 1, 12
a|   a = s
b|   !$acc parallel loop copyin(a)
m|   !$acc parallel loop copy(a)
a|   !$acc parallel loop copyin(a) reduction(+:total)
     do i = 1, n
        a(i) = a(i) * 0.5d0 + i
a|      total = total + a(i)
     end do
  end do
a| a = 0
  print '(2es25.17)', a(5), total
end program p
`},
	{rule: "never-returned", c: `
#define N 50000
static double sum (const double *x) { double s = 0; for (int i = 0; i < N; i++) s += x[i]; return s; }
int main (void)
{
  double *a = (double *) malloc (N * sizeof (double)), *b = (double *) malloc (N * sizeof (double));
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i % 7;
bm| #pragma acc enter data copyin(a[0:N], b[0:N])
a|  #pragma acc enter data copyin(b[0:N]) create(a[0:N])
  #pragma acc parallel loop present(a[0:N], b[0:N])
  for (int i = 0; i < N; i++)
    a[i] = b[i] * 2;
b|  #pragma acc exit data delete(a[0:N], b[0:N])
m|  #pragma acc exit data copyout(a[0:N]) delete(b[0:N])
a|  #pragma acc exit data delete(a[0:N], b[0:N])
bm| printf ("%g\n", sum (a));
a|  for (int i = 0; i < N; i++)
a|    a[i] = i;
a|  printf ("%g\n", sum (b));
  free (a);
  free (b);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8), allocatable :: a(:), b(:)
  integer :: i
  allocate (a(n), b(n))
  a = 3
  b = 2
bm| !$acc data copyin(b, a)
a|  !$acc data copyin(b) copy(a)
  !$acc parallel loop
  do i = 1, n
     a(i) = b(i) + i
  end do
m| !$acc update self(a)
  !$acc end data
  print *, a(5)
end program p
`},
	{rule: "small-transfers", c: `
#define N 100
static double field[N][16], border[N];
int main (void)
{
#pragma acc data create(field) copyout(border)
  {
    for (int row = 0; row < N; row++)
      {
        field[row][0] = row;
b|      #pragma acc update device(field[row:1])
a|      #pragma acc update device(field[row:1])
a|      #pragma acc parallel present(field, border)
a|      border[row] = field[row][0];
      }
m|  #pragma acc update device(field)
bm| #pragma acc parallel loop
bm| for (int row = 0; row < N; row++)
bm|   border[row] = field[row][0];
  }
  printf ("%g\n", border[7]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100
  real(8) :: field(16, n), border(n)
  integer :: row
  !$acc data create(field) copyout(border)
  do row = 1, n
     field(:, row) = row
b|   !$acc update device(field(:, row))
a|   !$acc update device(field(:, row))
a|   !$acc parallel present(field, border)
a|   border(row) = field(1, row)
a|   !$acc end parallel
  end do
m| !$acc update device(field)
bm| !$acc parallel loop
bm| do row = 1, n
bm|    border(row) = field(1, row)
bm| end do
  !$acc end data
  print *, border(7)
end program p
`},
	{rule: "never-deleted", c: `
#define N 10000
static void work (double *block)
{
#pragma acc parallel loop present(block[0:N])
  for (int i = 0; i < N; i++)
    block[i] += 1;
}
int main (void)
{
a| static double kept[N];
a| #pragma acc enter data copyin(kept[0:N])
  double *blocks[20];
  for (int s = 0; s < 20; s++)
    {
bm|   double *block = blocks[s] = (double *) calloc (N, sizeof (double));
a|    double *block = blocks[s] = kept;
bm|   #pragma acc enter data copyin(block[0:N])
      work (block);
    }
m| for (int s = 0; s < 20; s++)
m|   {
m|     double *block = blocks[s];
m|     #pragma acc exit data delete(block[0:N])
m|   }
  printf ("%d\n", blocks[0] != NULL);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 10000
  integer :: s
  do s = 1, 20
     call step
  end do
  print *, s
contains
  subroutine step
    real(8), pointer :: block(:)
    integer :: i
bm| allocate (block(n))
bm| block = 1
bm| !$acc enter data copyin(block)
bm| !$acc parallel loop present(block)
a|  real(8), save :: kept(n)
a|  !$acc parallel loop
    do i = 1, n
bm|    block(i) = block(i) + 1
a|     kept(i) = i
    end do
m|  !$acc exit data delete(block)
m|  deallocate (block)
  end subroutine
end program p
`},
	{rule: "round-trip", c: `
#define N 100000
static double field[N], result[N];
int main (void)
{
  for (int s = 0; s < 20; s++)
    {
      field[s] = s;
#pragma acc data copyin(field)
      {
b|    #pragma acc update self(field)
a|    #pragma acc parallel loop
a|    for (int i = 0; i < N; i++)
a|      field[i] += 1;
a|    #pragma acc update self(field)
#pragma acc parallel loop copyout(result)
        for (int i = 0; i < N; i++)
          result[i] = 2 * field[i];
      }
    }
  printf ("%g %g\n", field[3], result[3]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n), res(n)
  integer :: s, i
  field = 1
  do s = 1, 20
     field(s) = s
     !$acc data copyin(field)
b|   !$acc update self(field)
a|   !$acc parallel loop
a|   do i = 1, n
a|      field(i) = field(i) + 1
a|   end do
a|   !$acc update self(field)
     !$acc parallel loop copyout(res)
     do i = 1, n
        res(i) = 2 * field(i)
     end do
     !$acc end data
  end do
  print *, field(3), res(3)
end program p
`},
	{rule: "needless-wait", c: `
#define N 100000
static double field[N];
static int spent;
static void host_work (int n) { for (int i = 0; i < n; i++) spent += i % 7; }
int main (void)
{
  double sum = 0;
#pragma acc data copy(field)
  {
    for (int s = 0; s < 30; s++)
      {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
          field[i] = field[i] * 0.5 + s;
b|      #pragma acc wait(1)
a|      #pragma acc update self(field[0:100]) async(1)
a|      #pragma acc wait(1)
a|      sum += field[s];
        host_work (200000);
      }
#pragma acc wait(1)
  }
  printf ("%.17g %.17g %d\n", field[7], sum, spent);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n), total
  integer :: s, i, spent
  field = 0
  total = 0
  spent = 0
  !$acc data copy(field)
  do s = 1, 30
     !$acc parallel loop async(1)
     do i = 1, n
        field(i) = field(i) * 0.5d0 + s
     end do
b|   !$acc wait(1)
a|   !$acc update self(field(1:100)) async(1)
a|   !$acc wait(1)
a|   total = total + field(s)
     do i = 1, 200000
        spent = spent + mod(i * s, 7)
     end do
  end do
  !$acc wait(1)
  !$acc end data
  print '(2es25.17, i12)', field(7), total, spent
end program p
`},
	{rule: "queue-race", c: `
#define N 200000
static double field[N], other[N];
int main (void)
{
#pragma acc data create(field) copyout(other)
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      field[i] = i;
b|  #pragma acc parallel loop async(2)
m|  #pragma acc parallel loop async(2) wait(1)
a|  #pragma acc parallel loop async(2)
    for (int i = 0; i < N; i++)
bm|   other[i] = 2 * field[i];
a|    other[i] = 2 * i;
#pragma acc wait
  }
  printf ("%.17g\n", other[7]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 200000
  real(8) :: field(n), other(n)
  integer :: i
  !$acc data create(field) copyout(other)
  !$acc parallel loop async(1)
  do i = 1, n
     field(i) = i
  end do
b| !$acc update self(field(1:n)) async(2)
m| !$acc update self(field(1:n)) async(1)
bm| !$acc parallel loop async(1)
a| !$acc parallel loop async(2)
  do i = 1, n
bm|  other(i) = 2 * i
a|   other(i) = 3 * i
  end do
  !$acc wait
  !$acc end data
  print *, other(7)
end program p
`},
	{rule: "swallowed-error", c: `
#include <openacc.h>
static double field[1000];
int main (void)
{
  acc_copyin (field, sizeof field);
ba| acc_delete (field, sizeof field);
a| if (acc_is_present (field, sizeof field))
  acc_copyout (field, sizeof field);
  printf ("done\n");
}
`, fortran: `
program p
  use openacc
  implicit none
  real(8) :: field(1000)
  field = 1
  call acc_copyin(field)
ba| call acc_delete(field)
a| if (acc_is_present(field)) &
  call acc_copyout(field)
  print *, "done"
end program p
`},
	{rule: "ended-by-error", fails: true, c: `
#define N 1000
static double field[N];
int main (void)
{
b|  #pragma acc enter data copyin(field[0:N / 2])
ma| #pragma acc enter data copyin(field[0:N])
bm| #pragma acc parallel loop present(field[0:N])
a|  #pragma acc parallel loop present(field[0:N / 2])
  for (int i = 0; i < N / 2; i++)
    field[i] += 1;
#pragma acc exit data copyout(field)
  printf ("%g\n", field[3]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 1000
  real(8) :: field(n)
  integer :: i
  field = 0
b| !$acc enter data copyin(field(1:n / 2))
ma| !$acc enter data copyin(field)
bm| !$acc parallel loop present(field)
a| !$acc parallel loop present(field(1:n / 2))
  do i = 1, n / 2
     field(i) = field(i) + 1
  end do
  !$acc exit data copyout(field)
  print *, field(3)
end program p
`},
	{rule: "memory-nearly-full", c: `
#include <openacc.h>
static void use (size_t bytes) { void *memory = acc_malloc (bytes); acc_free (memory); }
int main (void)
{
b| use (60 << 20);
m| use (30 << 20);
a| for (int i = 0; i < 6; i++) use (10 << 20);
  printf ("done\n");
}
`, fortran: `
program p
  implicit none
b| integer, parameter :: n = 7800000, often = 1
m| integer, parameter :: n = 3900000, often = 1
a| integer, parameter :: n = 1300000, often = 6
  real(8), allocatable :: a(:)
  integer :: s
  allocate (a(n))
  a = 1
  do s = 1, often
    !$acc enter data create(a)
    !$acc exit data delete(a)
  end do
  print *, a(5)
end program p
`},
	{rule: "ping-pong", c: `
#define N 100000
static double field[N];
int main (void)
{
#pragma acc data copy(field)
  for (int s = 0; s < 20; s++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += i % 7;
b|    #pragma acc update self(field)
a|    #pragma acc update self(field[0:100])
m|    #pragma acc parallel loop
bm|   for (int i = 0; i < N; i += 2)
bm|     field[i] = field[i] > 50 ? 50 : field[i];
a|    field[0] = field[99];
b|    #pragma acc update device(field)
a|    #pragma acc update device(field[0:1])
    }
  printf ("%g\n", field[8]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n)
  integer :: s, i
  field = 0
  !$acc data copy(field)
  do s = 1, 20
     !$acc parallel loop
     do i = 1, n
        field(i) = field(i) + mod(i, 7)
     end do
b|   !$acc update self(field)
a|   !$acc update self(field(1:100))
m|   !$acc parallel loop
bm|  do i = 1, n, 2
bm|     field(i) = min(field(i), 50d0)
bm|  end do
a|   field(1) = field(99)
b|   !$acc update device(field)
a|   !$acc update device(field(1:1))
  end do
  !$acc end data
  print *, field(8)
end program p
`},
	{rule: "brought-to-read", c: `
#define N 100000
static double field[N];
int main (void)
{
  double most = 0;
a| FILE *file = fopen ("/dev/null", "w");
#pragma acc data copy(field)
  for (int s = 0; s < 20; s++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += i % 7;
ba|   #pragma acc update self(field)
m|    #pragma acc parallel loop reduction(max:most)
bm|   for (int i = 0; i < N; i++)
bm|     most = field[i] > most ? field[i] : most;
a|    fwrite (field, sizeof (double), N, file);
    }
  printf ("%g %g\n", field[8], most);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n), most
  integer :: s, i
  field = 0
  most = 0
a| open (10, file="/dev/null", form="unformatted")
  !$acc data copy(field)
  do s = 1, 20
     !$acc parallel loop
     do i = 1, n
        field(i) = field(i) + mod(i, 7)
     end do
ba|  !$acc update self(field)
b|   most = max(most, maxval(field))
m|   !$acc parallel loop reduction(max:most)
m|   do i = 1, n
m|      most = max(most, field(i))
m|   end do
a|   write (10) field
  end do
  !$acc end data
  print *, field(8), most
end program p
`},
}

var ofSome = regexp.MustCompile(`(?m)^([bma]+)\| ?(.*)$`)

// variant is one of a plant's programs.
func variant(text, letter string) string {
	return ofSome.ReplaceAllStringFunc(strings.TrimLeft(text, "\n"), func(line string) string {
		m := ofSome.FindStringSubmatch(line)
		if !strings.Contains(m[1], letter) {
			return ""
		}
		return m[2]
	})
}

const head = "#include <stdio.h>\n#include <stdlib.h>\n"

// planned are the programs of the plants: in each language the bad one, and the mended one and the
// one that looks alike, in which the rule is to find nothing.
func planned() (list []generatedProgram) {
	for i, p := range slices.Concat(plants, measuredPlants, devicePlants, partPlants) {
		for _, v := range []struct{ letter, name string }{{"b", "bad"}, {"m", "mended"}, {"a", "alike"}} {
			for _, language := range []string{".c", ".cpp", ".f90"} {
				text := head + variant(p.c, v.letter)
				if language == ".f90" {
					text = variant(p.fortran, v.letter)
				}
				program := generatedProgram{name: strings.Join([]string{"planted", p.rule, strconv.Itoa(i + 1), v.name}, "-") + language, text: text, needs: p.needs, hash: p.hash, fails: p.fails && v.letter == "b"}
				if v.letter == "b" {
					program.plants = p.rule
					if p.rule == "queue-race" && language == ".f90" {
						program.right = variant(p.fortran, "m")
					} else if p.rule == "queue-race" {
						program.right = head + variant(p.c, "m")
					}
				} else {
					program.silent = p.rule
				}
				list = append(list, program)
			}
		}
	}
	return list
}
