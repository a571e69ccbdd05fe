/** What follows of facts for people: advice on a host, capacity, diagnosis, recommendations. */
@NullMarked
package org.pinwise.engine.advice;

import org.jspecify.annotations.NullMarked;
