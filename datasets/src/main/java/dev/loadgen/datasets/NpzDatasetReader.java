package dev.loadgen.datasets;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Enumeration;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** Reads arrays of NumPy by name ({@code np.savez}, compressed or not): each is a column. */
final class NpzDatasetReader implements DatasetReader {
  private static final String SUFFIX = ".npy";

  @Override
  public void read(DatasetFile file, TableBuilder table) throws IOException {
    try (DatasetFile.Plain plain = file.plain();
        ZipFile zip = new ZipFile(plain.path().toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        String name = entry.getName();
        if (!name.endsWith(SUFFIX)) {
          throw new InvalidContentException(
              "holds '%s', which is not a NumPy array; write it with np.savez"
                  .formatted(CellWords.brief(name)));
        }
        readColumn(
            zip, entry, name.substring(0, name.length() - SUFFIX.length()), plain.size(), table);
      }
    } catch (ZipException e) {
      throw new InvalidContentException(
          "is not a valid NPZ, it may be truncated (%s); copy or write it again"
              .formatted(e.getMessage()),
          e);
    }
  }

  private static void readColumn(
      ZipFile zip, ZipEntry entry, String column, long fileSize, TableBuilder table)
      throws IOException {
    long bound = Math.max(DatasetBounds.EXPANSION_FLOOR, fileSize * DatasetBounds.EXPANSION);
    CRC32 checksum = new CRC32();
    try (InputStream content =
        new BufferedInputStream(
            new CheckedInputStream(zip.getInputStream(entry), checksum), 1 << 16)) {
      NpyArray.read(
          content,
          entry.getSize() < 0 ? bound : Math.min(entry.getSize(), bound),
          table.column(column));
      // ZipFile itself does not look at it
      if (checksum.getValue() != entry.getCrc()) {
        throw new InvalidContentException("is damaged, by its checksum; copy or write it again");
      }
    } catch (InvalidContentException e) {
      throw new InvalidContentException(
          "array '%s': %s".formatted(CellWords.brief(column), e.getMessage()), e);
    }
  }
}
