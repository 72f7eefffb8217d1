// Copyright The loadgen-operator Authors. Licensed under the Apache License, Version 2.0.
//
// The JNI side of dev.loadgen.mlperf.NativeLoadGen: unmodified MLCommons LoadGen behind calls that a JVM can make in
// any order, from any thread, without a crash.
//
// LoadGen identifies a sample by the address of its own bookkeeping, and believes whatever it is given. Java never
// sees these addresses. It gets handles: numbers of slots in a table that only grows, below a random tag. A slot is
// claimed by one atomic exchange, so that exactly one first token and one completion of each sample reach LoadGen;
// all others, and handles that were never given out, are refused. The table never takes a lock, and costs 16 bytes
// a sample beside the few hundred that LoadGen itself keeps for each query until the test ends.

#include <jni.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "issue_query_controller.h"
#include "loadgen.h"
#include "logging.h"
#include "query_sample.h"
#include "query_sample_library.h"
#include "system_under_test.h"
#include "test_settings.h"
#include "version.h"

// LoadGen's logger is a static object with a running thread as its member. When the process exits in the middle of a
// test (System.exit, SIGTERM), its destructor would end the process by std::terminate, and, at any exit, would take
// the logs of threads that are still alive. Static objects of this library are therefore never destroyed: this
// definition is the one that the linker takes for them, and it is visible to nothing outside of the library.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

