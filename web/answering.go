package web

import (
	"net/http"
	"time"
)

// readWithin is how long a client may take to read what was written of an answer. One that
// does not gets no more, so that it keeps nothing that others wait for.
const readWithin = 20 * time.Second

// answering is a response whose parts have to be read within a time each.
type answering struct {
	http.ResponseWriter
	control *http.ResponseController
	within  time.Duration
}

// answered has next answer each request so.
func answered(within time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answering{w, http.NewResponseController(w), within}
		defer a.begin() // what is still buffered
		next.ServeHTTP(a, r)
	})
}

// begin gives the next part its time.
func (a *answering) begin() {
	// A writer of a test may have no deadlines; a connection has.
	_ = a.control.SetWriteDeadline(time.Now().Add(a.within))
}

func (a *answering) WriteHeader(status int) {
	a.begin()
	a.ResponseWriter.WriteHeader(status)
}

func (a *answering) Write(data []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(data)
}

// FlushError is what http.ResponseController calls.
func (a *answering) FlushError() error {
	a.begin()
	return a.control.Flush()
}

// Unwrap is for http.ResponseController.
func (a *answering) Unwrap() http.ResponseWriter { return a.ResponseWriter }
