internal import Synchronization
internal import WhereaboutsPushEngine

/// Caches the last provider token of a connection, and its evidence.
///
/// A provider sends the same token for an hour, and verifying it costs more than the rest of a request.
struct LastProviderToken {
    private let keyring: ProviderKeyring
    private var last: (authorization: String, generation: Int, evidence: ProviderTokenEvidence)?

    init(of keyring: ProviderKeyring) {
        self.keyring = keyring
    }

    /// Returns the evidence of a request; verifies the token again if the token or the keys have changed.
    mutating func evidence(authorization: String?) -> ProviderTokenEvidence {
        guard let authorization else { return .missing }
        let generation = self.keyring.generation.load(ordering: .acquiring)
        if let last = self.last, last.generation == generation, last.authorization == authorization {
            return last.evidence
        }
        let evidence = self.keyring.current.evidence(authorization: authorization)
        self.last = (authorization, generation, evidence)
        return evidence
    }
}
