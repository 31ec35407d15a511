package advice

import "slices"

const (
	// fewestOfRows is how many rows it takes to say what one of them usually takes.
	fewestOfRows = 8
	// mostOfUsual is how many times what three quarters of the rows stay below a row counts at
	// most: the first use of memory, or a machine that does something else, is not gained again.
	mostOfUsual = 4
)

// robust are rows of which none counts much more than the others: not the median bounds them, as
// the rows of a finding may be of two kinds, such as the begin of a region and its end.
func robust(rows []occurrence) []occurrence {
	host := usual(rows, func(o *occurrence) int64 { return o.end - o.start })
	device := usual(rows, func(o *occurrence) int64 { return o.deviceEnd - o.deviceStart })
	if host == 0 && device == 0 {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		o := &rows[i]
		if host > 0 {
			o.end = min(o.end, o.start+mostOfUsual*host)
		}
		if device > 0 {
			o.deviceEnd = min(o.deviceEnd, o.deviceStart+mostOfUsual*device)
		}
	}
	return rows
}

// usual is what three quarters of the rows that take any time stay below; 0: too few do.
func usual(rows []occurrence, took func(*occurrence) int64) int64 {
	var times []int64
	for i := range rows {
		if t := took(&rows[i]); t > 0 {
			times = append(times, t)
		}
	}
	if len(times) < fewestOfRows {
		return 0
	}
	slices.Sort(times)
	return times[(3*len(times)-1)/4]
}
