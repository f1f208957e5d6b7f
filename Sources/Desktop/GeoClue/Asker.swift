internal import WhereaboutsVocabulary

/// The app that requests positions through GeoClue, and the evidence for its identity.
package struct Asker: Sendable, Hashable {
    /// The evidence for an identity.
    package enum Evidence: Sendable, Hashable {
        /// The app runs in a sandbox that Flatpak created for it.
        case flatpak
        /// The app runs in a unit that systemd created for it.
        case unit
        /// Only the program's own claim; `executable` is the path of the program, if known.
        case claimed(executable: String?)
    }

    /// The name of the app's `.desktop` file, without the ending.
    package let desktopID: String
    /// The evidence for the desktop ID.
    package let evidence: Evidence

    /// The longest accepted name of a `.desktop` file, in bytes; those of Debian have at most 60.
    package static let desktopIDBytesMax = 100

    /// Identifies a program; nil when there is no evidence and no claim.
    ///
    /// - Parameters:
    ///   - facts: the kernel's facts about the process.
    ///   - claimed: the desktop ID that the process claims; empty: none.
    ///   - user: the user of the process.
    package init?(_ facts: ProcessFacts, claimed: String, user: UInt32) {
        if let flatpak = facts.flatpak {
            // Flatpak's sandbox comes first, because a program inside can invent units and IDs.
            (self.desktopID, self.evidence) = (flatpak, .flatpak)
        } else if let unit = facts.unit(of: user) {
            (self.desktopID, self.evidence) = (unit, .unit)
        } else {
            (self.desktopID, self.evidence) = (claimed, .claimed(executable: facts.executable))
        }
        // A bundle identifier has at most 155 bytes, and escaping turns a byte into three.
        guard Self.isDesktopID(self.desktopID), self.bundle.utf8.count <= 155 else { return nil }
    }

    /// Whether a text may be the name of a `.desktop` file; the text becomes a part of paths.
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

    /// Whether there is evidence other than the program's own claim.
    package var isKnown: Bool { if case .claimed = self.evidence { false } else { true } }

    /// The bundle identifier in locationd, different for each app and each kind of evidence.
    ///
    /// A claimed identifier contains the claiming program, so that no program receives what was granted to another.
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

    /// The prefix of the bundle identifiers of all GeoClue apps.
    package static let bundlePrefix = "geoclue."

    /// The prefix of apps that are identified only by a claim.
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
