internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

extension WirePowerReport {
    /// The times and the energy of the sources, for people.
    var text: String {
        Table(rows: [["SOURCE", "NOW", "ON FOR", "OF THE TIME", "ENERGY", "ALWAYS ON"]] + self.sources.map(\.row))
            .description
    }
}

extension WireSourcePower {
    fileprivate var row: [String] {
        let seconds = (Double(self.acquiring) + Double(self.tracking)) / 1e6
        let share = self.whole > 0 ? seconds / (Double(self.whole) / 1e6) * 100 : 0
        return [
            PlainText.of(self.source), self.on ? "on" : "off", "\(Self.rounded(seconds)) s",
            "\(Self.rounded(share)) %", self.hasMillijoules ? Self.joules(self.millijoules) : "not known",
            self.hasMillijoulesAlwaysOn ? Self.joules(self.millijoulesAlwaysOn) : "not known",
        ]
    }

    private static func joules(_ millijoules: Int64) -> String { "\(self.rounded(Double(millijoules) / 1000)) J" }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
