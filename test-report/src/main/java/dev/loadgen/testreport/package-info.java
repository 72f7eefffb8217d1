/** The report at the end of a build. */
package dev.loadgen.testreport;
