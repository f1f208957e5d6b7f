internal import Rig
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A signed request, and what its requester needs to read the answer.
struct SimulatedQuestion: Sendable {
    /// How long a request is valid; the app's own requests are valid for two minutes.
    ///
    /// The server keeps 256 requests to a sharer until they expire, and refuses more. 64 sharers that are asked 500 times a second in
    /// all would reach that limit after 33 seconds.
    private static let lifetime: Duration = .seconds(10)

    let request: Signed<Request>
    /// The signed message that permits reading the answer, in the form of the header.
    let authorization: String
    private let key: RequestKey

    init(under grant: Signed<Grant>, by requester: Identity) throws {
        var generator = SystemRandomNumberGenerator()
        let now = WallTime.now
        self.key = try HPKESealing().makeKey(suite: .xWing)
        let request = Request(
            id: RequestID(using: &generator),
            grant: grant,
            precision: .full,
            suite: .xWing,
            publicKey: self.key.publicKey,
            issued: now,
            expires: now.advanced(by: Self.lifetime)
        )
        self.request = try requester.sign(request)
        let permit = try requester.sign(ReadPermit(request: request.id, requester: requester.publicIdentity))
        self.authorization = "Whereabouts \(Base64URL.text(of: permit.bytes))"
    }

    /// Checks that an answer opens, and is a position.
    func open(_ answer: [UInt8]) throws {
        let sealed = try Signed<SealedAnswer>(bytes: answer).verified().value.sealed
        let opened = try HPKESealing().open(sealed, with: self.key, info: self.request.info)
        guard case .fix = try Answer(paddedBytes: opened).content else {
            throw RigError("a device", "it answered without a position")
        }
    }
}
