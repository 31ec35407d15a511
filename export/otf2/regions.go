package otf2

import (
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/otf2/archive"
)

// attributes are what events say beside their region.
type attributes struct {
	bytes, record, unended, source       archive.Ref
	queue, gangs, workers, vector, hides archive.Ref // hides: implicit
	device                               archive.Ref
	numbers                              map[string]archive.Ref // those of store.Record.Numbers
}

func defineAttributes(out *archive.Archive) attributes {
	return attributes{
		bytes:   out.Attribute("bytes", "size of the data", archive.Uint64),
		record:  out.Attribute("record", "number of the enqueue, the same at what it enqueued on the device", archive.Uint64),
		unended: out.Attribute("unended", "1: the end was not seen", archive.Uint64),
		source:  out.Attribute("source", "place in the source", archive.Location),
		queue:   out.Attribute("async_queue", "number of the async queue", archive.Int64),
		gangs:   out.Attribute("gangs", "number of gangs", archive.Uint64),
		workers: out.Attribute("workers", "workers of a gang", archive.Uint64),
		vector:  out.Attribute("vector_length", "lanes of a worker", archive.Uint64),
		hides:   out.Attribute("implicit", "1: no directive asked for it", archive.Uint64),
		device:  out.Attribute("device", "device, where the process uses several", archive.Text),
		numbers: map[string]archive.Ref{
			"number":       out.Attribute("number", "number of the frame", archive.Int64),
			"peer":         out.Attribute("peer", "rank in MPI_COMM_WORLD; -1 any, -2 none", archive.Int64),
			"communicator": out.Attribute("communicator", "number of the communicator; 0 is MPI_COMM_WORLD", archive.Int64),
			"tag":          out.Attribute("tag", "tag of the message", archive.Int64),
		},
	}
}

// site is what all records of a site share: a span's region, or what stands for an event
// without duration, a parameter whose value says what it is about.
type site struct {
	of              *store.Site
	region          archive.Ref // None: there was no span yet
	parameter, text archive.Ref // None: there was no event yet
	source          archive.Ref // None: not known
	attributes      archive.Attributes
}

// enter gives the region of a site's spans.
func (e *exporter) enter(s *site) archive.Ref {
	if s.region == archive.None {
		r := regionOf(s.of)
		if r.Paradigm == archive.MPI && !e.mpi {
			e.mpi = true
			e.out.Paradigm(archive.MPI, "MPI", archive.Processes, false)
		}
		s.region = e.out.Region(r)
	}
	return s.region
}

// tell gives the parameter of a site's events without duration, and its value.
func (e *exporter) tell(s *site) (parameter, text archive.Ref) {
	if s.parameter == archive.None {
		s.parameter, s.text = e.out.Parameter(s.of.Kind), e.out.String(eventText(s.of))
	}
	return s.parameter, s.text
}

func (e *exporter) site(s *store.Site) *site {
	if known := e.sites[s.ID]; known != nil {
		return known
	}
	known := &site{of: s, region: archive.None, parameter: archive.None, source: archive.None}
	e.sites[s.ID] = known
	a := &known.attributes
	if s.File != "" && s.Line > 0 {
		known.source = e.out.Source(s.File, uint32(s.Line))
	}
	if s.Own() {
		return known
	}
	if s.AsyncQueue != model.AsyncSync {
		a.Int64(e.attributes.queue, s.AsyncQueue)
	}
	if s.Kind == "enqueue_launch" {
		for _, g := range []struct {
			attribute archive.Ref
			value     uint64
		}{{e.attributes.gangs, s.Gangs}, {e.attributes.workers, s.Workers}, {e.attributes.vector, s.Vector}} {
			if g.value != 1 {
				a.Uint64(g.attribute, g.value)
			}
		}
	}
	if s.Implicit != 0 {
		a.Uint64(e.attributes.hides, 1)
	}
	if d := e.devices[s.Device]; d != nil && d.process.devices > 1 {
		a.Text(e.attributes.device, archive.Text, e.out.String(export.DeviceName(&d.info)))
	}
	return known
}

