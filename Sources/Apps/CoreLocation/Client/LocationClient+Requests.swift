internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// Requests to the device that have one answer.
extension LocationClient {
    /// The device's answer to a request, or the reason why there is none.
    enum Reply: Sendable {
        /// A push token, or the reason why there is none.
        case pushToken(WirePushToken)
        /// The end of a request for full accuracy; `isDeclined` is true if no person was asked.
        case fullAccuracy(isDeclined: Bool)
        /// Places, or the reason why none were found.
        case geocode(WireGeocodeResult)
        /// The device has sent a monitor's records.
        case opened
        /// The device cannot be reached, or too many questions wait.
        case gone
        /// The task that asked was cancelled.
        case cancelled
    }

    /// The maximum number of waiting questions; only a loop that does not wait for answers exceeds it.
    static var requestsMax: Int { 256 }

    /// Sends a question; calls the completion once, on the thread that delivers the answer.
    @discardableResult
    func ask(
        _ make: (_ request: UInt64) -> WireClientMessage,
        _ completion: @escaping @Sendable (Reply) -> Void
    ) -> UInt64? {
        let id = self.state.withLock { state -> UInt64? in
            guard state.mirror.isConnected, state.requests.count < Self.requestsMax else { return nil }
            let id = state.takeID()
            state.requests[id] = completion
            return id
        }
        guard let id else {
            completion(.gone)
            return nil
        }
        self.transport.send(make(id))
        return id
    }

    /// Sends a question, and waits for the answer or the cancellation of the task.
    func ask(_ make: @Sendable (_ request: UInt64) -> WireClientMessage) async -> Reply {
        await self.ask { self.ask(make, $0) }
    }

    /// Waits for the answer to a question, or the cancellation of the task.
    ///
    /// - Parameter start: sends the question, calls its argument once with the answer, and returns the question's number or nil.
    /// - Returns: the answer.
    func ask(_ start: (@escaping @Sendable (Reply) -> Void) -> UInt64?) async -> Reply {
        let question = Question()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = start { continuation.resume(returning: $0) }
                if let id, question.asked(id) { self.answer(id, .cancelled) }
            }
        } onCancel: {
            if let id = question.cancelled() { self.answer(id, .cancelled) }
        }
    }

    func answer(_ request: UInt64, _ reply: Reply) {
        let completion = self.state.withLock { $0.requests.removeValue(forKey: request) }
        completion?(reply)
    }

    // MARK: Authorization

    func requestAuthorization(always: Bool) {
        self.state.withLock { state in
            if state.mirror.isConnected {
                self.transport.send(.with { $0.authorizationRequest = .with { $0.always = always } })
            } else {
                state.unheardRequest = always || state.unheardRequest == true
            }
        }
    }

    // MARK: Location pushes

    func requestPushToken(
        _ completion: @escaping @Sendable (Result<Data, CLLocationPushServiceError>) -> Void
    ) {
        self.ask(Self.pushTokenRequest) { completion(Self.tokenResult($0)) }
    }

    func pushToken() async throws -> Data {
        let reply = await self.ask(Self.pushTokenRequest)
        if case .cancelled = reply { throw CancellationError() }
        return try Self.tokenResult(reply).get()
    }

    @Sendable private static func pushTokenRequest(_ id: UInt64) -> WireClientMessage {
        .with { $0.pushTokenRequest = .with { $0.request = id } }
    }

    func stopMonitoringPushes() {
        self.transport.send(.with { $0.stopMonitoringPushes = .init() })
    }

    private static func tokenResult(_ reply: Reply) -> Result<Data, CLLocationPushServiceError> {
        guard case .pushToken(let news) = reply else { return .failure(CLLocationPushServiceError(.unknown)) }
        return switch news.failure {
        case .none: .success(news.token)
        case .unknown, .UNRECOGNIZED: .failure(CLLocationPushServiceError(.unknown))
        case .missingPushExtension: .failure(CLLocationPushServiceError(.missingPushExtension))
        case .missingPushServerEnvironment: .failure(CLLocationPushServiceError(.missingPushServerEnvironment))
        case .missingEntitlement: .failure(CLLocationPushServiceError(.missingEntitlement))
        }
    }
}
