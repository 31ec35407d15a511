package main

import (
	"fmt"
	"strings"
	"testing"
)

// Requests that are started again, probes, one-sided communication, collective calls that
// later ones wait for.
var further = map[string]string{
	"program.c": `#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>
int main (int argc, char **argv)
{
  int rank, other, flag = 0;
  int counts[] = { 1, 2 }, at[] = { 0, 16 };
  double a[100] = { 0 }, b[100], *shared;
  MPI_Request request, two[2];
  MPI_Status status, statuses[2];
  MPI_Win win, allocated;
  MPI_Message message;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Send_init (a, 20, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &two[0]);
  MPI_Recv_init (b, 20, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &two[1]);
  MPI_Startall (2, two);
  MPI_Waitall (2, two, statuses);
  MPI_Start (&two[1]);
  MPI_Start (&two[0]);
  MPI_Waitall (2, two, statuses);
  MPI_Request_free (&two[0]);
  MPI_Request_free (&two[1]);
  if (rank == 0)
    {
      while (access ("probing", F_OK) != 0)
        usleep (1000);
      usleep (200000);
      MPI_Send (a, 10, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
      MPI_Send (a, 11, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
      MPI_Send (a, 12, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
      MPI_Send (a, 13, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
    }
  else
    {
      mkdir ("probing", 0700);
      MPI_Probe (0, 2, MPI_COMM_WORLD, &status);
      MPI_Recv (b, 100, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Mprobe (MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv (b, 100, MPI_DOUBLE, &message, &status);
      while (!flag)
        MPI_Improbe (0, 4, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
      MPI_Imrecv (b, 100, MPI_DOUBLE, &message, &request);
      MPI_Wait (&request, &status);
      for (flag = 0; !flag;)
        MPI_Iprobe (0, 6, MPI_COMM_WORLD, &flag, &status);
      MPI_Irecv (b, 13, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, &request);
      for (flag = 0; !flag;)
        MPI_Test (&request, &flag, &status);
    }
  MPI_Win_create (a, sizeof a, sizeof (double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_allocate (sizeof a, sizeof (double), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &allocated);
  MPI_Win_fence (0, win);
  MPI_Put (b, 7, MPI_DOUBLE, other, 0, 7, MPI_DOUBLE, win);
  MPI_Win_fence (0, win);
  MPI_Get (b, 6, MPI_DOUBLE, other, 0, 6, MPI_DOUBLE, win);
  MPI_Win_fence (0, win);
  MPI_Accumulate (b, 5, MPI_DOUBLE, other, 0, 5, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence (0, win);
  MPI_Win_lock (MPI_LOCK_EXCLUSIVE, other, 0, allocated);
  MPI_Fetch_and_op (a, b, MPI_DOUBLE, other, 0, MPI_SUM, allocated);
  MPI_Get_accumulate (a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, other, 0, 4, MPI_DOUBLE, MPI_SUM, allocated);
  MPI_Win_flush (other, allocated);
  MPI_Win_unlock (other, allocated);
  MPI_Win_free (&allocated);
  MPI_Win_free (&win);
  MPI_Datatype types[] = { MPI_DOUBLE, MPI_INT };
  MPI_Datatype type = rank ? MPI_INT : MPI_DOUBLE;
  MPI_Datatype received[] = { type, type };
  int all[] = { rank + 1, rank + 1 };
  MPI_Alltoallw (a, counts, at, types, b, all, at, received, MPI_COMM_WORLD);
  MPI_Iallreduce (a, b, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait (&request, MPI_STATUS_IGNORE);
  MPI_Finalize ();
  return 0;
}
`,
	"f08.f90": `program p
  use mpi_f08
  integer error, rank, other
  integer(kind=MPI_ADDRESS_KIND) :: none = 0, size = 800
  double precision a(100), b(100)
  type(MPI_Request) two(2)
  type(MPI_Win) win
  type(MPI_Message) message
  type(MPI_Status) status
` + fortranFurther + `end program
`,
	"mpif.f": `      program p
      include 'mpif.h'
      integer error, rank, other, two(2), win, message
      integer status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
      integer(kind=MPI_ADDRESS_KIND) none, size
      double precision a(100), b(100)
      logical flag
      none = 0
      size = 800
` + strings.Replace(fortranFurther, "      logical flag\n", "", 1) + `      end
`,
}

