package import WhereaboutsLocationEngine
package import WhereaboutsVocabulary

/// The ended processes that each app may leave to the device, which becomes their parent and waits for them (ADR 0019).
///
/// Chains of forks would take the processors from everyone.
/// ```
///              beyond the allowance              processStarted
///   counting ────────────────────────▶ ending ─────────────────────▶ counting, nothing used
/// ```
/// After an app's process ended, its remaining processes are not counted: they are ended anyway, and must not count
/// against the app's next start.
///
/// Ignored races: processes that end after their app was ended, and starts of apps that were not.
package struct OrphanLimit: Sendable {
    /// The number of ended processes that an app may leave at once.
    ///
    /// Source: our choice; a daemon that starts itself twice leaves one, and chains of forks leave thousands a second.
    package static let burst = 100
    /// The time until it may leave one more.
    package static let interval: Duration = .milliseconds(100)

    private var allowances = KeyedGCRA<BundleID>(burst: Self.burst, every: Self.interval)
    /// The installed apps that were ended and have not started again.
    private var ending: Set<BundleID> = []

    /// Creates an unused limit.
    package init() {}

    /// The consequence of an ended process.
    package enum OnOrphanEnded: Sendable, Hashable {
        /// Do nothing.
        case ignore
        /// End all processes of the app by force.
        case endApp
    }

    /// A process that lost its parent has ended.
    ///
    /// - Parameters:
    ///   - bundle: the app that left it.
    ///   - isRunning: whether a process of the app runs that the device started, and none is being ended.
    ///   - now: the time.
    /// - Returns: what to do.
    package mutating func orphanEnded(of bundle: BundleID, isRunning: Bool, now: EngineInstant) -> OnOrphanEnded {
        guard isRunning, !self.ending.contains(bundle), !self.allowances.take(for: bundle, now: now) else {
            return .ignore
        }
        self.ending.insert(bundle)
        return .endApp
    }

    /// The device has started a process of an app.
    package mutating func processStarted(of bundle: BundleID) {
        guard self.ending.remove(bundle) != nil else { return }
        self.allowances.reset(bundle)
    }
}
