package main

import (
	"io"
	"net"
	"os"
)

// outsideListener takes connections on the machine's loopback interface. A socket belongs to the network namespace in
// which it was made, so the descriptor can be handed to a process of another one.
type outsideListener struct {
	net.Listener
	file *os.File
	port int
}

func listenOutside() (*outsideListener, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	file, err := listener.File()
	if err != nil {
		listener.Close()
		return nil, err
	}
	return &outsideListener{listener, file, listener.Addr().(*net.TCPAddr).Port}, nil
}

// relay connects everything that the listener accepts to an address of this namespace, until the listener is closed.
func relay(listener net.Listener, address string) error {
	for {
		outside, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			inside, err := net.Dial("tcp", address)
			if err != nil {
				outside.Close()
				return
			}
			go pass(outside, inside)
			pass(inside, outside)
		}()
	}
}

// pass copies one direction and hands on its end; an error ends both directions.
func pass(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		from.Close()
		return
	}
	_ = to.(*net.TCPConn).CloseWrite()
}
