internal import WhereaboutsSharingEngine

/// Searches bytes for the identities of all people in a world.
///
/// One pass over the bytes, however many people there are: a search for each of them made a world of 100 devices a
/// hundred times slower.
struct KnownPeople {
    /// The identities, by their first eight bytes.
    private var identities: [UInt64: [[UInt8]]] = [:]
    /// Whether an identity begins with two given bytes: few do, and this check is much faster than hashing eight bytes.
    private var begins = [Bool](repeating: false, count: 1 << 16)

    init(_ people: some Sequence<PublicIdentity>) {
        for person in people {
            let word = Self.word(of: person.bytes, at: 0)
            self.identities[word, default: []].append(person.bytes)
            self.begins[Int(word & 0xFFFF)] = true
        }
    }

    /// Whether the bytes contain one of the identities.
    func areNamed(in bytes: [UInt8]) -> Bool {
        guard bytes.count >= PublicIdentity.byteCount else { return false }
        return (0...bytes.count - PublicIdentity.byteCount).contains { offset in
            let word = Self.word(of: bytes, at: offset)
            guard self.begins[Int(word & 0xFFFF)], let candidates = self.identities[word] else { return false }
            let part = bytes[offset..<offset + PublicIdentity.byteCount]
            return candidates.contains { part == $0[...] }
        }
    }

    private static func word(of bytes: [UInt8], at offset: Int) -> UInt64 {
        unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
