package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Who has no right to read gets nothing, whatever is asked for.
func TestGuard(t *testing.T) {
	s := serveGenerated(t, 500)
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, test := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"token", func(*http.Request) {}, http.StatusOK},
		{"no token", header("Authorization", ""), http.StatusUnauthorized},
		{"wrong token", header("Authorization", "Bearer "+strings.Repeat("0", 48)), http.StatusUnauthorized},
		{"wrong cookie", func(r *http.Request) {
			r.Header.Del("Authorization")
			r.AddCookie(&http.Cookie{Name: s.cookie, Value: "x"})
		}, http.StatusUnauthorized},
		{"token as cookie", func(r *http.Request) {
			r.Header.Del("Authorization")
			r.AddCookie(&http.Cookie{Name: s.cookie, Value: s.token})
		}, http.StatusOK},
		{"wrong host", func(r *http.Request) { r.Host = "attacker.example" }, http.StatusMisdirectedRequest},
		{"host of another port", func(r *http.Request) { r.Host = "127.0.0.1:1" }, http.StatusMisdirectedRequest},
		{"localhost", func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }, http.StatusOK},
		{"own origin", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) }, http.StatusOK},
		{"other origin", header("Origin", "http://attacker.example"), http.StatusForbidden},
		{"origin of a sandboxed frame", header("Origin", "null"), http.StatusForbidden},
		{"request of another site", header("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"request of another port", header("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		{"request of the page", header("Sec-Fetch-Site", "same-origin"), http.StatusOK},
		{"writing", func(r *http.Request) { r.Method = http.MethodPost }, http.StatusMethodNotAllowed},
		{"preflight", func(r *http.Request) { r.Method = http.MethodOptions }, http.StatusMethodNotAllowed},
	} {
		for _, path := range []string{"/api/overview", "/api/sql?sql=SELECT+1", "/page.js"} {
			t.Run(test.name+path, func(t *testing.T) {
				status, body := fetch(t, s, path, test.change)
				if status != test.status {
					t.Errorf("status %d, want %d: %s", status, test.status, body)
				}
				if status != http.StatusOK && !strings.Contains(string(body), `"error"`) {
					t.Errorf("the refusal says nothing: %s", body)
				}
			})
		}
	}
}

func TestTokenBecomesCookie(t *testing.T) {
	s := serveGenerated(t, 500)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(url string) *http.Response {
		t.Helper()
		response, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	if r := get(s.root() + "/?token=guess"); r.StatusCode != http.StatusUnauthorized || len(r.Cookies()) > 0 {
		t.Errorf("a wrong token: status %d, cookies %v", r.StatusCode, r.Cookies())
	}
	r := get(s.URL())
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" || len(r.Cookies()) != 1 {
		t.Fatalf("the token: status %d, location %q, cookies %v", r.StatusCode, r.Header.Get("Location"), r.Cookies())
	}
	if c := r.Cookies()[0]; c.Value != s.token || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %v: want HttpOnly and SameSite=Strict", c)
	}
	for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin"} {
		if got := r.Header.Get(name); !strings.Contains(got, want) {
			t.Errorf("header %s is %q: want %q", name, got, want)
		}
	}
	if policy := r.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("the policy is not strict: %s", policy)
	}
}

func TestServesLoopbackOnly(t *testing.T) {
	s := serveGenerated(t, 500)
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		t.Errorf("listening on %s", u.Host)
	}
}

// Only embedded files are served, whatever the path looks like.
func TestPathTraversal(t *testing.T) {
	s := serveGenerated(t, 500)
	u, err := url.Parse(s.root())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/../web.go", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/....//etc/passwd", "//etc/passwd", "/dist", "/.",
		"/page.js/../../web.go", "/api/../../etc/passwd", "/\\..\\web.go"} {
		t.Run(path, func(t *testing.T) {
			conn, err := net.Dial("tcp", u.Host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			// As it stands, which a client would have tidied.
			if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", path, u.Host, s.token); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode == http.StatusOK || strings.Contains(string(body), "root:") || strings.Contains(string(body), "package web") {
				t.Errorf("status %d: %.200s", response.StatusCode, body)
			}
		})
	}
}
