import CoreLocation
import Synchronization

/// Apps that would block a device, because all apps share one thread.
enum Hangs {
    /// Waits for a later time in a loop.
    @MainActor static func untilLater() async throws {
        let end = Date() + 5
        while Date() < end {}
        try await self.read()
    }

    /// Blocks the thread of its main actor with a sleep.
    @MainActor static func asleep() async throws {
        self.block()
        try await self.read()
    }

    /// Waits for a semaphore that a queue should signal.
    @MainActor static func onASemaphore() async throws {
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { semaphore.signal() }
        self.wait(for: semaphore)
        try await self.read()
    }

    // Their declarations say that they are unavailable in asynchronous code.
    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
    private static func block() { Thread.sleep(forTimeInterval: 3) }

    @MainActor static func onALock() {
        let lock = NSLock()
        lock.lock()
        lock.lock()
    }

    private static func read() async throws {
        for try await _ in CLLocationUpdate.liveUpdates() {}
    }
}

/// An app whose task has a value that a test could await.
@MainActor final class Countdown {
    let end = Task {
        try? await ContinuousClock().sleep(for: .seconds(60))
        return 0
    }
}

/// An app that keeps its manager in a singleton, as listings do.
@MainActor final class Singleton: NSObject, @MainActor CLLocationManagerDelegate {
    static let shared = Singleton()
    private let manager = CLLocationManager()
    private(set) var locations = 0

    func begin() {
        self.manager.delegate = self
        self.manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        self.locations += locations.count
    }
}

/// An app that uses every mechanism that virtual time does not support.
@MainActor final class Undriven {
    private(set) var ticks = 0
    private var source: (any DispatchSourceTimer)?
    /// Whether the source's handler ran.
    let hasFired = Atomic(false)

    init() {
        _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in }
        let source = DispatchSource.makeTimerSource(queue: .global())
        source.setEventHandler { self.hasFired.store(true, ordering: .sequentiallyConsistent) }
        source.schedule(deadline: DispatchTime(uptimeNanoseconds: 1))
        source.resume()
        self.source = source
        Thread.detachNewThread {}
    }
}

/// An app that creates its manager on a separate thread with a run loop, as Core Location requires.
@MainActor final class Threaded {
    init() { Self.begin() }

    nonisolated static func begin() {
        Thread.detachNewThread {
            let manager = CLLocationManager()
            manager.startUpdatingLocation()
            RunLoop.current.add(Timer(timeInterval: 3600, repeats: false) { _ in }, forMode: .default)
            RunLoop.current.run()
        }
    }
}

/// A program that does the same.
enum ThreadedProgram {
    @MainActor static func main() async throws {
        Threaded.begin()
        try await ContinuousClock().sleep(for: .seconds(60))
    }
}

/// A program that prints what it does.
enum TalkingProgram {
    @MainActor static func main() async throws {
        print("begins", 1, separator: " ")
        FileHandle.standardError.write(Data("on its standard error\n".utf8))
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil { break }
        print("has a position")
    }
}

/// A program whose thread sleeps.
enum HangingProgram {
    @MainActor static func main() async throws { try await Hangs.asleep() }
}