const fortranFurther = `      logical flag
      a = 0
      call MPI_Init(error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      other = 1 - rank
      call MPI_Send_init(a, 20, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, two(1), error)
      call MPI_Recv_init(b, 20, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, two(2), error)
      call MPI_Startall(2, two, error)
      call MPI_Waitall(2, two, MPI_STATUSES_IGNORE, error)
      call MPI_Start(two(2), error)
      call MPI_Start(two(1), error)
      call MPI_Waitall(2, two, MPI_STATUSES_IGNORE, error)
      call MPI_Request_free(two(1), error)
      call MPI_Request_free(two(2), error)
      if (rank == 0) then
      call MPI_Send(a, 11, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, error)
      call MPI_Send(a, 12, MPI_DOUBLE_PRECISION, 1, 4, MPI_COMM_WORLD, error)
      else
      call MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, message, status, error)
      call MPI_Mrecv(b, 100, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE, error)
      flag = .false.
      do while (.not. flag)
      call MPI_Improbe(0, 4, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE, error)
      end do
      call MPI_Mrecv(b, 100, MPI_DOUBLE_PRECISION, message, status, error)
      end if
      call MPI_Win_create(a, size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
      call MPI_Win_fence(0, win, error)
      call MPI_Put(b, 7, MPI_DOUBLE_PRECISION, other, none, 7, MPI_DOUBLE_PRECISION, win, error)
      call MPI_Win_fence(0, win, error)
      call MPI_Get(b, 6, MPI_DOUBLE_PRECISION, other, none, 6, MPI_DOUBLE_PRECISION, win, error)
      call MPI_Win_fence(0, win, error)
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win, error)
      call MPI_Fetch_and_op(a, b, MPI_DOUBLE_PRECISION, other, none, MPI_SUM, win, error)
      call MPI_Win_unlock(other, win, error)
      call MPI_Win_free(win, error)
      call MPI_Finalize(error)
`

// furtherCalls are the calls of a rank: OTHER is its peer; W and V stand for the numbers of
// two windows. Where they differ, the first is rank 0's.
var furtherCalls = map[string][2]string{
	"program.c": {beginning + `MPI_Send 1 80 2 0
MPI_Send 1 88 3 0
MPI_Send 1 96 4 0
MPI_Send 1 104 6 0
` + inC, beginning + `MPI_Probe 0 0 2 0
MPI_Recv 0 800 2 0
MPI_Mprobe -1 0 3 0
MPI_Mprobe (receive) 0 0 3 0
MPI_Mrecv -2 800 0 0
MPI_Mprobe (receive) 0 0 4 0
MPI_Imrecv -2 800 0 0
MPI_Wait -2 0 0 0
MPI_Irecv 0 104 6 0
` + inC},
	"f08.f90": {beginning + sentInFortran, beginning + receivedInFortran},
	"mpif.f":  {beginning + sentInFortran, beginning + receivedInFortran},
}

const beginning = `MPI_Init -2 0 0 0
MPI_Send_init OTHER 0 5 0
MPI_Recv_init OTHER 0 5 0
MPI_Startall -2 0 0 0
MPI_Start (send) OTHER 160 5 0
MPI_Start (receive) OTHER 160 5 0
MPI_Waitall -2 0 0 0
MPI_Start -2 0 0 0
MPI_Start (receive) OTHER 160 5 0
MPI_Start -2 0 0 0
MPI_Start (send) OTHER 160 5 0
MPI_Waitall -2 0 0 0
MPI_Request_free -2 0 0 0
MPI_Request_free -2 0 0 0
`

const inC = `MPI_Win_create -2 0 0 0
MPI_Win_allocate -2 0 0 0
MPI_Win_fence -2 0 0 W
MPI_Put OTHER 56 0 W
MPI_Win_fence -2 0 0 W
MPI_Get OTHER 48 0 W
MPI_Win_fence -2 0 0 W
MPI_Accumulate OTHER 40 0 W
MPI_Win_fence -2 0 0 W
MPI_Win_lock OTHER 0 0 V
MPI_Fetch_and_op OTHER 8 0 V
MPI_Get_accumulate OTHER 32 0 V
MPI_Win_flush OTHER 0 0 V
MPI_Win_unlock OTHER 0 0 V
MPI_Win_free -2 0 0 V
MPI_Win_free -2 0 0 W
MPI_Alltoallw -2 16 0 0
MPI_Iallreduce -2 24 0 0
MPI_Wait -2 0 0 0
MPI_Finalize -2 0 0 0`

