internal import WhereaboutsPushEngine
internal import WhereaboutsSharingEngine

/// An invalid scenario: a value in it, and the values it may have.
package struct ScenarioError: Error, CustomStringConvertible, Sendable {
    package let description: String
}

extension Scenario {
    /// A year, which is longer than useful simulations; grants may hold a century, and every sum of times stays within 64 bits.
    private static let seconds = 0...31_622_400
    private static let around = -3_000_000_000...3_000_000_000
    private static let milliseconds = 0...31_622_400_000
    private static let countMax = 10_000

    /// Checks a scenario that may be written by hand, or damaged; an act on a device that does not exist has no effect.
    ///
    /// - Throws: ``ScenarioError`` naming the first value that is outside its range.
    package func check() throws(ScenarioError) {
        try Self.check("healsAt", self.healsAt, Self.seconds)
        for (name, count) in [
            ("devices", self.devices.count), ("requesters", self.requesters.count), ("grants", self.grants.count),
            ("acts", self.acts.count), ("deaths", self.deaths.count),
        ] {
            try Self.check("the count of \(name)", count, 0...Self.countMax)
        }
        for count in [self.relay?.pushesADay, self.relay?.othersADay] {
            try Self.check("relay's pushes in a day", count ?? 1, 1...Sender.pushesADayMax)
        }
        for (index, device) in self.devices.enumerated() {
            try Self.check("devices[\(index)].speed", device.speed, 0...1000)
            try Self.check("devices[\(index)].personOf", device.personOf ?? 0, 0...Self.countMax)
            try Self.check("the count of devices[\(index)].apps", device.apps.count, 0...100)
            try Self.check("the count of devices[\(index)].beacons", device.beacons?.count ?? 0, 0...100)
            for beacon in device.beacons ?? [] { try Self.check(beacon, "devices[\(index)].beacons") }
        }
        for (index, requester) in self.requesters.enumerated() {
            try Self.check("requesters[\(index)].clockError", requester.clockError, Self.around)
        }
        for (index, grant) in self.grants.enumerated() {
            try Self.check("grants[\(index)].holds", grant.holds.lowerBound, Self.around)
            try Self.check("grants[\(index)].holds", grant.holds.upperBound, Self.around)
            try Self.check("grants[\(index)].interval", grant.interval, 0...1_000_000)
            try Self.check("grants[\(index)].usesMax", grant.usesMax ?? 1, 1...Int(UInt16.max))
            let followMinutes = 1...Int(Grant.followMinutesLimit)
            try Self.check("grants[\(index)].followMinutes", grant.followMinutes ?? 1, followMinutes)
            for minute in grant.hours ?? [] { try Self.check("grants[\(index)].hours", minute, 0...1439) }
        }
        for (index, act) in self.acts.enumerated() {
            try Self.check("acts[\(index)].at", act.at, Self.milliseconds)
            try Self.check(act.what, "acts[\(index)]")
        }
    }

    private static func check(_ beacon: BeaconPlan, _ name: String) throws(ScenarioError) {
        for number in [beacon.major, beacon.minor] { try self.check("\(name)'s numbers", number, 0...Int(UInt16.max)) }
        // No receiver receives a beacon at more than 500 m.
        try self.check("\(name)'s metres", beacon.metres, 1...500)
        try self.check("\(name)'s stay", beacon.stay, 1...1_000_000)
        try self.check("\(name)'s absence", beacon.absence, 0...1_000_000)
    }

    private static func check(_ act: Act.What, _ name: String) throws(ScenarioError) {
        switch act {
        case .kill(_, let span), .cut(_, _, let span), .fillDisk(_, let span), .failDisk(_, let span),
            .gatewayLies(_, let span), .serverLies(_, let span), .deafen(_, _, let span), .relayLies(_, let span):
            try self.check("\(name).milliseconds", span, self.milliseconds)
        case .slow(_, let span, let delay):
            try self.check("\(name).milliseconds", span, self.milliseconds)
            try self.check("\(name).by", delay, 0...3_600_000)
        case .storm(_, let span, let every), .flood(_, let span, let every), .fork(_, _, let span, let every):
            try self.check("\(name).milliseconds", span, self.milliseconds)
            try self.check("\(name).every", every, 1...3_600_000)
        case .rollBack(let node, let seconds):
            switch node {
            case .gateway, .server, .device, .relay: break
            case .requester, .stranger, .sender:
                throw ScenarioError(
                    description:
                        "\(name): no disk of \(node) can be rolled back; name the gateway, the server, the relay or a device"
                )
            }
            try self.check("\(name).seconds", seconds, 0...31_622_400)
        case .exchangeSnapshot(_, let seconds, let span):
            try self.check("\(name).seconds", seconds, 0...31_622_400)
            try self.check("\(name).milliseconds", span, self.milliseconds)
        case .begin(_, let everyMinutes, let minutes):
            try self.check("\(name).everyMinutes", everyMinutes, 1...Int(UInt16.max))
            try self.check("\(name).minutes", minutes, 1...Int(UInt16.max))
        case .follow(_, _, let minutes): try self.check("\(name).minutes", minutes, 1...Int(UInt16.max))
        case .stepClock(_, let seconds): try self.check("\(name).seconds", seconds, -100_000_000...100_000_000)
        case .weather(let weather):
            try self.check("\(name).delay", weather.delay.lowerBound, 0...3_600_000)
            try self.check("\(name).delay", weather.delay.upperBound, 0...3_600_000)
            for chance in [weather.lossPerMille, weather.repeatPerMille, weather.latePerMille] {
                try self.check("\(name)'s chances", chance, 0...1000)
            }
        default: break
        }
    }

    private static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(ScenarioError) {
        guard !range.contains(value) else { return }
        throw ScenarioError(
            description: "\(name) is \(value): it must be within \(range.lowerBound)...\(range.upperBound)"
        )
    }
}
