public import Foundation
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The network between the apps of a virtual device and the servers that a test brings along.
///
/// An app reaches its server through its own client or transport type. A test gives the app a client that calls ``reach(within:_:)``, with the
/// server's own code behind it, or a model of it:
///
/// ```swift
/// struct VirtualWay: Way {
///     let server: MyServer
///
///     func post(_ request: Request) async throws -> Reply {
///         try await VirtualNetwork.reach { try await server.reply(to: request) }
///     }
/// }
/// ```
/// The server runs in the device's time, outside its processes: it continues when the app is suspended or ends. In airplane mode
/// nothing gets through.
public enum VirtualNetwork {
    /// The reason why there is no reply.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The device has no network.
        case unreachable
        /// No reply came in time.
        case timedOut
        /// The process at the other end has ended.
        case gone
        /// The code does not run on a device, or runs in a separate process.
        case noDevice

        /// The reason, and its remedy.
        public var description: String {
            switch self {
            case .unreachable: "the device has no network: it is in airplane mode"
            case .timedOut: "no reply came in time"
            case .gone: "the process at the other end has ended"
            case .noDevice:
                "only code that runs on a virtual device, in the process of the tests, can use the virtual network: "
                    + "call it from an app under test, or from VirtualDevice.elsewhere(_:)"
            }
        }
    }

    /// Has a server reply to the code that runs.
    ///
    /// - Parameters:
    ///   - timeout: how long the reply may take; afterwards the server's task is cancelled.
    ///   - server: the server's code.
    /// - Returns: the result of `server`, in the calling process.
    /// - Throws: ``Failure``, what `server` throws, or `CancellationError`.
    public static func reach<Reply: Sendable>(
        within timeout: Duration = .seconds(60),
        _ server: @escaping @Sendable () async throws -> Reply
    ) async throws -> Reply {
        for try await reply in Self.stream(within: timeout, { send in try send(await server()) }) { return reply }
        throw CancellationError()
    }

    /// Has a server send several values to the code that runs, one after the other, as a stream of events.
    ///
    /// - Parameters:
    ///   - timeout: how long the stream may last; nil: until the server ends it.
    ///   - server: the server's code, which is cancelled when the client stops reading. Its parameter sends a value;
    ///     it throws ``Failure/gone`` when the process that reads has ended. Unread elements are kept, without a limit.
    /// - Returns: the values, in the calling process.
    public static func stream<Piece: Sendable>(
        within timeout: Duration? = nil,
        _ server: @escaping @Sendable (_ send: @escaping @Sendable (Piece) throws -> Void) async throws -> Void
    ) -> AsyncThrowingStream<Piece, any Error> {
        let (pieces, continuation) = AsyncThrowingStream<Piece, any Error>.makeStream()
        guard let kernel = Kernel.current, let host = DeviceHost.current else {
            continuation.finish(throwing: Failure.noDevice)
            return pieces
        }
        let process = kernel.process
        guard host.hasNetwork(process) else {
            continuation.finish(throwing: Failure.unreachable)
            return pieces
        }
        host.checks.requestBegan(by: process, within: timeout)
        let serving = Self.elsewhere {
            let failure: (any Error)?
            do {
                try await server { piece in
                    guard Self.arrive(at: process, { continuation.yield(piece) }) else { throw Failure.gone }
                }
                failure = nil
            } catch {
                failure = error
            }
            Self.arrive(at: process) { continuation.finish(throwing: failure) }
        }
        let waiting = timeout.map { timeout in
            Self.elsewhere {
                guard (try? await Task.sleep(for: timeout)) != nil else { return }
                // The timeout needs no network: it runs on the reader's clock.
                Kernel.current?.perform(as: process) { continuation.finish(throwing: Failure.timedOut) }
            }
        }
        continuation.onTermination = { _ in
            DeviceGroup.current?.device(of: process)?.checks.requestEnded(by: process)
            // Run this as process 0: otherwise the server's tasks would belong to the app, and end with it.
            Kernel.current?.perform(as: 0) {
                serving.cancel()
                waiting?.cancel()
            }
        }
        return pieces
    }

    /// Sends a location push to the device with a token, as a server does through APNs.
    ///
    /// - Parameters:
    ///   - payload: a JSON object of at most 4096 bytes.
    ///   - token: the app's token, as the server received it.
    ///   - priority: the urgency.
    ///   - expiration: when the push expires, by the true time; nil: it does not expire.
    /// - Returns: ``PushOutcome/underWay``, or ``PushOutcome/unregistered`` when no app has the token.
    /// - Throws: ``LocationPush/Failure`` when the payload is too long, ``Failure/noDevice``.
    @discardableResult
    public static func push(
        _ payload: Data,
        to token: Data,
        priority: LocationPush.Priority = .immediate,
        expires expiration: Date? = nil
    ) throws -> PushOutcome {
        guard let current = DeviceGroup.current else { throw Failure.noDevice }
        let bytes = try LocationPush.checked(payload)
        for host in current.devices {
            guard let bundle = host.gateway.bundle(of: Array(token)) else { continue }
            let end = expiration.map { WallTime(timeIntervalSince1970: $0.timeIntervalSince1970) }
            host.gateway.send(bytes, to: bundle, .delivered, priority, expiration: end)
            return .underWay
        }
        return .unregistered
    }

    /// Starts code in the device's time and outside its processes.
    private static func elsewhere(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        guard let kernel = Kernel.current else { preconditionFailure("this thread pumps no virtual device") }
        return kernel.perform(as: 0) { Task.detached { await body() } }
    }

    /// Wakes a process because data arrived over the network.
    ///
    /// - Returns: whether the process has not ended; data that arrives while the device has no network is lost silently.
    @discardableResult
    private static func arrive(at process: Kernel.ProcessNumber, _ body: () -> Void) -> Bool {
        guard let kernel = Kernel.current, let host = DeviceGroup.current?.device(of: process) else { return false }
        guard host.processes[process]?.hasEnded != true else { return false }
        if host.hasNetwork(process) { kernel.perform(as: process, body) }
        return true
    }
}

extension DeviceHost {
    /// Whether a process's code can use the network; code outside the device always can.
    fileprivate func hasNetwork(_ process: Kernel.ProcessNumber) -> Bool { process == 0 || self.gateway.isReachable }
}
