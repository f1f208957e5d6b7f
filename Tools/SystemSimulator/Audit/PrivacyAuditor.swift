internal import Foundation
internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Objects when a position is delivered without a person's consent, or more exactly than the consent allows.
final class PrivacyAuditor {
    /// A position with a larger radius than this is approximate, in millimetres.
    private static let approximate: Int32 = 5_000_000

    private unowned let world: Simulation
    /// Restored profiles have the same identities, so that the present ones are enough.
    private lazy var people = KnownPeople(
        self.world.requesters.map(\.identity) + self.world.devices.flatMap { $0.profiles.values.map(\.identity) }
    )
    /// The requests that were answered with a position under a grant that bounds its uses, by the profile that counts them.
    ///
    /// A request is the bytes that were signed: one with the ID of an earlier one is another use.
    private var used: [UInt64: [GrantID: Set<RequestDigest>]] = [:]
    /// The request that each profile answered last under an ID.
    private var answered: [UInt64: [RequestID: RequestDigest]] = [:]
    private var consented: Set<RequestDigest> = []
    /// The requests that each profile refuses.
    private var refused: [UInt64: Set<RequestDigest>] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// A process is being given an update.
    func given(_ update: Update, on stream: UInt64, to process: SimulatedProcess) {
        let fix: Fix
        switch update.element {
        case .fix(let position): fix = position
        case .visit(let visit): fix = Self.position(visit)
        case .heading(let heading): return self.given(heading, to: process)
        case .beacons:
            return self.given("beacons", isApproximate: false, needsSession: false, to: process)
        case nil: return
        }
        let isApproximate = (fix.horizontalAccuracy ?? 0) >= Self.approximate
        let needsSession =
            switch process.declaration.streams.first(where: { $0.id == stream })?.service {
            case .significantChanges, .visits, .ranging: false
            case .live, .standard, .once, .heading, nil: true
            }
        self.given("a position", isApproximate: isApproximate, needsSession: needsSession, to: process)
        if isApproximate, self.isTrue(fix, process.device) {
            self.world.fail(
                "\(process.device.id) gave \(process.bundle) an exact position that is marked as approximate"
            )
        }
    }

    /// A process is about to receive an event of a condition, which reveals as much as a position.
    func given(_ event: ConditionEvent, to process: SimulatedProcess) {
        guard event.diagnostics.isEmpty else { return }
        if process.role != .app {
            self.world.fail(
                "\(process.device.id) gave an extension of \(process.bundle) an event of a condition; only apps receive these"
            )
        }
        self.given("an event", isApproximate: false, to: process)
    }

    /// A visit reveals as much as a position with its radius.
    private static func position(_ visit: Visit) -> Fix {
        Fix(
            latitude: visit.latitude,
            longitude: visit.longitude,
            horizontalAccuracy: visit.radius,
            time: visit.since,
            arrival: visit.arrival
        )
    }

    private func given(
        _ what: String,
        isApproximate: Bool,
        needsSession: Bool = true,
        to process: SimulatedProcess
    ) {
        let (device, bundle) = (process.device, process.bundle)
        let auditors = self.world.auditors
        func object(_ rule: String) {
            let whom = process.role == .app ? "the app" : "the extension"
            self.world.fail("\(device.id) gave \(whom) \(bundle) \(what) \(rule)")
        }
        guard auditors.will.areServicesOn(device) else { return object("while location services are off") }
        guard !auditors.will.isForbidden(device, bundle) else { return object("although the owner forbids it") }
        guard auditors.will.allows(device, bundle) else { return object("without the person's permission") }
        let isPrecise = auditors.will.will(device, bundle).isPrecise || auditors.accuracy.isLent(device, bundle)
        if !isApproximate, !isPrecise {
            return object("with more precision than the person allowed")
        }
        guard !auditors.sessions.isInUse(device, bundle) else { return }
        guard auditors.will.will(device, bundle).decision == .always else {
            return object("while it is not in use, and the person did not allow Always")
        }
        switch process.role {
        case .app:
            guard !needsSession || auditors.sessions.hasAlways(device, bundle) else {
                return object("in the background without a session for Always")
            }
        case .pushExtension:
            let hasAlways = auditors.sessions.hasAlways(device, bundle)
            guard hasAlways || !auditors.sessions.hasTakenAlways(device, bundle) else {
                return object("although the app had ended its session for Always")
            }
        }
    }

    /// True and magnetic heading together reveal roughly where the device is: an app without positions gets only the magnetic one.
    private func given(_ heading: Heading, to process: SimulatedProcess) {
        let (device, bundle, will) = (process.device, process.bundle, self.world.auditors.will)
        if process.isFrozen { self.world.fail("\(device.id) gave the suspended app \(bundle) a heading") }
        guard heading.geographic != nil else { return }
        if !will.areServicesOn(device) || will.isForbidden(device, bundle) || !will.allows(device, bundle) {
            self.world.fail("\(device.id) gave \(bundle) a true heading without the person's permission")
        }
    }

    private func isTrue(_ fix: Fix, _ device: DeviceNode) -> Bool {
        // The position at its measurement counts, too: an approximate one may be some minutes old.
        let measured = Instant(microseconds: fix.arrival.sinceStart.microseconds)
        return [measured, self.world.now].contains {
            device.receiver.truth(at: $0) == (fix.latitude, fix.longitude)
        }
    }

