internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A sealed answer: the secret key of `key` opens it, together with the same `info`.
struct SealedTerm: Sendable, Hashable {
    /// The person who signed the answer.
    let signer: PublicIdentity
    let request: RequestID
    let key: [UInt8]
    let info: RequestDigest
    let content: Answer.Content

    /// The fix, if it has one.
    var fix: SharedFix? { if case .fix(let fix) = self.content { fix } else { nil } }
}

/// A position that left a device.
struct Disclosure: Sendable, Hashable {
    let request: Signed<Request>
    let digest: RequestDigest
    let fix: SharedFix
    /// Whether the sharer had revoked the grant on this device when the position left, or on another one.
    let isRevokedHere: Bool
    let isRevokedElsewhere: Bool
}

/// A position that the friend believes to be the answer to a request.
struct Belief: Sendable, Hashable {
    let digest: RequestDigest
    let fix: SharedFix
    /// The clock's time when the friend opened the answer.
    let clock: Int
}

extension Request {
    /// The digest in the model: an injective encoding of everything that varies in the worlds, instead of SHA-256.
    var modelDigest: RequestDigest {
        var bytes = self.firstID.bytes
        bytes += [
            UInt8(truncatingIfNeeded: self.grant.value.id.low), self.publicKey.first ?? 0, UInt8(self.occurrence),
        ]
        bytes += [self.grant.value.requester.bytes.first ?? 0, self.repetition == nil ? 0 : 1]
        bytes.append(self.precision == .full ? 1 : 0)
        let seconds = UInt32(Names.noon.duration(to: self.firstIssued) / .seconds(1))
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: seconds >> ($0 * 8)) }
        bytes += Array(repeating: 0, count: RequestDigest.byteCount - bytes.count)
        guard let digest = RequestDigest(bytes: bytes) else { preconditionFailure("a digest has 32 bytes") }
        return digest
    }

    /// The identity of a use if the rule `usesHaveDigests` is left out.
    var digestOfID: RequestDigest {
        guard let digest = RequestDigest(bytes: self.id.bytes + self.id.bytes) else {
            preconditionFailure("two IDs have 32 bytes")
        }
        return digest
    }
}

extension SealedTerm {
    /// The bytes that the device's machines keep and post.
    var bytes: [UInt8] {
        var numbers: [UInt64] = [0, 0, 0, 0]
        if let fix = self.fix {
            let time = UInt64(bitPattern: fix.time.milliseconds)
            numbers = [1, fix.latitude.bitPattern, fix.longitude.bitPattern, time]
        }
        let accuracy = self.fix?.horizontalAccuracy.bitPattern ?? 0
        return [self.key.first ?? 0] + self.info.bytes + (numbers + [accuracy]).flatMap(Self.bytes(of:))
    }

    /// Reads what ``bytes`` writes: an answer of the sharer's device.
    init(bytes: [UInt8], request: RequestID) {
        guard let info = RequestDigest(bytes: Array(bytes[1..<33])), bytes.count == 73 else {
            preconditionFailure("an answer has 73 bytes, got \(bytes.count)")
        }
        let numbers = (0..<5).map { index in
            bytes[(33 + index * 8)..<(41 + index * 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let fix = try? SharedFix(
            latitude: Double(bitPattern: numbers[1]),
            longitude: Double(bitPattern: numbers[2]),
            horizontalAccuracy: Double(bitPattern: numbers[4]),
            time: WallTime(milliseconds: Int64(bitPattern: numbers[3]))
        )
        self.init(
            signer: Names.sharer,
            request: request,
            key: Names.key(bytes[0]),
            info: info,
            content: numbers[0] == 1 ? fix.map { .fix($0) } ?? .refusal(.revoked) : .refusal(.revoked)
        )
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }
}
