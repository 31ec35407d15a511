package main

import (
	"bufio"
	"context"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Without a terminal the page ends with the program, and what shows the trace is
// said.
func TestRunWebEndsWithTheProgram(t *testing.T) {
	folder := record(t, strings.Replace(twoKernels, "return 0", "return 3", 1))
	r := invoke(t, folder, "run", "--web", "--no-summary", "--device", "sim", "--force", "-o", "trace.db", "--", "./program")
	if r.status != 3 || !strings.Contains(r.stderr, "accscope: open http://127.0.0.1:") ||
		!strings.Contains(r.stderr, "the page has ended with the program: accscope serve trace.db shows the trace\n") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
	if r := invoke(t, folder, "run", "--hold", "--", "./program"); r.status != exitUsage || !strings.Contains(r.stderr, "go with --web") {
		t.Errorf("--hold alone: status %d\n%s", r.status, r.stderr)
	}
}

// With --hold the page stays until it is asked to end, and the desktop is asked to
// open it unless the user does not want that.
func TestRunWebHolds(t *testing.T) {
	for name, flags := range map[string][]string{"opened": nil, "not opened": {"--no-open"}} {
		t.Run(name, func(t *testing.T) {
			folder := record(t, twoKernels)
			// The desktop's opener keeps what it is given; the program waits for it.
			opened := filepath.Join(folder, "opened")
			if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte(`#!/bin/sh
{ echo "$1"; cat "$1"; } > `+opened+`.new
mv `+opened+`.new `+opened+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			script := "./program; until [ -e opened ]; do sleep 0.01; done"
			if flags != nil {
				script = "./program"
			}
			// The run that does not end when it is asked to is a failure, no wait for ever.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, accscope, append(append([]string{"run", "--web", "--hold", "-q", "--device", "sim", "--force", "-o", "trace.db"}, flags...),
				"--", "sh", "-c", script)...)
			command.Dir = folder
			command.Env = append(os.Environ(), "DISPLAY=:0", "PATH="+folder+":"+os.Getenv("PATH"))
			stderr, err := command.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			address := ""
			lines := bufio.NewScanner(stderr)
			for lines.Scan() && !strings.Contains(lines.Text(), "stays open until") {
				if found := regexp.MustCompile(`open (http://\S+)`).FindStringSubmatch(lines.Text()); found != nil {
					address = found[1]
				}
			}
			if flags == nil { // else Ctrl-C comes at once: the line has promised that it may
				answers(t, address)
			}
			if err := command.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() {
			}
			if err := command.Wait(); err != nil {
				t.Errorf("the run ended with %v", err)
			}
			content, err := os.ReadFile(opened)
			if flags != nil {
				if err == nil {
					t.Errorf("the desktop was asked to open %s", content)
				}
				return
			}
			page, text, _ := strings.Cut(string(content), "\n")
			if err != nil || !strings.Contains(text, "url="+address+"\"") || strings.Contains(page, "http") {
				t.Errorf("%v: the desktop was asked to open %q with\n%s\nnot %s", err, page, text, address)
			}
			if _, err := os.Stat(page); !os.IsNotExist(err) {
				t.Errorf("%s is left", page)
			}
		})
	}
}

// answers opens a page as a browser does.
func answers(t *testing.T, address string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(address)
	if err != nil {
		t.Errorf("after the run %q answers %v", address, err)
		return
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("after the run %q answers %s", address, response.Status)
	}
}
