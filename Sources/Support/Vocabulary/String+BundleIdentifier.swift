/// The form of the identifiers of apps on a device.
extension String {
    /// Whether the text is a valid app identifier, from which file names and the topic of pushes are made.
    ///
    /// Letters, digits, hyphens and single dots (Apple: "CFBundleIdentifier"), 155 at most: with ".location-query" and a
    /// file's ending it must fit a file name of 255 bytes and a topic.
    package var isBundleIdentifier: Bool {
        let allowed = self.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x2E
        }
        return allowed && !self.isEmpty && self.utf8.count <= 155 && !self.hasPrefix(".") && !self.contains("..")
    }

    /// Whether the identifier is reserved for apps that stand for programs that locationd does not start.
    ///
    /// They are those that ask through GeoClue, and the readers of NMEA 0183. Letter case does not matter (Apple: "Bundle IDs are
    /// case-insensitive"): people would take one for the other.
    package var isReservedBundleIdentifier: Bool {
        let text = self.lowercased()
        return text.hasPrefix("geoclue.") || text.hasPrefix("locationd.")
    }
}
