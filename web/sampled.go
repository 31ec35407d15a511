package web

// sampledAnswer is how figures of processes and GPUs went, which were sampled while the
// programs ran.
type sampledAnswer struct {
	Figures []figure `json:"figures"`
}

// figure is how one of them went, in its unit.
type figure struct {
	Counter int64  `json:"counter"`
	Values  series `json:"values"`
}

// mostFigures is how many a request may name.
const mostFigures = 1000

// sampled gives figures in a window.
func sampled(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	wanted := r.values.numbers("figures", mostFigures)
	if r.values.err != nil {
		return nil, r.values.err
	}
	a := sampledAnswer{Figures: []figure{}}
	for _, id := range wanted {
		points, err := r.trace.Sampled().CounterCurve(id, w.from, w.to, w.pixels)
		if err != nil {
			return nil, err
		}
		a.Figures = append(a.Figures, figure{id, seriesOf(points)})
	}
	return &a, nil
}
