package advice

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// job is what ranks do, told to meetings in order of time.
type job struct {
	sites map[model.ProcessID]map[string]*store.Site
	list  []*happening
}

func (j *job) site(process model.ProcessID, kind int32, name string) *store.Site {
	if j.sites[process] == nil {
		j.sites[process] = map[string]*store.Site{}
	}
	s := j.sites[process][name]
	if s == nil {
		s = &store.Site{Process: process, Description: &store.Description{KindCode: kind, Name: name, Symbol: name, File: "job.c", Line: 7}}
		j.sites[process][name] = s
	}
	return s
}

// kernel launches one, which runs as long from the launch on.
func (j *job) kernel(process model.ProcessID, name string, start, duration int64) {
	s := j.site(process, model.EnqueueLaunchStart, name)
	j.list = append(j.list, &happening{Record: &store.Record{Site: s, Start: start, Duration: 1, Span: true}, ended: true,
		device: device{start, start + duration, true}})
}

// call calls MPI, on a communicator.
func (j *job) call(process model.ProcessID, name string, communicator uint64, start, end int64) {
	s := j.site(process, model.MPIStart, name)
	j.list = append(j.list, &happening{Record: &store.Record{Site: s, Start: start, Duration: end - start, Span: true, Address: communicator}, ended: true})
}

// read gives what is read of the job, so many ranks at a time, before the end.
func (j *job) read(whole bool, atOnce int) *meetings {
	ranks, calling := map[model.ProcessID]bool{}, map[model.ProcessID]bool{}
	for process, of := range j.sites {
		ranks[process] = true
		for _, s := range of {
			if s.KindCode == model.MPIStart {
				calling[process] = true
			}
		}
	}
	m := meetingsOf(ranks, calling, whole)
	for process, of := range j.sites {
		for name, s := range of {
			if s.KindCode == model.EnqueueLaunchStart {
				m.launch(process, kernelPlace{name, s.File, int64(s.Line)})
			}
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(ranks)), atOnce) {
		var sites []*store.Site
		for _, process := range some {
			sites = slices.AppendSeq(sites, maps.Values(j.sites[process]))
		}
		m.follow(sites)
		for _, h := range j.list {
			m.take(h)
		}
		m.leave()
	}
	return m
}