namespace {

using mlperf::loadgen::SampleMetadata;
using mlperf::logging::PerfClock;

// ---------------------------------------------------------------------------------------------------------------------
// Settings, in the order of dev.loadgen.mlperf.TestSettings.

// X: a field that every LoadGen has; LATER: one that came with a later LoadGen than the oldest that this is built with.
#define LOADGEN_SETTINGS(X, LATER)               \
  X(single_stream_expected_latency_ns)           \
  X(single_stream_target_latency_percentile)     \
  X(multi_stream_expected_latency_ns)            \
  X(multi_stream_target_latency_percentile)      \
  X(multi_stream_samples_per_query)              \
  X(server_target_qps)                           \
  X(server_target_latency_ns)                    \
  X(server_target_latency_percentile)            \
  X(server_coalesce_queries)                     \
  X(server_find_peak_qps_decimals_of_precision)  \
  X(server_find_peak_qps_boundary_step_size)     \
  X(server_max_async_queries)                    \
  X(server_num_issue_query_threads)              \
  X(offline_expected_qps)                        \
  X(sample_concatenate_permutation)              \
  X(min_duration_ms)                             \
  X(max_duration_ms)                             \
  X(min_query_count)                             \
  X(max_query_count)                             \
  X(qsl_rng_seed)                                \
  X(sample_index_rng_seed)                       \
  X(schedule_rng_seed)                           \
  X(accuracy_log_rng_seed)                       \
  X(accuracy_log_probability)                    \
  X(accuracy_log_sampling_target)                \
  X(test05)                                      \
  X(test05_qsl_rng_seed)                         \
  X(test05_sample_index_rng_seed)                \
  X(test05_schedule_rng_seed)                    \
  X(print_timestamps)                            \
  X(performance_issue_unique)                    \
  X(performance_issue_same)                      \
  X(performance_issue_same_index)                \
  X(performance_sample_count_override)           \
  LATER(accuracy_sample_count_override)          \
  X(use_token_latencies)                         \
  X(server_ttft_latency)                         \
  X(server_tpot_latency)                         \
  X(infer_token_latencies)                       \
  X(token_latency_scaling_factor)

// Where a later field is not there, it reads as 0 and takes no other value.
template <typename Settings, typename = void>
struct Later_accuracy_sample_count_override {
  static constexpr bool kExists = false;
  static constexpr size_t kSize = 0;
  static uint64_t Get(const Settings&) { return 0; }
  static void Set(Settings*, uint64_t value) {
    if (value == 0) return;
    throw std::invalid_argument("accuracySampleCountOverride must be 0: LoadGen " + mlperf::LoadgenVersion() +
                                " has no such setting");
  }
};
template <typename Settings>
struct Later_accuracy_sample_count_override<
    Settings, decltype(static_cast<void>(std::declval<Settings>().accuracy_sample_count_override))> {
  static constexpr bool kExists = true;
  static constexpr size_t kSize = sizeof(uint64_t);
  static uint64_t Get(const Settings& settings) { return settings.accuracy_sample_count_override; }
  static void Set(Settings* settings, uint64_t value) { settings->accuracy_sample_count_override = value; }
};

// A LoadGen with a field more or less must not build unnoticed: extend the list above and TestSettings.java.
static_assert(sizeof(mlperf::TestSettings) ==
                  296 + Later_accuracy_sample_count_override<mlperf::TestSettings>::kSize,
              "TestSettings of this LoadGen has other fields");

void Decode(jlong bits, double* value) { std::memcpy(value, &bits, sizeof bits); }
void Decode(jlong bits, uint64_t* value) { *value = static_cast<uint64_t>(bits); }
void Decode(jlong bits, int* value) { *value = static_cast<int>(bits); }
void Decode(jlong bits, bool* value) { *value = bits != 0; }

jlong Encode(double value) {
  jlong bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
jlong Encode(uint64_t value) { return static_cast<jlong>(value); }
jlong Encode(int value) { return value; }
jlong Encode(bool value) { return value ? 1 : 0; }

// LoadGen leaves this one field uninitialised. It is a factor, and only used with infer_token_latencies.
constexpr uint64_t kNeutralScalingFactor = 1;

std::vector<jlong> ToArray(const mlperf::TestSettings& settings) {
  return {static_cast<jlong>(settings.scenario), static_cast<jlong>(settings.mode),
#define X(field) Encode(settings.field),
#define LATER(field) Encode(Later_##field<mlperf::TestSettings>::Get(settings)),
          LOADGEN_SETTINGS(X, LATER)
#undef LATER
#undef X
  };
}

mlperf::TestSettings FromArray(const std::vector<jlong>& values) {
  mlperf::TestSettings settings;
  const jlong* next = values.data();
  settings.scenario = static_cast<mlperf::TestScenario>(*next++);
  settings.mode = static_cast<mlperf::TestMode>(*next++);
#define X(field) Decode(*next++, &settings.field);
#define LATER(field) Later_##field<mlperf::TestSettings>::Set(&settings, static_cast<uint64_t>(*next++));
  LOADGEN_SETTINGS(X, LATER)
#undef LATER
#undef X
  return settings;
}

// ---------------------------------------------------------------------------------------------------------------------
// JNI plumbing.

JavaVM* g_vm = nullptr;

// The environment of this thread. A thread that LoadGen owns is attached once, as a daemon, and detached when it ends.
JNIEnv* Env() {
  void* env = nullptr;
  if (g_vm->GetEnv(&env, JNI_VERSION_10) == JNI_OK) return static_cast<JNIEnv*>(env);
  struct Detach {
    ~Detach() { g_vm->DetachCurrentThread(); }
  };
  if (g_vm->AttachCurrentThreadAsDaemon(&env, nullptr) != JNI_OK) return nullptr;
  thread_local Detach detach;
  (void)detach;
  return static_cast<JNIEnv*>(env);
}

void Throw(JNIEnv* env, const char* type, const std::string& message) {
  if (env->ExceptionCheck()) return;
  jclass exception = env->FindClass(type);
  if (exception != nullptr) env->ThrowNew(exception, message.c_str());
}

// Runs a body; a C++ exception becomes a Java one.
template <typename Body>
auto Guarded(JNIEnv* env, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    Throw(env, "java/lang/OutOfMemoryError", "No native memory left");
  } catch (const std::invalid_argument& e) {
    Throw(env, "java/lang/IllegalArgumentException", e.what());
  } catch (const std::exception& e) {
    Throw(env, "java/lang/IllegalStateException", e.what());
  }
  return decltype(body())();
}

std::string ToString(JNIEnv* env, jbyteArray bytes) {
  std::string text(static_cast<size_t>(env->GetArrayLength(bytes)), '\0');
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()), reinterpret_cast<jbyte*>(&text[0]));
  return text;
}

