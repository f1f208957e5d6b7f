/// The GeoClue apps that locationd has or is about to have, with limits against programs that invent names.
///
/// When a limit is reached, apps are removed that no person decided about and no program uses. So a program with false
/// claims blocks no others after it has ended, and only a few while it runs. A person's decision stays.
struct KnownApps: Sendable, Hashable {
    private let configuration: Broker.Configuration
    private var bundles: Set<String> = []

    init(_ configuration: Broker.Configuration) { self.configuration = configuration }

    /// Adds an app, unless a limit is reached.
    ///
    /// - Returns: the reached limit, in words; nil: the app was added, or was known.
    mutating func admit(_ asker: Asker) -> String? {
        guard !self.bundles.contains(asker.bundle) else { return nil }
        if let words = self.bound(reachedBy: asker) { return words }
        self.bundles.insert(asker.bundle)
        return nil
    }

    /// Whether a limit prevents another app with the same evidence.
    func isFull(for asker: Asker) -> Bool { self.bound(reachedBy: asker) != nil }

    private func bound(reachedBy asker: Asker) -> String? {
        let claimed = self.bundles.filter { $0.hasPrefix(Asker.claimedPrefix) }
        if !asker.isKnown {
            let own = claimed.count { Self.program(of: $0) == Self.program(of: asker.bundle) }
            if own >= self.configuration.claimedOfProgramMax {
                return "this program has claimed \(own) apps, the limit"
            }
            if claimed.count >= self.configuration.claimedMax {
                return "programs have claimed \(claimed.count) apps, the limit"
            }
        }
        guard self.bundles.count >= self.configuration.appsMax else { return nil }
        return "\(self.bundles.count) apps ask through GeoClue, which is the limit"
    }

    /// Records which apps locationd has.
    ///
    /// - Parameters:
    ///   - apps: all installed apps, also apps that do not ask through GeoClue.
    ///   - asking: the apps that programs use now.
    /// - Returns: the apps to remove, because they use up a limit that is reached.
    mutating func seen(_ apps: [InstalledApp], asking: Set<String>) -> [String] {
        let programs = apps.filter { $0.bundle.hasPrefix(Asker.bundlePrefix) }
        self.bundles = asking.union(programs.map(\.bundle))
        let left = programs.filter { !$0.isDecided && !asking.contains($0.bundle) }.map(\.bundle).sorted()
        let claimed = self.bundles.filter { $0.hasPrefix(Asker.claimedPrefix) }
        let areAllFull = self.bundles.count >= self.configuration.appsMax
        let areClaimsFull = claimed.count >= self.configuration.claimedMax
        let dropped = left.filter { bundle in
            guard !areAllFull, bundle.hasPrefix(Asker.claimedPrefix) else { return areAllFull }
            let own = claimed.count { Self.program(of: $0) == Self.program(of: bundle) }
            return areClaimsFull || own >= self.configuration.claimedOfProgramMax
        }
        self.bundles.subtract(dropped)
        return dropped
    }

    /// The claiming program, from a claimed app's identifier.
    private static func program(of bundle: String) -> Substring? { bundle.split(separator: ".").last }
}
