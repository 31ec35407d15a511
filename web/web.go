// Package web serves a trace to a browser: an HTTP server on the loopback
// interface, a JSON API (openapi.yaml) and a page that needs nothing else from
// anywhere. It shows finished traces and those that are being written.
//
// The server changes nothing: every connection to a trace is read-only, and every
// request is a GET but the one that brings a trace to compare with. Who may read is decided by a random token and by the Host
// and Origin of a request.
package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options say what to serve and where.
type Options struct {
	// Traces are the files to show; a second one is compared with the first. The
	// first may be one that is being written, or that is yet to come if Running is
	// set.
	Traces []string
	// Address is where to listen; "" means a free port of 127.0.0.1.
	Address string
	// Hosts are further names, without port, that requests may give as their Host.
	Hosts []string
	// Sources are folders in which the sources named by the trace are looked for,
	// beside the places that it names.
	Sources []string
	// Trusted leaves out the check of the files: they were made here.
	Trusted bool
	// Running says that a program runs that writes the first trace.
	Running bool
	// Then is a command that shows the trace once the server has ended with the
	// program; "" where it serves on.
	Then string
	// Token replaces the random one; it must be hard to guess.
	Token string
}

// Server is a running server. What reads the traces runs in another process,
// which Serve starts: the program itself, with ReaderCommand.
type Server struct {
	reader *isolated
	token  string
	cookie string
	hosts  map[string]bool
	url    string
	done   chan struct{}
	err    error
}

// Serve starts a server, which ends with ctx.
func Serve(ctx context.Context, options Options) (*Server, error) {
	if len(options.Traces) == 0 || len(options.Traces) > 2 {
		return nil, fmt.Errorf("%d traces to serve: one is shown, two are compared", len(options.Traces))
	}
	s := &Server{token: options.Token, done: make(chan struct{}), hosts: make(map[string]bool)}
	if s.token == "" {
		random := make([]byte, 24)
		if _, err := rand.Read(random); err != nil {
			return nil, fmt.Errorf("no random token: %w", err)
		}
		s.token = hex.EncodeToString(random)
	}
	var err error
	if s.reader, err = isolate(ctx, readerConfig{Traces: slices.Clone(options.Traces), Sources: options.Sources, Running: options.Running, Then: options.Then,
		Trusted: options.Trusted}); err != nil {
		return nil, err
	}
	address := options.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		s.reader.close()
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address", address, err)
	}
	s.name(listener.Addr().(*net.TCPAddr), options.Hosts)
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 256 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	shut := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(shut)
		patience, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(patience) != nil {
			server.Close() //nolint:errcheck // nobody is left to be told
		}
	})
	go func() {
		defer close(s.done)
		if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.err = fmt.Errorf("serving %s: %w", s.url, err)
		}
		if !stop() {
			<-shut // those who were being answered have been
		}
		s.reader.close()
	}()
	return s, nil
}

// name finds out what the server may be called in requests, and its URL.
func (s *Server) name(at *net.TCPAddr, more []string) {
	port := fmt.Sprint(at.Port)
	names := append([]string{"127.0.0.1", "localhost", "::1"}, more...)
	host := "127.0.0.1"
	if !at.IP.IsUnspecified() {
		host = at.IP.String()
		names = append(names, host)
	} else if len(more) > 0 {
		host = more[0]
	}
	for _, name := range names {
		s.hosts[strings.ToLower(net.JoinHostPort(name, port))] = true
		if port == "80" {
			s.hosts[strings.ToLower(name)] = true
		}
	}
	s.cookie = "accscope-" + port
	s.url = "http://" + net.JoinHostPort(host, port) + "/?token=" + s.token
}

// URL is what to open in a browser; it holds the token.
func (s *Server) URL() string { return s.url }

// Wait waits until the server has ended.
func (s *Server) Wait() error {
	<-s.done
	return s.err
}
