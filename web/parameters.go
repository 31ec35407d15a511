package web

import (
	"net/url"
	"strconv"
	"strings"
)

// timeLimit bounds the times of a request and of a trace, ns either way, so that
// differences of them fit (about 73 years).
const timeLimit = int64(1) << 61

// maxPixels is the widest screen that is answered for.
const maxPixels = 16384

// parameters reads a request's query and keeps the first error.
type parameters struct {
	values url.Values
	err    error
}

func (p *parameters) text(name string) string { return p.values.Get(name) }

func (p *parameters) integer(name string, otherwise, low, high int64) int64 {
	text := p.values.Get(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if (err != nil || n < low || n > high) && p.err == nil {
		p.err = badRequest("parameter %s is %q: want a whole number from %d to %d", name, text, low, high)
	}
	return n
}

func (p *parameters) required(name string, low, high int64) int64 {
	if p.values.Get(name) == "" && p.err == nil {
		p.err = badRequest("parameter %s is missing", name)
	}
	return p.integer(name, low, low, high)
}

// numbers reads a list separated by commas; nil if there is none.
func (p *parameters) numbers(name string, most int) []int64 {
	text := p.values.Get(name)
	if text == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	if len(parts) > most && p.err == nil {
		p.err = badRequest("parameter %s names %d: at most %d", name, len(parts), most)
		return nil
	}
	list := make([]int64, len(parts))
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil && p.err == nil {
			p.err = badRequest("parameter %s: %q is no number", name, part)
		}
		list[i] = n
	}
	return list
}

// window is a part of the trace's time, ns, [from, to), and a width to show it in.
type window struct {
	from, to int64
	pixels   int
}

// window reads from, to and pixels; the default is the whole trace.
func (r *request) window() (window, error) {
	first, last, err := r.trace.Extent()
	if err != nil {
		return window{}, err
	}
	first, last = bounded(first), bounded(last)
	w := window{from: r.values.integer("from", first, -timeLimit, timeLimit), to: r.values.integer("to", last+1, -timeLimit, timeLimit),
		pixels: int(r.values.integer("pixels", 1000, 1, maxPixels))}
	if r.values.err != nil {
		return w, r.values.err
	}
	if w.to <= w.from {
		return w, badRequest("the window ends (to %d) before it begins (from %d)", w.to, w.from)
	}
	return w, nil
}

// bounded keeps a time of the trace where there is room for windows around it.
func bounded(t int64) int64 { return min(max(t, -timeLimit/2), timeLimit/2) }
