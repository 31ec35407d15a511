package web

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// Answers that have to read many mappings say how far they got in the time that they
// were given.
func TestMemoryOfManyMappings(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 20000, 1)}})
	last := answer[overviewAnswer](t, s, "/api/overview").Meta.Last
	all, part := answer[variablesAnswer](t, s, "/api/variables?device=1&within=20000"), answer[variablesAnswer](t, s, "/api/variables?device=1&within=0")
	if all.Until != -1 || part.Until < 0 || part.Until > last || len(part.Variables) > len(all.Variables) {
		t.Errorf("variables until %d and, in no time, until %d of %d", all.Until, part.Until, last)
	}
	compare := func(path string, all, part int64, mappings []mapping) {
		if all != -1 || part < 0 || part > last {
			t.Errorf("%s: until %d and, in no time, until %d of %d", path, all, part, last)
		}
		for _, m := range mappings {
			if m.Start > part {
				t.Errorf("%s: a mapping of %d, read until %d", path, m.Start, part)
			}
		}
	}
	path := fmt.Sprintf("/api/mappings?at=%d", last)
	some := answer[mappingsAnswer](t, s, path+"&within=0")
	compare(path, answer[mappingsAnswer](t, s, path+"&within=20000").Until, some.Until, some.Mappings)
	left := answer[leaksAnswer](t, s, "/api/leaks?within=0")
	compare("/api/leaks", answer[leaksAnswer](t, s, "/api/leaks?within=20000").Until, left.Until, slices.Concat(left.Mappings, left.Open))
}

// Of many requests at once each is answered.
func TestManyRequestsAtOnce(t *testing.T) {
	s := serveGenerated(t, 3000)
	paths := []string{"/api/timeline?pixels=1000", "/api/variables?device=1", "/api/leaks", "/api/sql?sql=SELECT+count(*)+FROM+record", "/api/compare"}
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			if status, body := fetch(t, s, paths[i%len(paths)]); status != http.StatusOK {
				t.Errorf("%s: status %d: %s", paths[i%len(paths)], status, body)
			}
		})
	}
	group.Wait()
}

// A request has its time from its turn on, however long it waits for that.
func TestTurnsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := openReader(readerConfig{Traces: []string{tracetest.File(t, 1000, 1)}, Trusted: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		for range readers {
			r.files[0].slots <- struct{}{}
		}
		done := make(chan error)
		go func() {
			_, err := r.read(t.Context(), r.files[0], parameters{}, overview)
			done <- err
		}()
		time.Sleep(10 * patience)
		<-r.files[0].slots
		if err := <-done; err != nil {
			t.Error(err)
		}
		for range readers - 1 {
			<-r.files[0].slots
		}
	})
}

// So many pages follow a program, and no more; one that leaves makes room.
func TestLiveConnectionsAreLimited(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 100, 1)}, Running: true})
	defer s.Over()
	follow := func(ctx context.Context) (status int, line string) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.Split(s.URL(), "?")[0]+"api/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		context.AfterFunc(ctx, func() { response.Body.Close() })
		line, err = bufio.NewReader(response.Body).ReadString('\n')
		if err != nil && response.StatusCode == http.StatusOK {
			t.Fatal(err)
		}
		return response.StatusCode, line
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range mostLive {
		if status, line := follow(ctx); status != http.StatusOK {
			t.Fatalf("status %d: %s", status, line)
		}
	}
	other, leave := context.WithCancel(t.Context())
	defer leave()
	if status, line := follow(other); status != http.StatusServiceUnavailable || !strings.Contains(line, "close one") {
		t.Errorf("one too many gets status %d: %s", status, line)
	}
	cancel()
	// It makes room once the server has seen it leave.
	for status := 0; status != http.StatusOK; status, _ = follow(other) {
		time.Sleep(time.Millisecond)
	}
}

// Of mappings more than are listed their number is told, in both lists of what was left.
func TestOmittedIsCounted(t *testing.T) {
	path := tracetest.File(t, 40000, 1)
	left := func(changes ...string) *leaksAnswer {
		tracetest.Change(t, path, changes...)
		a := answer[leaksAnswer](t, serve(t, Options{Traces: []string{path}}), "/api/leaks?within=20000")
		return &a
	}
	// Nothing is deleted any more, and no region left.
	open := left(fmt.Sprintf("UPDATE record SET link = 0 WHERE site IN (SELECT id FROM site WHERE kind IN (%d, %d))", model.Delete, model.Free),
		fmt.Sprintf("UPDATE site SET kind = %d WHERE kind = %d", model.UpdateStart, model.ExitDataStart),
		fmt.Sprintf("UPDATE site_detail SET kind_code = %d WHERE kind_code = %d", model.UpdateStart, model.ExitDataStart),
		"UPDATE process SET ended = 'killed'")
	never := left("UPDATE site SET parent_construct = (SELECT code FROM construct WHERE name = 'enter_data')",
		"UPDATE site_detail SET (parent_construct, construct) = (SELECT code, name FROM construct WHERE name = 'enter_data')",
		"UPDATE process SET ended = 'exited'", "INSERT INTO meta SELECT 'process_exit_' || id, 'status 0' FROM process")
	if len(open.Open) != mostMappings || open.More < 1 || len(never.Mappings) != mostMappings || never.Omitted < 1 {
		t.Errorf("open %d and %d more, never deleted %d and %d more", len(open.Open), open.More, len(never.Mappings), never.Omitted)
	}
	b := browse(t, serve(t, Options{Traces: []string{path}}).URL()+"#view=memory")
	b.wait("what is not listed to be told", fmt.Sprintf(`document.querySelector("main").textContent.includes("%d more are not listed")`, never.Omitted))
}
