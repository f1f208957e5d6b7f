internal import Testing
package import WhereaboutsSharing
package import WhereaboutsVocabulary

/// A fixed sharer and requester who know each other, and their signed messages at one moment.
package protocol Acquaintance {
    /// The person whose position is requested.
    var sharer: Identity { get }
    var requester: Identity { get }
}

extension Acquaintance {
    package static var now: WallTime { WallTime(milliseconds: 1_800_000_000_000) }
    package var now: WallTime { Self.now }

    package static func people() throws -> (sharer: Identity, requester: Identity) {
        (
            try Identity(seed: Array(repeating: 7, count: 32)), try Identity(seed: Array(repeating: 8, count: 32))
        )
    }

    package func after(_ seconds: Int) -> WallTime { self.now.advanced(by: .seconds(seconds)) }

    package func grant(_ byte: UInt8 = 1, interval: UInt32 = 0, followMinutesMax: UInt16? = nil) throws -> Signed<Grant>
    {
        try self.sharer.sign(
            Grant(
                id: try #require(GrantID(bytes: Array(repeating: byte, count: 16))),
                sharer: self.sharer.publicIdentity,
                requester: self.requester.publicIdentity,
                precision: .full,
                notBefore: self.now,
                notAfter: self.after(3600),
                intervalMin: interval,
                followMinutesMax: followMinutesMax
            )
        )
    }

    package func request(_ byte: UInt8, grant: Signed<Grant>? = nil, expires: Int = 120) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: try #require(RequestID(bytes: Array(repeating: byte, count: 16))),
                grant: grant ?? self.grant(),
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 5, count: 32),
                issued: self.now,
                expires: self.after(expires)
            )
        )
    }

    /// A request to follow for an hour.
    package func followRequest(_ byte: UInt8) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: try #require(RequestID(bytes: Array(repeating: byte, count: 16))),
                grant: self.grant(followMinutesMax: 60),
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 5, count: 32),
                issued: self.now,
                expires: self.after(120),
                followMinutes: 60
            )
        )
    }

    /// A request to be answered every quarter of an hour for an hour.
    package func scheduleRequest(_ byte: UInt8) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: try #require(RequestID(bytes: Array(repeating: byte, count: 16))),
                grant: self.grant(),
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 5, count: 32),
                issued: self.now,
                expires: self.after(120),
                repetition: Repetition(everyMinutes: 15, until: self.after(3600))
            )
        )
    }

    package func revocation(_ number: Int) throws -> Revocation {
        let bytes = Array(repeating: UInt8(0), count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
        let id = try #require(GrantID(bytes: bytes))
        return Revocation(grant: id, sharer: self.sharer.publicIdentity, notAfter: self.after(60))
    }
}
