package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

// contentPolicy lets the page load its own files and talk to its own server,
// and nothing else: no inline script or style, no other origin, no frames, no
// HTML made from strings.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// guard lets in who has the token, asks for a host that is this server, and
// comes from no other site.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !s.hosts[strings.ToLower(r.Host)] {
			refuse(w, r, http.StatusMisdirectedRequest, "this server does not go by the name in the request's Host; open the address that it printed")
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != http.MethodPost || r.URL.Path != secondPath) {
			h.Set("Allow", "GET, HEAD")
			writeError(w, http.StatusMethodNotAllowed, "nothing can be changed here: only GET is answered")
			return
		}
		if !s.sameOrigin(r) {
			refuse(w, r, http.StatusForbidden, "requests from other sites are not answered")
			return
		}
		if r.URL.Path == "/" && r.URL.Query().Has("token") {
			s.enter(w, r)
			return
		}
		if !s.known(r) {
			refuse(w, r, http.StatusUnauthorized, "open the whole URL that accscope printed, with its token")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sameOrigin says whether a request comes from the page itself, from the
// address bar, or from no browser.
func (s *Server) sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	// A link to the page may be followed from anywhere.
	return r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// enter takes the token out of the address bar into a cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if !s.matches(r.URL.Query().Get("token")) {
		refuse(w, r, http.StatusUnauthorized, "the token is wrong: it is another one each time accscope serve starts")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookie, Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) known(r *http.Request) bool {
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.matches(given)
	}
	cookie, err := r.Cookie(s.cookie)
	return err == nil && s.matches(cookie.Value)
}

// matches compares in a time that tells nothing of the token.
func (s *Server) matches(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// refusal is what people see who may not see the page.
var refusal = template.Must(template.New("refusal").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>accscope</title></head>
<body><h1>accscope</h1><p>{{.}}.</p></body></html>
`))

// refuse says why there is no answer: as a page to a browser that asked for one.
func refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	if strings.HasPrefix(r.URL.Path, "/api/") || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		writeError(w, status, text)
		return
	}
	w.Header().Set("Content-Type", pageTypes[".html"])
	w.WriteHeader(status)
	refusal.Execute(w, strings.ToUpper(text[:1])+text[1:]) //nolint:errcheck // the client has gone
}
