public import CoreLocation
internal import Synchronization

/// A program that a virtual device can run in a separate process
/// (``AppUnderTest/init(_:infoPlist:separateProcess:pushExtension:)``).
///
/// A type with `@main` has the requirement already:
///
/// ```swift
/// extension FindFriendsApp: SeparateProgram {}
/// ```
public protocol SeparateProgram: SendableMetatype {
    /// The program; its process ends when it returns.
    @MainActor static func main() async throws
}

extension CLLocationPushServiceExtension {
    /// Serves the pushes of this process until the device ends it: the program of an extension in a separate process only calls
    /// this, as the `main.swift` of a bundle only calls `run(_:)`.
    ///
    /// ```swift
    /// enum PushServiceProgram: SeparateProgram {
    ///     static func main() async { await LocationPushService.serve { LocationPushService() } }
    /// }
    /// AppUnderTest("com.example.FindFriends", separateProcess: FindFriendsApp.self, pushExtension: PushServiceProgram.self)
    /// ```
    /// - Parameter make: makes the object.
    @MainActor public static func serve(_ make: () -> Self) async {
        let service = make()
        let isOver = Mutex(false)
        await withCheckedContinuation { continuation in
            service.serve(.current()) {
                let isFirst = isOver.withLock { over in
                    defer { over = true }
                    return !over
                }
                if isFirst { continuation.resume() }
            }
        }
        withExtendedLifetime(service) {}
    }
}
