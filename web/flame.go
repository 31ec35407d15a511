package web

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/stacks"
)

// flameNode is a frame of a flame graph: a function, a construct or an operation,
// and what was spent in it and all that was nested in it.
type flameNode struct {
	Name     string       `json:"name"`
	File     string       `json:"file"`
	Line     int64        `json:"line"`
	Count    int64        `json:"count"`  // of spans and events, or samples
	Host     int64        `json:"host"`   // ns, with what is nested; of samples processor time
	Device   int64        `json:"device"` // ns
	Bytes    int64        `json:"bytes"`  // moved
	Children []*flameNode `json:"children"`
}

// Of a flame graph, nodes are left out whose parts of both times are below this,
// and which no screen would show.
const narrowestFlame = 1.0 / 4000

// flame sums the window by what was nested in what.
func flame(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	first, last, err := r.trace.Extent()
	if err != nil {
		return nil, err
	}
	filter := store.Filter{From: w.from, To: w.to, Exactly: true}
	if w.from <= first && w.to > last {
		filter = store.Filter{}
	}
	if filter.Within, err = r.inside(); err != nil {
		return nil, err
	}
	switch of := r.values.text("of"); of {
	case "", "events":
	case "samples":
		return r.sampledFlame(filter)
	default:
		return nil, badRequest("parameter of is %q: want events or samples", of)
	}
	list, err := stacks.Sum(r.trace, export.Options{Filter: filter})
	if err != nil {
		return nil, err
	}
	root := &flameNode{Name: r.file.name(), Children: []*flameNode{}}
	for _, stack := range list {
		node := root
		node.add(stack)
		for _, f := range stack.Frames {
			node = node.child(f)
			node.add(stack)
		}
	}
	root.prune(float64(root.Host)*narrowestFlame, float64(root.Device)*narrowestFlame)
	return root, nil
}

// doingNames are what threads were in when they were sampled, as a flame graph has it.
var doingNames = map[string]string{"OpenACC": "in OpenACC", "waiting": "waiting", "MPI": "in MPI"}

// sampledFlame sums samples of processors by what threads were in and by their functions. Host
// time is processor time, counts are samples.
func (r *request) sampledFlame(filter store.Filter) (any, error) {
	list, err := r.trace.Sampled().CPUStacks(filter)
	if err != nil {
		return nil, err
	}
	root := &flameNode{Name: r.file.name(), Children: []*flameNode{}}
	for i := range list {
		of := &stacks.Stack{Count: list[i].Count, Host: list[i].Time}
		root.add(of)
		node := root.child(stacks.Frame{Name: cmp.Or(doingNames[list[i].Doing], "else")})
		node.add(of)
		for _, f := range list[i].Frames {
			node = node.child(stacks.Frame{Name: cmp.Or(f.Label(), fmt.Sprintf("%#x", f.Address)), File: f.File, Line: int64(max(f.FunctionLine, 0))})
			node.add(of)
		}
	}
	root.prune(float64(root.Host)*narrowestFlame, 0)
	return root, nil
}

func (n *flameNode) add(s *stacks.Stack) {
	n.Count += s.Count
	n.Host += s.Host
	n.Device += s.Device
	n.Bytes += s.Bytes
}

func (n *flameNode) child(f stacks.Frame) *flameNode {
	for _, c := range n.Children {
		if c.Name == f.Name && c.File == f.File && c.Line == f.Line {
			return c
		}
	}
	c := &flameNode{Name: f.Name, File: f.File, Line: f.Line, Children: []*flameNode{}}
	n.Children = append(n.Children, c)
	return c
}

// prune leaves out what is too narrow, and puts the widest first.
func (n *flameNode) prune(host, device float64) {
	n.Children = slices.DeleteFunc(n.Children, func(c *flameNode) bool {
		return float64(c.Host) <= host && float64(c.Device) <= device
	})
	slices.SortFunc(n.Children, func(a, b *flameNode) int {
		return cmp.Or(cmp.Compare(b.Host+b.Device, a.Host+a.Device), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, c := range n.Children {
		c.prune(host, device)
	}
}
