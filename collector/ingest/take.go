package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source"
	"github.com/accscope/accscope/runtime/source/directive"
)

// texts are the directives of source files.
type texts struct {
	directives map[model.Name]map[int]*source.Directive // by their lines
	constructs map[place]bool                           // looked for
}

func newTexts() texts {
	return texts{map[model.Name]map[int]*source.Directive{}, map[place]bool{}}
}

// place is a line of a source file.
type place struct {
	file model.Name
	line int32
}

// take hands a ring's item to the model and the trace.
func (in *Ingester) take(r *ring) error {
	item := r.item
	switch item.Type {
	case capture.ItemEvent:
		return in.event(r, item)
	case capture.ItemActivity:
		return in.activity(r, &item.Activity)
	case capture.ItemMapping:
		return in.mapping(r, &item.Mapping)
	case capture.ItemDependency:
		return in.dependency(r, &item.Dependency)
	case capture.ItemDevice:
		return in.device(r, &item.Device)
	case capture.ItemWarning:
		return in.warning(r, &item.Warning)
	case capture.ItemContent:
		return in.content(r, &item.Content)
	case capture.ItemThread:
		_, err := in.thread(r.process, item.Thread)
		return err
	case capture.ItemThreadEnd:
		if thread, known := r.process.threads[item.Thread.Number]; known {
			return in.interrupt(thread.ID, r.time)
		}
		return nil
	case capture.ItemDropped:
		// Counted by the process's counters, which also know what no ring had
		// space to tell.
		return in.dropped(r, item)
	case capture.ItemToggle:
		return in.toggled(r, item)
	case capture.ItemSwitch:
		return in.begin(r, item)
	}
	return nil
}

// interrupt ends the spans that a thread is in, of which no end will come.
func (in *Ingester) interrupt(thread model.ThreadID, at int64) error {
	interrupted := in.model.Interrupt(thread, 0, at)
	if in.writer == nil {
		return nil
	}
	return in.writer.Interrupted(thread, interrupted)
}

// thread gives a thread of a capture its number in the trace.
func (in *Ingester) thread(p *process, t capture.Thread) (model.ThreadID, error) {
	if last := &p.thread; last.ID != 0 && last.Number == t.Number && last.Name == t.Name {
		return last.ID, nil
	}
	info, ok := p.threads[t.Number]
	p.thread = info
	if ok && info.Name == t.Name {
		return info.ID, nil
	}
	if !ok {
		in.last.thread++
		info = model.ThreadInfo{ID: in.last.thread, Process: p.info.ID, TID: t.TID, Number: t.Number}
	}
	info.Name = t.Name
	p.threads[t.Number], p.thread = info, info
	in.model.AddThread(info)
	if in.writer != nil {
		return info.ID, in.writer.SaveThread(info)
	}
	return info.ID, nil
}

func (in *Ingester) event(r *ring, item *capture.Item) error {
	p := r.process
	thread, err := in.thread(p, item.Thread)
	if err != nil {
		return err
	}
	if err := in.follows(r, item, thread); err != nil {
		return err
	}
	e := &in.buffer
	e.Event, e.Process, e.Thread = item.Event, p.info.ID, thread
	e.Time = r.time
	if e.Kind == capture.ProcessRangeStart || e.Kind == capture.ProcessRangeStart+1 {
		if err := in.processRange(p, e, item.Thread); err != nil {
			return err
		}
	}
	e.SourceFile = in.name(p, e.SourceFile)
	e.Function = in.name(p, e.Function)
	e.Name = in.name(p, e.Name)
	if e.Kind == model.EnqueueLaunchStart && e.Line > 0 {
		if err := in.construct(p, e, item.Event.Time); err != nil {
			return err
		}
	}
	step := in.model.Apply(e)
	if err := in.contradicts(r, step); err != nil {
		return err
	}
	r.first, r.last = min(r.first, r.time), r.time
	if e.Kind == model.MPIStart || e.Kind == model.MPIEnd {
		in.barrier(p, step, item.Event.Time)
	}
	in.events.Add(1)
	if in.writer == nil {
		return nil
	}
	return in.writer.Write(step)
}

// construct notes, once for each place, what the directive of a launch says, while its
// source file is as it was when the program ran at a time on its host's clock.
func (in *Ingester) construct(p *process, e *model.Event, ran int64) error {
	at := place{e.SourceFile, e.Line}
	if in.texts.constructs[at] {
		return nil
	}
	in.texts.constructs[at] = true
	file := in.model.Names().Text(e.SourceFile)
	directives, known := in.texts.directives[e.SourceFile]
	if !known {
		if content := directive.ReadSource(file, time.Unix(0, p.capture.Realtime(ran))); content != nil {
			directives = directive.Of(content, file)
			if err := in.source(file, content, directives); err != nil {
				return err
			}
		}
		in.texts.directives[e.SourceFile] = directives
	}
	d := directives[int(e.Line)]
	if !d.Compute() || d.Name == "" || in.writer == nil {
		return nil
	}
	return in.writer.SetConstruct(file, e.Line, d.Name)
}

// source notes a source file and its directives, so that what is said of the trace later does not
// depend on what becomes of the file.
func (in *Ingester) source(file string, content []byte, directives map[int]*directive.Directive) error {
	if in.writer == nil {
		return nil
	}
	if err := in.writer.SetSource(file, content); err != nil {
		return err
	}
	lines, procedures := bytes.Split(content, []byte("\n")), structure.Of(content, file)
	for line, d := range directives {
		if line != d.Line {
			continue // of those that a directive goes on in
		}
		around := ""
		if p := structure.At(procedures, line); p != nil && p.Loop(line) != nil {
			head := p.Loop(line).First
			around = fmt.Sprintf("%d %s", head, bytes.TrimSpace(lines[head-1]))
		}
		if err := in.writer.SetDirective(file, line, d.Text(), around); err != nil {
			return err
		}
	}
	return nil
}

