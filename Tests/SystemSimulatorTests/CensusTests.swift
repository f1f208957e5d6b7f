internal import SystemSimulator
internal import Testing

/// Goal: the seeds cause every event that the auditors check; otherwise their rules would never be tested.
struct CensusTests {
    @Test func seedsBringAboutWhatAuditorsLookAt() {
        var census = Census()
        for seed in UInt64(1050)..<1250 {
            census.add(SimulatedRun(Scenario(seed: seed), takesCensus: true).census)
        }
        for name in [
            "appLaunched", "appSuspended", "appResumed", "appFailed", "authorizationChanged",
            "an authorization changes", "accuracyChanged",
            "promptPresented", "servicesSwitched", "sessionsDropped", "budgetExhausted", "budgetReopened",
            "shareExhausted", "extensionKilled", "extensionFailed", "extensionHeldBack", "pushCompleted",
            "pushRefused: notAuthorized", "pushRefused: provisional", "pushRefused: noAlwaysSession",
            "pushRefused: expired", "pushRefused: heldBack", "device dies before a write", "device dies after a write",
            "gateway dies before a write", "gateway dies after a write", "server dies before a write",
            "server dies after a write", "device finds its disk full", "gateway finds its disk full",
            "server finds its disk full", "request ends answered", "request ends refused", "request ends tooSoon",
            "request ends unreachable", "request ends expired", "request ends failed", "device's fsync fails",
            "magnetic heading", "true heading", "acknowledged: revocation",
            "condition event", "condition event after a launch", "condition without events",
            "a condition event is checked",
            "conditionsAbandoned", "significant change", "change after a launch", "a change of location is checked",
            "arrival",
            "departure", "visit after a launch", "a visit is checked",
            "a following begins", "a following ends", "a follower ends it", "an update leaves", "an update arrives",
            "beacon event", "beacon event after a launch", "beacon without events", "a beacon event is checked",
            "the end of a beacon is checked", "a display reminds an app", "device is rolled back",
            "device refuses an older state",
            "beacons in range", "no beacon in range", "nobody listens", "a survey is checked", "the scanner hangs",
            "the scanner gone", "the scanner drops",
            "gateway's fsync fails", "server's fsync fails", "gateway is rolled back",
            "a sealed push passes the gateway",
            "a device is restored", "another device is chosen", "a device is removed", "a removed device learns of it",
            "a device is lost",
            "a last device is kept", "an old registration arrives late", "requests are astray",
            "a request is handed over",
            "two devices are asked",
            "a device that is no longer chosen answers", "a grant is taken back on another device",
            "server lies: withholds", "an approximate place is looked up again", "full accuracy is lent",
            "full accuracy lapses", "an app fails at its start", "a stay begins", "a stay ends",
            "a push is taken from the reserve",
            "an app's session for Always expires", "the device shows that sharing stopped",
            "strangers: streams", "a stranger holds a stream", "a stranger's stream is turned away",
            "strangers: providers", "a tenant holds a connection", "a tenant's connection is turned away",
            "strangers: reusedIDs", "a request has the ID of another one",
            "an app leaves a process behind", "an app is ended for its forks", "a process outlives its app",
        ] {
            #expect(census.counts[name] ?? 0 > 0, "\(name) never happened")
        }
    }

    /// Strangers without contacts, and acknowledgements that never happen, would prove nothing.
    @Test func besiegedWorldsBringAboutWhatTheirAuditorsLookAt() {
        var census = Census()
        for seed in UInt64(1)..<25 {
            census.add(SimulatedRun(Scenario.besieged(seed: seed), takesCensus: true).census)
        }
        for name in [
            "strangers: links", "strangers: strays", "strangers: registrations", "strangers: requests",
            "strangers: pushes", "a stranger's link ends", "a stranger's push is rejected", "gateway lies: numbers",
            "gateway lies: unknown", "server lies: replays", "server lies: waits", "acknowledged: push",
            "acknowledged: order", "acknowledged: answer", "acknowledged: request",
            "an honest request ends while strangers try",
        ] {
            #expect(census.counts[name] ?? 0 > 0, "\(name) never happened")
        }
    }
}
