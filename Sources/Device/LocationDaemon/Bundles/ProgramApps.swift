internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Apps that represent programs that locationd does not start: clients of a broker, and the readers of `--nmea-socket`.
enum ProgramApps {
    /// The prefix of the identifiers of broker apps; another bundle with such an identifier would get their permissions.
    static let brokersPrefix = "geoclue."

    /// Whether an identifier is reserved for broker apps.
    static func isOfBroker(_ bundle: BundleID) -> Bool { bundle.rawValue.hasPrefix(self.brokersPrefix) }

    /// Refuses a bundle with an identifier that is reserved for another kind of app.
    ///
    /// - Parameters:
    ///   - bundle: the bundle's identifier.
    ///   - isOfBroker: whether a broker installs the bundle.
    ///   - installed: the identifiers of the installed apps.
    /// - Throws: ``DaemonError`` that names the identifier.
    static func checkKind(
        of bundle: BundleID,
        isOfBroker: Bool,
        beside installed: some Sequence<BundleID> = []
    ) throws(DaemonError) {
        let remedy = "give the bundle another CFBundleIdentifier"
        let text = bundle.rawValue.lowercased()
        guard !text.hasPrefix("locationd.") else {
            throw DaemonError(
                "\(bundle) begins with locationd., which is reserved for locationd's own apps; \(remedy)"
            )
        }
        guard isOfBroker || !bundle.rawValue.isReservedBundleIdentifier else {
            throw DaemonError(
                "\(bundle) begins with \(Self.brokersPrefix), which is reserved for programs that use GeoClue: only locationd-geoclue "
                    + "begins with \(self.brokersPrefix); \(remedy)"
            )
        }
        guard !isOfBroker || self.isOfBroker(bundle) else {
            throw DaemonError(
                "\(bundle) must begin with \(self.brokersPrefix), because a broker installs it; \(remedy)"
            )
        }
        // Broker apps may differ in case alone, because their identifiers come from names of `.desktop` files.
        guard !isOfBroker, let other = installed.first(where: { $0 != bundle && $0.rawValue.lowercased() == text })
        else { return }
        throw DaemonError(
            "\(bundle) differs only in letter case from \(other), which is installed; \(remedy), or uninstall that"
        )
    }

    /// Why orders cannot start, end or push to the app; nil if it is an ordinary app.
    ///
    /// - Parameters:
    ///   - bundle: the app's identifier.
    ///   - nmeaSocket: the path of the socket for readers of NMEA 0183; nil if there is none.
    /// - Returns: the reason and the remedy.
    static func refusalOfProcess(_ bundle: BundleID, nmeaSocket: String?) -> DaemonError? {
        let never = "`locationctl settings \(bundle) location never` stops positions for"
        let none = "\(bundle) has no process to start or to end: it represents"
        if self.isOfBroker(bundle) {
            return DaemonError(
                "\(none) a program that uses GeoClue; start or end that program itself; "
                    + "\(never) it, and `locationctl uninstall \(bundle)` deletes the decision about it"
            )
        }
        guard bundle == NMEAReaders.bundle else { return nil }
        guard let path = nmeaSocket else {
            return DaemonError("\(none) programs that read NMEA 0183 from locationd, which has no --nmea-socket now")
        }
        return DaemonError(
            "\(none) the programs that read at \(path); "
                + "\(never) them, and `locationctl uninstall \(bundle)` disconnects them"
        )
    }
}
