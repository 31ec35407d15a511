package gather

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/gather/agent"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/session"
)

// authority signs certificates for 127.0.0.1, and writes them as files.
func authority(t *testing.T) (ca string, certify func(name string) (cert, key string)) {
	t.Helper()
	folder := t.TempDir()
	var parent *x509.Certificate
	var parentKey *ecdsa.PrivateKey
	certify = func(name string) (cert, key string) {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			IsCA: parent == nil, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
		signer, signerKey := parent, parentKey
		if parent == nil {
			signer, signerKey, parent, parentKey = template, own, template, own
		}
		der, err := x509.CreateCertificate(rand.Reader, template, signer, &own.PublicKey, signerKey)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := x509.MarshalECPrivateKey(own)
		if err != nil {
			t.Fatal(err)
		}
		cert, key = filepath.Join(folder, name+".pem"), filepath.Join(folder, name+".key")
		for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
			if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return cert, key
	}
	ca, _ = certify("ca")
	return ca, certify
}

// Only who shows the token and the certificate can send, over an encrypted connection.
func TestTokenAndTLS(t *testing.T) {
	folder, want := recorded(t)
	ca, certify := authority(t)
	token := filepath.Join(t.TempDir(), "token")
	other := filepath.Join(t.TempDir(), "other")
	for path, text := range map[string]string{token: "secret\n", other: "guess\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, key := certify("collector")
	nodeCert, nodeKey := certify("node")
	told := make(chan string, 100)
	g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 16 << 20,
		Warn: func(text string) { told <- text }, Files: link.Files{Token: token, Cert: cert, Key: key, CA: ca}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	var summary Summary
	address := strings.TrimSuffix(g.Address(), "/test")
	if !strings.HasPrefix(address, "tls://") {
		t.Errorf("address %s", address)
	}
	go func() {
		var err error
		summary, err = g.Run(context.Background())
		ended <- err
	}()
	good := link.Files{Token: token, CA: ca, Cert: nodeCert, Key: nodeKey}
	for name, files := range map[string]link.Files{
		"no token":       {CA: ca, Cert: nodeCert, Key: nodeKey},
		"another token":  {Token: other, CA: ca, Cert: nodeCert, Key: nodeKey},
		"no certificate": {Token: token, CA: ca},
	} {
		if err := sendWith(t, folder, address, files, time.Second/2); err == nil {
			t.Errorf("%s: it can send", name)
		}
	}
	if err := sendWith(t, folder, "nats"+strings.TrimPrefix(address, "tls"), link.Files{Token: token}, time.Second/2); err == nil {
		t.Error("without TLS: it can send")
	}
	if err := sendWith(t, folder, address, good, patience); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("the collector does not end")
	}
	if summary.Events != want || summary.Agents != 1 {
		t.Errorf("%+v, want %d events of one agent", summary, want)
	}
	// Of each that was refused it is said once, however often it tried.
	close(told)
	said := map[string]bool{}
	for text := range told {
		if strings.Contains(text, "cid:") || said[text] {
			t.Errorf("%q is told of one connection", text)
		}
		said[text] = true
	}
	if len(said) == 0 {
		t.Error("nothing is told of those that were refused")
	}
}

// sendWith tries for a time to send a capture.
func sendWith(t *testing.T, folder, to string, files link.Files, wait time.Duration) error {
	s, err := session.At(filepath.Join(t.TempDir(), "session"))
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(s.Folder, "1-2"), os.DirFS(folder)); err != nil {
		return err
	}
	target, err := link.Parse(to+"/test", files)
	if err != nil {
		return err
	}
	a, err := agent.Open(agent.Options{Session: s, To: target, Wait: wait, Keep: true})
	if err != nil {
		return err
	}
	return a.Finish()
}
