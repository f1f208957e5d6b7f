internal import Crypto
internal import Foundation

/// A request that reached its device, with its signatures checked.
public struct IncomingRequest: Sendable {
    /// The request, with the key to seal the answer to.
    public var request: Request { self.receipt.request }
    let receipt: Receipt
    let received: ContinuousClock.Instant
    let started: ContinuousClock.Instant
}

extension Signed where Value == Request {
    /// The binding of the answer to its request: HPKE's `info`.
    package var info: [UInt8] { self.info("whereabouts/sealed-answer/v1") }

    /// The binding of a live share's updates to its request, different from the answer's.
    package var followingInfo: [UInt8] { self.info("whereabouts/following/v1") }

    private func info(_ label: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(label.utf8) + [0] + self.bytes))
    }
}
