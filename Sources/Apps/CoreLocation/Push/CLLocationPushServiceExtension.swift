public import Foundation

/// An app's extension that answers location pushes while the app does not run.
///
/// Implement one of the two forms of `didReceiveLocationPushPayload`; each is the other's default. On Linux a
/// `main.swift` beside the class hands it over:
/// ```swift
/// LocationPushService.run { LocationPushService() }
/// ```
public protocol CLLocationPushServiceExtension: NSObjectProtocol {
    /// Handles a push; call `completion` as soon as the work is done.
    @preconcurrency
    func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void)

    /// Handles a push; return as soon as the work is done.
    func didReceiveLocationPushPayload(_ payload: [String: Any]) async

    /// Called on the main thread shortly before the process is killed: call the completion now.
    func serviceExtensionWillTerminate()
}

extension CLLocationPushServiceExtension {
    /// Calls the asynchronous form.
    public func didReceiveLocationPushPayload(
        _ payload: [String: Any],
        completion: @escaping @Sendable () -> Void
    ) {
        // The object and the payload go to the one task that handles the push; nobody else touches them meanwhile.
        nonisolated(unsafe) let handle: () async -> Void = { await self.didReceiveLocationPushPayload(payload) }
        Task {
            unsafe await handle()
            completion()
        }
    }

    /// Calls the form with a completion.
    public func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
        await withCheckedContinuation { continuation in
            self.didReceiveLocationPushPayload(payload) { continuation.resume() }
        }
    }

    /// Does nothing.
    public func serviceExtensionWillTerminate() {}
}
