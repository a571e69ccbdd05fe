package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.LIVE;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory under the whole range of a request. A null component is unknown.
 *
 * @param kind what backs it
 * @param mapped whether every page of the range is mapped
 * @param protection what all mappings of the range allow
 * @param shared whether it is a shared mapping ({@code MAP_SHARED})
 * @param pageSize the size of its pages in bytes
 * @param populated whether every page has been touched; the kernel pins such pages without a look
 *     at the mapping where their page table entries allow the access ({@code mm/gup.c}, gup_fast)
 * @param persistent whether every page is persistent memory
 * @param fileSystem the file system's type behind it, such as {@code ext4}
 * @param numaNode the NUMA node of its pages
 * @param mappings how many mappings (VMAs) the range spans
 */
public record Memory(
    @Nullable MemoryKind kind,
    @Nullable Boolean mapped,
    @Nullable Protection protection,
    @Nullable Boolean shared,
    @Nullable Long pageSize,
    @Nullable Boolean populated,
    @Nullable Boolean persistent,
    @Nullable String fileSystem,
    @Nullable Integer numaNode,
    @Nullable Long mappings) {

  /** The fields of memory. */
  public static final FactType<Memory> TYPE =
      FactType.of(Memory.class, "memory")
          .choice("kind", MemoryKind.class, Memory::kind, LIVE, "what backs the memory")
          .flag("mapped", Memory::mapped, LIVE, "whether every page of the range is mapped")
          .choice(
              "protection",
              Protection.class,
              Memory::protection,
              LIVE,
              "what all mappings of the range allow")
          .flag("shared", Memory::shared, LIVE, "whether the mapping is shared")
          .pageSize("pageSize", Memory::pageSize, LIVE, "the size of the memory's pages")
          .flag("populated", Memory::populated, LIVE, "whether every page has been touched")
          .flag("persistent", Memory::persistent, LIVE, "whether every page is persistent memory")
          .text("fileSystem", Memory::fileSystem, LIVE, "the file system behind the memory")
          .number("numaNode", Memory::numaNode, PLAIN, LIVE, "the NUMA node of the pages")
          .number("mappings", Memory::mappings, PLAIN, LIVE, "how many mappings the range spans")
          .build(v ->
              new Memory(
                  v.choice("kind", MemoryKind.class),
                  v.flag("mapped"),
                  v.choice("protection", Protection.class),
                  v.flag("shared"),
                  v.number("pageSize"),
                  v.flag("populated"),
                  v.flag("persistent"),
                  v.text("fileSystem"),
                  v.smallNumber("numaNode"),
                  v.number("mappings")));

  /** Memory as programs mostly have it: mapped, private, anonymous, readable and writable. */
  public static final Memory ORDINARY =
      TYPE.of(
          Map.of(
              "kind", MemoryKind.ANONYMOUS,
              "mapped", true,
              "protection", Protection.READ_WRITE,
              "shared", false,
              "persistent", false));

  /** Returns ordinary memory with another protection. */
  public static Memory ordinary(Protection protection) {
    return new Memory(ORDINARY.kind, true, protection, false, null, null, false, null, null, null);
  }
}
