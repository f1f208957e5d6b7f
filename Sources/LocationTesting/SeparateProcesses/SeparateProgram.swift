/// A program that a virtual device can run in a process of its own (``AppUnderTest/init(_:infoPlist:separateProcess:)``).
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
