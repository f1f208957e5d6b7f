internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

/// Decides whether the provider tokens presented on one connection are valid.
///
/// ```
///   ┌─────────────────┐  good token   ┌───────────────┐ ──┐ the same token, or a new one
///   │ unauthenticated │ ────────────▶ │ authenticated │   │ of the same team, not too often
///   └─────────────────┘               └───────────────┘ ◀─┘
/// ```
///
/// A rejected token changes nothing. On a strict connection, every token after a stale one is rejected as stale, too, as observed
/// with APNs. A connection belongs to the team of its first valid token, as with APNs.
struct ProviderTokens: Sendable, Hashable {
    /// The owner of the connection, in the diagram above.
    enum State: Sendable, Hashable {
        /// No valid token was presented yet.
        case unauthenticated
        /// `claims` are those of the newest valid token; `updatedAt` is when it replaced another one.
        case authenticated(claims: ProviderClaims, updatedAt: WallTime?)
    }

    private(set) var state: State = .unauthenticated
    private let isStrict: Bool
    /// Whether a stale token was presented on a strict connection.
    private var isSpoilt = false

    /// Creates the machine of a new connection.
    init(isStrict: Bool = false) {
        self.isStrict = isStrict
    }

    /// Actions returned by ``tokenPresented(_:now:)``.
    enum OnToken: Sendable, Hashable {
        /// The provider is authenticated; examine its request, for one of these apps.
        case accept(TopicScope)
        /// Answer the request with this reason.
        case reject(Reason)
    }

    /// Records the token of one request.
    mutating func tokenPresented(_ evidence: ProviderTokenEvidence, now: WallTime) -> OnToken {
        switch evidence {
        case .missing: return .reject(.missingProviderToken)
        case .malformed, .unknownKey, .badSignature: return .reject(.invalidProviderToken)
        case .verified(let claims):
            if self.isSpoilt { return .reject(.expiredProviderToken) }
            let (next, action) = self.onVerified(claims, now: now)
            self.state = next
            if self.isStrict, action == .reject(.expiredProviderToken) { self.isSpoilt = true }
            return action
        }
    }

    private func onVerified(_ claims: ProviderClaims, now: WallTime) -> (State, OnToken) {
        // Limit the age in both directions: otherwise a token from the future could be used for any time.
        let age = now.seconds.subtractingReportingOverflow(claims.issuedAt.seconds)
        guard !age.overflow, age.partialValue.magnitude <= Limits.providerTokenAgeSecondsMax.magnitude else {
            return (self.state, .reject(.expiredProviderToken))
        }
        switch self.state {
        case .unauthenticated:
            return (.authenticated(claims: claims, updatedAt: nil), .accept(claims.scope))
        case .authenticated(claims, _):
            return (self.state, .accept(claims.scope))
        case .authenticated(let current, _) where current.teamID != claims.teamID:
            return (self.state, .reject(.unrelatedKeyIDInToken))
        case .authenticated(_, let updatedAt?)
        where now.seconds - updatedAt.seconds < Limits.providerTokenUpdateSecondsMin:
            return (self.state, .reject(.tooManyProviderTokenUpdates))
        case .authenticated:
            // The first change is allowed at any time, because a connection may be opened with a token that is about to be renewed.
            return (.authenticated(claims: claims, updatedAt: now), .accept(claims.scope))
        }
    }
}
