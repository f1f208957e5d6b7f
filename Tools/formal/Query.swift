/// One question to the explorer, and its expected answer.
struct Query: Sendable {
    enum Kind: String, Sendable {
        /// No state may break the property.
        case property
        /// Some state must show it, because the properties would also hold for a protocol that does nothing.
        case sanity
        /// Some state must show what a hostile server can do.
        case limit
        /// With one rule of the protocol left out, some state must break a property; otherwise the explorer sees nothing.
        case mutation

        /// Whether a sought state must exist.
        var isExpectedToBeFound: Bool { self != .property }
    }

    let name: String
    let kind: Kind
    /// The property, or what the sought state shows, in one sentence.
    let claim: String
    let run: @Sendable () -> Explorer.Outcome

    init<World: ExploredWorld>(
        _ name: String,
        _ kind: Kind,
        _ claim: String,
        from world: World,
        for isSought: @escaping @Sendable (World) -> Bool
    ) {
        self.name = name
        self.kind = kind
        self.claim = claim
        self.run = { Explorer.search(from: world, for: isSought) }
    }
}

/// A query with its result.
struct QueryResult: Sendable, CustomStringConvertible {
    let query: Query
    let outcome: Explorer.Outcome

    init(_ query: Query) {
        self.query = query
        self.outcome = query.run()
    }

    var isAsExpected: Bool {
        switch self.outcome {
        case .found: self.query.kind.isExpectedToBeFound
        case .absent: !self.query.kind.isExpectedToBeFound
        case .tooLarge: false
        }
    }

    var description: String {
        let words =
            switch self.outcome {
            case .found(_, let states): "a state shows it (\(states) states)"
            case .absent(let states): "no state shows it (\(states) states)"
            case .tooLarge: "the world has more than \(Explorer.statesMax) states"
            }
        let trace: [String] = if case .found(let trace, _) = self.outcome { trace } else { [] }
        let mark = self.isAsExpected ? "ok" : "UNEXPECTED"
        let head = "\(mark)  \(self.query.kind.rawValue)  \(self.query.name): \(words)"
        return ([head, "      \(self.query.claim)"] + trace.map { "        \($0)" }).joined(separator: "\n")
    }
}