const sentInFortran = `MPI_Send 1 88 3 0
MPI_Send 1 96 4 0
` + windowInFortran

const receivedInFortran = `MPI_Mprobe -1 0 3 0
MPI_Mprobe (receive) 0 0 3 0
MPI_Mrecv -2 800 0 0
MPI_Mprobe (receive) 0 0 4 0
MPI_Mrecv -2 800 0 0
` + windowInFortran

const windowInFortran = `MPI_Win_create -2 0 0 0
MPI_Win_fence -2 0 0 W
MPI_Put OTHER 56 0 W
MPI_Win_fence -2 0 0 W
MPI_Get OTHER 48 0 W
MPI_Win_fence -2 0 0 W
MPI_Win_lock OTHER 0 0 W
MPI_Fetch_and_op OTHER 8 0 W
MPI_Win_unlock OTHER 0 0 W
MPI_Win_free -2 0 0 W
MPI_Finalize -2 0 0 0`

func TestMPIFurtherCalls(t *testing.T) {
	eachMPI(t, func(t *testing.T, m *mpi) {
		for name, want := range furtherCalls {
			t.Run(name, func(t *testing.T) {
				folder := m.record(t, name, further[name])
				windows := strings.Fields(answered(t, folder, "SELECT communicator FROM communication WHERE communicator <> 0 GROUP BY communicator ORDER BY min(start)"))
				if wanted := strings.Count(name, ".c") + 1; len(windows) != wanted { // the same in both ranks
					t.Fatalf("windows %v, want %d", windows, wanted)
				}
				for rank, calls := range want {
					calls = strings.ReplaceAll(calls, "OTHER", fmt.Sprint(1-rank))
					calls = strings.ReplaceAll(calls, " W\n", " "+windows[0]+"\n")
					calls = strings.ReplaceAll(calls, " V\n", " "+windows[len(windows)-1]+"\n")
					got := answered(t, folder, fmt.Sprintf(`SELECT c.call || ' ' || c.peer || ' ' || c.bytes || ' ' || c.tag || ' ' || c.communicator FROM communication c JOIN processes p USING (process)
						WHERE p.rank = %d AND call NOT IN ('MPI_Test', 'MPI_Iprobe', 'MPI_Improbe') ORDER BY c.start`, rank))
					if got != calls {
						t.Errorf("rank %d: got\n%s\nwant\n%s", rank, got, calls)
					}
				}
				if polled := answered(t, folder, "SELECT count(DISTINCT call) FROM communication WHERE call IN ('MPI_Test', 'MPI_Iprobe', 'MPI_Improbe')"); polled != map[string]string{"program.c": "3"}[name] && polled != "1" {
					t.Errorf("%s calls that poll", polled)
				}
				if name != "program.c" {
					return
				}
				// A probe waits for its message; what is inside of a call counts with it.
				rows := map[string]map[string]any{}
				for _, row := range reportedRows(t, folder, "communication", "--top", "0") {
					rows[fmt.Sprint(row["call"])] = row
				}
				probed := answered(t, folder, "SELECT min(max(s.start - p.start, 0), p.duration) FROM communication s JOIN communication p ON s.call = 'MPI_Send' AND s.tag = 2 AND p.call = 'MPI_Probe'")
				if got := fmt.Sprintf("%.0f", rows["MPI_Probe"]["wait_ns"]); got != probed || probed == "0" {
					t.Errorf("the probe waited %s, want %s ns", got, probed)
				}
				if rows["MPI_Start"]["bytes"] != 4*160.0 || rows["MPI_Startall"]["bytes"] != 4*160.0 || rows["MPI_Start (send)"] != nil {
					t.Errorf("started: %v, %v", rows["MPI_Start"], rows["MPI_Startall"])
				}
			})
		}
	})
}
