public import Foundation

/// The interface of an app extension that answers location pushes, also while the app does not run.
///
/// Implement one of the two forms of `didReceiveLocationPushPayload`; each is the default of the other. A
/// `main.swift` beside the class starts the extension, in place of Xcode's `@main`:
///
/// ```swift
/// LocationPushService.run { LocationPushService() }
/// ```
///
/// The extension's Info.plist names the extension point `com.apple.location.push.service`. App and extension need the
/// entitlement `com.apple.developer.location.push`, and Always authorization with a ``CLServiceSession`` for it,
/// which the extension holds, too.
public protocol CLLocationPushServiceExtension: NSObjectProtocol {
    /// Tells the extension that a location push arrived.
    ///
    /// The method is called on the main thread. Fetch the location, send it to your server, and call the completion
    /// as soon as you have finished. The extension has 30 seconds for a push by default; see
    /// ``serviceExtensionWillTerminate()``.
    ///
    /// - Parameters:
    ///   - payload: the payload of the push.
    ///   - completion: a closure to call when the work is done.
    @preconcurrency
    func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void)

    /// Tells the extension that a location push arrived.
    ///
    /// Fetch the location, send it to your server, and return as soon as you have finished. The extension has 30
    /// seconds for a push by default; see ``serviceExtensionWillTerminate()``.
    ///
    /// - Parameter payload: the payload of the push.
    func didReceiveLocationPushPayload(_ payload: [String: Any]) async

    /// Tells the extension that its time is almost over.
    ///
    /// The method is called on the main thread some seconds before the extension ends. Call the completion at once.
    func serviceExtensionWillTerminate()
}

extension CLLocationPushServiceExtension {
    /// Calls the asynchronous form.
    public func didReceiveLocationPushPayload(
        _ payload: [String: Any],
        completion: @escaping @Sendable () -> Void
    ) {
        // Only the task that handles the push uses the object and the payload.
        nonisolated(unsafe) let handle: () async -> Void = { await self.didReceiveLocationPushPayload(payload) }
        Task {
            unsafe await handle()
            completion()
        }
    }

    /// Calls the form with a completion, and waits for it.
    public func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
        await withCheckedContinuation { continuation in
            self.didReceiveLocationPushPayload(payload) { continuation.resume() }
        }
    }

    /// Does nothing.
    public func serviceExtensionWillTerminate() {}
}
