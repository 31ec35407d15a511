package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// ReaderCommand is the argument that a program which uses Serve is started with
// to become a reader; it must then call ReadTraces.
const ReaderCommand = "read-traces"

// readerSocket is the descriptor on which a reader is asked.
const readerSocket = 3

// The limits of a reader. A trace that makes it want more ends it, and nothing
// else.
const (
	readerMemory  = 3 << 30 // bytes of data, the kernel ends it there
	readerHeap    = 1 << 30 // bytes that the collector of garbage tries to keep to
	readerFile    = 4 << 30 // bytes of a temporary file
	readerHandles = 256
)

// reader is the part of the server that has the traces open. It runs in a
// process of its own, because a damaged file may lead to faults that no process
// survives, or to more memory than there is.
type reader struct {
	files   []*file
	sources []string
	then    string        // see Options
	queries chan struct{} // slots of the SQL console
	over    chan struct{} // closed when no program writes the first trace
	end     func()        // closes it
	// finished is closed when the first trace is complete, or nobody completes it;
	// finish closes it. progress is how far that is, nil before it is known.
	finished chan struct{}
	finish   func()
	followed bool // a program wrote the first trace when it was opened
	progress atomic.Pointer[finishing]
	// followers is how many pages follow that program.
	followers atomic.Int32
}

// runs says whether a program writes the first trace.
func (r *reader) runs() bool {
	select {
	case <-r.over:
		return false
	default:
		return true
	}
}

// complete says whether the first trace is finished, or nobody finishes it.
func (r *reader) complete() bool {
	select {
	case <-r.finished:
		return true
	default:
		return false
	}
}

// readerConfig is the first thing that a reader is told.
type readerConfig struct {
	Traces  []string
	Sources []string
	Running bool // the first trace is being written
	Then    string
	Held    bool // and must not be open now
	Trusted bool
	Dropped bool // the second trace came through the page, from wherever
}

func openReader(c readerConfig) (*reader, error) {
	r := &reader{sources: c.Sources, then: c.Then, followed: c.Running, queries: make(chan struct{}, 2), over: make(chan struct{}), finished: make(chan struct{})}
	r.end = sync.OnceFunc(func() { close(r.over) })
	r.finish = sync.OnceFunc(func() { close(r.finished) })
	for i, path := range c.Traces {
		f, err := openFile(path, i == 0 && c.Running, c.Trusted && !(i == 1 && c.Dropped))
		if err != nil {
			r.close()
			return nil, err
		}
		r.files = append(r.files, f)
	}
	if !c.Running {
		r.end()
		r.finish()
	}
	if c.Held {
		r.files[0].paused.Lock()
	}
	return r, nil
}

func (r *reader) close() {
	for _, f := range r.files {
		f.close()
	}
}

// ReadTraces is what a reader does until the server that started it ends.
func ReadTraces() error {
	for resource, most := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_DATA: readerMemory, unix.RLIMIT_FSIZE: readerFile,
		unix.RLIMIT_NOFILE: readerHandles} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("cannot limit what reading a trace may take: %w", err)
		}
	}
	signal.Ignore(syscall.SIGXFSZ) // writing fails instead
	debug.SetMemoryLimit(readerHeap)
	socket := os.NewFile(readerSocket, "socket")
	conn, err := net.FileConn(socket)
	if err != nil {
		return fmt.Errorf("%s is started by accscope serve: %w", ReaderCommand, err)
	}
	if err := socket.Close(); err != nil {
		return err
	}
	var o opening
	server := &http.Server{Handler: &o, Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: math.MaxInt16}}
	server.Protocols.SetUnencryptedHTTP2(true)
	err = server.Serve(&oneConnection{conn: &watched{Conn: conn, gone: make(chan struct{})}})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// opening is a reader that is told by its first request what to open.
type opening struct {
	once    sync.Once
	handler http.Handler
}

// opened answers what became of the opening.
type opened struct {
	Error string `json:"error"`
}

func (o *opening) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	o.once.Do(func() {
		var config readerConfig
		err := json.NewDecoder(request.Body).Decode(&config)
		var r *reader
		if err == nil {
			r, err = openReader(config)
		}
		if err != nil {
			writeJSON(w, opened{err.Error()})
			return
		}
		o.handler = r.handler()
		writeJSON(w, opened{})
		request = nil
	})
	switch {
	case request == nil:
	case o.handler == nil:
		writeError(w, http.StatusInternalServerError, "the traces could not be opened")
	default:
		o.handler.ServeHTTP(w, request)
	}
}

// handler answers the routes that read traces, and what the server says of
// them under /control/, where no browser gets to.
func (r *reader) handler() http.Handler {
	mux := http.NewServeMux()
	for _, o := range routes() {
		if o.front == nil {
			mux.Handle(o.path, r.routed(o))
		}
	}
	mux.HandleFunc("/control/hold", func(http.ResponseWriter, *http.Request) { r.files[0].paused.Lock() })
	mux.HandleFunc("/control/over", func(http.ResponseWriter, *http.Request) { r.end() })
	mux.HandleFunc("/control/finishing", r.finishes)
	mux.HandleFunc("/control/ended", r.ended)
	return mux
}

// oneConnection is a listener that has one connection, and ends with it.
type oneConnection struct {
	conn *watched
	done bool
}

func (l *oneConnection) Accept() (net.Conn, error) {
	if !l.done {
		l.done = true
		return l.conn, nil
	}
	<-l.conn.gone
	return nil, io.EOF
}

func (l *oneConnection) Close() error   { return nil }
func (l *oneConnection) Addr() net.Addr { return l.conn.LocalAddr() }

// watched is a connection that tells when it is closed.
type watched struct {
	net.Conn
	once sync.Once
	gone chan struct{}
}

func (w *watched) Close() error {
	w.once.Do(func() { close(w.gone) })
	return w.Conn.Close()
}