    /// A push passes the gateway, which must not see more than which device is woken.
    func passed(_ payload: [UInt8]) {
        let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
        guard let sealed = object.flatMap({ try? PushPayload.sealed(in: $0) }) else {
            return self.world.fail("the gateway received a push that is not sealed")
        }
        if sealed.count != SealedPush.byteCount {
            self.world.fail(
                "the gateway received a sealed push of \(sealed.count) bytes; expected \(SealedPush.byteCount)"
            )
        }
        if self.people.areNamed(in: sealed) {
            self.world.fail("the gateway received a push that contains a person's identity")
        }
        self.world.census.add("a sealed push passes the gateway")
    }

    /// An extension is about to seal its answer to a request.
    func sealed(_ content: Answer.Content, in signed: Signed<Request>, by process: SimulatedProcess) {
        let profile = process.device.profile(of: process.bundle)
        self.world.auditors.requests.sealed(content, in: signed, by: profile)
        self.world.auditors.schedules.sealed(content, in: signed.value, by: profile)
        let digest = ModelNotary.digest(of: signed.value)
        self.refused[profile.number]?.remove(digest)
        if case .refusal = content { self.refused[profile.number, default: []].insert(digest) }
        if let before = self.answered[profile.number, default: [:]].updateValue(digest, forKey: signed.value.id),
            before != digest
        {
            self.world.census.add("an ID is used again after its answer")
        }
        guard case .fix(let fix) = content else { return }
        self.world.auditors.devices.tells(process.device, process.bundle)
        let (device, request) = (process.device, signed.value)
        let grant = request.grant.value
        func object(_ rule: String) {
            self.world.fail(
                "\(device.id) sealed a position in answer to request \(self.world.number(of: request.id)) \(rule)"
            )
        }
        guard !device.profile(of: process.bundle).revoked.contains(grant.id) else {
            return object("after the grant was revoked")
        }
        guard grant.sharer == device.profile(of: process.bundle).identity else {
            return object("under another person's grant")
        }
        let now = device.sharingWall
        guard grant.notBefore <= now, now < grant.notAfter else { return object("outside the grant's period") }
        if let hours = grant.hours, !hours.contains(now) { return object("at an hour that the grant excludes") }
        if let usesMax = grant.usesMax {
            let profile = device.profile(of: process.bundle)
            let used = self.uses(of: profile)[grant.id, default: []].union([digest])
            self.used[profile.number, default: [:]][grant.id] = used
            if used.count > usesMax { return object("that is one more than the \(usesMax) uses of the grant") }
        }
        if grant.asksPerson, !self.consented.contains(digest) { return object("without the person's consent") }
        guard now < request.expires else { return object("that has expired") }
        let isExact = fix.horizontalAccuracy < 5000
        if isExact, grant.precision == .reduced || request.precision == .reduced {
            return object("with more precision than was granted or requested")
        }
        // An old position, which the device sends if it finds no new one, was delivered while the person allowed it.
        let isOld = fix.time.duration(to: now) >= Answering.freshPeriod
        if isExact, !isOld, !self.world.auditors.will.will(device, process.bundle).isPrecise {
            return object("with more precision than the person allows the app")
        }
        // With reduced precision, an answer is the middle of a cell (docs/protocol/sharing.md), whatever its radius.
        let asksForCell = grant.precision == .reduced || request.precision == .reduced
        if asksForCell, !Self.isMiddleOfCell(fix) {
            return object("with a reduced position that is not the middle of a cell")
        }
        if !isExact, fix.altitude != nil || fix.course != nil || fix.speed != nil {
            return object("with an approximate position that reveals altitude, course or speed")
        }
    }

    /// The uses of grants that a profile has counted.
    func uses(of profile: Home) -> [GrantID: Set<RequestDigest>] { self.used[profile.number] ?? [:] }

    /// A profile was restored from a backup.
    func restored(_ profile: Home, with uses: [GrantID: Set<RequestDigest>]) { self.used[profile.number] = uses }

    /// A person consented to a request.
    func consented(to request: RequestDigest) { self.consented.insert(request) }

    /// An extension posts an answer, for the first time or again.
    func posted(_ answer: GivenAnswers.Undelivered, by process: SimulatedProcess) {
        self.world.auditors.requests.posted(answer, by: process.device.profile(of: process.bundle))
        self.world.auditors.devices.posted(answer, by: process.device, process.bundle)
        let profile = process.device.profile(of: process.bundle)
        // A refusal reveals nothing, and the requester waits for it.
        if profile.revoked.contains(answer.grant), self.refused[profile.number]?.contains(answer.digest) != true {
            self.world.fail(
                "\(process.device.id) answered request \(self.world.number(of: answer.request)) after the grant was revoked"
            )
        }
    }

    /// The device and answers use one grid: cells of two grids together would reveal the position more exactly than one cell.
    private static func isMiddleOfCell(_ fix: SharedFix) -> Bool {
        let point = QuantizedCoordinate(
            latitude: Int((fix.latitude * 1e7).rounded()),
            longitude: Int((fix.longitude * 1e7).rounded())
        )
        let grid = Grid.reducedAccuracy
        return grid.center(of: grid.cell(containing: point)) == point
    }
}