// eventText is what an event without duration is about.
func eventText(s *store.Site) string {
	if s.Kind == "error" {
		return strings.TrimSuffix(export.SpanName(s)+": "+s.Symbol, ": ")
	}
	return s.Name
}

// regionOf is a span's region. The program's own and calls of MPI are one region each,
// wherever they are: the place is an attribute.
func regionOf(s *store.Site) archive.Region {
	r := archive.Region{Name: export.SpanName(s), Paradigm: archive.OpenACC, Role: roles[s.Kind]}
	switch s.KindCode {
	case model.MPIStart:
		r.Paradigm, r.Role = archive.MPI, roleOfMPI(s.Name)
		return r
	case model.FrameStart, model.RangeStart:
		r.Paradigm, r.Description = archive.User, s.Kind
		return r
	}
	if s.Kind == "enqueue_launch" {
		// What it launches has the kernel's name on the device.
		r.Name, r.Canonical = s.Kind+" "+s.Name, s.Symbol
	}
	r.Description = describe(s)
	r.File, r.Begin, r.End = s.File, uint32(max(s.Line, 0)), uint32(max(s.EndLine, 0))
	return r
}

func describe(s *store.Site) string {
	text := "acc_ev_" + s.Kind
	if s.Construct != "" {
		text += " of " + s.Construct
	}
	if s.Function != "" {
		text += " in " + s.Function
	}
	return text
}

// roles are what the runtime's spans do; the rest has none of its own.
var roles = map[string]archive.Role{
	"device_init": archive.RoleCode, "device_shutdown": archive.RoleCode, "runtime_shutdown": archive.RoleCode,
	"compute_construct": archive.RoleCode, "enqueue_launch": archive.RoleTaskCreate, "wait": archive.RoleTaskWait,
	"enter_data": archive.RoleTransfer, "exit_data": archive.RoleTransfer, "update": archive.RoleTransfer,
	"enqueue_upload": archive.RoleTransfer, "enqueue_download": archive.RoleTransfer,
	"frame": archive.RoleCode, "range": archive.RoleCode,
}

// rolesOfMPI are those of the collective calls, without MPI_, an I for nonblocking ones,
// and a v or w for counts of each rank.
var rolesOfMPI = map[string]archive.Role{
	"barrier": archive.RoleBarrier, "bcast": archive.RoleOneToAll, "scatter": archive.RoleOneToAll,
	"reduce": archive.RoleAllToOne, "gather": archive.RoleAllToOne, "allreduce": archive.RoleAllToAll,
	"allgather": archive.RoleAllToAll, "alltoall": archive.RoleAllToAll, "reduce_scatter": archive.RoleAllToAll,
	"reduce_scatter_block": archive.RoleAllToAll, "scan": archive.RoleCollective, "exscan": archive.RoleCollective,
}

// roleOfMPI is what a call of MPI does, by its name.
func roleOfMPI(call string) archive.Role {
	name := strings.TrimPrefix(strings.ToLower(call), "mpi_")
	for _, plain := range []string{name, strings.TrimPrefix(name, "i")} {
		for _, plain := range []string{plain, strings.TrimRight(plain, "vw")} {
			if role, known := rolesOfMPI[plain]; known {
				return role
			}
		}
	}
	for _, part := range []string{"send", "recv", "wait", "probe"} {
		if strings.Contains(name, part) {
			return archive.RolePointToPoint
		}
	}
	return archive.RoleFunction
}

// work is the region of what a device did.
func (e *exporter) work(w *store.Work) archive.Ref {
	return lookup.Make(e.works, w, func() archive.Ref {
		r := archive.Region{Name: export.WorkName(w), Description: w.Kind, Paradigm: archive.OpenACC, Role: archive.RoleTransfer}
		if w.Kind == "kernel" {
			r.Role, r.Canonical = archive.RoleFunction, w.Symbol
		}
		return e.out.Region(r)
	})
}
