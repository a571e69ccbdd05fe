package org.pinwise.engine.lint;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which files may say something of a workload. It is kept of every file of a run, so it is small: a
 * hash of the workload and the file's name, whose directory is kept once. Files of other workloads
 * may have the same hash; who reads a file again sees that.
 */
final class JoinIndex {
  private final Map<String, Integer> directoryNumbers = new HashMap<>();
  private final List<String> directories = new ArrayList<>();

  /** The names of all files without their directories, one after another. */
  private byte[] names = new byte[1 << 8];

  /** Of each file the number of its directory, and where its name ends. */
  private int[] files = new int[1 << 5];

  private int fileCount;
  private String lastFile = "";

  /** Of each workload of each file the hash and the number of the file. */
  private int[] entries = new int[1 << 5];

  private int entryCount;

  /** Remembers a workload of a file; those of one file come one after another. */
  void add(Workload workload, String file) {
    if (!file.equals(lastFile)) {
      addFile(file);
      lastFile = file;
    }
    int hash = hash(workload);
    int number = fileCount - 1;
    for (int i = entryCount - 2; i >= 0 && entries[i + 1] == number; i -= 2) {
      if (entries[i] == hash) {
        return;
      }
    }
    entries = entryCount + 2 > entries.length ? grown(entries) : entries;
    entries[entryCount++] = hash;
    entries[entryCount++] = number;
  }

  private void addFile(String file) {
    int slash = file.lastIndexOf('/') + 1;
    int directory =
        directoryNumbers.computeIfAbsent(
            file.substring(0, slash),
            name -> {
              directories.add(name);
              return directories.size() - 1;
            });
    byte[] name = file.substring(slash).getBytes(StandardCharsets.UTF_8);
    int start = nameStart(fileCount);
    int end = Math.addExact(start, name.length);
    if (end > names.length) {
      names = Arrays.copyOf(names, Math.max(end, names.length + names.length / 2));
    }
    System.arraycopy(name, 0, names, start, name.length);
    files = 2 * fileCount + 2 > files.length ? grown(files) : files;
    files[2 * fileCount] = directory;
    files[2 * fileCount + 1] = end;
    fileCount++;
  }

  private static int[] grown(int[] full) {
    return Arrays.copyOf(full, full.length + full.length / 2);
  }

  private int nameStart(int file) {
    return file == 0 ? 0 : files[2 * file - 1];
  }

  private static int hash(Workload workload) {
    return workload.toString().hashCode();
  }

  /** Returns the files of a workload, and maybe others, in the order in which they came. */
  List<String> files(Workload workload) {
    int hash = hash(workload);
    List<String> found = new ArrayList<>();
    for (int i = 0; i < entryCount; i += 2) {
      if (entries[i] == hash) {
        int file = entries[i + 1];
        int start = nameStart(file);
        String name = new String(names, start, files[2 * file + 1] - start, StandardCharsets.UTF_8);
        found.add(directories.get(files[2 * file]) + name);
      }
    }
    return found;
  }
}