std::vector<jlong> ToVector(JNIEnv* env, jlongArray array) {
  std::vector<jlong> values(static_cast<size_t>(env->GetArrayLength(array)));
  env->GetLongArrayRegion(array, 0, static_cast<jsize>(values.size()), values.data());
  return values;
}

jlongArray ToJava(JNIEnv* env, const std::vector<jlong>& values) {
  jlongArray array = env->NewLongArray(static_cast<jsize>(values.size()));
  if (array != nullptr) env->SetLongArrayRegion(array, 0, static_cast<jsize>(values.size()), values.data());
  return array;
}

// Set once, before LoadGen starts: whether it wants a first token of every sample, and whether it may want the data of
// first tokens and completions.
std::atomic<bool> g_needs_first_token{false};
std::atomic<bool> g_keeps_data{false};

// How much of a response LoadGen may want.
size_t Kept(jint length) { return g_keeps_data.load(std::memory_order_relaxed) ? static_cast<size_t>(length) : 0; }

// What LoadGen may want of a response's bytes, for the length of one call: it copies what it keeps before it returns.
class Payload {
 public:
  Payload(JNIEnv* env, jbyteArray array, jint offset, jint length) : size_(Kept(length)) {
    if (size_ == 0) return;
    if (size_ > sizeof small_) large_.resize(size_);
    env->GetByteArrayRegion(array, offset, length, reinterpret_cast<jbyte*>(data()));
  }
  uint8_t* data() { return size_ > sizeof small_ ? large_.data() : small_; }
  size_t size() const { return size_; }

 private:
  const size_t size_;
  uint8_t small_[4096];
  std::vector<uint8_t> large_;
};

// ---------------------------------------------------------------------------------------------------------------------
// Threads that call LoadGen.

// LoadGen's logger holds 1024 threads. The next one blocks for ever on a mutex that it owns itself, and the process can
// only be killed; so we refuse before that, with room for LoadGen's log thread and for those that abort the test.
constexpr int kMaxThreads = 1000;
constexpr int kMaxThreadsToAbort = 1016;

std::atomic<int> g_live_threads{0};

// Counts a thread from its first call of LoadGen to its end.
class CallingThread {
 public:
  explicit CallingThread(int limit) {
    if (g_live_threads.fetch_add(1) < limit) return;
    g_live_threads.fetch_sub(1);
    throw std::runtime_error(
        "More than 1000 threads have called LoadGen and are still alive; its logger would deadlock at 1024. "
        "Complete samples from virtual threads or from a pool of few threads. This sample is still outstanding.");
  }
  ~CallingThread() { g_live_threads.fetch_sub(1); }
};

// Refuses a thread that LoadGen's logger has no room for. The limit matters in a thread's first call.
void AdmitThread(int limit = kMaxThreads) {
  thread_local const CallingThread self(limit);
  (void)self;
}

// ---------------------------------------------------------------------------------------------------------------------
// The table of samples.

// The state of a sample. Any other value is its first token: the time, or the address of a FirstToken when LoadGen may
// want the data as well.
enum State : uint64_t {
  kFree = 0,  // no sample yet
  kIssued,    // given to Java
  kDone,      // completed
};

struct Slot {
  std::atomic<uint64_t> state;
  mlperf::ResponseId id;
};
static_assert(sizeof(Slot) == 16, "a slot is sixteen bytes");

// The first token of a sample, until the sample is completed.
//
// LoadGen keeps one log per thread, and its log thread empties them every 10 ms in no particular order. If a first
// token and the completion were handed over by two threads within such a period, the completion could be processed
// first: an error and a wrong TPOT in performance mode, a read outside of an array in accuracy mode. So the thread that
// completes the sample hands over both, in that order, each with its own time.
struct FirstToken {
  PerfClock::time_point time;
  std::vector<uint8_t> data;
};

class SampleTable {
 public:
  SampleTable() : tag_(RandomTag()) {}

  // Gives out n successive slots and returns the first's number.
  uint64_t Allocate(size_t n) {
    const uint64_t first = next_.fetch_add(n);
    if (first + n > kChunks * kChunkSize) {
      throw std::length_error("LoadGen has issued more than 1073741824 samples in one test");
    }
    for (uint64_t chunk = first / kChunkSize; chunk <= (first + n - 1) / kChunkSize; chunk++) {
      if (chunks_[chunk].load(std::memory_order_acquire) != nullptr) continue;
      auto* made = static_cast<Slot*>(std::calloc(kChunkSize, sizeof(Slot)));
      if (made == nullptr) throw std::bad_alloc();
      Slot* expected = nullptr;
      if (!chunks_[chunk].compare_exchange_strong(expected, made)) std::free(made);
    }
    return first;
  }

