/// The findings of a soak.
struct SoakReport: Sendable, CustomStringConvertible {
    /// The resident bytes of the programs at one moment.
    struct Memory: Sendable {
        let gateway: Int
        let locationd: Int

        init(_ installed: Installed) {
            self.gateway = installed.memory(of: "gateway")
            self.locationd = installed.memory(of: "locationd")
        }
    }

    let soak: Soak
    /// The pushes a second in the run, and the gateway's greatest rate.
    let rate: (Double, of: Double)
    let sent: Int
    /// The parts that died, in their order.
    let deaths: [Soak.Death]
    /// The pushes to devices on the push link.
    let devices: PushAccount.Verdict
    /// The pushes to the app on locationd.
    let app: PushAccount.Verdict
    /// The memory at the beginning and at the end of the calm part.
    let memory: (before: Memory, after: Memory)

    /// The maximum growth of memory in the calm part: a quarter, and 16 MiB for pools that fill late.
    private static func isFlat(_ before: Int, _ after: Int) -> Bool { after <= before + before / 4 + 16 << 20 }

    /// The promises that were broken.
    var complaints: [String] {
        var complaints: [String] = []
        for (name, verdict) in [("devices", self.devices), ("locationd", self.app)] {
            if verdict.delivered == 0 { complaints.append("\(name) got nothing") }
            if !verdict.lost.isEmpty { complaints.append("\(name) lost \(verdict.lost.prefix(10))") }
            if !verdict.repeated.isEmpty { complaints.append("\(name) got twice \(verdict.repeated.prefix(10))") }
        }
        // Devices on the push link never die; only locationd, which is killed, gets its uncompleted pushes again.
        if self.devices.again > 0 { complaints.append("devices got \(self.devices.again) pushes again") }
        for death in Soak.Death.allCases where !self.deaths.contains(death) {
            complaints.append("no death of \(death)")
        }
        let (before, after) = self.memory
        if !Self.isFlat(before.gateway, after.gateway) { complaints.append("the gateway grew") }
        if !Self.isFlat(before.locationd, after.locationd) { complaints.append("locationd grew") }
        return complaints
    }

    /// The whole report, for people.
    var description: String {
        func count(_ death: Soak.Death) -> Int { self.deaths.count { $0 == death } }
        func words(_ verdict: PushAccount.Verdict) -> String {
            """
            \(verdict.accepted) taken: \(verdict.delivered) delivered once, \(verdict.replaced) replaced, \
            \(verdict.expired) expired (\(verdict.told) of these by the gateway's word), \(verdict.lost.count) lost
            """
        }
        func growth(_ before: Int, _ after: Int) -> String { "\(before >> 20) → \(after >> 20) MiB" }
        let (before, after) = self.memory
        return """
            soak of \(self.soak.duration), seed \(self.soak.seed): \
            \(self.complaints.isEmpty ? "held" : "BROKEN: " + self.complaints.joined(separator: "; "))
              load:      \(Int(self.rate.0)) pushes a second of \(Int(self.rate.of)) that the gateway takes, \(self.sent) in all
              deaths:    \(count(.providerConnections)) × all connections of the provider, \
            \(count(.gateway)) × the gateway, \(count(.locationd)) × locationd
              devices:   \(words(self.devices))
              locationd: \(words(self.app)); \(self.app.again) at work when it was killed, and given again
              memory:    gateway \(growth(before.gateway, after.gateway)), \
            locationd \(growth(before.locationd, after.locationd))
            """
    }
}
