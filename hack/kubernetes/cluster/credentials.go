package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs all certificates of one cluster.
type authority struct {
	folder string
	cert   *x509.Certificate
	key    crypto.Signer
}

// writeCredentials writes the cluster's keys and certificates, a kubeconfig for each client of the API server, and
// its own certificate as a client of the kubelet.
func writeCredentials(state string, outsidePort int) error {
	ca, err := newAuthority(filepath.Join(state, "pki"))
	if err != nil {
		return err
	}
	server := x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), serviceAddress},
	}
	if err := ca.issue("apiserver", server); err != nil {
		return err
	}
	kubelet := x509.Certificate{
		Subject:     pkix.Name{CommonName: "kubelet"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{nodeAddress},
	}
	if err := ca.issue("kubelet-serving", kubelet); err != nil {
		return err
	}
	outside := fmt.Sprintf("https://127.0.0.1:%d", outsidePort)
	clients := []struct{ name, user, group, server, file string }{
		{"admin", "admin", "system:masters", outside, "kubeconfig"},
		{"inside", "admin", "system:masters", apiServer, "inside.kubeconfig"},
		{"controllers", "system:kube-controller-manager", "", apiServer, "controllers.kubeconfig"},
		{"scheduler", "system:kube-scheduler", "", apiServer, "scheduler.kubeconfig"},
		{"kubelet", "system:node:" + nodeName, "system:nodes", apiServer, "kubelet.kubeconfig"},
		{"kubelet-client", "kube-apiserver", "system:masters", "", ""},
		{"proxy", "system:kube-proxy", "", apiServer, "proxy.kubeconfig"},
	}
	for _, client := range clients {
		subject := pkix.Name{CommonName: client.user}
		if client.group != "" {
			subject.Organization = []string{client.group}
		}
		if err := ca.issue(client.name, x509.Certificate{Subject: subject, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
			return err
		}
		if client.file == "" {
			continue
		}
		if err := ca.writeKubeconfig(filepath.Join(state, client.file), client.name, client.server); err != nil {
			return err
		}
	}
	return ca.writeSigningKey("serviceaccounts")
}

func newAuthority(folder string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "loadgen-test-cluster"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	ca := &authority{folder, cert, key}
	return ca, ca.write("ca", der, key)
}

func (ca *authority) issue(name string, template x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = ca.cert.NotBefore, ca.cert.NotAfter
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, &template, ca.cert, key.Public(), ca.key)
	if err != nil {
		return err
	}
	return ca.write(name, der, key)
}

func (ca *authority) write(name string, der []byte, key *ecdsa.PrivateKey) error {
	if err := ca.writePEM(name+".crt", "CERTIFICATE", der); err != nil {
		return err
	}
	return ca.writeKey(name, key)
}

func (ca *authority) writeKey(name string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return ca.writePEM(name+".key", "EC PRIVATE KEY", der)
}

// writeSigningKey makes the pair that signs and checks the tokens of service accounts.
func (ca *authority) writeSigningKey(name string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := ca.writePEM(name+".pub", "PUBLIC KEY", public); err != nil {
		return err
	}
	return ca.writeKey(name, key)
}

func (ca *authority) writePEM(file, kind string, der []byte) error {
	return os.WriteFile(filepath.Join(ca.folder, file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

func (ca *authority) writeKubeconfig(file, client, server string) error {
	var encoded [3]string
	for i, name := range []string{"ca.crt", client + ".crt", client + ".key"} {
		content, err := os.ReadFile(filepath.Join(ca.folder, name))
		if err != nil {
			return err
		}
		encoded[i] = base64.StdEncoding.EncodeToString(content)
	}
	kubeconfig := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: loadgen-test-cluster
clusters:
- name: loadgen-test-cluster
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: %s
  user:
    client-certificate-data: %s
    client-key-data: %s
contexts:
- name: loadgen-test-cluster
  context:
    cluster: loadgen-test-cluster
    user: %s
`, server, encoded[0], client, encoded[1], encoded[2], client)
	return os.WriteFile(file, []byte(kubeconfig), 0o600)
}
