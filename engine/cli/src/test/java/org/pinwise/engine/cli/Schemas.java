package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import org.pinwise.engine.json.JsonTree;

/** Holds outputs to the schemas that come with the engine. */
final class Schemas {
  private Schemas() {}

  static void assertFits(String name, String json) {
    assertThat(
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(JsonTree.schema(name))
                .validate(json, InputFormat.JSON))
        .as(json)
        .isEmpty();
  }
}
