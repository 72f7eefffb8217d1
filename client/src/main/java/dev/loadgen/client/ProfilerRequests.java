package dev.loadgen.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.ProfilingTool;
import dev.loadgen.contract.RunPlan;
import java.util.List;

/** What engines are told about a window to record. */
public final class ProfilerRequests {
  /** vLLM takes 128 characters, and appends to them what tells the files of one test apart. */
  private static final int NAME_LENGTH = 63;

  private ProfilerRequests() {}

  /** What the names of a test's traces begin with: its name, and what no other start of it has. */
  public static String prefix(RunPlan.Run run) {
    String name = run.name();
    return name.substring(0, Math.min(name.length(), NAME_LENGTH)) + "-" + run.id();
  }

  /**
   * The body of {@code POST /start_profile}; an engine passes over fields that it does not know.
   */
  public static String start(Engine engine, ProfilingTool tool, String prefix) {
    ObjectNode body = Json.MAPPER.createObjectNode().put("profile_prefix", prefix);
    List<String> activities = EngineProfile.of(engine).profilerActivities(tool);
    if (!activities.isEmpty()) {
      activities.forEach(body.putArray("activities")::add);
    }
    return body.toString();
  }
}
