/// An app's state, for people.
public struct AppStatus: Sendable, Hashable {
    /// Whether the app runs, and whether it is visible.
    public enum Process: Sendable, Hashable {
        case notRunning
        /// The app is visible to a person.
        case foreground
        /// The app runs without a user interface, and counts as visible by the owner's rules.
        case headless
        case background
        case suspended
    }

    /// The state of a condition, with its names.
    public struct Condition: Sendable, Hashable {
        /// The monitor's name; nil: the condition is a region of a `CLLocationManager`.
        public var monitor: String?
        /// The app's own name for the condition.
        public var identifier: String
        /// The last known state of the condition.
        public var state: ConditionState
        /// Whether there is an event that the app has not handled.
        public var hasEvent: Bool
        /// Why the condition has no events; empty: it is watched.
        public var reasons: MonitorDiagnostics
    }

    /// The authorization status that the app reads.
    public var authorization: Authorization.Status
    /// The app's entry in Settings.
    public var setting: Authorization.Setting
    /// Whether the decision ends when the app is no longer in use.
    public var isForOnce: Bool
    /// Whether Always was given on trial.
    public var isProvisional: Bool
    /// The decisions that the device's owner leaves to people.
    public var restriction: Management.Restriction
    /// Whether the app may know the precise location now.
    public var isPrecise: Bool
    /// Whether the precision is permanent; otherwise it ends when the app is no longer in use.
    public var isPreciseForGood: Bool
    /// Whether a question awaits an answer.
    public var isAsking: Bool
    /// Whether the app runs.
    public var process: Process
    /// The requirements of the app's sessions, including those remembered from its last process.
    public var sessions: [Declaration.Session.Requirement]
    /// The number of streams that the app reads, or that its next process can continue.
    public var streams: Int
    /// Whether the app has a background activity session, or had one when its last process ended.
    public var hasBackgroundSession: Bool
    /// The titles of the app's live activities.
    public var liveActivities: [String]
    /// The conditions, in the order of their addition.
    public var conditions: [Condition]
    /// Whether the app monitors location pushes.
    public var monitorsPushes: Bool
    /// Whether the app answers no location pushes until a person opens it.
    public var needsOpening: Bool
    /// Whether the app's extension has a process.
    public var extensionRuns: Bool
}

extension Engine {
    /// The maximum number of live activities of one app that are shown, so that it cannot hide those of other apps.
    ///
    /// - Note: iOS shows an app's live activities as a list and lets about five begin (observed by many; Apple publishes no number).
    public static let activitiesShownMax = 8

    /// Everything that people see of apps that use the location, or are kept in use, in the background.
    public var indicators: [Indicator] { self.shownIndicators }

    /// The state of an app; nil when it is not installed.
    public func status(of bundle: BundleID) -> AppStatus? {
        guard let position = self.apps.position(of: bundle) else { return nil }
        return self.apps[position].status(self.terms(of: bundle), self.policy)
    }
}

extension App {
    fileprivate func status(_ terms: Terms, _ policy: Policy) -> AppStatus {
        let process: AppStatus.Process
        if self.lifecycle.isSuspended {
            process = .suspended
        } else if self.lifecycle.isForeground {
            process = .foreground
        } else if self.isForeground(terms) {
            process = .headless
        } else {
            process = self.lifecycle.isRunning ? .background : .notRunning
        }
        let reasons = self.monitorReasons(terms)
        let conditions = self.monitors.records.map { record in
            AppStatus.Condition(
                monitor: record.monitor == Monitors.ofRegions ? nil : record.monitor,
                identifier: record.identifier,
                state: record.newest,
                hasEvent: record.pending != nil || record.told != nil,
                reasons: self.reasons(against: record, reasons, policy)
            )
        }
        return AppStatus(
            authorization: self.permission(terms).status,
            setting: self.authorization.setting,
            isForOnce: self.authorization.isForOnce,
            isProvisional: self.authorization.isProvisional,
            restriction: terms.rule.restriction,
            isPrecise: self.accuracy.isFull,
            isPreciseForGood: self.accuracy.isFullForGood,
            isAsking: self.authorization.question != nil || self.accuracy.purpose != nil,
            process: process,
            sessions: self.sessions.sessions,
            streams: self.sessions.inEffect.count { if case .stream = $0 { true } else { false } },
            hasBackgroundSession: self.sessions.hasBackgroundSession,
            liveActivities: self.sessions.liveActivities,
            conditions: conditions,
            monitorsPushes: self.registration.isMonitoring,
            needsOpening: self.needsOpening(terms),
            extensionRuns: self.pushExtension.isActive
        )
    }
}
