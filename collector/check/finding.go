package check

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/device"
)

// Finding is a mistake, at one pair of places.
type Finding struct {
	Kind      string    `json:"kind"`
	File      string    `json:"file"` // "" where not known
	Line      int64     `json:"line"` // 0: not known
	Function  string    `json:"function"`
	Variable  string    `json:"variable"` // "" where not known
	Kernel    string    `json:"kernel"`   // as the events have it, "" of a transfer
	Count     uint64    `json:"count"`    // of such accesses
	Unsure    bool      `json:"unsure"`   // it may be meant so
	What      string    `json:"what"`
	Instance  Instance  `json:"instance"`
	Other     *Instance `json:"other"` // null where there is none
	Directive string    `json:"directive"`
	Change    string    `json:"change"` // what mends it, a sentence
	Called    string    `json:"name"`   // KIND@FILE:FUNCTION, which stays when lines move
	Mapped    Mapped    `json:"mapped"`

	// Of what is stale: it is not on the device any more, and the other side has changed other parts
	// of the same memory.
	Gone, Mixed bool `json:"-"`
	// The clause or directive that Change names, where it names one: reduction with its operator,
	// private or atomic; "" else.
	Clause, Operator string `json:"-"`
}

// Mapped is the directive that has put the memory on the device.
type Mapped struct {
	File string `json:"file"` // "" where not known
	Line int64  `json:"line"`
}

// Instance is an access: the first of those that a finding is about, or the other one.
type Instance struct {
	Host    bool   `json:"host"`    // by the host's code
	Access  string `json:"access"`  // read, write, atomic, upload, download, ...
	Element string `json:"element"` // a[17]; "" where not known
	File    string `json:"file"`
	Line    int64  `json:"line"`
	Kernel  string `json:"kernel"`
	Queue   int64  `json:"queue"`  // async_queue of the operation
	Gang    int64  `json:"gang"`   // -1 where not known or of a transfer, as Worker and Lane
	Worker  int64  `json:"worker"` // of the gang
	Lane    int64  `json:"lane"`   // of the worker

	Directive int64 `json:"-"` // line of the operation's, in File; 0: not known, or it is in another file
	Enqueued  int64 `json:"-"` // when it was, in nanoseconds of the trace; 0: not known
}

// Checked is what was looked at.
type Checked struct {
	Accesses  uint64   `json:"accesses"` // of lanes of kernels
	Bytes     uint64   `json:"bytes"`    // of them
	Launches  int64    `json:"launches"`
	Transfers int64    `json:"transfers"`
	Host      uint64   `json:"host_accesses"` // of the host's code, to data that are or were on the device
	HostSeen  bool     `json:"host_seen"`     // else Host is 0
	Not       []string `json:"-"`             // kinds that were not looked for, and why: KIND: WHY
}

// Find gives the findings of a trace, and what was checked. Checked is nil where nothing was:
// the trace is of another run than one of accscope check.
func Find(trace *store.Trace) ([]*Finding, *Checked, error) {
	meta, err := trace.Meta()
	if err != nil {
		return nil, nil, err
	}
	found := slices.DeleteFunc(slices.Clone(meta.Findings), func(f store.Finding) bool { return f.Kind == checked })
	if len(meta.Findings) == 0 {
		return nil, nil, nil
	}
	sources, err := report.SourcesOf(trace)
	if err != nil {
		return nil, nil, err
	}
	known, err := ask(trace, found)
	if err != nil {
		return nil, nil, err
	}
	known.sources = sources
	list := []*Finding{}
	for _, f := range found {
		list = join(list, known.finding(&f))
	}
	// What is given up, and then missed, is told once.
	list = slices.DeleteFunc(list, func(f *Finding) bool {
		return f.Kind == string(device.FindingStaleOnHost) && f.Other == nil && slices.ContainsFunc(list, func(other *Finding) bool {
			return other.Kind == f.Kind && other.Variable == f.Variable && other.Other != nil && other.Other.place() == f.Instance.place()
		})
	})
	slices.SortStableFunc(list, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Variable, b.Variable))
	})
	for _, f := range list {
		f.word(sources)
	}
	c, err := Count(trace)
	return list, c, err
}

// checked is the kind of what tells how much was looked at (device.FindingChecked).
const checked = "checked"

// rank is the place of a finding in their order: those that are sure come first.
func (f *Finding) rank() int {
	if f.Unsure {
		return 1
	}
	return 0
}

// Count is what was checked of a trace.
func Count(trace *store.Trace) (*Checked, error) {
	c := &Checked{Not: []string{}}
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	for _, f := range meta.Findings {
		if f.Kind == checked {
			c.Accesses, c.Bytes = c.Accesses+f.Count, c.Bytes+f.Bytes
			c.Host, c.HostSeen = c.Host+f.HostAccesses, c.HostSeen || f.HostSeen
			if f.Where != "" {
				c.Not = append(c.Not, strings.Split(f.Where, "\n")...)
			}
			if !f.HostSeen {
				c.Not = append(c.Not, fmt.Sprintf("%s: the host's reads are not seen: compile and link the program with -fsanitize=thread", device.FindingStaleOnHost))
			}
		}
	}
	for s, err := range trace.Rows("counting what was checked", `SELECT sum(kind = 'kernel'), sum(kind IN ('upload', 'download', 'copy')) FROM device_activity WHERE `+trace.ChosenSQL("process")) {
		if err != nil {
			return nil, err
		}
		c.Launches, c.Transfers = s.ColumnInt64(0), s.ColumnInt64(1)
	}
	return c, nil
}

