/// An action of code that cannot work on a virtual device; numbered as in `cvirtualtime.h`.
enum Misuse: Int32, CaseIterable {
    /// The code makes its thread sleep.
    case sleeps
    /// The code reads the time again and again within one job.
    case readsClock
    /// The code waits forever for a semaphore or a group.
    case blocks
    /// The code used a `Timer`.
    case timer
    /// The code created a `DispatchSource`.
    case source
    /// The code started a `Thread`.
    case thread
    /// The code sent a request with `URLSession`.
    case network

    /// The mistake and its remedy; nil: it is a mistake only if code waits for the result of the call.
    var problem: String? {
        switch self {
        case .sleeps:
            "lets its thread sleep (Thread.sleep, usleep), which would stop the whole device: no time passed for it. "
                + "Use `try await Task.sleep(for:)`"
        case .readsClock:
            "asks for the time millions of times within one job, as `while Date() < end {}` does: time passes only while all "
                + "code waits. Use `try await Task.sleep(for:)`"
        case .blocks:
            "waits without end for a semaphore or a group, and all code that could signal it shares its thread; it went on as "
                + "if the wait were over. Await a continuation, a task or a stream, or use DispatchGroup.notify"
        case .network:
            "sends a request with URLSession, which no virtual device can answer: it would come in real time, on a thread that "
                + "nothing drives. The request fails. Give the code a transport that calls VirtualNetwork.reach, with the "
                + "server's code or a model of it"
        case .timer, .source, .thread: nil
        }
    }

    /// The facility that no virtual device drives; nil if the misuse was reported at once.
    var undriven: String? {
        switch self {
        case .sleeps, .readsClock, .blocks, .network: nil
        case .timer: "a Timer"
        case .source: "a DispatchSource"
        case .thread: "a Thread"
        }
    }
}
