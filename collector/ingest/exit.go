package ingest

import (
	"fmt"

	"github.com/accscope/accscope/collector/session"
)

// EndedBy is told by who started a process which signal ended it: captures only
// know that they were not completed.
func (in *Ingester) EndedBy(pid int, signal string) {
	in.exits[pid] = signal
}

// Exited is told by who started a process with which status it exited.
func (in *Ingester) Exited(pid, status int) {
	in.exits[pid] = exitStatus(status)
}

// exitStatus is what an exit status is called (ProcessInfo.Exit).
func exitStatus(status int) string { return fmt.Sprintf("status %d", status) }

// noted takes over what the ranks of a job have noted of their programs' ends.
func (in *Ingester) noted() error {
	if in.options.Session == "" {
		return nil
	}
	ends, err := (&session.Session{Folder: in.options.Session}).Ends()
	for _, end := range ends {
		if end.Killed {
			in.EndedBy(end.PID, end.Signal)
		} else {
			in.Exited(end.PID, end.Status)
		}
		in.Status(end.PID, end.Killed, end.Name)
	}
	return err
}

// exit finds the exit status or signal of a process that has ended. The program that it
// went on as (exec) has its number, and ended so.
func (in *Ingester) exit(p *process) {
	known, told := in.exits[p.info.PID]
	if in.options.Elsewhere != nil {
		end, ended := in.options.Elsewhere.Ended(p.folder, p.info.PID)
		known, told = end.Exit, ended
	} else if p.host != in.first {
		told = false
	}
	if told && known != "" && p.info.Ended != "exec" {
		p.info.Exit = known
	}
}
