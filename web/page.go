package web

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
)

// dist is the page as web/ui builds it.
//
//go:embed dist
var dist embed.FS

//go:embed openapi.yaml
var openAPI []byte

var pageTypes = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}

// page serves the embedded files.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	if !fs.ValidPath(name) {
		refuse(w, r, http.StatusNotFound, "there is no such page")
		return
	}
	body, err := fs.ReadFile(dist, "dist/"+name)
	if err != nil {
		refuse(w, r, http.StatusNotFound, fmt.Sprintf("there is no page %q", name))
		return
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		w.Header().Set("Content-Type", pageTypes[name[i:]])
	}
	w.Write(body) //nolint:errcheck // the client has gone
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	w.Write(openAPI) //nolint:errcheck // the client has gone
}
