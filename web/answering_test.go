package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// unread opens a connection that asks for a path and reads nothing of the answer.
func unread(t *testing.T, address, path, token string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(2048); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, address, token); err != nil {
		t.Fatal(err)
	}
}

// Clients that do not read their answers keep nobody else from theirs, and the end of the
// program's trace neither.
func TestUnreadAnswersKeepNobody(t *testing.T) {
	const large = "/api/sql?sql=SELECT+zeroblob(4000000)+FROM+events&rows=100000"
	s := serveGenerated(t, 3000)
	address := s.root()[len("http://"):]
	for range 8 {
		unread(t, address, large, s.token)
		unread(t, address, large+"&format=csv", s.token)
	}
	for _, path := range []string{"/api/sql?sql=SELECT+1", "/api/sql?sql=SELECT+1&format=csv", "/api/overview", "/api/summary", "/api/compare", "/api/timeline?pixels=1000"} {
		if status, body := fetch(t, s, path); status != http.StatusOK {
			t.Errorf("%s: status %d: %.200s", path, status, body)
		}
	}
}

// An answer that nobody reads ends.
func TestUnreadAnswerEnds(t *testing.T) {
	ended := make(chan error)
	server := httptest.NewServer(answered(time.Millisecond, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for part := make([]byte, 1<<20); err == nil; {
			_, err = w.Write(part)
		}
		ended <- err
	})))
	defer server.Close()
	unread(t, server.Listener.Addr().String(), "/", "")
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it ends with %v", err)
	}
}
