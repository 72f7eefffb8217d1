/** What commands show people of runs and backends: lines of progress, and tables. */
@NullMarked
package dev.loadgen.commands.console;

import org.jspecify.annotations.NullMarked;
