package org.pinwise.registrar;

import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.rules.model.Errno;

/**
 * A verb failed: which, on what, and with which errno.
 *
 * <p>The message has two lines. The first is what happened; the second, which starts with "Maybe",
 * is the most likely cause and what to do about it:
 *
 * <pre>
 * ibv_reg_mr failed with ENOMEM (12, Cannot allocate memory): mlx5_0, length 67108864, access 0x7
 * Maybe RLIMIT_MEMLOCK binds: it is soft 65536 bytes, hard 65536 bytes. Raise it, or ...
 * </pre>
 */
public final class VerbsException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private static final Path LIMITS = Path.of("/proc/self/limits");

  /** Its line there: soft limit, hard limit, unit. */
  private static final Pattern MEMLOCK = Pattern.compile("Max locked memory\\s+(\\S+)\\s+(\\S+)");

  private final String operation;
  private final String arguments;
  private final int errno;

  /**
   * @param operation the C function that failed, such as {@code ibv_reg_mr}
   * @param arguments what it was called with, for people
   * @param errno what it failed with
   */
  public VerbsException(String operation, String arguments, int errno) {
    this(operation, arguments, errno, LIMITS);
  }

  /** For tests: the limits come from a file of their choice. */
  VerbsException(String operation, String arguments, int errno, Path limits) {
    this(operation, arguments, errno, likelyCause(operation, errno, limits));
  }

  /**
   * For who knows better than the errno tells.
   *
   * @param cause one sentence or two that fit after "Maybe"
   */
  VerbsException(String operation, String arguments, int errno, String cause) {
    super(message(operation, arguments, errno, cause));
    this.operation = operation;
    this.arguments = arguments;
    this.errno = errno;
  }

  /** The C function that failed, such as {@code ibv_reg_mr}. */
  public String operation() {
    return operation;
  }

  /** What it was called with, for people. */
  public String arguments() {
    return arguments;
  }

  /** The error number; 0 if the library reported a failure and no number. */
  public int errno() {
    return errno;
  }

  /** The name of the error number, such as {@code ENOMEM}; {@code errno 123} if it has none. */
  public String errnoName() {
    return Errno.nameOf(errno);
  }

  private static String message(String operation, String arguments, int errno, String cause) {
    String failure =
        errno == 0
            ? "without an errno"
            : Errno.of(errno)
                .map(e -> "with " + e + " (" + errno + ", " + e.text() + ")")
                .orElse("with errno " + errno);
    return operation + " failed " + failure + ": " + arguments + "\nMaybe " + cause;
  }

  /** One sentence or two that fit after "Maybe". */
  private static String likelyCause(String operation, int errno, Path limits) {
    Errno known = Errno.of(errno).orElse(null);
    if (known == null) {
      return "the provider library knows more: set IBV_SHOW_WARNINGS=1, and look at dmesg.";
    }
    return switch (operation) {
      case "ibv_reg_mr", "ibv_reg_mr_iova2" -> registering(known, limits);
      case "ibv_open_device" -> opening(known);
      case "ibv_dereg_mr" -> deregistering(known);
      case "ibv_reg_dmabuf_mr" -> registeringDmabuf(known);
      case "ibv_advise_mr" -> advising(known);
      default -> other(known);
    };
  }

  private static String registering(Errno errno, Path limits) {
    return switch (errno) {
      case ENOMEM ->
          "RLIMIT_MEMLOCK binds: it is "
              + memlock(limits)
              + ". Raise it (ulimit -l, LimitMEMLOCK=), or give the process CAP_IPC_LOCK.";
      case EPERM ->
          "the process may lock no memory: RLIMIT_MEMLOCK is "
              + memlock(limits)
              + ". Raise it (ulimit -l, LimitMEMLOCK=), or give the process CAP_IPC_LOCK.";
      case EINVAL -> "a flag needs LOCAL_WRITE or is unknown, or the length is 0 or too large.";
      case EFAULT -> "the memory is not mapped, or not writable though a flag asks for writing.";
      case EOPNOTSUPP -> "the device does not support a flag, such as on-demand paging.";
      case EAGAIN -> "the rdma cgroup allows no more objects: see rdma.max and rdma.current.";
      case ENOSPC -> "the device's table of regions is full.";
      default -> other(errno);
    };
  }

  private static String opening(Errno errno) {
    return switch (errno) {
      case ENODEV, ENXIO -> "the name is misspelt, or the driver is not loaded: see ibv_devices.";
      case ENOENT -> "its /dev/infiniband/uverbs node is missing, for example in a container.";
      case EPERM, EACCES -> "its /dev/infiniband/uverbs node is not open to this user or cgroup.";
      case EMFILE, ENFILE -> "too many files are open: see RLIMIT_NOFILE (ulimit -n).";
      case ENOSYS -> "the kernel has no RDMA driver loaded (ib_uverbs and one for the device).";
      default -> other(errno);
    };
  }

  private static String deregistering(Errno errno) {
    return switch (errno) {
      case EBUSY, EINVAL -> "a memory window is still bound to the region.";
      default -> other(errno);
    };
  }

  private static String registeringDmabuf(Errno errno) {
    return switch (errno) {
      case EOPNOTSUPP ->
          "the driver imports no dma-buf, or libibverbs is older than rdma-core v34.";
      case EPROTONOSUPPORT -> "the kernel is older than 5.12.";
      case EBADF -> "the descriptor is closed.";
      case EINVAL ->
          "the descriptor is no dma-buf, the part does not fit in it or is empty, offset and iova"
              + " differ in their page, or a flag is not for dma-buf.";
      default -> other(errno);
    };
  }

  private static String advising(Errno errno) {
    return switch (errno) {
      case EOPNOTSUPP, ENOSYS, EPROTONOSUPPORT ->
          "the device, its driver, the kernel or libibverbs knows no such advice; mlx5 does.";
      case ENOENT -> "a region was not registered with ON_DEMAND.";
      case EPERM -> "a region was not registered for writing.";
      case EFAULT -> "a part is not within its region, or not mapped.";
      default -> other(errno);
    };
  }

  private static String other(Errno errno) {
    return switch (errno) {
      case EIO -> "the device was reset or removed: see dmesg.";
      case EBUSY -> "it still has children: close them first.";
      case ENOMEM -> "the device or the kernel is out of memory for such objects: see dmesg.";
      case EAGAIN -> "the rdma cgroup allows no more objects: see rdma.max and rdma.current.";
      case EACCES -> "the process changed its credentials after it opened the device.";
      case ENOSYS, EOPNOTSUPP -> "the driver or the kernel is too old for this call.";
      default -> "the kernel log knows more: see dmesg.";
    };
  }

  /** The limits as {@code getrlimit} would give them; the file has one line for each resource. */
  private static String memlock(Path limits) {
    List<String> lines;
    try {
      lines = Files.readAllLines(limits, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "unknown (" + limits + " cannot be read)";
    }
    for (String line : lines) {
      Matcher matcher = MEMLOCK.matcher(line);
      if (matcher.lookingAt()) {
        return "soft " + bytes(matcher.group(1)) + ", hard " + bytes(matcher.group(2));
      }
    }
    return "unknown (" + limits + " has no line for it)";
  }

  private static String bytes(String value) {
    return value.equals("unlimited") ? value : value + " bytes";
  }
}
