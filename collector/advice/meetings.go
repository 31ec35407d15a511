package advice

import (
	"maps"
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
	ranks   map[model.ProcessID]*rankAt
	kernels map[kernelPlace]*sharedKernel
	at      map[*store.Description]*sharedKernel // launches of them
	// open are the stretches that some rank has not ended yet, from number first on.
	open  []*stretch
	first int
}

// mostOpen bounds how many stretches a rank is followed ahead of others.
const mostOpen = 1 << 10

// kernelPlace is a kernel as the rule compares it over ranks.
type kernelPlace struct {
	kernel, file string
	line         int64
}

// sharedKernel is a kernel that several ranks launch.
type sharedKernel struct {
	launches map[int]bool // by rank's number in stretches
	gain     int64        // of the stretches that all ranks have ended, ns
}

// rankAt is how far a rank has been followed.
type rankAt struct {
	number  int // in stretches
	stretch int
	known   bool  // has done anything
	free    int64 // since when it is outside of MPI
	last    int64 // end of what it has done so far
	running []ran // kernels that may not have ended yet
}

// ran is a kernel's time on a device.
type ran struct {
	*sharedKernel
	device
}

// stretch is what the ranks do from one meeting to the next, ns by rank.
type stretch struct {
	work  []int64
	in    map[*sharedKernel][]int64
	ended int // ranks that are past it
}

// newMeetings is nil for a trace of fewer than two ranks.
func newMeetings(trace *store.Trace) (*meetings, error) {
	processes, err := trace.Processes()
	if err != nil {
		return nil, err
	}
	ranks := map[model.ProcessID]bool{}
	for i := range processes {
		if processes[i].Rank >= 0 {
			ranks[processes[i].ID] = true
		}
	}
	if len(ranks) < 2 {
		return nil, nil
	}
	sites, err := trace.Sites()
	if err != nil {
		return nil, err
	}
	whole, err := trace.FromTheBeginning()
	if err != nil {
		return nil, err
	}
	return meetingsOf(ranks, sites, whole), nil
}

// meetingsOf is newMeetings for processes with a rank; whole: the trace has every call.
func meetingsOf(ranks map[model.ProcessID]bool, sites []*store.Site, whole bool) *meetings {
	m := &meetings{ranks: map[model.ProcessID]*rankAt{}, kernels: map[kernelPlace]*sharedKernel{}, at: map[*store.Description]*sharedKernel{}}
	calling := map[model.ProcessID]bool{}
	for _, s := range sites {
		if s.KindCode == model.MPIStart && ranks[s.Process] {
			calling[s.Process] = true
		}
	}
	if m.byMPI = whole && len(calling) > 0; m.byMPI {
		if len(calling) < len(ranks) {
			m.all = meetingsOf(ranks, sites, false)
		}
		ranks = calling // nobody knows where others meet them
	}
	for _, process := range slices.Sorted(maps.Keys(ranks)) {
		m.ranks[process] = &rankAt{number: len(m.ranks)}
	}
	for _, s := range sites {
		rank := m.ranks[s.Process]
		if rank == nil || s.KindCode != model.EnqueueLaunchStart {
			continue
		}
		place := kernelPlace{s.Symbol, s.File, int64(s.Line)}
		k := lookup.Make(m.kernels, place, func() *sharedKernel { return &sharedKernel{launches: map[int]bool{}} })
		k.launches[rank.number] = true
		m.at[s.Description] = k
	}
	return m
}

// take follows a rank by what it does, in order of time.
func (m *meetings) take(h *happening) {
	if m == nil {
		return
	}
	m.all.take(h)
	rank := m.ranks[h.Site.Process]
	if rank == nil {
		return
	}
	if !rank.known {
		rank.known, rank.free, rank.last = true, h.Start, h.Start
	}
	for len(rank.running) > 0 && rank.running[0].end <= h.Start {
		m.ended(rank, rank.running[0])
		rank.running = rank.running[1:]
	}
	if h.measured {
		rank.last = max(rank.last, h.device.end)
		if k := m.at[h.Site.Description]; k != nil && len(k.launches) > 1 && h.device.end > h.device.start {
			rank.running = append(rank.running, ran{k, h.device})
		}
	}
	switch {
	case !m.byMPI:
		if h.measured {
			m.stretchOf(rank).work[rank.number] += max(h.device.end-h.device.start, 0)
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
	if h.Start > rank.free {
		m.stretchOf(rank).work[rank.number] += h.Start - rank.free
	}
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
			m.ended(rank, r)
		}
		return done
	})
	m.stretchOf(rank).ended++
	rank.stretch++
	for len(m.open) > 0 && m.open[0].ended == len(m.ranks) {
		m.close()
	}
}

// ended counts a kernel where it ended: there the rank has waited for it, if it did.
func (m *meetings) ended(rank *rankAt, r ran) {
	s := m.stretchOf(rank)
	lookup.Make(s.in, r.sharedKernel, func() []int64 { return make([]int64, len(m.ranks)) })[rank.number] += r.end - r.start
}

// stretchOf is the stretch that a rank is in.
func (m *meetings) stretchOf(rank *rankAt) *stretch {
	rank.stretch = max(rank.stretch, m.first)
	for m.first+len(m.open) <= rank.stretch {
		m.open = append(m.open, &stretch{work: make([]int64, len(m.ranks)), in: map[*sharedKernel][]int64{}})
		if len(m.open) > mostOpen {
			m.close()
		}
	}
	return m.open[rank.stretch-m.first]
}

// close adds up what the first stretch would be shorter by.
func (m *meetings) close() {
	s := m.open[0]
	m.open, m.first = m.open[1:], m.first+1
	for k, spent := range s.in {
		k.gain += s.shorter(spent, k.launches)
	}
}

// shorter is how much less the slowest rank has to do where each rank that launches a kernel
// spends the average in it: less than nothing, where another one is the slowest then. Kernels
// that run side by side take no more than the stretch.
func (s *stretch) shorter(spent []int64, launches map[int]bool) int64 {
	sum := int64(0)
	for rank := range launches {
		sum += min(spent[rank], s.work[rank])
	}
	average := sum / int64(len(launches))
	slowest, evened := int64(0), int64(0)
	for rank, work := range s.work {
		slowest = max(slowest, work)
		if launches[rank] {
			work += average - min(spent[rank], work)
		}
		evened = max(evened, work)
	}
	return slowest - evened
}

// end is called when all has been read.
func (m *meetings) end() {
	if m == nil {
		return
	}
	m.all.end()
	for _, rank := range m.ranks {
		if m.byMPI && rank.last > rank.free {
			m.stretchOf(rank).work[rank.number] += rank.last - rank.free
		}
		for _, r := range rank.running {
			m.ended(rank, r)
		}
	}
	for len(m.open) > 0 {
		m.close()
	}
}

// most is what the job gains at most where the kernel of a group is spread evenly.
func (m *meetings) most(g *group) int64 {
	if m == nil {
		return math.MaxInt64
	}
	place := kernelPlace{g.subject, g.file, g.line}
	k := m.kernels[place]
	if m.all != nil && (k == nil || len(k.launches) < len(m.all.kernels[place].launches)) {
		return m.all.most(g)
	}
	if k == nil || len(k.launches) < 2 {
		return math.MaxInt64
	}
	return max(k.gain, 0)
}
