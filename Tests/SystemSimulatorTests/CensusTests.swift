internal import SystemSimulator
internal import Testing

/// What never happens is never checked: the seeds must bring about what the auditors look at.
struct CensusTests {
    @Test func seedsBringAboutWhatAuditorsLookAt() {
        var census = Census()
        for seed in UInt64(1000)..<1200 {
            census.add(SimulatedRun(Scenario(seed: seed), takesCensus: true).census)
        }
        for name in [
            "appLaunched", "appSuspended", "appResumed", "appFailed", "authorizationChanged", "accuracyChanged",
            "promptPresented", "servicesSwitched", "sessionsDropped", "budgetExhausted", "budgetReopened",
            "shareExhausted", "extensionKilled", "extensionFailed", "extensionHeldBack", "pushCompleted",
            "pushRefused: notAuthorized", "pushRefused: provisional", "pushRefused: noAlwaysSession",
            "pushRefused: expired", "pushRefused: heldBack", "device dies before a write", "device dies after a write",
            "gateway dies before a write", "gateway dies after a write", "server dies before a write",
            "server dies after a write", "device finds its disk full", "gateway finds its disk full",
            "server finds its disk full", "request ends answered", "request ends refused", "request ends tooSoon",
            "request ends unreachable", "request ends expired", "request ends failed",
            "magnetic heading", "true heading",
        ] {
            #expect(census.counts[name] ?? 0 > 0, "\(name) never happened")
        }
    }
}
