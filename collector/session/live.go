package session

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/accscope/accscope/collector/model"
)

// The live stream: a client sends one Request, then the owner sends a Frame per
// interval. Each is a length of 4 bytes, big-endian, and as many bytes of JSON.

// Request is what a client wants to see.
type Request struct {
	Interval time.Duration `json:"interval"` // ns between frames; at least 10 ms
	Limits   model.Limits  `json:"limits"`
}

// Frame is one look at the model.
type Frame struct {
	View   *model.View `json:"view,omitempty"`
	Origin int64       `json:"origin"` // CLOCK_MONOTONIC that the view's times count from, ns
	Trace  string      `json:"trace"`  // path of the trace being written, "" if none
	// HandOver is set in the last frame of an owner that leaves while the session
	// goes on: whoever reads it may take the lock.
	HandOver bool `json:"hand_over,omitempty"`
}

const (
	maxFrame    = 256 << 20 // bytes; larger is a broken stream
	minInterval = 10 * time.Millisecond
)

// Server streams a model to whoever connects to the session's socket.
type Server struct {
	listener net.Listener
	look     func(model.Limits) Frame
	done     chan struct{}
	handOver bool
	clients  sync.WaitGroup
}

// Serve opens the session's socket; only the owner of the lock may. look gives a
// frame and is called from several goroutines.
func (s *Session) Serve(look func(model.Limits) Frame) (*Server, error) {
	path, folder, err := s.socket()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	// What a killed owner left.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("cannot open the session's socket: %w", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("cannot open the session's socket: %w", err)
	}
	// Its name goes through a descriptor that is closed by then.
	listener.SetUnlinkOnClose(false)
	server := &Server{listener: listener, look: look, done: make(chan struct{})}
	server.clients.Add(1)
	go server.accept()
	return server, nil
}

// socket is a name for the session's socket that is short enough for the
// kernel (108 bytes), whatever the folder's: through its descriptor.
func (s *Session) socket() (string, *os.File, error) {
	folder, err := os.Open(s.Folder)
	if err != nil {
		return "", nil, fmt.Errorf("cannot open the session: %w", err)
	}
	return filepath.Join("/proc/self/fd", fmt.Sprint(folder.Fd()), socketFile), folder, nil
}

func (s *Server) accept() {
	defer s.clients.Done()
	for {
		client, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.clients.Add(1)
		go func() {
			defer s.clients.Done()
			defer client.Close()
			s.stream(client)
		}()
	}
}

// stream serves one client until it or the server leaves. A client that does
// not read is dropped; it never holds up the owner.
func (s *Server) stream(client net.Conn) {
	var request Request
	if err := client.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return
	}
	if err := receive(bufio.NewReader(client), &request); err != nil {
		return
	}
	ticker := time.NewTicker(max(request.Interval, minInterval))
	defer ticker.Stop()
	for {
		if err := client.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
			return
		}
		if err := send(client, s.look(request.Limits)); err != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-s.done:
			last := s.look(request.Limits)
			last.HandOver = s.handOver
			// The client may have gone; then nobody misses the frame.
			_ = send(client, last)
			return
		}
	}
}

// Close sends each client a last frame and ends the stream. handOver tells them
// that the session goes on without an owner; release the lock before.
func (s *Server) Close(handOver bool) error {
	s.handOver = handOver
	close(s.done)
	err := s.listener.Close()
	s.clients.Wait()
	return err
}

// Client reads a session's live stream.
type Client struct {
	conn   net.Conn
	reader *bufio.Reader
}

// Dial connects to the owner of the session. Without one the error is that of
// the connection.
func (s *Session) Dial(ctx context.Context, request Request) (*Client, error) {
	path, folder, err := s.socket()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("nobody streams the session %s: %w", s.Name(), err)
	}
	if err := send(conn, request); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Client{conn: conn, reader: bufio.NewReaderSize(conn, 1<<16)}, nil
}

// Next waits for the next frame; io.EOF means that the owner has gone.
func (c *Client) Next() (Frame, error) {
	var f Frame
	err := receive(c.reader, &f)
	return f, err
}

// Close leaves.
func (c *Client) Close() error { return c.conn.Close() }

func send(w io.Writer, message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, len(body)+4), uint32(len(body))), body...))
	return err
}

func receive(r io.Reader, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return fmt.Errorf("live stream: a frame of %d bytes", n)
	}
	// The length is the other side's word: read as it comes instead of taking
	// the memory at once.
	body, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return err
	}
	if len(body) < int(n) {
		return io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(body, message); err != nil {
		return fmt.Errorf("live stream: %w", err)
	}
	return nil
}
