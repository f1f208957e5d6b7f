/// The form of the identifiers of apps on a device.
extension String {
    /// Whether the text is a valid bundle identifier; file names and push topics are derived from it.
    ///
    /// It may contain letters, digits, hyphens and single dots (Apple: "CFBundleIdentifier"), at most 155: with
    /// ".location-query" and an extension it must fit into a file name of 255 bytes, and into a topic.
    package var isBundleIdentifier: Bool {
        let allowed = self.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x2E
        }
        return allowed && !self.isEmpty && self.utf8.count <= 155 && !self.hasPrefix(".") && !self.contains("..")
    }

    /// Whether the identifier is reserved for apps that represent programs that locationd does not start.
    ///
    /// These are programs that use GeoClue, and readers of NMEA 0183. Letter case is ignored (Apple: "Bundle IDs are
    /// case-insensitive"), because people could mistake one identifier for the other.
    package var isReservedBundleIdentifier: Bool {
        let text = self.lowercased()
        return text.hasPrefix("geoclue.") || text.hasPrefix("locationd.")
    }
}
