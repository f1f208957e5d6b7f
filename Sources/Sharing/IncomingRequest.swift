internal import Crypto
internal import Vocabulary

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
    public var request: Request { self.receipt.request }
    /// What the device's own check of the grant came to.
    public var verdict: Verdict { self.receipt.refusal.map { .mustRefuse($0) } ?? .mayAnswer }
    let receipt: Receipt
    let received: ContinuousClock.Instant
    let started: ContinuousClock.Instant
}

extension Signed where Value == Request {
    /// What the answer is bound to: HPKE's `info`, the SHA-256 of the signed request.
    package var info: [UInt8] { Array(SHA256.hash(data: Data(self.bytes))) }
}