  Slot& At(uint64_t number) {
    return chunks_[number / kChunkSize].load(std::memory_order_acquire)[number % kChunkSize];
  }

  // The slot of a handle, or null when there never was such a handle.
  Slot* Find(jlong handle) {
    const uint64_t bits = static_cast<uint64_t>(handle);
    const uint64_t number = bits & (kChunks * kChunkSize - 1);
    if (bits >> kNumberBits != tag_) return nullptr;
    Slot* chunk = chunks_[number / kChunkSize].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &chunk[number % kChunkSize];
  }

  jlong Handle(uint64_t number) const { return static_cast<jlong>(tag_ << kNumberBits | number); }

  uint64_t size() const { return next_.load(); }

  bool HasChunk(uint64_t number) const { return chunks_[number / kChunkSize].load() != nullptr; }

 private:
  static constexpr int kNumberBits = 30;
  static constexpr uint64_t kChunkSize = 1 << 16;
  static constexpr uint64_t kChunks = 1 << 14;
  static_assert(kChunkSize * kChunks == uint64_t{1} << kNumberBits, "numbers fill the chunks");

  // 33 bits, so that a handle is a positive long and no small number is ever a handle.
  static uint64_t RandomTag() {
    std::random_device random;
    return (uint64_t{random()} | uint64_t{1} << 32);
  }

  const uint64_t tag_;
  std::atomic<uint64_t> next_{0};
  std::atomic<Slot*> chunks_[kChunks] = {};
};

SampleTable& Table() {
  static SampleTable* const table = new SampleTable();
  return *table;
}

std::atomic<bool> g_aborted{false};
std::atomic<bool> g_abort_logged_by_issuer{false};
std::atomic<uint64_t> g_abandoned{0};

void LogError(const char* message) {
  mlperf::LogDetail([message](mlperf::AsyncDetail& detail) {
    MLPERF_LOG_ERROR(detail, "error_runtime", std::string(message));
  });
}

uint64_t ToState(PerfClock::time_point time, std::vector<uint8_t> data) {
  static_assert(sizeof(PerfClock::rep) == sizeof(uint64_t), "a time fits into a state");
  if (!g_keeps_data.load(std::memory_order_relaxed)) {
    return static_cast<uint64_t>(time.time_since_epoch().count());
  }
  return reinterpret_cast<uintptr_t>(new FirstToken{time, std::move(data)});
}

FirstToken FromState(uint64_t state) {
  if (!g_keeps_data.load(std::memory_order_relaxed)) {
    return {PerfClock::time_point(PerfClock::duration(static_cast<PerfClock::rep>(state))), {}};
  }
  auto* kept = reinterpret_cast<FirstToken*>(state);
  FirstToken first = std::move(*kept);
  delete kept;
  return first;
}

bool KeepFirstToken(Slot* slot, PerfClock::time_point time, std::vector<uint8_t> data) {
  uint64_t state = slot->state.load(std::memory_order_acquire);
  if (state != kIssued) return false;
  const uint64_t first = ToState(time, std::move(data));
  if (slot->state.compare_exchange_strong(state, first)) return true;
  FromState(first);
  return false;
}

// What FirstTokenComplete does after it has taken the time.
void HandOver(mlperf::ResponseId id, FirstToken first) {
  auto* sample = reinterpret_cast<SampleMetadata*>(id);
  mlperf::QuerySampleResponse response(id, reinterpret_cast<uintptr_t>(first.data.data()), first.data.size(), 0);
  sample->query_metadata->response_delegate->TokenComplete(sample, &response, first.time, {});
}

// The state before the completion, which no other thread gets; kDone or kFree when there is nothing to complete.
uint64_t ClaimCompletion(Slot* slot) {
  uint64_t state = slot->state.load(std::memory_order_acquire);
  while (state != kFree && state != kDone && !slot->state.compare_exchange_weak(state, kDone)) {
  }
  return state;
}

