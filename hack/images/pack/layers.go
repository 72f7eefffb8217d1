package main

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// created is the time of all files, that of the jars' content.
var created = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// writeLayer writes a file, or what is in a folder, as it lies at a path of the image.
func writeLayer(file, source, destination string) error {
	output, err := os.Create(file)
	if err != nil {
		return err
	}
	defer output.Close()
	writer := tar.NewWriter(output)
	destination = strings.Trim(path.Clean("/"+destination), "/")
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	above := path.Dir(destination)
	if info.IsDir() {
		above = destination
	}
	if err := addParents(writer, above); err != nil {
		return err
	}
	if info.IsDir() {
		err = addFolder(writer, source, destination)
	} else {
		err = addFile(writer, source, destination, info)
	}
	if err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return output.Close()
}

func addParents(writer *tar.Writer, folder string) error {
	if folder == "." || folder == "" {
		return nil
	}
	if err := addParents(writer, path.Dir(folder)); err != nil {
		return err
	}
	return writer.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: 0o755, ModTime: created})
}

// addFolder adds what is in a folder, in the order of its names.
func addFolder(writer *tar.Writer, folder, destination string) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == folder {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return addFile(writer, file, path.Join(destination, filepath.ToSlash(name)), info)
	})
}

// addFile adds one file as root's. Who built it and when is not to be seen.
func addFile(writer *tar.Writer, file, name string, info fs.FileInfo) error {
	header := &tar.Header{Name: name, ModTime: created}
	switch {
	case info.IsDir():
		header.Typeflag, header.Name, header.Mode = tar.TypeDir, name+"/", 0o755
		if info.Mode()&fs.ModeSticky != 0 {
			header.Mode = 0o1777
		}
		return writer.WriteHeader(header)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		header.Typeflag, header.Linkname, header.Mode = tar.TypeSymlink, target, 0o777
		return writer.WriteHeader(header)
	case info.Mode().IsRegular():
		header.Typeflag, header.Size, header.Mode = tar.TypeReg, info.Size(), 0o644
		if info.Mode()&0o111 != 0 {
			header.Mode = 0o755
		}
		if err := writer.WriteHeader(header); err != nil {
			return err
		}
		content, err := os.Open(file)
		if err != nil {
			return err
		}
		defer content.Close()
		_, err = io.Copy(writer, content)
		return err
	default:
		return fmt.Errorf("%s: neither file, folder nor link", file)
	}
}