func (in *Ingester) activity(r *ring, a *capture.Activity) error {
	p := r.process
	shift := p.atTime(a.Time) - a.Time - in.origin.Load()
	x := model.Activity{Activity: *a, Process: p.info.ID}
	x.Time, x.Start, x.End = a.Time+shift, a.Start+shift, a.End+shift
	x.Name, x.SourceFile = in.name(p, a.Name), in.name(p, a.SourceFile)
	enqueue, device, queue := in.model.ApplyActivity(&x)
	if in.writer == nil {
		return nil
	}
	return in.writer.WriteActivity(&x, enqueue, device, queue)
}

func (in *Ingester) dependency(r *ring, d *capture.Dependency) error {
	shift := r.process.atTime(d.Recorded) - d.Recorded - in.origin.Load()
	x := model.Dependency{Dependency: *d, Process: r.process.info.ID}
	x.Recorded, x.Time = d.Recorded+shift, d.Time+shift
	x.SourceFile = in.name(r.process, d.SourceFile)
	queue, awaited := in.model.ApplyDependency(&x)
	if in.writer == nil {
		return nil
	}
	return in.writer.WriteDependency(&x, queue, awaited)
}

// device takes over what a runtime says of a device; a capture repeats it.
func (in *Ingester) device(r *ring, d *capture.Device) error {
	p := r.process
	facts := model.DeviceInfo{Process: p.info.ID, Type: d.DeviceType, Number: d.DeviceNumber, Name: p.capture.String(d.Name),
		Vendor: p.capture.String(d.Vendor), Capacity: int64(d.Memory)}
	id, news := in.model.DescribeDevice(facts)
	if !news || in.writer == nil {
		return nil
	}
	if d.Multiprocessors > 0 {
		if err := in.writer.SetMultiprocessors(facts.Name, int64(d.Multiprocessors)); err != nil {
			return err
		}
	}
	return in.writer.SaveDevice(id)
}

func (in *Ingester) mapping(r *ring, m *capture.Mapping) error {
	x := model.Existing{Mapping: *m, Process: r.process.info.ID}
	x.Time = r.time
	x.Name = in.name(r.process, m.Name)
	id, device := in.model.Existing(&x)
	if id == 0 || in.writer == nil {
		return nil
	}
	return in.writer.WriteExisting(id, &x, device)
}

// name gives a process's string its number in the trace.
func (in *Ingester) name(p *process, id capture.StringID) model.Name {
	if id == 0 {
		return 0
	}
	if int(id) < len(p.names) && p.names[id] != 0 {
		return p.names[id]
	}
	name := in.model.Intern(p.capture.String(id))
	for int(id) >= len(p.names) {
		p.names = append(p.names, 0)
	}
	p.names[id] = name
	return name
}

// warning takes over what the runtime warns of, or that data were exposed. Of processes that say the same, the
// trace has it once.
func (in *Ingester) warning(r *ring, x *capture.Warning) error {
	if in.writer == nil {
		return nil
	}
	p := r.process.capture
	if x.Unused {
		data, err := store.ParseData(p.String(x.Text))
		if err != nil {
			return nil // of a runtime that says something else
		}
		return in.writer.SetUnused(store.ProcessData{Process: r.process.info.ID, Data: data})
	}
	if x.Finding {
		f := store.Finding{Process: r.process.info.ID}
		if err := json.Unmarshal([]byte(p.String(x.Text)), &f.Finding); err != nil {
			return nil // of a runtime that says something else
		}
		return in.writer.SetFinding(f)
	}
	if x.Counts {
		var c model.Counts
		if err := json.Unmarshal([]byte(p.String(x.Text)), &c); err != nil {
			return nil // of a runtime that says something else
		}
		return in.writer.AddCounts(r.process.info.ID, c)
	}
	if x.Exposed {
		data, err := store.ParseData(p.String(x.Text))
		if err != nil {
			return nil // of a runtime that says something else
		}
		return in.writer.SetExposed(data)
	}
	return in.writer.SetWarning(p.String(x.SourceFile), x.Line, p.String(x.Text))
}

// content takes over the hash of what a transfer moved. The transfer's event was there
// before: its thread is known.
func (in *Ingester) content(r *ring, x *capture.Content) error {
	thread, known := r.process.threads[x.Thread]
	if !known || in.writer == nil {
		return nil
	}
	return in.writer.WriteContent(&model.Content{Thread: thread.ID, Sequence: x.Sequence, Hash: x.Hash, Overwritten: x.Overwritten, Known: x.Known})
}

// next reads a ring's next item; false if there is none by now.
func (in *Ingester) next(r *ring) bool {
	for {
		r.position = r.stream.Offset()
		item, err := r.stream.Next()
		if err != nil {
			if in.damaged(r, err) {
				continue
			}
			r.item = nil
			return false
		}
		r.item = item
		r.set = true
		if at := item.Time; at != 0 {
			r.time, r.set = r.process.about(at)-in.origin.Load(), r.process.line == nil
		}
		return true
	}
}

// damaged tells of what kept a ring's next item from being read, and says whether there is
// more behind it.
func (in *Ingester) damaged(r *ring, err error) bool {
	var corrupt *capture.CorruptError
	switch {
	case errors.Is(err, io.EOF):
	case errors.As(err, &corrupt):
		in.warn("%s", corrupt.Error())
		r.process.lost["damaged"]++
		return true
	default:
		in.warn("%s: %v; the rest of this thread is left out for now", r.name, err)
	}
	return false
}
