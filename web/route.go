package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/store"
)

// patience is how long a request for data may take, from its turn on: of many at
// once, each waits for those before it.
const patience = 20 * time.Second

// route is a path of the API: what openapi.yaml says of it, a test
// compares.
type route struct {
	path       string
	parameters []string
	// answer reads the trace that the request names and gives what becomes JSON.
	answer func(*request) (any, error)
	// serve is for routes that write their answer themselves.
	serve func(*reader, http.ResponseWriter, *http.Request)
	// front is for those that read no trace: the server answers them itself.
	front func(*Server, http.ResponseWriter, *http.Request)
}

func routes() []route {
	return []route{
		{path: "/api/traces", serve: (*reader).listTraces},
		{path: "/api/overview", parameters: []string{"trace", "ranks"}, answer: overview},
		{path: "/api/summary", parameters: []string{"trace", "inside"}, answer: summary},
		{path: "/api/findings", parameters: []string{"trace"}, serve: (*reader).findings},
		{path: "/api/timeline", parameters: []string{"trace", "from", "to", "pixels", "lanes", "ranks"}, answer: timeline},
		{path: "/api/counters", parameters: []string{"trace", "from", "to", "pixels", "device"}, answer: counters},
		{path: "/api/sampled", parameters: []string{"trace", "from", "to", "pixels", "figures"}, answer: sampled},
		{path: "/api/samples", parameters: []string{"trace", "from", "to", "pixels", "tracks"}, answer: samples},
		{path: "/api/record", parameters: []string{"trace", "id"}, answer: recordDetail},
		{path: "/api/activity", parameters: []string{"trace", "id"}, answer: activityDetail},
		{path: "/api/arrows", parameters: []string{"trace", "record", "activity"}, answer: arrows},
		{path: "/api/statistics", parameters: []string{"trace", "from", "to"}, answer: statistics},
		{path: "/api/queues", parameters: []string{"trace", "from", "to", "pixels", "ranks"}, answer: queues},
		{path: "/api/ranks", parameters: []string{"trace", "from", "to", "pixels", "ranks"}, answer: rankMap},
		{path: "/api/variables", parameters: []string{"trace", "device", "from", "to", "pixels", "within"}, answer: variables},
		{path: "/api/mappings", parameters: []string{"trace", "at", "within"}, answer: mappings},
		{path: "/api/leaks", parameters: []string{"trace", "within"}, answer: leaks},
		{path: "/api/report", parameters: []string{"trace", "by", "tables", "from", "to", "top", "inside", "rank"}, answer: reportTables},
		{path: "/api/frames", parameters: []string{"trace", "inside"}, answer: frames},
		{path: "/api/flame", parameters: []string{"trace", "of", "from", "to", "inside"}, answer: flame},
		{path: "/api/durations", parameters: []string{"trace", "kernel", "from", "to", "inside"}, answer: durations},
		{path: "/api/kernels", parameters: []string{"trace"}, answer: kernels},
		{path: "/api/lines", parameters: []string{"trace", "symbol"}, answer: lines},
		{path: "/api/sources", parameters: []string{"trace"}, answer: sources},
		{path: "/api/source", parameters: []string{"trace", "file", "line", "around"}, answer: source},
		{path: "/api/search", parameters: []string{"trace", "text", "limit"}, answer: search},
		{path: "/api/next", parameters: []string{"trace", "text", "after", "before"}, answer: nextMatch},
		{path: "/api/compare", parameters: []string{"trace", "other", "by"}, serve: (*reader).compare},
		{path: "/api/schema", parameters: []string{"trace"}, answer: schema},
		{path: "/api/sql", parameters: []string{"trace", "sql", "rows", "seconds", "format"}, serve: (*reader).sql},
		{path: "/api/live", serve: (*reader).stream},
		{path: "/api/openapi.yaml", front: (*Server).openAPI},
	}
}

// handler is the whole server.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, o := range routes() {
		var next http.Handler = s.reader
		if o.front != nil {
			next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.front(s, w, r) })
		}
		mux.HandleFunc(o.path, func(w http.ResponseWriter, r *http.Request) {
			if err := o.accepts(r); err != nil {
				fail(w, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	mux.HandleFunc("POST "+secondPath, s.second)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "there is no "+r.URL.Path+"; /api/openapi.yaml lists what there is")
	})
	mux.HandleFunc("/", s.page)
	return answered(readWithin, s.guard(mux))
}

