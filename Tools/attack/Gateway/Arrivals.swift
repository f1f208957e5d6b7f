internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsJSONReading
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// The pushes that a device waits for, by the number in their payload.
final class Arrivals: Sendable {
    private struct Payload: Decodable {
        let number: Int
    }

    private struct Late: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var number = 0
        var waiting: [Int: EventLoopPromise<Void>] = [:]
        var acknowledge: @Sendable (PushID) -> Void = { _ in }
    }

    private let state = Mutex(State())
    private let eventLoop = GatewayScene.group.next()
    private let tokenIssued: EventLoopPromise<DeviceToken>

    init() {
        self.tokenIssued = self.eventLoop.makePromise()
    }

    /// Sends the device's acknowledgement of a push.
    var acknowledge: @Sendable (PushID) -> Void {
        get { self.state.withLock { $0.acknowledge } }
        set { self.state.withLock { $0.acknowledge = newValue } }
    }

    /// Handles an event of the device's link.
    func record(_ event: PushLinkClient.Event) {
        switch event {
        case .registered(_, let token): self.tokenIssued.succeed(token)
        case .push(let push):
            self.acknowledge(push.id)
            let payload = try? JSONReader().decode(Payload.self, from: Data(push.payload))
            guard let payload else { return }
            self.state.withLock { $0.waiting.removeValue(forKey: payload.number) }?.succeed()
        case .connected, .disconnected, .unregistered: break
        }
    }

    /// Returns the device's token, once it has one.
    func token(within time: TimeAmount) async throws -> DeviceToken {
        let late = self.eventLoop.scheduleTask(in: time) { [tokenIssued] in
            tokenIssued.fail(Late(description: "no token within \(time)"))
        }
        defer { late.cancel() }
        return try await self.tokenIssued.futureResult.get()
    }

    /// Returns a number that no push had.
    func nextNumber() -> Int {
        self.state.withLock { state in
            state.number += 1
            return state.number
        }
    }

    /// Returns a future for the arrival of a push, which fails if the push does not come in time.
    func arrival(of number: Int, within time: TimeAmount) -> EventLoopFuture<Void> {
        let promise = self.eventLoop.makePromise(of: Void.self)
        self.state.withLock { $0.waiting[number] = promise }
        let late = self.eventLoop.scheduleTask(in: time) {
            self.giveUp(number, Late(description: "a push did not arrive within \(time)"))
        }
        promise.futureResult.whenComplete { _ in late.cancel() }
        return promise.futureResult
    }

    /// Stops waiting for a push.
    func giveUp(_ number: Int, _ error: any Error) {
        self.state.withLock { $0.waiting.removeValue(forKey: number) }?.fail(error)
    }
}
