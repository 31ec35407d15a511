package report

// figures are the summary's, as a table. Filters that choose among events of a time leave
// nothing to set the parts against.
func (f *facts) figures(filter Filter, calls *messages) (*Table, error) {
	if filter.Kernel != "" || filter.Variable != "" || filter.Source != "" || filter.Queue != nil || filter.Device != nil {
		return nil, nil
	}
	var s Summary
	if err := s.readFigures(f, filter, calls); err != nil {
		return nil, err
	}
	table := &Table{Key: "time", Title: "Where the time went",
		Note:    "devices: what was enqueued there, whenever it ran; kernels and transfers may overlap; host: over the threads that use OpenACC, waiting also in synchronous operations while the device is at them",
		Columns: []Column{{"part", "part", Text}, {"time", "time_ns", Nanoseconds}, {"share", "part_share", Fraction}}}
	add := func(part string, time, whole int64) {
		table.Rows = append(table.Rows, []any{part, time, share(time, whole)})
	}
	table.Rows = append(table.Rows, []any{"wall", s.Wall, nil})
	if d, all := s.Device, s.Wall*int64(s.Device.Devices); d.AtLeast {
		add("device, at least", d.Busy, all)
	} else if d.Devices > 0 {
		add("device", d.Busy, all)
		add("device, kernels", d.Kernels, all)
		add("device, transfers", d.Transfer, all)
	}
	if h := s.Host; h.Threads > 0 {
		add("host, waiting", h.Waits, h.All)
		add("host, in other OpenACC", h.Calls, h.All)
		add("host, outside of OpenACC", h.Outside(), h.All)
	}
	if m := s.MPI; m.Processes > 0 {
		add("MPI, calls", m.Time, m.Whole)
		if m.Waiting {
			add("MPI, calls, for late ranks", m.Waited, m.Whole)
			add("MPI, calls, transfer", m.Time-m.Waited, m.Whole)
		}
		add("MPI, computation", max(m.Whole-m.Time, 0), m.Whole)
	}
	return table, nil
}
