internal import Synchronization
public import Testing

/// Code that runs in a device's time and not on a device: a server, or another person.
public final class Elsewhere<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    /// The result; nil while the code runs, and if it threw.
    public var value: Value? { self.result.withLock { try? $0?.get() } }

    /// Whether the code has ended.
    public var isOver: Bool { self.result.withLock { $0 != nil } }

    fileprivate func ended(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }
}

extension VirtualDevice {
    /// Starts code that belongs to none of the device's apps and runs in the device's time: a server of the test, or
    /// another person.
    ///
    /// ```swift
    /// let asked = device.elsewhere { try await bob.ask(alice) }
    /// device.run(until: "Bob has his answer") { asked.value != nil }
    /// ```
    /// - Parameters:
    ///   - sourceLocation: the test's line, where a problem is shown.
    ///   - body: begins at once, and continues whenever the test lets time pass. An error that it throws is a problem of the test.
    /// - Returns: an object that has the body's result when it is there.
    @discardableResult
    public func elsewhere<Value: Sendable>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Elsewhere<Value> {
        let elsewhere = Elsewhere<Value>()
        let (kernel, problems) = (self.host.kernel, self.host.context.problems)
        self.host.group.act(at: sourceLocation) {
            kernel.perform(as: 0) {
                _ = Task.detached {
                    do {
                        elsewhere.ended(.success(try await body()))
                    } catch {
                        problems.add("the closure of elsewhere(_:) threw: \(error)")
                        elsewhere.ended(.failure(error))
                    }
                }
            }
        }
        return elsewhere
    }
}