// accepts says whether a request has only parameters that the route takes.
func (o *route) accepts(r *http.Request) error {
	for name, values := range r.URL.Query() {
		if len(values) > 1 || !slices.Contains(o.parameters, name) {
			return badRequest("parameter %q: %s takes %s, each once", name, o.path, cmp.Or(strings.Join(o.parameters, ", "), "no parameters"))
		}
	}
	return nil
}

// request is one call of a route.
type request struct {
	ctx    context.Context
	reader *reader
	file   *file
	trace  *store.Trace
	values parameters
}

// routed turns a route into a handler.
func (s *reader) routed(o route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.serve != nil {
			defer recoverFault(w)
			o.serve(s, w, r)
			return
		}
		f, values := s.asked(r)
		if f == nil {
			fail(w, values.err)
			return
		}
		reply(w)(s.read(r.Context(), f, values, o.answer))
	})
}

// asked is the trace that a request is of, and its parameters; nil: there is no such trace.
func (s *reader) asked(r *http.Request) (*file, parameters) {
	values := parameters{values: r.URL.Query()}
	number := values.integer("trace", 0, 0, int64(len(s.files)-1))
	if values.err != nil {
		return nil, values
	}
	return s.files[number], values
}

// read runs what answers on a connection to a trace, when it is its turn; then it
// has patience. A fault that a damaged file leads to becomes an error.
func (s *reader) read(ctx context.Context, f *file, values parameters, answer func(*request) (any, error)) (result any, err error) {
	trace, err := f.acquire(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	trace.Interrupt(ctx.Done())
	result, err = s.readOn(ctx, f, trace, values, answer)
	return result, explain(ctx, err)
}

// readOn is read on a connection that has been acquired; it releases it.
func (s *reader) readOn(ctx context.Context, f *file, trace *store.Trace, values parameters, answer func(*request) (any, error)) (result any, err error) {
	q := &request{ctx: ctx, reader: s, file: f, trace: trace, values: values}
	fault, err := guarded(f.where(), "reading the trace", func() (err error) {
		result, err = answer(q)
		return err
	})
	f.release(q.trace, fault)
	return result, err
}

// guarded does what reads a trace. A fault that a damaged file leads to becomes an error; the
// connection is in no known state then.
func guarded(path, what string, read func() error) (fault bool, err error) {
	fault = true
	defer func() {
		if fault {
			err = fmt.Errorf("%s: %s failed: %v", path, what, recover())
			log.Printf("accscope: %v\n%s", err, debug.Stack())
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = read()
	return false, err
}

func recoverFault(w http.ResponseWriter) {
	if fault := recover(); fault != nil {
		if fault == http.ErrAbortHandler {
			panic(fault)
		}
		log.Printf("accscope: %v\n%s", fault, debug.Stack())
		writeError(w, http.StatusInternalServerError, fmt.Sprintf("the request failed: %v", fault))
	}
}

// statusError is an error with an HTTP status.
type statusError struct {
	status int
	text   string
}

func (e statusError) Error() string { return e.text }

func badRequest(format string, args ...any) error {
	return statusError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return statusError{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// explain says what an interrupted query means.
func explain(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return statusError{http.StatusServiceUnavailable, fmt.Sprintf("this took longer than %v; choose a smaller part of the trace", patience)}
	}
	return err
}

func fail(w http.ResponseWriter, err error) {
	var known statusError
	if errors.As(err, &known) {
		writeError(w, known.status, known.text)
		return
	}
	writeError(w, http.StatusInternalServerError, err.Error())
}

func writeError(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body, err := json.Marshal(map[string]string{"error": text})
	if err == nil {
		w.Write(body) //nolint:errcheck // the client has gone
	}
}

// reply sends what was read, or why it was not.
func reply(w http.ResponseWriter) func(answer any, err error) {
	return func(answer any, err error) {
		if err != nil {
			fail(w, err)
			return
		}
		writeJSON(w, answer)
	}
}

func writeJSON(w http.ResponseWriter, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		writeError(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body) //nolint:errcheck // the client has gone
}