// Rank 0 spends 90 in kernel a and rank 1 10; in kernel b it is 10 and 30. Where the ranks meet
// between the two, evening out either gains what the slower one has too much. Where they
// do not, rank 1 is the slowest when a is even, and b gains nothing.
func TestMeetings(t *testing.T) {
	both := func(j *job, between string, communicator uint64) {
		j.call(0, "MPI_Init", 0, 0, 5)
		j.call(1, "MPI_Init", 0, 0, 5)
		j.kernel(0, "a", 5, 90)
		j.kernel(1, "a", 5, 10)
		if between == "" {
			j.kernel(1, "b", 15, 30)
			j.call(1, "MPI_Finalize", 0, 45, 105)
			j.kernel(0, "b", 95, 10)
			j.call(0, "MPI_Finalize", 0, 105, 105)
			return
		}
		j.call(1, between, communicator, 15, 95)
		j.call(0, between, communicator, 95, 95)
		j.kernel(0, "b", 95, 10)
		j.kernel(1, "b", 95, 30)
		j.call(0, "MPI_Finalize", 0, 105, 125)
		j.call(1, "MPI_Finalize", 0, 125, 125)
	}
	for _, test := range []struct {
		name  string
		whole bool
		job   func(*job)
		a, b  int64
	}{
		{"meeting", true, func(j *job) { both(j, "MPI_Barrier", 0) }, 40, 10},
		{"not meeting", true, func(j *job) { both(j, "", 0) }, 20, 0},
		{"some of them meeting", true, func(j *job) { both(j, "MPI_Barrier", 3) }, 20, 0},
		{"one after the other", true, func(j *job) { both(j, "MPI_Recv", 0) }, 20, 0},
		{"calls missing", false, func(j *job) { both(j, "MPI_Barrier", 0) }, 20, 0},
		{"without MPI", true, func(j *job) {
			j.kernel(0, "a", 0, 90)
			j.kernel(1, "a", 1000, 10)
			j.kernel(1, "b", 1010, 30)
			j.kernel(0, "b", 2000, 10)
		}, 20, 0},
		{"ranks with and without MPI", true, func(j *job) { // 2 and 3 wait for each other by other means
			j.call(0, "MPI_Barrier", 0, 0, 5)
			j.call(1, "MPI_Barrier", 0, 0, 5)
			j.kernel(0, "b", 5, 10)
			j.kernel(1, "b", 5, 30)
			j.kernel(2, "a", 5, 90)
			j.kernel(3, "a", 5, 10)
			j.call(0, "MPI_Barrier", 0, 15, 35)
			j.call(1, "MPI_Barrier", 0, 35, 35)
		}, 40, 10},
		{"a kernel of ranks with and without MPI", true, func(j *job) {
			j.call(0, "MPI_Barrier", 0, 0, 5)
			j.call(1, "MPI_Barrier", 0, 0, 5)
			j.kernel(0, "a", 5, 10)
			j.kernel(1, "a", 5, 10)
			j.kernel(2, "a", 5, 70)
			j.kernel(2, "b", 75, 10)
			j.kernel(1, "b", 85, 10)
		}, 40, 0},
		{"even in all", true, func(j *job) {
			j.kernel(0, "a", 0, 90)
			j.kernel(1, "a", 0, 10)
			j.kernel(1, "b", 10, 90)
			j.kernel(0, "b", 90, 10)
		}, 0, 0},
		{"kernels side by side", true, func(j *job) {
			j.call(0, "MPI_Barrier", 0, 0, 5)
			j.call(1, "MPI_Barrier", 0, 0, 5)
			j.kernel(0, "a", 5, 100)
			j.kernel(0, "a", 5, 100)
			j.kernel(1, "a", 5, 20)
			j.kernel(1, "b", 5, 20)
			j.kernel(0, "b", 5, 1)
			j.call(1, "MPI_Barrier", 0, 25, 105)
			j.call(0, "MPI_Barrier", 0, 105, 105)
		}, 40, 0},
		{"a kernel across a meeting", true, func(j *job) {
			j.call(0, "MPI_Barrier", 0, 0, 5)
			j.call(1, "MPI_Barrier", 0, 0, 5)
			j.kernel(0, "a", 5, 100) // to 105
			j.kernel(0, "b", 5, 1)
			j.kernel(1, "a", 5, 20)
			j.kernel(1, "b", 5, 1)
			j.call(1, "MPI_Allreduce", 0, 26, 26)
			j.call(0, "MPI_Allreduce", 0, 26, 26)
			j.call(1, "MPI_Barrier", 0, 27, 105)
			j.call(0, "MPI_Barrier", 0, 105, 105)
		}, 39 - 10, 0}, // of all that rank 0 had to wait for, without what rank 1 gets before
	} {
		t.Run(test.name, func(t *testing.T) {
			j := &job{sites: map[model.ProcessID]map[string]*store.Site{}}
			test.job(j)
			for _, atOnce := range []int{1, 2, 4} {
				m := j.read(test.whole, atOnce)
				m.end()
				gain := func(kernel string) int64 {
					return m.most(&group{groupKey: groupKey{subject: kernel, file: "job.c", line: 7}})
				}
				if a, b := gain("a"), gain("b"); a != test.a || b != test.b {
					t.Errorf("%d ranks at once: a gains %d and b %d, want %d and %d", atOnce, a, b, test.a, test.b)
				}
				if other := gain("other"); other != math.MaxInt64 {
					t.Errorf("%d ranks at once: of a kernel that no rank launches: %d", atOnce, other)
				}
			}
		})
	}
}

// What is kept of meetings stays bounded: those behind the bound are not told apart.
func TestMeetingsAreBounded(t *testing.T) {
	const kernels, most = 1 << 10, mostSums >> 10
	j := &job{sites: map[model.ProcessID]map[string]*store.Site{}}
	for i := range kernels - 1 {
		j.site(0, model.EnqueueLaunchStart, fmt.Sprint(i))
	}
	j.call(1, "MPI_Init", 0, 0, 0)
	for i := range int64(3 * most) {
		j.kernel(0, "a", i*10, 10)
		j.call(0, "MPI_Barrier", 0, i*10+10, i*10+10)
	}
	j.kernel(1, "a", 3*most*10, 10)
	m := j.read(true, 2)
	if n := len(m.stretches); n > most+1 {
		t.Errorf("%d stretches are kept", n)
	}
	m.end()
	if got, want := m.most(&group{groupKey: groupKey{subject: "a", file: "job.c", line: 7}}), int64(3*most*5); got < want*9/10 || got > want {
		t.Errorf("gains %d, want about %d", got, want)
	}
}
