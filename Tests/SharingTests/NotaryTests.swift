internal import SystemSimulator
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests the rules of signatures, for the real notary and the simulator's; the latter does not resist forgers.
struct NotaryTests {
    /// The notary that signs and verifies.
    enum Kind: CaseIterable {
        case identity
        case model

        /// Signs as the identity that the message names.
        func sign<Value: Signable>(_ value: Value, _ pair: Pair) throws -> Signed<Value> {
            switch self {
            case .model: ModelNotary.sign(value)
            case .identity:
                try (value.signer == pair.sharer.publicIdentity ? pair.sharer : pair.requester).sign(value)
            }
        }

        func verified<Value: Signable>(_ signed: Signed<Value>) -> Verified<Value>? {
            switch self {
            case .model: ModelNotary.verified(signed)
            case .identity: try? signed.verified()
            }
        }
    }

    /// Signed messages with the same fields, of two kinds.
    private struct Promise: Signable {
        static var domain: String { "test/promise" }
        var signer: PublicIdentity

        init(signer: PublicIdentity) { self.signer = signer }
        init(from reader: inout ByteReader) throws { throw FixtureError() }
        func write(to writer: inout ByteWriter) { writer.integer(UInt32(1)) }
    }

    private struct Threat: Signable {
        static var domain: String { "test/threat" }
        var signer: PublicIdentity

        init(signer: PublicIdentity) { self.signer = signer }
        init(from reader: inout ByteReader) throws { throw FixtureError() }
        func write(to writer: inout ByteWriter) { writer.integer(UInt32(1)) }
    }

    let pair: Pair

    init() throws {
        self.pair = try Pair()
    }

    private func request(_ kind: Kind) throws -> Signed<Request> {
        let plain = try self.pair.request(suite: .x25519, publicKey: Array(repeating: 9, count: 32)).value
        let grant = try kind.sign(plain.grant.value, self.pair)
        return try kind.sign(plain.under(grant), self.pair)
    }

    @Test(arguments: Kind.allCases) func whatIsSignedVerifies(_ kind: Kind) throws {
        let request = try self.request(kind)
        #expect(kind.verified(request)?.value == request.value)
        #expect(kind.verified(request.value.grant)?.value == request.value.grant.value)
        let again = try Signed<Request>(bytes: request.bytes)
        #expect(again == request && kind.verified(again) != nil)
    }

    /// Method: change every byte of a request and the grant in it, one after the other.
    @Test(arguments: Kind.allCases) func anAlteredFieldDoesNotVerify(_ kind: Kind) throws {
        let bytes = try self.request(kind).bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            guard let signed = try? Signed<Request>(bytes: changed) else { continue }
            #expect(kind.verified(signed) == nil, "byte \(index)")
        }
    }

    @Test(arguments: Kind.allCases) func theSignatureOfAnotherDoesNotVerify(_ kind: Kind) throws {
        let (sharer, requester) = (self.pair.sharer.publicIdentity, self.pair.requester.publicIdentity)
        let byRequester = try kind.sign(Promise(signer: requester), self.pair)
        #expect(kind.verified(byRequester) != nil)
        #expect(kind.verified(Signed(value: Promise(signer: sharer), signature: byRequester.signature)) == nil)
    }

    @Test(arguments: Kind.allCases) func anotherKindOfStatementDoesNotVerify(_ kind: Kind) throws {
        let sharer = self.pair.sharer.publicIdentity
        let promise = try kind.sign(Promise(signer: sharer), self.pair)
        #expect(kind.verified(Signed(value: Threat(signer: sharer), signature: promise.signature)) == nil)
    }

    @Test(arguments: Kind.allCases) func aRequestUnderAForgedGrantDoesNotVerify(_ kind: Kind) throws {
        let request = try self.request(kind).value
        let forged = Signed(value: request.grant.value, signature: Array(repeating: 0, count: 64))
        #expect(kind.verified(try kind.sign(request.under(forged), self.pair)) == nil)
    }
}

extension Request {
    fileprivate func under(_ grant: Signed<Grant>) -> Request {
        Request(
            id: self.id,
            grant: grant,
            precision: self.precision,
            suite: self.suite,
            publicKey: self.publicKey,
            issued: self.issued,
            expires: self.expires
        )
    }
}
