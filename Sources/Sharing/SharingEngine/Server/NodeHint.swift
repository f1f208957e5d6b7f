internal import WhereaboutsVocabulary

/// A message from one sharing server to the other servers with the same database.
///
/// The rows of the database are the truth. A lost hint delays a reader until its next read, at most
/// ``EventStreams/pollInterval``.
package enum NodeHint: Sendable, Hashable {
    /// A request or a live share has changed in the database.
    case changed(RequestID)
    /// A follower watches a live share at the sender; `wantsNewest`: the sender has no update to show.
    case watched(RequestID, wantsNewest: Bool)
    /// The newest update of a live share, which no database stores: the signed message, whose position is sealed.
    case update([UInt8], of: RequestID)

    /// Reads the text of a hint; nil: another version wrote it, or it is damaged.
    package init?(_ text: String) {
        guard let kind = text.first, let id = RequestID(text.dropFirst().prefix(Self.idLength)) else { return nil }
        let rest = text.dropFirst(1 + Self.idLength)
        switch (kind, rest.isEmpty) {
        case ("c", true): self = .changed(id)
        case ("w", true): self = .watched(id, wantsNewest: false)
        case ("n", true): self = .watched(id, wantsNewest: true)
        case ("u", false):
            guard let update = Base64URL.bytes(of: rest) else { return nil }
            self = .update(update, of: id)
        default: return nil
        }
    }

    /// The number of digits of an ID.
    private static let idLength = 2 * RequestID.byteCount

    /// The hint as a few letters and digits of ASCII.
    package var text: String {
        switch self {
        case .changed(let id): "c\(id)"
        case .watched(let id, let wantsNewest): "\(wantsNewest ? "n" : "w")\(id)"
        case .update(let update, let id): "u\(id)\(Base64URL.text(of: update))"
        }
    }
}
