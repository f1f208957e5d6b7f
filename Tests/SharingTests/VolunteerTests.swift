internal import Foundation
internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for a volunteer's phone without a server: the content of a push, and the stored state.
struct VolunteerTests {
    private let temporary: TemporaryDirectory
    private let sharer: Sharer
    private let dispatcher: Identity
    private let incidentKey: RequestKey
    private let now = WallTime.now.wholeMilliseconds
    private let place: PatientPlace

    init() throws {
        self.temporary = try TemporaryDirectory()
        self.sharer = try Sharer(profile: self.temporary.profile("sharer"))
        self.dispatcher = try Identity()
        self.incidentKey = try HPKESealing().makeKey(suite: .xWing)
        self.place = try #require(
            PatientPlace(
                point: QuantizedCoordinate(latitude: 535_500_000, longitude: -99_900_000),
                defibrillator: QuantizedCoordinate(latitude: 535_510_000, longitude: -99_910_000),
                note: "3rd floor, ring at Müller"
            )
        )
    }

    private var profile: SharingProfile { self.sharer.profile }

    private func terms(accepting dispatchers: [PublicIdentity]? = nil) throws -> VolunteerTerms {
        try VolunteerTerms(
            places: [(53.55, -9.99), (53.5501, -9.9901), (0, 0)],
            hours: Pair.hours,
            resuscitates: true,
            fetchesDefibrillator: false,
            reach: 2000,
            dispatchers: dispatchers ?? [self.dispatcher.publicIdentity]
        )
    }

    private func opening(by identity: Identity? = nil, age: Duration = .zero) throws -> Signed<IncidentOpening> {
        let author = identity ?? self.dispatcher
        let incident = try #require(
            Incident(
                id: IncidentID(high: 1, low: 2),
                cell: VolunteerTerms.cell(latitude: 53.55, longitude: -9.99),
                priority: .arrest,
                responders: 2,
                needsAED: false,
                signed: self.now - age
            )
        )
        return try author.sign(
            IncidentOpening(
                incident: incident,
                dispatcher: author.publicIdentity,
                suite: .xWing,
                publicKey: self.incidentKey.publicKey
            )
        )
    }

    private func alert(
        _ number: UInt64 = 4,
        by identity: Identity? = nil,
        to key: [UInt8]
    ) throws -> Signed<SealedAlert> {
        let author = identity ?? self.dispatcher
        let (id, incident) = (AlertID(high: 3, low: number), IncidentID(high: 1, low: 2))
        return try author.sign(
            try #require(
                SealedAlert(
                    alert: id,
                    incident: incident,
                    dispatcher: author.publicIdentity,
                    role: .patient,
                    sealed: SealedPlace.seal(self.place, for: id, of: incident, to: key, HPKESealing())
                )
            )
        )
    }

    /// Registers a device, as the app does, and returns the key of its pushes.
    private func device() throws -> [UInt8] {
        let device = try self.profile.deviceFile.device(for: "a.b", token: [1], HPKESealing(), now: self.now)
        return device.keys.newest.publicKey
    }

    private func payload(_ notice: ResponderNotice, to key: [UInt8]) throws -> [String: Any] {
        let sealed = try SealedPush.seal(notice, to: key, topic: "a.b", HPKESealing())
        return ["aps": [:], "whereabouts": ["sealed": Base64URL.text(of: sealed)]]
    }

    private func received(_ notice: ResponderNotice, to key: [UInt8]) throws -> EmergencyAlert? {
        try self.sharer.alertAnswering.receive(pushPayload: self.payload(notice, to: key), now: self.now)
    }

    private func fix(_ latitude: Double = 53.551) throws -> SharedFix {
        try SharedFix(latitude: latitude, longitude: -9.99, horizontalAccuracy: 5, time: self.now)
    }

    /// Goal: a phone opens its dispatcher's alert once, and the app finds it with its answers.
    @Test func anAlertReachesTheApp() throws {
        let key = try self.device()
        _ = try self.profile.volunteerFile.replace(self.terms(), now: self.now)
        let notice = ResponderNotice.alert(try self.alert(to: key), of: try self.opening())
        let alert = try #require(try self.received(notice, to: key))
        #expect(alert.state == .locating && alert.priority == .arrest && alert.role == .patient)
        #expect(alert.place == self.place && alert.dispatcher == self.dispatcher.publicIdentity)
        #expect(throws: SharingError(.replayed, "")) { try self.received(notice, to: key) }
        try self.profile.alertFiles.change(alert.id) { alert in
            #expect(alert.located(try self.fix(), reach: 2000, now: self.now) == .ask)
            try alert.accepted(at: nil, now: self.now)
            try alert.moved(to: nil, now: self.now)
        }
        // The app is another process, which shares only the files.
        let app = try SharingProfile(path: self.profile.path)
        let stored = try #require(app.alerts().first)
        #expect(app.alerts().count == 1 && stored.state == .onTheWay && stored.place == self.place)
        let fix = try self.fix()
        #expect(stored.outgoing.map(\.reply) == [.band(.within3), .accepted(fix), .enRoute(fix)])
        #expect(try EmergencyAlert(bytes: stored.bytes) == stored)
        // The end also reaches a person who has not acted, and the positions are deleted.
        #expect(try self.received(.ended(alert.id, .incident(.cancelled)), to: key)?.state == .ended(.falseAlarm))
        #expect(app.alerts().first?.place == nil)
        #expect(app.alertFiles.all(now: alert.expires).isEmpty && app.alerts().isEmpty)
    }

    /// Goal: the numbers of answers increase after a relaunch, whatever the state is.
    @Test func everyStateIsStored() throws {
        let key = try self.device()
        _ = try self.profile.volunteerFile.replace(self.terms(), now: self.now)
        typealias Step = (inout EmergencyAlert) throws -> Void
        let located: Step = { _ = $0.located(try self.fix(), reach: 2000, now: self.now) }
        let accepted: Step = { try $0.accepted(at: nil, now: self.now) }
        let ways: [[Step]] = [
            [], [{ _ = $0.located(nil, reach: 1, now: self.now) }], [located],
            [located, { try $0.refused(now: self.now) }], [located, accepted],
            [located, accepted, { try $0.arrived(now: self.now) }],
            [located, accepted, { try $0.withdrawn(now: self.now) }], [{ $0.ended(.displaced) }],
        ]
        for (number, steps) in ways.enumerated() {
            let alert = try self.alert(UInt64(number), to: key)
            let id = try #require(try self.received(.alert(alert, of: self.opening()), to: key)).id
            let changed = try self.profile.alertFiles.change(id) { alert in for step in steps { try step(&alert) } }
            let stored = try self.profile.alertFiles.change(id) { _ in }
            #expect(stored == changed && stored.newest == UInt32(changed.outgoing.count))
        }
    }

    /// Goal: a phone answers only the dispatchers that its person accepted.
    @Test func aForgedAlertIsDropped() throws {
        let key = try self.device()
        let stranger = try Identity()
        let own = ResponderNotice.alert(try self.alert(to: key), of: try self.opening())
        // Never a volunteer, and one who left.
        #expect(try self.received(own, to: key) == nil)
        _ = try self.profile.volunteerFile.replace(nil, now: self.now)
        #expect(throws: SharingError(.notForUs, "")) { try self.received(own, to: key) }
        _ = try self.profile.volunteerFile.replace(self.terms(), now: self.now)
        let other = try self.alert(by: stranger, to: key)
        #expect(throws: SharingError(.notForUs, "")) { try self.received(.alert(other, of: self.opening()), to: key) }
        let foreign = ResponderNotice.alert(other, of: try self.opening(by: stranger))
        #expect(throws: SharingError(.notForUs, "")) { try self.received(foreign, to: key) }
        let forged = Signed(value: try self.alert(to: key).value, signature: other.signature)
        #expect(throws: SharingError(.badSignature, "")) {
            try self.received(.alert(forged, of: self.opening()), to: key)
        }
        let old = ResponderNotice.alert(try self.alert(to: key), of: try self.opening(age: .seconds(3600)))
        #expect(throws: SharingError(.replayed, "")) { try self.received(old, to: key) }
        let wrongKey = try HPKESealing().makeKey(suite: .x25519AES).publicKey
        let unreadable = ResponderNotice.alert(try self.alert(to: wrongKey), of: try self.opening())
        #expect(throws: SharingError(.cannotOpen, "")) { try self.received(unreadable, to: key) }
        let unknown = ResponderNotice.ended(AlertID(high: 9, low: 9), .enough)
        #expect(throws: SharingError(.unknownName, "")) { try self.received(unknown, to: key) }
        #expect(self.profile.alerts().isEmpty)
    }

    @Test func anOrdinaryRequestIsNoAlert() throws {
        let key = try self.device()
        _ = try self.profile.volunteerFile.replace(self.terms(), now: self.now)
        let request = try Pair().request(suite: .x25519, publicKey: Array(repeating: 9, count: 32))
        let sealed = try SealedPush.seal(request, to: key, topic: "a.b", HPKESealing())
        let payload: [String: Any] = ["whereabouts": ["sealed": Base64URL.text(of: sealed)]]
        #expect(try self.sharer.receiveAlert(pushPayload: payload) == nil)
    }

    /// Goal: a server that invents alerts cannot fill the disk.
    @Test func theNumberOfAlertsIsLimited() throws {
        let key = try self.device()
        _ = try self.profile.volunteerFile.replace(self.terms(), now: self.now)
        let opening = try self.opening()
        for number in 0..<UInt64(AlertFiles.countMax) {
            _ = try self.received(.alert(self.alert(number, to: key), of: opening), to: key)
        }
        let more = ResponderNotice.alert(try self.alert(99, to: key), of: opening)
        #expect(throws: SharingError(.refused, "")) { try self.received(more, to: key) }
        #expect(self.profile.alerts().count == AlertFiles.countMax)
    }

    /// Goal: only the incident's key opens the position of a person who comes, and only for this alert.
    @Test func thePositionOfAResponderIsSealedToTheIncident() throws {
        let key = try self.device()
        _ = try self.profile.volunteerFile.replace(self.terms(), now: self.now)
        let notice = ResponderNotice.alert(try self.alert(to: key), of: try self.opening())
        let alert = try #require(try self.received(notice, to: key))
        let (fix, sealing) = (try self.fix(), HPKESealing())
        let sealed = try SealedPlace.seal(fix, for: alert, sealing)
        #expect(try SealedPlace.open(sealed, of: alert.id, alert.incident, with: self.incidentKey, sealing) == fix)
        for (id, incident) in [(AlertID(high: 0, low: 0), alert.incident), (alert.id, IncidentID(high: 0, low: 0))] {
            #expect(throws: SharingError(.cannotOpen, "")) {
                try SealedPlace.open(sealed, of: id, incident, with: self.incidentKey, sealing)
            }
        }
    }

    @Test func termsAreStoredUntilThePersonLeaves() throws {
        #expect(try self.profile.volunteerTerms() == nil)
        let terms = try self.terms()
        // Two places in one cell are one cell.
        #expect(terms.cells.count == 2 && terms.resuscitates && !terms.fetchesDefibrillator)
        let first = try self.profile.volunteerFile.replace(terms, now: self.now)
        #expect(try self.profile.volunteerTerms() == terms)
        let second = try self.profile.volunteerFile.replace(nil, now: self.now)
        #expect(first < second)
        #expect(try self.profile.volunteerTerms() == nil)
        try Data([1, 2]).write(to: URL(filePath: "\(self.profile.path)/volunteer"))
        #expect(throws: SharingError(.badProfile, "")) { try self.profile.volunteerTerms() }
    }

    @Test func termsOutOfRangeAreRefused() throws {
        func terms(_ places: [(Double, Double)], reach: Int = 1, cpr: Bool = true, by count: Int = 1) throws {
            let dispatchers = try (0..<count).map { _ in try Identity().publicIdentity }
            _ = try VolunteerTerms(
                places: places.map { (latitude: $0.0, longitude: $0.1) },
                hours: nil,
                resuscitates: cpr,
                fetchesDefibrillator: false,
                reach: reach,
                dispatchers: dispatchers
            )
        }
        try terms([(1, 1)], reach: 7000, by: 16)
        for bad in [
            { try terms([]) }, { try terms([(91, 0)]) }, { try terms([(0, 181)]) }, { try terms([(0, 0)], reach: 0) },
            { try terms([(0, 0)], reach: 7001) }, { try terms([(0, 0)], cpr: false) }, { try terms([(0, 0)], by: 0) },
            { try terms([(0, 0)], by: 17) }, { try terms((0..<9).map { (0, Double($0)) }) },
        ] { #expect(throws: SharingError(.badText, "")) { try bad() } }
    }

    @Test func aPlaceHasOneForm() throws {
        let bytes = self.place.paddedBytes
        #expect(bytes.count == 256)
        #expect(try PatientPlace(paddedBytes: bytes) == self.place)
        #expect(throws: SharingError(.badBytes, "")) { try PatientPlace(paddedBytes: bytes.dropLast() + [1]) }
        #expect(throws: SharingError(.badBytes, "")) { try PatientPlace(paddedBytes: Array(bytes.dropLast())) }
        var changed = bytes
        changed[8] = 0
        #expect(throws: SharingError(.badBytes, "")) { try PatientPlace(paddedBytes: changed) }
    }
}
