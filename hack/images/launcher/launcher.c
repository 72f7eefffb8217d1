/*
 * Starts a main class of Java under whatever name it has itself: an engine's image is started as `vllm serve` or
 * `python3 -m sglang.launch_server`, and the image of the simulator has no shell. The name is handed on as the first
 * argument, unless it is NAME.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JAVA "/opt/java/bin/java"

int main(int count, char **words) {
  const char *fixed[] = {JAVA, "-XX:+UseSerialGC", "-XX:MaxRAMPercentage=70", "-cp", "/opt/loadgen/app/*:/opt/loadgen/lib/*", MAIN_CLASS};
  const size_t before = sizeof fixed / sizeof *fixed;
  const char **command = calloc(before + (size_t)count + 1, sizeof *command);
  if (command == NULL || count < 1) {
    return 70;
  }
  memcpy(command, fixed, sizeof fixed);
  const char *slash = strrchr(words[0], '/');
  const char *name = slash == NULL ? words[0] : slash + 1;
  size_t used = before;
  if (strcmp(name, NAME) != 0) {
    command[used++] = name;
  }
  for (int i = 1; i < count; i++) {
    command[used++] = words[i];
  }
  execv(JAVA, (char *const *)command);
  fprintf(stderr, "%s: %s: %s\n", name, JAVA, strerror(errno));
  return 127;
}
