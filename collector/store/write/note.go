package write

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// SetWarning notes what a runtime warns of; the same again changes nothing.
func (w *Writer) SetWarning(file string, line int32, text string) error {
	return w.SetMeta(store.WarningKey+text, store.PlaceText(file, line))
}

// SetConstruct notes the name of the compute construct at a place, as its directive
// has it: parallel loop.
func (w *Writer) SetConstruct(file string, line int32, construct string) error {
	return w.SetMeta(store.ConstructKey+store.PlaceText(file, line), construct)
}

// SetSource notes the content of a source file as it was when the program ran.
func (w *Writer) SetSource(file string, content []byte) error {
	return w.SetMeta(store.SourceKey+file, store.SourceHash(content))
}

// SetDirective notes the text of a directive of such a file, and the line of the loop around it
// with what stands there; "": none.
func (w *Writer) SetDirective(file string, line int, text, loop string) error {
	at := store.PlaceText(file, int32(line))
	if loop != "" {
		if err := w.SetMeta(store.LoopKey+at, loop); err != nil {
			return err
		}
	}
	return w.SetMeta(store.DirectiveKey+at, text)
}

// SetExposed notes data whose device address the program has asked for.
func (w *Writer) SetExposed(data store.Data) error {
	return w.SetMeta(store.ExposedKey+data.String(), strconv.FormatInt(data.Bytes, 10))
}

// SetUnused notes data of a process of which no kernel had any use.
func (w *Writer) SetUnused(data store.ProcessData) error {
	return w.SetMeta(store.UnusedKey+data.String(), strconv.FormatInt(data.Bytes, 10))
}

// SetFinding notes what is wrong with accesses to a device's memory, again with another count.
func (w *Writer) SetFinding(f store.Finding) error {
	text, err := json.Marshal(f.Finding)
	if err != nil {
		return err
	}
	return w.SetMeta(fmt.Sprintf("%s%d %d %d", store.FindingKey, f.Process, f.Device, f.Number), string(text))
}

// SetMultiprocessors notes how many multiprocessors devices of a name have.
func (w *Writer) SetMultiprocessors(device string, count int64) error {
	return w.SetMeta(store.MultiprocessorsKey+device, count)
}

// SetGap notes a gap, or where one ends.
func (w *Writer) SetGap(g store.Gap) error {
	key, value := g.Note()
	return w.SetMeta(key, value)
}

// SetLostOperations notes how many operations of devices capture dropped of a process.
func (w *Writer) SetLostOperations(process model.ProcessID, n int64) error {
	return w.SetMeta(fmt.Sprintf("%s%d", store.LostOperationsKey, process), n)
}

// SetLostSamples notes how many samples of a process's processors were lost.
func (w *Writer) SetLostSamples(process model.ProcessID, n int64) error {
	return w.SetMeta(fmt.Sprintf("%s%d", store.LostSamplesKey, process), n)
}

// writeNotes writes what another trace's notes say, whose processes have numbers that are
// by so much higher here.
func (w *Writer) writeNotes(m *store.Meta, by int64) error {
	for _, x := range m.Warnings {
		if err := w.SetWarning(x.File, x.Line, x.Text); err != nil {
			return err
		}
	}
	for _, data := range m.Exposed {
		if err := w.SetExposed(data); err != nil {
			return err
		}
	}
	for _, data := range m.Unused {
		data.Process += model.ProcessID(by)
		if err := w.SetUnused(data); err != nil {
			return err
		}
	}
	for _, f := range m.Findings {
		f.Process += model.ProcessID(by)
		if err := w.SetFinding(f); err != nil {
			return err
		}
	}
	for key, value := range m.Texts() {
		if err := w.SetMeta(key, value); err != nil {
			return err
		}
	}
	return nil
}
