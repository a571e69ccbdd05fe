/** Tests of rules, in JUnit 5 and AssertJ. */
@NullMarked
package org.pinwise.engine.testkit;

import org.jspecify.annotations.NullMarked;
