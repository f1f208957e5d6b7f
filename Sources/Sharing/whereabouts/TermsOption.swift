internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The terms of a grant.
struct TermsOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Precision: full (default), or reduced to about 5 km.",
            valueName: "full|reduced"
        ),
        transform: parsePrecision
    )
    var precision = Precision.full
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the grant lasts, for example 12h (default: 7d).", valueName: "duration"),
        transform: parseDuration
    )
    var duration: Duration = Self.usualDuration
    @Option(
        help: ArgumentHelp(
            "Minimum time between two requests, for example 10m (default: none).",
            valueName: "duration"
        ),
        transform: parseDuration
    )
    var atMostEvery: Duration = .zero
    @Option(
        help: ArgumentHelp(
            "Hours of the day in which requests are allowed, for example 09:00-17:30 (default: all).",
            valueName: "from-to"
        )
    )
    var hours: String?
    @Option(
        help: ArgumentHelp(
            "Time zone of --hours, for example Europe/Berlin (default: that of this computer).",
            valueName: "zone"
        )
    )
    var zone: String?
    @Option(
        help: ArgumentHelp("Number of allowed requests, 1 to 65535 (default: any number).", valueName: "count")
    )
    var uses: UInt16?
    @Flag(help: "Ask me each time, for 20 s. Without a yes they learn nothing; see whereabouts questions.")
    var askMe = false
    @Option(
        help: ArgumentHelp(
            "Let them follow you live for at most this long, \(followDurationsInWords) (default: not allowed).",
            valueName: "duration"
        ),
        transform: parseDuration
    )
    var follow: Duration?

    private static let usualDuration: Duration = .seconds(7 * 86_400)

    func validate() throws {
        if self.zone != nil, self.hours == nil {
            throw ValidationError("--zone needs --hours. Give both, or leave out --zone.")
        }
        if let follow, !followDurations.contains(follow) {
            throw ValidationError("--follow must be from \(followDurationsInWords)")
        }
        if let follow, follow.components.seconds % 60 != 0 {
            throw ValidationError("--follow must be whole minutes, for example 2m.")
        }
        if self.duration <= .zero { throw ValidationError("--for must be longer than 0s, for example 12h.") }
        if self.uses == 0 { throw ValidationError("--uses must be from 1 to 65535") }
        do {
            _ = try self.dayHours()
        } catch let error as SharingError {
            throw ValidationError(error.message)
        }
    }

    private func dayHours() throws -> DayHours? {
        try self.hours.map { try DayHours(text: $0, zone: self.zone) }
    }

    /// Whether all terms have their defaults.
    var isUsual: Bool {
        self.precision == .full && self.duration == Self.usualDuration && self.atMostEvery == .zero && self.hours == nil
            && self.uses == nil && !self.askMe && self.follow == nil
    }

    /// The valid grant with these terms that was made for an invitation before, if there is one.
    ///
    /// A grant from before the invitation is not reused: its sender wants another one, which lasts longer.
    func grant(madeFor invitation: Invitation, in profile: SharingProfile) throws -> Signed<Grant>? {
        let limits = try self.limits()
        // The sender's clock dates the invitation, and may be ahead.
        let start = invitation.issued.advanced(by: .zero - SharingPolicy().clockSkewMax)
        return try profile.readableGrants().grants.first { signed in
            let grant = signed.value
            return grant.requester == invitation.requester && grant.notBefore >= start && grant.holds(in: profile)
                && grant.notBefore.duration(to: grant.notAfter) == self.duration && grant.precision == self.precision
                && .seconds(Int64(grant.intervalMin)) == self.atMostEvery && grant.limits == limits
        }
    }

    func approve(_ requester: PublicIdentity, by sharer: Sharer) throws -> Signed<Grant> {
        try sharer.approve(
            requester: requester,
            precision: self.precision,
            for: self.duration,
            atMostEvery: self.atMostEvery,
            limits: self.limits()
        )
    }

    func link(
        called name: String?,
        by ownName: String,
        password: String?,
        _ sharer: Sharer
    ) async throws -> SharedLink {
        try await sharer.link(
            called: name,
            by: ownName,
            password: password,
            precision: self.precision,
            for: self.duration,
            atMostEvery: self.atMostEvery,
            limits: self.limits()
        )
    }

    private func limits() throws -> GrantLimits {
        GrantLimits(
            hours: try self.dayHours(),
            usesMax: self.uses,
            asksPerson: self.askMe,
            followMinutesMax: self.follow.map { UInt16($0 / .seconds(60)) }
        )
    }
}

extension DayHours {
    /// Reads hours such as `09:00-17:30`.
    ///
    /// - Parameters:
    ///   - text: the hours.
    ///   - zone: the name of a time zone; that of this computer, if not given.
    /// - Throws: an error for the command line, or ``SharingError`` for an unknown zone.
    init(text: String, zone: String?) throws {
        let zone = try zone.map { try ZoneRule.named($0) } ?? ZoneRule.here()
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard ends.count == 2, let begin = ends[0], let end = ends[1],
            let read = DayHours(from: begin % 1440, to: end % 1440, zone: zone)
        else {
            throw ValidationError("Invalid hours '\(PlainText.of(text))'. Use HH:MM-HH:MM, for example 09:00-17:30.")
        }
        self = read
    }

    /// Reads `09:30`; up to `24:00`.
    private static func minute(_ text: Substring) -> UInt16? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = UInt16(parts[0]), let minute = UInt16(parts[1]), minute < 60, hour * 60 + minute <= 1440
        else { return nil }
        return hour * 60 + minute
    }
}

/// Prints a person's other valid grants, because a new grant does not end them.
func printOthers(to requester: PublicIdentity, besides id: GrantID, called name: String, in profile: SharingProfile) {
    let others = (try? profile.readableGrants().grants) ?? []
    for other in others.map(\.value) where other.id != id && other.requester == requester && other.holds(in: profile) {
        let end = "`whereabouts revoke \(other.id)` ends it"
        printTrouble("\(name) has another grant, which stays valid: \(other.terms). \(end).")
    }
}

extension Grant {
    fileprivate var limits: GrantLimits {
        GrantLimits(
            hours: self.hours,
            usesMax: self.usesMax,
            asksPerson: self.asksPerson,
            followMinutesMax: self.followMinutesMax
        )
    }

    /// Whether the grant still allows requests, as far as the profile knows.
    func holds(in profile: SharingProfile) -> Bool {
        self.notAfter > .now && !profile.isRevoked(self.id) && (try? profile.usesLeft(of: self)) != 0
    }
}

/// Writes a grant, with the sender's invitation if there is one, to standard output or to the created file.
func deliver(
    _ grant: Signed<Grant>,
    with invitation: Signed<Invitation>? = nil,
    to file: GrantFile?,
    profile: String
) throws {
    let text = HandedText.text(grant: grant, invitation: invitation)
    let again = "`whereabouts grants --profile \(ShellWord.path(profile)) --text \(grant.value.id)`"
    guard let file else {
        do {
            return try printLine(text)
        } catch {
            printTrouble("The grant was made anyway. Print it with \(again), or revoke it.")
            throw error
        }
    }
    do {
        try file.write(text)
    } catch {
        throw SharingError(
            .badProfile,
            "\(file.path) cannot be written (\(error.localizedDescription)); the grant is made: print it with \(again), or revoke it"
        )
    }
    try printLine("approved until \(Moment(grant.value.notAfter).local): \(file.path)")
}