bool Complete(Slot* slot, uint8_t* data, size_t size, int64_t tokens, bool abandoned) {
  AdmitThread();
  const uint64_t state = ClaimCompletion(slot);
  if (state == kFree || state == kDone) return false;
  if (state != kIssued) {
    HandOver(slot->id, FromState(state));
  } else if (g_needs_first_token.load(std::memory_order_relaxed)) {
    // LoadGen, too, calls this an error, after it has read outside of its arrays.
    if (!abandoned) LogError("A sample was completed without a first token; its TTFT is its latency.");
    mlperf::QuerySampleResponse first(slot->id, reinterpret_cast<uintptr_t>(data), size, 0);
    mlperf::FirstTokenComplete(&first, 1);
  }
  mlperf::QuerySampleResponse response(slot->id, reinterpret_cast<uintptr_t>(data), size, tokens);
  mlperf::QuerySamplesComplete(&response, 1);
  return true;
}

void Abandon(Slot* slot) {
  uint8_t nothing = 0;
  if (Complete(slot, &nothing, 0, 0, true)) g_abandoned.fetch_add(1, std::memory_order_relaxed);
}

// Completes every outstanding sample empty, and has every later one completed as soon as it is issued.
uint64_t AbortOutstanding() {
  AdmitThread(kMaxThreadsToAbort);
  if (!g_aborted.exchange(true)) {
    LogError("The test was aborted: samples without a result were completed empty.");
  }
  // Either this thread sees the slots that another one is issuing, or that one sees the flag.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const uint64_t before = g_abandoned.load();
  SampleTable& table = Table();
  for (uint64_t number = 0, end = table.size(); number < end; number++) {
    if (!table.HasChunk(number)) continue;
    Abandon(&table.At(number));
  }
  return g_abandoned.load() - before;
}

// ---------------------------------------------------------------------------------------------------------------------
// The test.

struct Upcalls {
  jmethodID issue_one;
  jmethodID issue;
  jmethodID flush;
  jmethodID load;
  jmethodID unload;
};
Upcalls g_upcalls;

// The Java side of the test. Its calls come on the thread that started the test, or on those that issue queries.
class JavaTest {
 public:
  explicit JavaTest(jobject running) : running_(running) {}

  void IssueQuery(const std::vector<mlperf::QuerySample>& samples) {
    if (samples.empty()) return;
    SampleTable& table = Table();
    const uint64_t first = table.Allocate(samples.size());
    for (size_t i = 0; i < samples.size(); i++) {
      Slot& slot = table.At(first + i);
      slot.id = samples[i].id;
      slot.state.store(kIssued);
    }
    if (g_aborted.load()) {
      AbandonRange(first, samples.size());
      return;
    }
    JNIEnv* env = Env();
    bool sound;
    if (samples.size() == 1) {
      jvalue arguments[2];
      arguments[0].j = table.Handle(first);
      arguments[1].i = static_cast<jint>(samples[0].index);
      sound = env->CallBooleanMethodA(running_, g_upcalls.issue_one, arguments);
    } else {
      static_assert(sizeof(mlperf::QuerySample) == 2 * sizeof(jlong), "a sample is two longs");
      jlongArray array = env->NewLongArray(static_cast<jsize>(2 * samples.size()));
      sound = array != nullptr;
      if (sound) {
        jlong block[2 * kBlock];
        for (size_t start = 0; start < samples.size(); start += kBlock) {
          const size_t n = std::min(kBlock, samples.size() - start);
          for (size_t i = 0; i < n; i++) {
            block[2 * i] = table.Handle(first + start + i);
            block[2 * i + 1] = static_cast<jlong>(samples[start + i].index);
          }
          env->SetLongArrayRegion(array, static_cast<jsize>(2 * start), static_cast<jsize>(2 * n), block);
        }
        sound = env->CallBooleanMethod(running_, g_upcalls.issue, array);
        if (!env->ExceptionCheck()) env->DeleteLocalRef(array);
      }
    }
    AbortUnless(env, sound);
  }

