internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Location pushes: saves those of the gateway, and passes those of the owner to the core.
extension Daemon {
    func keep(_ push: Push) {
        do {
            try self.storage.spool.save(push)
            self.feed(.pushKept(push.id))
        } catch {
            self.logger.error("a push could not be saved", metadata: ["reason": "\(error)"])
            self.feed(.pushNotKept(push.id, reason: "\(error)"))
            self.lookAtDisk()
        }
    }

    // MARK: Questions of the device's owner

    func testPush(
        _ order: WirePushRequest,
        _ key: ObjectIdentifier
    ) throws(DaemonError) -> Reply? {
        let bundle = BundleID(order.bundle)
        guard let priority = Priority(rawValue: Int(order.priority)) else {
            throw DaemonError("the priority must be 10, 5 or 1, not \(order.priority)")
        }
        if let refusal = self.orderErrors.refusalOfProcess(bundle) { throw refusal }
        var random = SystemRandomNumberGenerator()
        let push = Push(
            test: PushID(using: &random),
            to: bundle,
            payload: Array(order.payload),
            priority: priority,
            received: Clocks.now().monotonic
        )
        guard order.dryRun else {
            self.carryOut(.push(push), for: key) { $0.words(of: push) }
            return nil
        }
        let checks = self.core.engine.pushChecks(for: push)
        let words = self.report.pushCheckWords
        return .with { $0.pushChecks.checks = checks.map { words.shown($0.check, isMet: $0.isMet, for: push) } }
    }
}

extension OrderResult {
    /// The answer to the order of a test push.
    fileprivate func words(of push: Push) -> String {
        switch self {
        case .pushed(.deferred):
            "the push waits until something else wakes the device (priority \(push.priority.apns.rawValue))"
        case .pushed(.handed): "the push was handed to the extension of \(push.bundle), which runs"
        case .pushed(.underWay), .pushed(.refused), .done, .refused, .failed, .endedAtOnce:
            "the push goes to the extension of \(push.bundle); `locationctl pushes` shows its outcome"
        }
    }
}
