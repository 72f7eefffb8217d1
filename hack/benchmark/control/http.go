package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// connection is a kept connection to the server, with one exchange at a time.
type connection struct {
	net.Conn
	in    *bufio.Reader
	chunk []byte
}

func dial(address string) (*connection, error) {
	k, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: k, in: bufio.NewReaderSize(k, 32<<10)}, nil
}

// message is a whole HTTP request.
func message(host, path string, body []byte) []byte {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, host, len(body))
	return append([]byte(head), body...)
}

// exchange sends a request and reads the stream that answers it. It returns the number of events that carry tokens,
// and sets first when the first of them has been read.
func (k *connection) exchange(request []byte, first *time.Time) (events int, err error) {
	if _, err := k.Write(request); err != nil {
		return 0, err
	}
	if err := k.head(); err != nil {
		return 0, err
	}
	var split splitter
	for {
		chunk, err := k.next()
		if err != nil {
			return split.tokens, err
		}
		if len(chunk) == 0 {
			break
		}
		split.feed(chunk)
		if split.tokens > 0 && first.IsZero() {
			*first = time.Now()
		}
	}
	if !split.done {
		return split.tokens, errors.New("the stream ended without data: [DONE]")
	}
	return split.tokens, nil
}

// head reads the status line and the header fields of a chunked answer with status 200.
func (k *connection) head() error {
	status, err := k.line()
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200")) {
		return fmt.Errorf("the server answered %q", status)
	}
	chunked := false
	for {
		line, err := k.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			break
		}
		chunked = chunked || bytes.EqualFold(line, []byte("Transfer-Encoding: chunked"))
	}
	if !chunked {
		return errors.New("the answer is not chunked: no stream")
	}
	return nil
}

// next is the next chunk, valid until the next call; the last one is empty.
func (k *connection) next() ([]byte, error) {
	line, err := k.line()
	if err != nil {
		return nil, err
	}
	size, err := strconv.ParseUint(string(line), 16, 31)
	if err != nil {
		return nil, fmt.Errorf("%q is no chunk size", line)
	}
	if int(size) > cap(k.chunk) {
		k.chunk = make([]byte, size)
	}
	k.chunk = k.chunk[:size]
	if _, err := io.ReadFull(k.in, k.chunk); err != nil {
		return nil, err
	}
	if end, err := k.line(); err != nil || len(end) > 0 {
		return nil, errors.Join(err, errors.New("a chunk is longer than its size"))
	}
	return k.chunk, nil
}

func (k *connection) line() ([]byte, error) {
	line, err := k.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

// splitter takes a stream of server-sent events apart. An event is one data line, as every engine sends it.
type splitter struct {
	tokens int  // events with a choice in them
	done   bool // data: [DONE] has come
	rest   []byte
}

// feed takes the next bytes of the stream; an event may be cut anywhere.
func (s *splitter) feed(chunk []byte) {
	if len(s.rest) > 0 {
		chunk = append(s.rest, chunk...)
		s.rest = nil
	}
	for {
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			break
		}
		s.line(chunk[:end])
		chunk = chunk[end+1:]
	}
	if len(chunk) > 0 {
		s.rest = append(s.rest, chunk...)
	}
}

var (
	prefix = []byte("data: ")
	choice = []byte(`"choices":[{`)
	end    = []byte("[DONE]")
)

func (s *splitter) line(line []byte) {
	if !bytes.HasPrefix(line, prefix) {
		return
	}
	data := line[len(prefix):]
	if bytes.Equal(data, end) {
		s.done = true
	} else if bytes.Contains(data, choice) {
		s.tokens++
	}
}