// join adds a finding, or counts it to one of the same places, in whatever order they were met.
func join(list []*Finding, f *Finding) []*Finding {
	for _, known := range list {
		if known.Kind != f.Kind || known.Variable != f.Variable || !known.between(f) {
			continue
		}
		known.Count += f.Count
		// Two writes say more than a read and a write of the same statement.
		if f.Other != nil && known.writes() < f.writes() {
			known.Instance, known.Other, known.Unsure = f.Instance, f.Other, f.Unsure
		} else if f.Other == nil || known.writes() == f.writes() {
			known.Unsure = known.Unsure && f.Unsure
		}
		return list
	}
	return append(list, f)
}

// writes is how many sides of a finding write.
func (f *Finding) writes() (n int) {
	for _, i := range []*Instance{&f.Instance, f.Other} {
		if i != nil && i.Access != "read" && i.Access != "download" {
			n++
		}
	}
	return n
}

type place struct {
	file   string
	line   int64
	kernel string
}

func (i *Instance) place() place { return place{i.File, i.Line, i.Kernel} }

// between says whether two findings are about the same places.
func (f *Finding) between(other *Finding) bool {
	if f.Other == nil || other.Other == nil {
		return f.Other == nil && other.Other == nil && f.Instance.place() == other.Instance.place()
	}
	a, b, c, d := f.Instance.place(), f.Other.place(), other.Instance.place(), other.Other.place()
	return a == c && b == d || a == d && b == c
}

// Name is what the finding is called from one run to the next.
func (f *Finding) Name() string {
	name := f.Kind + "@"
	if f.File != "" {
		name += filepath.Base(f.File)
	}
	if f.Function != "" {
		name += ":" + f.Function
	}
	return name
}

// finding is what a device has found, in terms of the program.
func (k *known) finding(f *store.Finding) *Finding {
	d := k.data[keyOf(f)]
	of := &Finding{Kind: f.Kind, Count: f.Count, Unsure: f.Equal, Instance: k.instance(f.Process, &f.Access)}
	of.Gone, of.Mixed = f.Gone, f.Mixed
	if d != nil {
		of.Variable, of.Mapped = d.variable, Mapped{d.file, d.line}
	}
	of.Instance.Element = k.element(d, f.Address, f.Bytes, of.Instance.File)
	if f.Other != nil {
		other := k.instance(f.Process, f.Other)
		other.Element = of.Instance.Element
		of.Other = &other
	}
	of.File, of.Line, of.Kernel = of.Instance.File, of.Instance.Line, of.Instance.Kernel
	if o := k.operations[operationOf(f)]; f.Host {
		of.Function = f.Access.Function
	} else if o != nil {
		of.Function = o.function
	}
	// Scratch memory is given up on purpose, and what the host prepares for later is sent then.
	of.Unsure = of.Unsure || f.Later || f.Kind == string(device.FindingStaleOnHost) && of.Other == nil
	of.Unsure = of.Unsure || of.Other != nil && k.writesConstant(of)
	of.Unsure = of.Unsure || f.Kind == Differs && k.asksDevice(of)
	of.Unsure = of.Unsure && !(f.Kind == string(device.FindingRace) && (k.changes(of) || k.varies(of)))
	of.What = k.what(of, f, d)
	of.Change = k.change(of, f, d)
	return of
}

// instance is one side of a finding.
func (k *known) instance(process model.ProcessID, a *model.Access) Instance {
	i := Instance{Access: "read", Queue: -2, Gang: int64(a.Gang), Worker: int64(a.Worker), Lane: int64(a.Lane), Kernel: a.Kernel}
	switch {
	case a.Host:
		i.Host, i.Gang = true, -1
		if a.Store {
			i.Access = "write"
		}
	case a.Operation != model.Kernel:
		i.Access, i.Gang = strings.TrimPrefix(a.Operation.String(), "accscope_activity_"), -1
	case a.Atomic && a.Store:
		i.Access = "atomic"
	case a.Store:
		i.Access = "write"
	}
	i.File, i.Line = a.File, int64(a.Line)
	if o := k.operations[operationKey{process, a.Correlation}]; o != nil {
		i.Queue = o.queue
		if o.kernel != "" {
			i.Kernel = o.kernel
		}
		switch {
		case i.Line == 0:
			i.File, i.Line = o.file, o.line
		case filepath.Base(i.File) == filepath.Base(o.file):
			i.File = o.file // the compiler may have been given another path
		}
		if i.Enqueued = o.time; i.File == o.file {
			i.Directive = o.line
		}
	}
	return i
}

// word fills in what follows from the rest.
func (f *Finding) word(sources *report.Sources) {
	f.Directive = sources.Directive(f.File, f.Line)
	if f.Directive == "" && f.Other != nil {
		f.Directive = sources.Directive(f.Other.File, f.Other.Line)
	}
	f.Called = f.Name()
}

// Where is FILE:LINE with the file's name alone.
func (i *Instance) Where() string {
	if i.File == "" {
		return cmp.Or(model.Readable(i.Kernel), "a place that is not known (compile with -g)")
	}
	return fmt.Sprintf("%s:%d", filepath.Base(i.File), i.Line)
}
