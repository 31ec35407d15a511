package advice

import (
	"math"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// meetings finds how much shorter a job is where a kernel takes each rank the same time. Ranks
// wait for the slowest one where all of them meet: in collective calls on MPI_COMM_WORLD. From
// one such call to the next, a stretch, the job takes as long as the rank with most to do.
//
// What a rank does is its time outside of MPI. Where the trace has no calls of MPI, or not all
// of them, nobody knows what of that was waiting: then it is what its devices do, and the whole
// run is one stretch.
//
// Where some ranks call MPI and others do not, nobody knows where the others wait: what kernels
// of these gain is bounded as if no rank called it.
type meetings struct {
	byMPI   bool
	all     *meetings // of all ranks, where byMPI is of some; nil: of all
	ranks   map[model.ProcessID]bool
	kernels map[kernelPlace]*sharedKernel
	list    []*sharedKernel
	// stretches are what the ranks that have been read do in each.
	stretches []stretch
	now       map[model.ProcessID]*rankAt // those that are being read
	at        map[*store.Description]*sharedKernel
}

// mostSums bounds how many sums are kept, of each kernel in each stretch: what comes behind is
// one stretch.
const mostSums = 1 << 20

// kernelPlace is a kernel as the rule compares it over ranks.
type kernelPlace struct {
	kernel, file string
	line         int64
}

// sharedKernel is a kernel that ranks launch.
type sharedKernel struct {
	number int   // in the list
	ranks  int64 // how many launch it
	gain   int64 // ns
}

// rankAt is how far a rank has been followed.
type rankAt struct {
	launches []bool // by kernel
	stretch  int
	work     int64   // in the stretch, ns
	in       []int64 // by kernel
	known    bool    // has done anything
	free     int64   // since when it is outside of MPI
	last     int64   // end of what it has done so far
	running  []ran   // kernels that may not have ended yet
}

// ran is a kernel's time on a device.
type ran struct {
	*sharedKernel
	device
}

// stretch is what the ranks do from one meeting to the next, ns.
type stretch struct {
	slowest int64
	of      []spent // by kernel
}

// spent is what ranks spend in a kernel in a stretch, ns. Kernels that run side by side take no
// more than the stretch.
type spent struct {
	sum  int64
	rest int64 // of the rank that launches it and has most to do beside it
	most int64 // of ranks that do not launch it
}

// newMeetings is nil for a trace of fewer than two ranks.
func newMeetings(trace *store.Trace) (*meetings, error) {
	processes, err := trace.Processes()
	if err != nil {
		return nil, err
	}
	ranks, calling := map[model.ProcessID]bool{}, map[model.ProcessID]bool{}
	for i := range processes {
		if processes[i].Rank >= 0 {
			ranks[processes[i].ID] = true
		}
	}
	if len(ranks) < 2 {
		return nil, nil
	}
	const what = "reading what ranks launch"
	for s, err := range trace.Rows(what, "SELECT DISTINCT process FROM site_detail WHERE kind_code = ?", int64(model.MPIStart)) {
		if err != nil {
			return nil, err
		}
		if process := model.ProcessID(s.ColumnInt64(0)); ranks[process] {
			calling[process] = true
		}
	}
	whole, err := trace.FromTheBeginning()
	if err != nil {
		return nil, err
	}
	m := meetingsOf(ranks, calling, whole)
	for s, err := range trace.Rows(what, "SELECT DISTINCT process, coalesce(name, ''), coalesce(source_file, ''), coalesce(line, 0) FROM site_detail WHERE kind_code = ?", int64(model.EnqueueLaunchStart)) {
		if err != nil {
			return nil, err
		}
		m.launch(model.ProcessID(s.ColumnInt64(0)), kernelPlace{s.ColumnText(1), s.ColumnText(2), s.ColumnInt64(3)})
	}
	return m, nil
}

// meetingsOf is newMeetings for processes with a rank, and those that call MPI; whole: the trace
// has every call.
func meetingsOf(ranks, calling map[model.ProcessID]bool, whole bool) *meetings {
	m := &meetings{ranks: ranks, kernels: map[kernelPlace]*sharedKernel{}}
	if m.byMPI = whole && len(calling) > 0; m.byMPI {
		if len(calling) < len(ranks) {
			m.all = meetingsOf(ranks, calling, false)
		}
		m.ranks = calling // nobody knows where others meet them
	}
	return m
}

// launch notes that a process launches a kernel. It is called for all before any is followed.
func (m *meetings) launch(process model.ProcessID, place kernelPlace) {
	if m == nil {
		return
	}
	m.all.launch(process, place)
	if m.ranks[process] {
		lookup.Make(m.kernels, place, func() *sharedKernel {
			m.list = append(m.list, &sharedKernel{number: len(m.list)})
			return m.list[len(m.list)-1]
		}).ranks++
	}
}

// follow begins with ranks of the sites.
func (m *meetings) follow(sites []*store.Site) {
	if m == nil {
		return
	}
	m.all.follow(sites)
	m.now, m.at = map[model.ProcessID]*rankAt{}, map[*store.Description]*sharedKernel{}
	for _, s := range sites {
		if !m.ranks[s.Process] {
			continue
		}
		rank := lookup.Make(m.now, s.Process, func() *rankAt {
			return &rankAt{launches: make([]bool, len(m.list)), in: make([]int64, len(m.list))}
		})
		if k := m.kernels[kernelPlace{s.Symbol, s.File, int64(s.Line)}]; k != nil && s.KindCode == model.EnqueueLaunchStart {
			rank.launches[k.number], m.at[s.Description] = true, k
		}
	}
}

// take follows a rank by what it does, in order of time.
func (m *meetings) take(h *happening) {
	if m == nil {
		return
	}
	m.all.take(h)
	rank := m.now[h.Site.Process]
	if rank == nil {
		return
	}
	if !rank.known {
		rank.known, rank.free, rank.last = true, h.Start, h.Start
	}
	for len(rank.running) > 0 && rank.running[0].end <= h.Start {
		rank.ended(rank.running[0])
		rank.running = rank.running[1:]
	}
	if h.measured {
		rank.last = max(rank.last, h.device.end)
		if k := m.at[h.Site.Description]; k != nil && k.ranks > 1 && h.device.end > h.device.start {
			rank.running = append(rank.running, ran{k, h.device})
		}
	}
	switch {
	case !m.byMPI:
		if h.measured {
			rank.work += max(h.device.end-h.device.start, 0)
		}
	case h.Site.KindCode == model.MPIStart:
		m.call(rank, h)
	case !h.Site.Own():
		rank.last = max(rank.last, h.Start)
		if h.ended {
			rank.last = max(rank.last, h.End())
		}
	}
}

// call takes a call of MPI of a rank. Calls of several threads, and those inside of others,
// overlap.
func (m *meetings) call(rank *rankAt, h *happening) {
	rank.work += max(h.Start-rank.free, 0)
	if h.ended {
		rank.free = max(rank.free, h.End())
	} else {
		rank.free = math.MaxInt64
	}
	if _, _, communicator := h.Message(); communicator != 0 || !report.AllMeet(h.Site.Name) {
		return
	}
	rank.running = slices.DeleteFunc(rank.running, func(r ran) bool {
		done := r.end <= h.Start
		if done {
			rank.ended(r)
		}
		return done
	})
	if rank.stretch < mostSums/max(len(m.list), 1) {
		m.add(rank)
		rank.stretch++
	}
}

// ended counts a kernel where it ended: there the rank has waited for it, if it did.
func (rank *rankAt) ended(r ran) { rank.in[r.number] += r.end - r.start }

// add adds what a rank has done in its stretch.
func (m *meetings) add(rank *rankAt) {
	for len(m.stretches) <= rank.stretch {
		m.stretches = append(m.stretches, stretch{of: make([]spent, len(m.list))})
	}
	s := &m.stretches[rank.stretch]
	s.slowest = max(s.slowest, rank.work)
	for number := range s.of {
		of, in := &s.of[number], min(rank.in[number], rank.work)
		if rank.launches[number] {
			of.sum, of.rest = of.sum+in, max(of.rest, rank.work-in)
		} else {
			of.most = max(of.most, rank.work)
		}
	}
	rank.work = 0
	clear(rank.in)
}

// leave is called when the ranks have been read.
func (m *meetings) leave() {
	if m == nil {
		return
	}
	m.all.leave()
	for _, rank := range m.now {
		if m.byMPI {
			rank.work += max(rank.last-rank.free, 0)
		}
		for _, r := range rank.running {
			rank.ended(r)
		}
		m.add(rank)
	}
	m.now, m.at = nil, nil
}

// end adds up, when all have been read, how much less the slowest rank has to do where each one
// that launches a kernel spends the average in it: less than nothing, where another one is the
// slowest then.
func (m *meetings) end() {
	if m == nil {
		return
	}
	m.all.end()
	for _, s := range m.stretches {
		for number, k := range m.list {
			of := s.of[number]
			k.gain += s.slowest - max(of.most, of.rest+of.sum/max(k.ranks, 1))
		}
	}
	m.stretches = nil
}

// most is what the job gains at most where the kernel of a group is spread evenly.
func (m *meetings) most(g *group) int64 {
	if m == nil {
		return math.MaxInt64
	}
	place := kernelPlace{g.subject, g.file, g.line}
	k := m.kernels[place]
	if m.all != nil && (k == nil || k.ranks < m.all.kernels[place].ranks) {
		return m.all.most(g)
	}
	if k == nil || k.ranks < 2 {
		return math.MaxInt64
	}
	return max(k.gain, 0)
}
