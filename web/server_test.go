package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/runtime/leftover"
)

// TestMain makes the test program the reader of the servers that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == ReaderCommand {
		if err := ReadTraces(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := leftover.Main(m)
	if benchFile != "" {
		os.RemoveAll(filepath.Dir(benchFile))
	}
	os.Exit(status)
}

func serveGenerated(t testing.TB, spans int) *Server {
	t.Helper()
	return serve(t, Options{Traces: []string{tracetest.File(t, spans, 1), tracetest.File(t, spans/2, 2)}})
}

// serve runs a server until the test ends.
func serve(t testing.TB, options Options) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Serve(ctx, options)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func quote(text string) string { return strconv.Quote(text) }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// root is the server's address without its token.
func (s *Server) root() string {
	u, err := url.Parse(s.url)
	if err != nil {
		panic(err)
	}
	return "http://" + u.Host
}

// fetch asks with the token and gives status and body.
func fetch(t testing.TB, s *Server, path string, change ...func(*http.Request)) (int, []byte) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.root()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	for _, f := range change {
		f(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

// answer decodes what a path gives.
func answer[T any](t testing.TB, s *Server, path string) T {
	t.Helper()
	status, body := fetch(t, s, path)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", path, status, body)
	}
	var out T
	decodeStrictly(t, body, &out)
	return out
}

// decodeStrictly wants every field of the answer in the type, and each field of
// the type in the answer.
func decodeStrictly(t testing.TB, body []byte, out any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(out); err != nil {
		t.Fatalf("%v in %.500s", err, body)
	}
	var given, known any
	again, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.Unmarshal(body, &given), json.Unmarshal(again, &known)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(given, known) {
		t.Errorf("the answer is not what its type says: %.500s", body)
	}
}
