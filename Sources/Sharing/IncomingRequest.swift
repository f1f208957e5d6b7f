internal import Crypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A request that reached its device, with its signatures checked.
public struct IncomingRequest: Sendable {
    /// What the device's own check of the grant came to.
    public enum Verdict: Sendable, Hashable {
        /// The request may be answered with a fix.
        case mayAnswer
        /// Whatever is answered, the requester gets this refusal.
        case mustRefuse(Refusal)
    }

    /// What is asked.
    public let request: Request
    /// What the device's own check of the grant came to.
    public let verdict: Verdict
    let info: [UInt8]
    let received: ContinuousClock.Instant
    let started: ContinuousClock.Instant

    init(
        _ signed: Signed<Request>,
        verdict: Verdict,
        received: ContinuousClock.Instant,
        started: ContinuousClock.Instant
    ) {
        self.request = signed.value
        self.verdict = verdict
        self.info = signed.info
        self.received = received
        self.started = started
    }
}

extension Signed where Value == Request {
    /// What the answer is bound to: HPKE's `info`, the SHA-256 of the signed request.
    package var info: [UInt8] { Array(SHA256.hash(data: Data(self.bytes))) }
}

extension Request {
    /// What a device may say in answer to this request, whatever it measured: a refusal stands above all, and who asks for
    /// a reduced position, or may have no other, gets no more.
    package func permitted(_ content: Answer.Content, refusal: Refusal?) throws -> Answer.Content {
        if let refusal { return .refusal(refusal.reason) }
        let precision = min(self.precision, self.grant.value.precision)
        guard case .fix(let fix) = content, precision == .reduced else { return content }
        return .fix(try fix.reduced())
    }
}
