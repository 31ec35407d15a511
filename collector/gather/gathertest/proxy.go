// Package gathertest has, for tests, a network that can be cut: a place at which a server
// is reached, wherever it is by now.
package gathertest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy passes what comes at its address on to a server. It keeps its address while
// servers come and go.
type Proxy struct {
	listener net.Listener
	mu       sync.Mutex
	to       string
	cut      bool
	open     map[net.Conn]bool
	work     sync.WaitGroup
}

// New begins to listen, with no server.
func New(t testing.TB) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, open: map[net.Conn]bool{}}
	p.work.Add(1)
	go p.accept()
	t.Cleanup(func() {
		listener.Close()
		p.Cut()
		p.work.Wait()
	})
	return p
}

// Address is where the server is reached, HOST:PORT.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// To says where the server is from now on.
func (p *Proxy) To(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = address
}

// Cut ends all connections and lets none come about until Mend.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for conn := range p.open {
		conn.Close()
	}
}

// Mend ends a Cut.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

func (p *Proxy) accept() {
	defer p.work.Done()
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Add(1)
		go p.serve(conn)
	}
}

// keep notes an open connection; false where the network is cut.
func (p *Proxy) keep(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cut {
		p.open[conn] = true
	}
	return !p.cut
}

func (p *Proxy) forget(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
	conn.Close()
}

func (p *Proxy) serve(conn net.Conn) {
	defer p.work.Done()
	defer p.forget(conn)
	p.mu.Lock()
	to := p.to
	p.mu.Unlock()
	if to == "" || !p.keep(conn) {
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer p.forget(server)
	if !p.keep(server) {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{conn, server}, {server, conn}} {
		both.Go(func() {
			io.Copy(way[0], way[1]) //nolint:errcheck // it ends with the connection
			way[0].Close()
			way[1].Close()
		})
	}
	both.Wait()
}