  void FlushQueries() {
    if (g_aborted.load()) return;
    JNIEnv* env = Env();
    AbortUnless(env, env->CallBooleanMethod(running_, g_upcalls.flush));
  }

  // Calls "load" or "unload".
  void CallWithIndices(jmethodID method, const std::vector<mlperf::QuerySampleIndex>& samples) {
    if (g_aborted.load()) return;
    JNIEnv* env = Env();
    jintArray array = env->NewIntArray(static_cast<jsize>(samples.size()));
    bool sound = array != nullptr;
    if (sound) {
      const std::vector<jint> indices(samples.begin(), samples.end());
      env->SetIntArrayRegion(array, 0, static_cast<jsize>(indices.size()), indices.data());
      sound = env->CallBooleanMethod(running_, method, array);
      if (!env->ExceptionCheck()) env->DeleteLocalRef(array);
    }
    AbortUnless(env, sound);
  }

  // The exception of an upcall that Java itself could not keep, or null. A global reference.
  jthrowable failure() { return failure_.load(); }

 private:
  static constexpr size_t kBlock = 512;

  void AbandonRange(uint64_t first, size_t n) {
    // In the log of this thread, too: the entry of the thread that aborted may come after the end of the test.
    if (!g_abort_logged_by_issuer.exchange(true)) {
      LogError("The test was aborted: samples are completed empty as soon as they are issued.");
    }
    for (size_t i = 0; i < n; i++) Abandon(&Table().At(first + i));
  }

  void AbortUnless(JNIEnv* env, bool sound) {
    if (env->ExceptionCheck()) {
      jthrowable thrown = env->ExceptionOccurred();
      env->ExceptionClear();
      sound = false;
      auto kept = static_cast<jthrowable>(env->NewGlobalRef(thrown));
      jthrowable none = nullptr;
      if (!failure_.compare_exchange_strong(none, kept)) env->DeleteGlobalRef(kept);
      env->DeleteLocalRef(thrown);
    }
    if (!sound) AbortOutstanding();
  }

  const jobject running_;
  std::atomic<jthrowable> failure_{nullptr};
};

class JavaSystemUnderTest final : public mlperf::SystemUnderTest {
 public:
  JavaSystemUnderTest(std::string name, JavaTest* test) : name_(std::move(name)), test_(test) {}
  const std::string& Name() override { return name_; }
  void IssueQuery(const std::vector<mlperf::QuerySample>& samples) override { test_->IssueQuery(samples); }
  void FlushQueries() override { test_->FlushQueries(); }

 private:
  const std::string name_;
  JavaTest* const test_;
};

// LoadGen asks for name and counts on its log thread as well; they are answered without Java.
class JavaQuerySampleLibrary final : public mlperf::QuerySampleLibrary {
 public:
  JavaQuerySampleLibrary(std::string name, size_t total, size_t performance, JavaTest* test)
      : name_(std::move(name)), total_(total), performance_(performance), test_(test) {}
  const std::string& Name() override { return name_; }
  size_t TotalSampleCount() override { return total_; }
  size_t PerformanceSampleCount() override { return performance_; }
  void LoadSamplesToRam(const std::vector<mlperf::QuerySampleIndex>& samples) override {
    test_->CallWithIndices(g_upcalls.load, samples);
  }
  void UnloadSamplesFromRam(const std::vector<mlperf::QuerySampleIndex>& samples) override {
    test_->CallWithIndices(g_upcalls.unload, samples);
  }

 private:
  const std::string name_;
  const size_t total_;
  const size_t performance_;
  JavaTest* const test_;
};

// An exception that left LoadGen's StartTest would leave its log thread behind with closed files: no way to go on.
void RunTest(mlperf::SystemUnderTest* sut, mlperf::QuerySampleLibrary* qsl, const mlperf::TestSettings& settings,
             const mlperf::LogSettings& logs, const std::string& audit) noexcept {
  mlperf::StartTest(sut, qsl, settings, logs, audit);
}

}  // namespace

