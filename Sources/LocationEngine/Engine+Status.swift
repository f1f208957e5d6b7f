internal import OrderedCollections

/// What a person may see of an app's state.
public struct AppStatus: Sendable, Hashable {
    /// Whether the app runs, and whether it is seen.
    public enum Process: Sendable, Hashable {
        /// It has no process.
        case notRunning
        /// A person looks at it.
        case foreground
        /// It runs unseen.
        case background
    }

    /// The person's decision.
    public var authorization: Authorization.Status
    /// The question before the person.
    public var prompt: Authorization.Prompt?
    /// Whether the app runs.
    public var process: Process
    /// The requirements of its sessions that are held or remembered.
    public var sessions: [Declaration.Session.Requirement]
    /// Whether it monitors location pushes.
    public var monitorsPushes: Bool
    /// Whether its extension has a process.
    public var extensionRuns: Bool
}

extension Engine {
    /// The state of an app; nil when it is not installed.
    public func status(of bundle: BundleID) -> AppStatus? {
        guard let app = self.apps[bundle] else { return nil }
        let process: AppStatus.Process =
            app.lifecycle.isForeground ? .foreground : app.lifecycle.isRunning ? .background : .notRunning
        return AppStatus(
            authorization: app.authorization.status,
            prompt: app.authorization.prompt,
            process: process,
            sessions: app.sessions.outstanding,
            monitorsPushes: app.registration.isMonitoring,
            extensionRuns: app.pushExtension.isActive
        )
    }
}
