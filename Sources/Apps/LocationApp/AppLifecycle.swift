package import CoreLocation

/// Why an app's process was started, and whether a person sees the app.
///
/// UIKit reports this to Apple's apps; on Linux, locationd does.
/// ```swift
/// if AppLifecycle.launchReason == .location { resumeWorkout() }
/// for await phase in AppLifecycle.phases {
///     map.isHidden = phase == .background
/// }
/// ```
public enum AppLifecycle {
    /// Whether a person sees the app.
    public enum Phase: Sendable, Hashable {
        /// The app is visible.
        case foreground
        /// The app runs without being visible.
        case background
    }

    /// The reason why a process was started.
    public enum LaunchReason: Sendable, Hashable {
        case user
        /// Locations are waiting: create the app's sessions again at once.
        case location
        /// The app's location push service extension handed a task over.
        case push
    }

    /// The reason why this process was started.
    public static var launchReason: LaunchReason { LaunchReason(LocationClient.current().mirror.launchReason) }

    /// Whether a person sees this process now; foreground while locationd cannot be reached.
    public static var phase: Phase { Phase(LocationClient.current().mirror.phase) }

    /// The present phase, and every change of it.
    public static var phases: Phases { Phases(client: .current()) }

    /// Reports that a process that a person started by hand is no longer visible.
    ///
    /// The process then counts as a background app until the desktop or `locationctl phase` reports otherwise. Passing
    /// ``Phase/foreground`` has no effect: a process cannot declare itself visible. In a process that locationd
    /// started, the method has no effect at all: the desktop or `locationctl run` determines the phase.
    public static func setPhase(_ phase: Phase) {
        LocationClient.current().reportPhase(phase == .foreground ? .foreground : .background)
    }

    /// The phases of this process: the present one, then every change; a slow loop receives the newest.
    public struct Phases: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = Phase
        /// The sequence never throws.
        public typealias Failure = Never

        private let client: LocationClient

        package init(client: LocationClient) {
            self.client = client
        }

        /// Returns an iterator; each iterator begins with the present phase.
        public func makeAsyncIterator() -> Iterator { Iterator(client: self.client) }

        /// The iterator of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            private let watch: Watch
            private var last: Phase?

            fileprivate init(client: LocationClient) {
                self.watch = Watch(client: client)
            }

            /// Waits for the next phase; nil once the task is cancelled.
            public mutating func next() async -> Phase? {
                while let phase = await self.watch.mailbox.next() {
                    guard phase != self.last else { continue }
                    self.last = phase
                    return phase
                }
                return nil
            }
        }

        /// Ends the observation when the iterator is released.
        private final class Watch: Sendable {
            let mailbox: Mailbox<Phase>
            private let client: LocationClient
            private let observation: UInt64

            init(client: LocationClient) {
                let mailbox = Mailbox<Phase>()
                self.mailbox = mailbox
                self.client = client
                self.observation = client.observe { mailbox.put(Phase($0.phase), isReplaceable: true) }
            }

            deinit {
                self.client.endObserving(self.observation)
            }
        }
    }
}

extension AppLifecycle.Phase {
    fileprivate init(_ phase: LocationClient.Phase) {
        self =
            switch phase {
            case .foreground: .foreground
            case .background: .background
            }
    }
}

extension AppLifecycle.LaunchReason {
    fileprivate init(_ reason: LocationClient.LaunchReason) {
        self =
            switch reason {
            case .user: .user
            case .location: .location
            case .push: .push
            }
    }
}
