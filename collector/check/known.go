package check

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// known is what the trace knows of the operations and memory that findings are about.
type known struct {
	sources    *report.Sources
	operations map[operationKey]*operation
	data       map[datumKey]*datum
}

type operationKey struct {
	process     model.ProcessID
	correlation uint64
}

// operation is a launch or a transfer.
type operation struct {
	file, function, kernel string
	line, time, queue      int64
}

type datumKey struct {
	process     model.ProcessID
	address     uint64 // of the device
	correlation uint64 // of the operation that uses it
}

// datum is what was mapped at an address when an operation was enqueued.
type datum struct {
	variable, file string
	line           int64
	begin, bytes   uint64
	time           int64
}

// ask reads what the findings need to be told.
func ask(trace *store.Trace, findings []store.Finding) (*known, error) {
	k := &known{operations: map[operationKey]*operation{}, data: map[datumKey]*datum{}}
	if len(findings) == 0 {
		return k, nil
	}
	for _, f := range findings {
		k.operations[operationKey{f.Process, f.Correlation}] = nil
		if f.Other != nil {
			k.operations[operationKey{f.Process, f.Other.Correlation}] = nil
		}
	}
	var numbers []string
	for key := range k.operations {
		if key.correlation != 0 {
			numbers = append(numbers, fmt.Sprint(key.correlation))
		}
	}
	for s, err := range trace.Rows("finding what was checked", `SELECT process, correlation, source_file, function, line, time, kernel, async_queue FROM events
		WHERE correlation IN (`+strings.Join(numbers, ",")+`) AND kind_code IN (`+fmt.Sprintf("%d,%d,%d", model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart)+`)`) {
		if err != nil {
			return nil, err
		}
		key := operationKey{model.ProcessID(s.ColumnInt64(0)), uint64(s.ColumnInt64(1))}
		if _, asked := k.operations[key]; asked {
			k.operations[key] = &operation{file: s.ColumnText(2), function: s.ColumnText(3), line: max(s.ColumnInt64(4), 0), time: s.ColumnInt64(5), kernel: s.ColumnText(6), queue: s.ColumnInt64(7)}
		}
	}
	return k, k.askData(trace, findings)
}

// operationOf is the operation that a finding is about: of one of the host's code it is that of the
// other side.
func operationOf(f *store.Finding) operationKey {
	if f.Host && f.Other != nil {
		return operationKey{f.Process, f.Other.Correlation}
	}
	return operationKey{f.Process, f.Correlation}
}

// keyOf is the memory that a finding is about: what is there, or else before it.
func keyOf(f *store.Finding) datumKey {
	k := datumKey{f.Process, f.Address, operationOf(f).correlation}
	if f.NearBytes > 0 && f.Where != "" {
		k.address = f.Near
	}
	return k
}

// askData finds what was at each address when the operation was enqueued: the newest mapping, or
// allocation, that was not given up before.
func (k *known) askData(trace *store.Trace, findings []store.Finding) error {
	type asked struct {
		datumKey
		until int64
	}
	var all []asked
	for _, f := range findings {
		a := asked{datumKey: keyOf(&f)}
		if o := k.operations[operationOf(&f)]; o != nil {
			a.until = o.time
		}
		all = append(all, a)
	}
	for s, err := range trace.Rows("finding whose memory was checked", `SELECT process, device_address, bytes, variable, source_file, line, time, kind_code FROM events
		WHERE kind_code IN (`+fmt.Sprintf("%d,%d,%d", model.Create, model.Alloc, model.Free)+`) AND bytes > 0 ORDER BY time, kind_code`) {
		if err != nil {
			return err
		}
		process := model.ProcessID(s.ColumnInt64(0))
		begin, bytes, time := uint64(s.ColumnInt64(1)), uint64(s.ColumnInt64(2)), s.ColumnInt64(6)
		for _, a := range all {
			if a.process != process || a.address-begin >= bytes || a.until != 0 && time > a.until {
				continue
			}
			if s.ColumnInt64(7) == int64(model.Free) {
				if a.until != 0 {
					delete(k.data, a.datumKey)
				}
				continue
			}
			d := &datum{variable: s.ColumnText(3), file: s.ColumnText(4), line: s.ColumnInt64(5), begin: begin, bytes: bytes, time: time}
			if before := k.data[a.datumKey]; before != nil && before.begin == begin && d.variable == "" {
				d.variable = before.variable
			}
			k.data[a.datumKey] = d
		}
	}
	return nil
}
