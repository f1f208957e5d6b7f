internal import ArgumentParser
internal import Foundation
internal import Sharing

/// The terms of a grant.
struct TermsOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How exactly they may know: full, which is the default, or reduced to a cell of about 5 km.",
            valueName: "full|reduced"
        ),
        transform: parsePrecision
    )
    var precision = Precision.full
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("For how long, such as 12h or 7d; 7d if not given.", valueName: "duration"),
        transform: parseDuration
    )
    var duration: Duration = .seconds(7 * 86_400)
    @Option(
        help: ArgumentHelp(
            "The least time between two requests, such as 10m; none if not given.",
            valueName: "duration"
        ),
        transform: parseDuration
    )
    var atMostEvery: Duration = .zero

    /// Makes the grant.
    func approve(_ requester: PublicIdentity, by sharer: Sharer) throws -> Signed<Grant> {
        try sharer.approve(
            requester: requester,
            precision: self.precision,
            for: self.duration,
            atMostEvery: self.atMostEvery
        )
    }
}

/// Hands a grant over: on standard output, or in the file that was made for it.
func deliver(_ grant: Signed<Grant>, to file: GrantFile?, home: String) throws {
    guard let file else { return try printLine(grant.text) }
    do {
        try file.write(grant)
    } catch {
        throw SharingError(
            .badHome,
            "\(file.path) cannot be written (\(error.localizedDescription)); the grant is made: print it with "
                + "`whereabouts grants --home \(home) --text \(grant.value.id)`, or revoke it"
        )
    }
    let end = Date(timeIntervalSince1970: grant.value.notAfter.timeIntervalSince1970)
    try printLine("approved until \(end.formatted(.iso8601)): \(file.path)")
}
