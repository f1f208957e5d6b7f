internal import ArgumentParser
internal import Foundation
internal import PushGateway

/// `whereabouts gateway senders`.
struct GatewaySendersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "senders",
        abstract: "Show what the relay sent to Apple for whom, day by day, and what Apple said.",
        discussion: """
            A sender is a key that was added with `whereabouts gateway keys --add … --relay COUNT`. Days are those of UTC, by when \
            the pushes went out; a push without an answer was neither taken nor rejected, as far as anybody knows. The senders \
            read the same of themselves with GET /3/relay. Accounts are kept for 400 days; \(SenderReport.daysMax) are shown.
            """
    )

    @OptionGroup var control: ControlOption

    func run() async throws {
        guard let senders = try await self.control.ask("/senders", as: [SenderReport].self) else { return }
        guard !senders.isEmpty else {
            return try printLine("no senders; add one with `whereabouts gateway keys --add … --relay 1000`")
        }
        for line in Self.lines(senders) { try printLine(line) }
    }

    private static func lines(_ senders: [SenderReport]) -> [String] {
        let titles = ["SENDER", "DAY", "SENT", "ACCEPTED", "REJECTED", "UNANSWERED"]
        let rows = senders.flatMap { sender in
            sender.days.map { day in
                let reasons = day.rejected.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                return [
                    sender.sender, day.day, "\(day.sent)", "\(day.accepted)",
                    reasons.isEmpty ? "0" : reasons.joined(separator: ", "), "\(day.unanswered)",
                ]
            }
        }
        return senders.map(Self.line) + (rows.isEmpty ? [] : [""] + Table.lines(titles, rows))
    }

    /// A sender as it stands now.
    private static func line(_ sender: SenderReport) -> String {
        let limit = sender.pushesADay.map { "\($0) a day" } ?? "its key was removed"
        let waits = sender.waitsUntil.map {
            "; waits until \($0.formatted(.iso8601)), as half of its last pushes had tokens that Apple does not know"
        }
        return "\(sender.sender)  \(limit), \(sender.underWay) under way\(waits ?? "")"
    }
}
