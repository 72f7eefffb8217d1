package dev.loadgen.runner;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The command line.
 *
 * @param plan the plan's file
 * @param datasets the folder that a plan's paths are relative to
 * @param results the folder in which the run's own is made
 * @param secrets the folder of secrets; null: none was given
 * @param terminationLog where the summary goes besides the run's folder; null: nowhere
 * @param listen where progress is served; null: nowhere
 */
record RunOptions(
    Path plan,
    Path datasets,
    Path results,
    @Nullable Path secrets,
    @Nullable Path terminationLog,
    @Nullable InetSocketAddress listen) {}
