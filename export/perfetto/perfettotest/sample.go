package perfettotest

import "fmt"

// Sample is what a thread was sampled at.
type Sample struct {
	Time     int64
	PID, TID int64
	Frames   []Frame // outermost first
}

// Frame is a function of a call stack.
type Frame struct {
	Function, Mapping, Source string
	Line                      uint64
}

// profiled are the interned messages that samples refer to, by table.
type profiled struct {
	frames, callstacks, mappings map[uint64]message
}

func (p *profiled) take(table int, id uint64, entry message) {
	if p.frames == nil {
		p.frames, p.callstacks, p.mappings = map[uint64]message{}, map[uint64]message{}, map[uint64]message{}
	}
	switch table {
	case 6:
		p.frames[id] = entry
	case 7:
		p.callstacks[id] = entry
	case 19:
		p.mappings[id] = entry
	}
}

// sample reads a sample of perf events. Perfetto drops stacks with a frame that is not interned,
// or whose mapping is not.
func (im *importer) sample(from *sequence, data []byte, time int64) error {
	m, err := decode(data, sampleFields)
	if err != nil {
		return err
	}
	x := Sample{Time: time, PID: int64(m.number(2)), TID: int64(m.number(3))}
	if !im.pids[x.PID] || x.TID <= 0 {
		return fmt.Errorf("a sample of process %d and thread %d", x.PID, x.TID)
	}
	if m.number(5) != 2 {
		return fmt.Errorf("a sample of mode %d: want user's code", m.number(5))
	}
	if id, has := m.find(4); has {
		stack, known := from.profiled.callstacks[id.value]
		if !known {
			return fmt.Errorf("call stack %d is not interned", id.value)
		}
		for _, f := range stack {
			if f.number != 2 {
				continue
			}
			frame, err := from.frame(f.value)
			if err != nil {
				return err
			}
			x.Frames = append(x.Frames, frame)
		}
	}
	im.trace.Samples = append(im.trace.Samples, x)
	return nil
}

func (s *sequence) frame(id uint64) (f Frame, err error) {
	m, known := s.profiled.frames[id]
	if !known {
		return f, fmt.Errorf("frame %d is not interned", id)
	}
	mapping, known := s.profiled.mappings[m.number(3)]
	if _, pc := m.find(4); !known || !pc {
		return f, fmt.Errorf("frame %d has no mapping, or no place in it", id)
	}
	if f.Function, err = s.lookup(5, m.number(2)); err != nil {
		return f, err
	}
	if f.Mapping, err = s.lookup(17, mapping.number(7)); err != nil {
		return f, err
	}
	f.Line = m.number(6)
	if path, has := m.find(5); has {
		f.Source, err = s.lookup(18, path.value)
	}
	return f, err
}
