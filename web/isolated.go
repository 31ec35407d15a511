package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// isolated is the server's side of the reader: it starts the process, passes
// requests on to it, and starts another one where it has died.
type isolated struct {
	mutex   sync.Mutex
	config  readerConfig
	process *readerProcess // nil: none was started yet, or it has died
	closed  bool
	failed  time.Time // of the newest death
	dropped string    // folder of the second trace, where that came through the page
	proxy   *httputil.ReverseProxy
}

// readerProcess is one life of the reader.
type readerProcess struct {
	command *exec.Cmd
	conn    net.Conn
	client  *http.Transport
	words   *tail
	ended   chan struct{} // closed when it has
	err     error         // how, then
}

// restEach is how long a reader that died at once is left dead.
const restEach = time.Second

func isolate(ctx context.Context, config readerConfig) (*isolated, error) {
	i := &isolated{config: config}
	i.proxy = &httputil.ReverseProxy{Transport: i, ErrorHandler: i.failure, FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(&url.URL{Scheme: "http", Host: "reader"})
		p.Out.Header = http.Header{} // the reader need not know who asks
	}}
	_, err := i.reach(ctx)
	if err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

func (i *isolated) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.proxy.ServeHTTP(w, r) }

// RoundTrip passes a request on to the reader.
func (i *isolated) RoundTrip(r *http.Request) (*http.Response, error) {
	p, err := i.reach(r.Context())
	if err != nil {
		return nil, err
	}
	response, err := p.client.RoundTrip(r)
	if err != nil && r.Context().Err() == nil {
		return nil, p.why(err)
	}
	return response, err
}

// failure tells the client that the reader has died of its request, or of
// another one.
func (i *isolated) failure(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody waits for it
	}
	writeError(w, http.StatusBadGateway, err.Error())
}

// reach gives the reader, a new one where there is none.
func (i *isolated) reach(ctx context.Context) (*readerProcess, error) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.closed {
		return nil, errServerEnded
	}
	if p := i.process; p != nil {
		select {
		case <-p.ended:
			log.Printf("accscope: %v", p.why(nil))
			i.process, i.failed = nil, time.Now()
		default:
			return p, nil
		}
	}
	// One that dies again and again shall not take a processor.
	select {
	case <-time.After(time.Until(i.failed.Add(restEach))):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := startReader()
	if err != nil {
		return nil, err
	}
	var answer opened
	if err := p.tell(ctx, "open", i.config, &answer); err != nil {
		p.end()
		i.failed = time.Now()
		return nil, err
	}
	if answer.Error != "" {
		p.end()
		return nil, errorText(answer.Error)
	}
	i.process = p
	return p, nil
}

// tell changes what is known of the traces, and tells the reader if there is one.
func (i *isolated) tell(word string, change func(*readerConfig)) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	change(&i.config)
	if p := i.process; p != nil {
		// A reader that has died has nothing open; the next one is told all.
		_ = p.tell(context.Background(), word, nil, nil)
	}
}

// path is where the first trace is.
func (i *isolated) path() string {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.config.Traces[0]
}

func (i *isolated) close() {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.closed = true
	if i.dropped != "" {
		os.RemoveAll(i.dropped) //nolint:errcheck // a temporary folder
	}
	if i.process != nil {
		i.process.end()
	}
}

// errorText is an error that came as text.
type errorText string

func (e errorText) Error() string { return string(e) }

const errServerEnded = errorText("the server is ending")

func startReader() (*readerProcess, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot start the process that reads traces: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "reader"), os.NewFile(uintptr(ends[1]), "server")
	defer ours.Close()
	defer theirs.Close()
	p := &readerProcess{words: new(tail), ended: make(chan struct{})}
	if p.conn, err = net.FileConn(ours); err != nil {
		return nil, fmt.Errorf("cannot start the process that reads traces: %w", err)
	}
	p.command = exec.Command("/proc/self/exe", ReaderCommand)
	p.command.Args[0] = os.Args[0]
	p.command.ExtraFiles = []*os.File{theirs}
	p.command.Stderr = p.words
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the server, with which it ends
	if err := p.command.Start(); err != nil {
		p.conn.Close() //nolint:errcheck // nothing was sent
		return nil, fmt.Errorf("cannot start the process that reads traces: %w", err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	var once sync.Once
	p.client = &http.Transport{Protocols: new(http.Protocols), DisableCompression: true,
		DialContext: func(context.Context, string, string) (conn net.Conn, err error) {
			err = net.ErrClosed
			once.Do(func() { conn, err = p.conn, nil })
			return conn, err
		}}
	p.client.Protocols.SetUnencryptedHTTP2(true)
	return p, nil
}

// tell sends the process a word of the server's.
func (p *readerProcess) tell(ctx context.Context, word string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://reader/control/"+word, bytes.NewReader(data))
	if err != nil {
		return err
	}
	response, err := p.client.RoundTrip(request)
	if err != nil {
		return p.why(err)
	}
	defer response.Body.Close()
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return p.why(err)
	}
	return nil
}

// endsWithin is how long the process may take to end once it has left its connection.
const endsWithin = 5 * time.Second

// why says what became of a request that the process did not answer.
func (p *readerProcess) why(err error) error {
	select {
	case <-p.ended:
	case <-time.After(endsWithin):
		return fmt.Errorf("the process that reads the trace did not answer: %w", err)
	}
	return fmt.Errorf("the process that reads the trace has ended (%s); another one is started for the next request. The trace may be damaged, or the request too large", p.how())
}

// how says how the process has ended.
func (p *readerProcess) how() string {
	text := "it left"
	if p.err != nil {
		text = p.err.Error()
	}
	if word := p.words.first(); word != "" {
		text += ": " + word
	}
	return text
}

// end ends the process.
func (p *readerProcess) end() {
	p.client.CloseIdleConnections()
	p.conn.Close() //nolint:errcheck // it has ended
	select {
	case <-p.ended:
	case <-time.After(2 * time.Second):
		p.command.Process.Kill() //nolint:errcheck // it has ended
		<-p.ended
	}
}

// tail keeps the beginning of what the process says of its end.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

func (t *tail) Write(data []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, data[:min(len(data), 4096-len(t.text))]...)
	return len(data), nil
}

func (t *tail) first() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(string(t.text)), "\n")
	return line
}
