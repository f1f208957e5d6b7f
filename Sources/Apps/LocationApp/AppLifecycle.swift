package import CoreLocation

/// The reason an app's process was started for, and whether a person sees it.
///
/// Apple's apps learn this from UIKit; on Linux locationd knows it.
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
        /// The app runs unseen.
        case background
    }

    /// The reason a process was started for.
    public enum LaunchReason: Sendable, Hashable {
        case user
        /// There are positions to deliver: take the sessions again at once.
        case location
        /// The app's location push service extension handed a task over.
        case push
    }

    /// The reason this process was started for.
    public static var launchReason: LaunchReason { LaunchReason(LocationClient.current().mirror.launchReason) }

    /// Whether a person sees this process now; foreground while locationd cannot be reached.
    public static var phase: Phase { Phase(LocationClient.current().mirror.phase) }

    /// The phase now, and every change of it.
    public static var phases: Phases { Phases(client: .current()) }

    /// Reports that no person sees this process any more, if it was started by hand.
    ///
    /// Such a process counts as unseen until the desktop or `locationctl phase` says otherwise, and
    /// ``Phase/foreground`` has no effect: a process cannot declare itself visible. Of a process that locationd
    /// started, locationd knows it from the desktop or from `locationctl run`, and this has no effect at all.
    public static func setPhase(_ phase: Phase) {
        LocationClient.current().reportPhase(phase == .foreground ? .foreground : .background)
    }

    /// The phases of this process: the present one, then every change; who is slow gets the newest.
    public struct Phases: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = Phase
        /// The sequence never throws.
        public typealias Failure = Never

        private let client: LocationClient

        package init(client: LocationClient) {
            self.client = client
        }

        /// Returns an iterator; every one begins with the present phase.
        public func makeAsyncIterator() -> Iterator { Iterator(client: self.client) }

        /// A position in the sequence.
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

        /// Ends the observation with the iterator.
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
