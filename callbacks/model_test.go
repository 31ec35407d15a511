package callbacks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is what OpenACC 3.3 §5.4 says of one event in the words it uses: a list
// of callbacks with counts and toggles.
type model struct {
	list             []*modelEntry
	disabled         bool // the event
	globallyDisabled bool
	serial           int
}

type modelEntry struct {
	name    string
	serial  int
	count   int
	enabled bool
}

func (m *model) find(name string) *modelEntry {
	for _, e := range m.list {
		if e.name == name {
			return e
		}
	}
	return nil
}

func (m *model) do(verb, name string) {
	on := verb == "on"
	switch {
	case name == "*":
		m.globallyDisabled = !on
	case name == "E":
		m.disabled = !on
	case verb == "reg":
		if e := m.find(name); e != nil {
			e.count++
			return
		}
		m.serial++
		m.list = append(m.list, &modelEntry{name, m.serial, 1, true})
	case verb == "unreg":
		e := m.find(name)
		if e == nil {
			return
		}
		if e.count--; e.count == 0 {
			m.list = slices.DeleteFunc(m.list, func(o *modelEntry) bool { return o == e })
		}
	default:
		if e := m.find(name); e != nil {
			e.enabled = on
		}
	}
}

// next is the callback that runs after the one with serial number after, 0 for
// the first; nil at the end.
func (m *model) next(after int, reverse bool) *modelEntry {
	if m.disabled || m.globallyDisabled {
		return nil
	}
	list := slices.Clone(m.list)
	if reverse {
		slices.Reverse(list)
	}
	for _, e := range list {
		if e.enabled && (after == 0 || !reverse && e.serial > after || reverse && e.serial < after) {
			return e
		}
	}
	return nil
}

// checkAgainstModel reads a program from bytes and runs it on a registry and on
// the model. Each byte is one operation; those that raise the event let its
// callbacks carry out the operations that follow.
func checkAgainstModel(t *testing.T, event Event, program []byte) {
	h := newHarness(t)
	m := &model{}
	var raise func()
	depth := 0
	step := func() {
		if len(program) == 0 {
			return
		}
		b := program[0]
		program = program[1:]
		verb := []string{"reg", "unreg", "on", "off", "reg", "unreg", "raise", "raise"}[b%8]
		name := []string{"A", "B", "C", "D", "F", "G", "E", "*"}[b/8%8]
		if verb == "raise" {
			if depth < 3 {
				raise()
			}
			return
		}
		if (name == "E" || name == "*") && (verb == "reg" || verb == "unreg") {
			return
		}
		h.do(event, verb+" "+name)
		m.do(verb, name)
	}
	at := 0 // serial number of the callback running in the innermost event
	for _, name := range []string{"A", "B", "C", "D", "F", "G"} {
		h.inside[name] = func() {
			e := m.next(at, event.Half() == End)
			if e == nil || e.name != name {
				t.Errorf("%s runs after number %d, the model has %s", name, at, describe(e))
				program = nil
				return
			}
			outer := e.serial
			for range 1 + len(program)%3 {
				step()
			}
			at = outer
		}
	}
	raise = func() {
		saved := at
		at = 0
		depth++
		h.raise(event)
		depth--
		if e := m.next(at, event.Half() == End); e != nil {
			t.Errorf("the instance ended after number %d, the model goes on with %s", at, describe(e))
		}
		at = saved
	}
	for len(program) > 0 {
		step()
	}
	raise()
}

func describe(e *modelEntry) string {
	if e == nil {
		return "none"
	}
	return fmt.Sprintf("%s (number %d)", e.name, e.serial)
}

// TestAgainstModel runs random programs on the registry and the model.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		program := make([]byte, random.IntN(200))
		for i := range program {
			program[i] = byte(random.Uint32())
		}
		event := []Event{UpdateStart, UpdateEnd, Error}[seed%3]
		checkAgainstModel(t, event, program)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzRegistry looks for a program on which registry and model differ.
func FuzzRegistry(f *testing.F) {
	f.Add([]byte{0, 8, 16, 6, 1, 4, 6}, true)
	f.Add([]byte{0, 8, 16, 6, 0x33, 0x32, 6}, false)
	f.Fuzz(func(t *testing.T, program []byte, start bool) {
		if len(program) > 400 {
			return
		}
		event := UpdateStart
		if !start {
			event = UpdateEnd
		}
		checkAgainstModel(t, event, program)
	})
}
