internal import WhereaboutsVocabulary

/// The app that asks through GeoClue, and how that is known.
package struct Asker: Sendable, Hashable {
    /// The grounds of an identity.
    package enum Evidence: Sendable, Hashable {
        /// The sandbox that Flatpak made for it.
        case flatpak
        /// The unit that systemd made for it.
        case unit
        /// Identified only by its own claim; the program that made it, if known.
        case claimed(executable: String?)
    }

    /// The name of its `.desktop` file, without the ending.
    package let desktopID: String
    /// The grounds on which it is known.
    package let evidence: Evidence

    /// The longest accepted name of a `.desktop` file, in bytes; those of Debian have at most 60.
    package static let desktopIDBytesMax = 100

    /// Identifies a program; nil when there is no evidence and no claim.
    ///
    /// - Parameters:
    ///   - facts: what the kernel shows.
    ///   - claimed: the desktop id that the process says; empty: none.
    ///   - user: whose process it is.
    package init?(_ facts: ProcessFacts, claimed: String, user: UInt32) {
        if let flatpak = facts.flatpak {
            // A sandbox has priority over units and IDs, which its programs can invent.
            (self.desktopID, self.evidence) = (flatpak, .flatpak)
        } else if let unit = facts.unit(of: user) {
            (self.desktopID, self.evidence) = (unit, .unit)
        } else {
            (self.desktopID, self.evidence) = (claimed, .claimed(executable: facts.executable))
        }
        // A bundle identifier is 155 bytes long at most, and an escaped byte is three of them.
        guard Self.isDesktopID(self.desktopID), self.bundle.utf8.count <= 155 else { return nil }
    }

    /// Whether a text may be the name of a `.desktop` file: it becomes part of paths.
    package static func isDesktopID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Self.desktopIDBytesMax && !text.hasPrefix(".") && !text.hasSuffix(".")
            && !text.contains("..")
            && text.utf8.allSatisfy { Self.isPlain($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "+") }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// Whether there is evidence besides its own claim.
    package var isKnown: Bool { if case .claimed = self.evidence { false } else { true } }

    /// The bundle identifier in locationd, different for each app and each kind of evidence.
    ///
    /// A claimed identity is kept apart by the program that claims it, so that none is given what was granted to another's.
    package var bundle: String {
        let kind: String
        var tail = ""
        switch self.evidence {
        case .flatpak: kind = "flatpak"
        case .unit: kind = "app"
        case .claimed(let executable):
            kind = "claimed"
            var hash = FNV1a()
            hash.add((executable ?? "").utf8)
            tail = ".\(Hex.text(of: (0..<8).map { UInt8(truncatingIfNeeded: hash.value >> (56 - 8 * $0)) }))"
        }
        return "geoclue.\(kind).\(Self.escaped(self.desktopID))\(tail)"
    }

    /// The prefix of all bundle identifiers that are made here.
    package static let bundlePrefix = "geoclue."

    /// The prefix of apps that only their own claim identifies.
    static let claimedPrefix = "geoclue.claimed."

    /// Encodes the ID in the characters of a bundle identifier, reversibly: a byte that is not allowed becomes `-` and
    /// two digits, and a hyphen two hyphens.
    private static func escaped(_ id: String) -> String {
        var text = ""
        for byte in id.utf8 {
            if byte == UInt8(ascii: "-") {
                text += "--"
            } else if Self.isPlain(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "-" + Hex.text(of: [byte])
            }
        }
        return text
    }
}
