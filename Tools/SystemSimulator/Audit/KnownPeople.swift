internal import WhereaboutsSharingEngine

/// The identities of all people in a world, to be found anywhere in some bytes.
///
/// One pass over the bytes, however many people there are: a search for each of them made a world of 100 devices a
/// hundred times slower.
struct KnownPeople {
    /// The identities, by their first eight bytes.
    private var identities: [UInt64: [[UInt8]]] = [:]

    init(_ people: some Sequence<PublicIdentity>) {
        for person in people { self.identities[Self.word(of: person.bytes, at: 0), default: []].append(person.bytes) }
    }

    /// Whether the bytes contain one of the identities.
    func areNamed(in bytes: [UInt8]) -> Bool {
        guard bytes.count >= PublicIdentity.byteCount else { return false }
        return (0...bytes.count - PublicIdentity.byteCount).contains { offset in
            guard let candidates = self.identities[Self.word(of: bytes, at: offset)] else { return false }
            let part = bytes[offset..<offset + PublicIdentity.byteCount]
            return candidates.contains { part == $0[...] }
        }
    }

    private static func word(of bytes: [UInt8], at offset: Int) -> UInt64 {
        unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
