package dev.loadgen.runner;

/** What the runner does now; the names are part of a run's status. */
enum Stage {
  /** Reading the plan and the dataset, waiting for the servers, trying a request. */
  Preparing,
  /** Sending requests that are not measured. */
  WarmingUp,
  /** LoadGen issues queries. */
  Running,
  /** LoadGen has issued its last query; answers are outstanding. */
  Draining,
  /** Waiting for servers under a profiler to have written what they recorded. */
  WritingTraces,
  /** Scoring the answers of an accuracy test. */
  Scoring,
  /** Taking the servers' logs, which the operator sends. */
  CollectingServerLogs,
  /** Writing the results folder. */
  Reporting
}
