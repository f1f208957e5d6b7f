internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The times and the energy of the sources as they are shown.
struct PowerReport: Encodable {
    /// One source.
    struct Source: Encodable {
        var source: String
        var on: Bool
        /// Seconds without a position so far, with one, and in all.
        var acquiringSeconds: Double
        var trackingSeconds: Double
        var seconds: Double
        /// Joules; absent where nothing is known of its receiver.
        var joules: Double?
        var joulesAlwaysOn: Double?

        init(_ power: WireSourcePower) {
            self.source = power.source
            self.on = power.on
            self.acquiringSeconds = Double(power.acquiring) / 1e6
            self.trackingSeconds = Double(power.tracking) / 1e6
            self.seconds = Double(power.whole) / 1e6
            if power.hasMillijoules { self.joules = Double(power.millijoules) / 1000 }
            if power.hasMillijoulesAlwaysOn { self.joulesAlwaysOn = Double(power.millijoulesAlwaysOn) / 1000 }
        }

        fileprivate var row: [String] {
            let seconds = self.acquiringSeconds + self.trackingSeconds
            let share = self.seconds > 0 ? seconds / self.seconds * 100 : 0
            return [
                PlainText.of(self.source), self.on ? "on" : "off", "\(Self.rounded(seconds)) s",
                "\(Self.rounded(share)) %", self.joules.map { "\(Self.rounded($0)) J" } ?? "not known",
                self.joulesAlwaysOn.map { "\(Self.rounded($0)) J" } ?? "not known",
            ]
        }

        private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
    }

    var sources: [Source]

    init(_ power: WirePowerReport) { self.sources = power.sources.map(Source.init) }

    /// For people.
    var text: String {
        Table(rows: [["SOURCE", "NOW", "ON FOR", "OF THE TIME", "ENERGY", "ALWAYS ON"]] + self.sources.map(\.row))
            .description
    }
}
