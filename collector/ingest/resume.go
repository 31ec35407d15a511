package ingest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
)

// resume goes on with a trace that an earlier collector left.
func (in *Ingester) resume() error {
	path := in.place.Working
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	meta, err := t.Meta()
	if err == nil && (meta.Facts["session"] != in.sessionName() || meta.Facts["identity"] != in.identity) {
		err = in.foreign(fmt.Sprintf("holds the trace of another run (session %s)", meta.Facts["session"]))
	}
	var processes []store.Process
	var threads []model.ThreadInfo
	var losses []store.Loss
	var clocks []store.Clock
	var hosts []store.Host
	if err == nil {
		processes, err = t.Processes()
	}
	if err == nil {
		threads, err = t.Threads()
	}
	if err == nil {
		losses, err = t.Losses()
	}
	if err == nil {
		err = t.Clocks(func(c store.Clock) { clocks = append(clocks, c) })
	}
	if err == nil {
		hosts, err = t.Hosts()
	}
	had := map[model.ProcessID]store.Barriers{}
	if err == nil && in.options.Elsewhere != nil {
		had, err = t.Barriers()
	}
	if err = errors.Join(err, t.Close()); err != nil {
		return err
	}
	if in.writer, err = write.Resume(path, in.model); err != nil {
		return err
	}
	if in.positions, err = in.writer.Positions(); err != nil {
		return err
	}
	in.origin.Store(meta.Origin)
	in.events.Store(meta.Events)
	in.started = true
	in.called = meta.Facts["traceparent"] != "" || meta.Facts["launcher"] != ""
	numbered := map[int64]*store.Host{}
	for i := range hosts {
		host := &hosts[i]
		if on := (machine{host: host.Name}); in.hosts[on] == nil {
			in.hosts[on] = host
		}
		numbered[host.ID] = in.hosts[machine{host: host.Name}]
		in.last.host = max(in.last.host, host.ID)
	}
	in.first = numbered[1]
	for i := range processes {
		p := &processes[i]
		known := &process{info: p.ProcessInfo, host: numbered[p.On.ID], folder: p.Capture, rings: map[string]*ring{},
			threads: map[uint64]model.ThreadInfo{}, lost: map[string]int64{}, names: []model.Name{0}, last: meta.Last}
		known.barriers, known.halfway = had[p.ID].Left, had[p.ID].Came > had[p.ID].Left
		in.processes[p.Capture] = known
		in.last.process = max(in.last.process, p.ID)
		for _, thread := range threads {
			if thread.Process == p.ID {
				known.threads[thread.Number] = thread
			}
			in.last.thread = max(in.last.thread, thread.ID)
		}
		for _, loss := range losses {
			if loss.Process == p.ID {
				known.lost[loss.Reason] = loss.Events
			}
		}
		known.resumeToggles(meta.Gaps())
	}
	in.restoreClocks(clocks)
	in.resumeLanes()
	return nil
}

// foreign is the error that the trace's path is another trace's.
func (in *Ingester) foreign(why string) error {
	return fmt.Errorf("%s %s, and is left as it is; choose another name with -o", in.place.Final, why)
}

func (in *Ingester) sessionName() string {
	if in.options.Session != "" {
		return session.NameInTrace(in.options.Session)
	}
	names := make([]string, len(in.captures))
	for i := range in.captures {
		names[i] = in.captures[i].name
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