#define NATIVE(type, name) extern "C" JNIEXPORT type JNICALL Java_dev_loadgen_mlperf_NativeLoadGen_##name

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  g_vm = vm;
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  auto* jni = static_cast<JNIEnv*>(env);
  jclass running = jni->FindClass("dev/loadgen/mlperf/TestCallbacks");
  if (running == nullptr) return JNI_ERR;
  g_upcalls.issue_one = jni->GetMethodID(running, "issueOne", "(JI)Z");
  g_upcalls.issue = jni->GetMethodID(running, "issue", "([J)Z");
  g_upcalls.flush = jni->GetMethodID(running, "flush", "()Z");
  g_upcalls.load = jni->GetMethodID(running, "load", "([I)Z");
  g_upcalls.unload = jni->GetMethodID(running, "unload", "([I)Z");
  return jni->ExceptionCheck() ? JNI_ERR : JNI_VERSION_10;
}

NATIVE(jstring, version)(JNIEnv* env, jclass) { return env->NewStringUTF(mlperf::LoadgenVersion().c_str()); }

NATIVE(jobjectArray, settingNames)(JNIEnv* env, jclass) {
  std::vector<const char*> names{"scenario", "mode"};
#define X(field) names.push_back(#field);
#define LATER(field) \
  if (Later_##field<mlperf::TestSettings>::kExists) names.push_back(#field);
  LOADGEN_SETTINGS(X, LATER)
#undef LATER
#undef X
  jobjectArray array = env->NewObjectArray(static_cast<jsize>(names.size()), env->FindClass("java/lang/String"), nullptr);
  for (size_t i = 0; array != nullptr && i < names.size(); i++) {
    env->SetObjectArrayElement(array, static_cast<jsize>(i), env->NewStringUTF(names[i]));
  }
  return array;
}

NATIVE(jlongArray, defaultSettings)(JNIEnv* env, jclass) {
  mlperf::TestSettings settings;
  settings.token_latency_scaling_factor = kNeutralScalingFactor;
  return ToJava(env, ToArray(settings));
}

NATIVE(jint, fromConfig)
(JNIEnv* env, jclass, jlongArray values, jbyteArray path, jbyteArray model, jbyteArray scenario, jint conf_type) {
  return Guarded(env, [&] {
    mlperf::TestSettings settings = FromArray(ToVector(env, values));
    const jint result =
        settings.FromConfig(ToString(env, path), ToString(env, model), ToString(env, scenario), conf_type);
    const std::vector<jlong> changed = ToArray(settings);
    env->SetLongArrayRegion(values, 0, static_cast<jsize>(changed.size()), changed.data());
    return result;
  });
}

NATIVE(jlongArray, startTest)
(JNIEnv* env, jclass, jobject running, jbyteArray sut_name, jbyteArray qsl_name, jlong total, jlong performance,
 jlongArray setting_values, jbyteArray outdir, jbyteArray prefix, jbyteArray suffix, jboolean prefix_with_datetime,
 jboolean copy_detail_to_stdout, jboolean copy_summary_to_stdout, jint log_mode, jlong poll_interval_ms,
 jboolean enable_trace, jbyteArray audit) {
  return Guarded(env, [&]() -> jlongArray {
    AdmitThread();
    const mlperf::TestSettings settings = FromArray(ToVector(env, setting_values));
    mlperf::LogSettings logs;
    logs.log_output.outdir = ToString(env, outdir);
    logs.log_output.prefix = ToString(env, prefix);
    logs.log_output.suffix = ToString(env, suffix);
    logs.log_output.prefix_with_datetime = prefix_with_datetime;
    logs.log_output.copy_detail_to_stdout = copy_detail_to_stdout;
    logs.log_output.copy_summary_to_stdout = copy_summary_to_stdout;
    logs.log_mode = static_cast<mlperf::LoggingMode>(log_mode);
    logs.log_mode_async_poll_interval_ms = static_cast<uint64_t>(poll_interval_ms);
    logs.enable_trace = enable_trace;

    g_needs_first_token.store(settings.use_token_latencies && settings.scenario != mlperf::TestScenario::Offline);
    // An audit file may ask for the accuracy log in a performance test.
    g_keeps_data.store(settings.mode == mlperf::TestMode::AccuracyOnly ||
                                   settings.mode == mlperf::TestMode::SubmissionRun ||
                                   settings.accuracy_log_probability > 0 || settings.accuracy_log_sampling_target > 0 ||
                                   env->GetArrayLength(audit) > 0);
    // Never deleted: there is one test in a process, and its objects may be referred to by log entries.
    auto* test = new JavaTest(env->NewGlobalRef(running));
    auto* sut = new JavaSystemUnderTest(ToString(env, sut_name), test);
    auto* qsl = new JavaQuerySampleLibrary(ToString(env, qsl_name), static_cast<size_t>(total),
                                           static_cast<size_t>(performance), test);
    RunTest(sut, qsl, settings, logs, ToString(env, audit));
    std::cout.flush();
    if (test->failure() != nullptr) {
      env->Throw(test->failure());
      return nullptr;
    }
    return ToJava(env, {static_cast<jlong>(Table().size()), static_cast<jlong>(g_abandoned.load()),
                        g_aborted.load() ? 1 : 0});
  });
}

NATIVE(jlong, abortOutstanding)(JNIEnv* env, jclass) {
  return Guarded(env, [] { return static_cast<jlong>(AbortOutstanding()); });
}

NATIVE(void, registerIssueQueryThread)(JNIEnv* env, jclass) {
  Guarded(env, [] {
    AdmitThread();
    mlperf::RegisterIssueQueryThread();
  });
}

NATIVE(jboolean, firstToken)(JNIEnv* env, jclass, jlong handle, jbyteArray data, jint offset, jint length) {
  return Guarded(env, [&]() -> jboolean {
    const PerfClock::time_point now = PerfClock::now();
    Slot* slot = Table().Find(handle);
    if (slot == nullptr) return JNI_FALSE;
    std::vector<uint8_t> bytes(Kept(length));
    if (!bytes.empty()) env->GetByteArrayRegion(data, offset, length, reinterpret_cast<jbyte*>(bytes.data()));
    return KeepFirstToken(slot, now, std::move(bytes));
  });
}

NATIVE(jboolean, complete)
(JNIEnv* env, jclass, jlong handle, jbyteArray data, jint offset, jint length, jlong tokens) {
  return Guarded(env, [&]() -> jboolean {
    Slot* slot = Table().Find(handle);
    if (slot == nullptr) return JNI_FALSE;
    Payload payload(env, data, offset, length);
    return Complete(slot, payload.data(), payload.size(), tokens, false);
  });
}

NATIVE(jint, completeAll)
(JNIEnv* env, jclass, jlongArray handles, jbyteArray data, jintArray lengths, jlongArray tokens) {
  return Guarded(env, [&]() -> jint {
    const std::vector<jlong> ids = ToVector(env, handles);
    const std::vector<jlong> counts = ToVector(env, tokens);
    std::vector<jint> sizes(ids.size());
    env->GetIntArrayRegion(lengths, 0, static_cast<jsize>(sizes.size()), sizes.data());
    Payload payload(env, data, 0, env->GetArrayLength(data));

    AdmitThread();
    std::vector<mlperf::QuerySampleResponse> without_first_token;
    std::vector<mlperf::QuerySampleResponse> responses;
    responses.reserve(ids.size());
    uint8_t* next = payload.data();
    for (size_t i = 0; i < ids.size(); i++) {
      const auto bytes = reinterpret_cast<uintptr_t>(next);
      const size_t size = Kept(sizes[i]);
      next += size;
      Slot* slot = Table().Find(ids[i]);
      if (slot == nullptr) continue;
      const uint64_t state = ClaimCompletion(slot);
      if (state == kFree || state == kDone) continue;
      if (state != kIssued) {
        HandOver(slot->id, FromState(state));
      } else if (g_needs_first_token.load(std::memory_order_relaxed)) {
        without_first_token.emplace_back(slot->id, bytes, size, 0);
      }
      responses.emplace_back(slot->id, bytes, size, counts[i]);
    }
    if (!without_first_token.empty()) {
      LogError("Samples were completed without a first token; their TTFT is their latency.");
      mlperf::FirstTokenComplete(without_first_token.data(), without_first_token.size());
    }
    if (!responses.empty()) mlperf::QuerySamplesComplete(responses.data(), responses.size());
    return static_cast<jint>(responses.size());
  });
}
