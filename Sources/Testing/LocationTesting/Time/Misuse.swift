/// A deed of code that cannot have its effect on a virtual device; numbered as in `cvirtualtime.h`.
enum Misuse: Int32, CaseIterable {
    /// It makes its thread sleep.
    case sleeps
    /// It reads the time again and again within one job.
    case readsClock
    /// It waits forever for a semaphore or a group.
    case blocks
    /// It used a `Timer`.
    case timer
    /// It created a `DispatchSource`.
    case source
    /// It started a `Thread`.
    case thread
    /// It sent a request with `URLSession`.
    case network

    /// The mistake and its remedy; nil: code may do so, as long as nothing waits for it.
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

    /// The facility that no virtual device runs; nil where the mistake was reported at once.
    var undriven: String? {
        switch self {
        case .sleeps, .readsClock, .blocks, .network: nil
        case .timer: "a Timer"
        case .source: "a DispatchSource"
        case .thread: "a Thread"
        }
    }
}
