internal import ArgumentParser
internal import Foundation
internal import WhereaboutsPushGateway

/// `whereabouts gateway senders`.
struct GatewaySendersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "senders",
        abstract: "Show the pushes relayed to Apple, by sender and day, with Apple's responses.",
        discussion: """
            A sender is a key that was added with `whereabouts gateway keys --add … --relay COUNT`. Days are in UTC, by the time when \
            the pushes were sent. The outcome of a push without a response is unknown. The senders \
            read their own account with GET /3/relay. Accounts are kept for 400 days; \(SenderReport.daysMax) are shown.

            Example:
              whereabouts gateway senders --control /run/whereabouts/gateway
            """
    )

    @OptionGroup var control: ControlOption

    func run() async throws {
        guard let senders = try await self.control.ask("/senders", as: [SenderReport].self) else { return }
        guard !senders.isEmpty else { return try printLine(try await self.wordsForNone()) }
        for line in Self.lines(senders, isColoured: Terminal.isColoured) { try printLine(line) }
    }

    /// Why there are no senders, and the next step.
    private func wordsForNone() async throws -> String {
        let status = try await self.control.ask("/status", as: GatewayStatus.self)
        guard let relayed = status?.relayed, !relayed.isEmpty else {
            return "no senders: this gateway relays nothing; start it with --relay, and add senders"
        }
        return "no senders; add one with `whereabouts gateway keys --add … --relay 1000`"
    }

    private static func lines(_ senders: [SenderReport], isColoured: Bool) -> [String] {
        let titles = ["SENDER", "DAY", "SENT", "ACCEPTED", "REJECTED", "UNANSWERED"]
        let rows = senders.flatMap { sender in
            sender.days.map { day in
                let reasons = day.rejected.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                return [
                    Table.Cell(sender.sender), Table.Cell(day.day), Table.Cell("\(day.sent)"),
                    Table.Cell("\(day.accepted)", day.accepted > 0 ? .good : nil),
                    reasons.isEmpty ? "0" : Table.Cell(reasons.joined(separator: ", "), .bad),
                    Table.Cell("\(day.unanswered)", day.unanswered > 0 ? .doubtful : nil),
                ]
            }
        }
        return senders.map { Self.line($0, isColoured: isColoured) }
            + (rows.isEmpty ? [] : [""] + Table.lines(titles, rows, isColoured: isColoured))
    }

    /// A line with the present state of a sender.
    private static func line(_ sender: SenderReport, isColoured: Bool) -> String {
        let (limit, colour) = Self.limit(sender)
        let waits = sender.waitsUntil.map {
            let words =
                "waits until \(Moment($0).local), as half of its last pushes had tokens that Apple does not know"
            return "; " + Terminal.coloured(words, isColoured ? .bad : nil)
        }
        let words = Terminal.coloured(limit, isColoured ? colour : nil)
        return "\(sender.sender)  \(words), \(sender.underWay) under way\(waits ?? "")"
    }

    /// The number of pushes that a sender may send, or the reason why it may send none.
    private static func limit(_ sender: SenderReport) -> (words: String, Terminal.Colour?) {
        guard let count = sender.pushesADay else {
            return sender.hasKey
                ? ("no sender any more: its key was added again without --relay", .doubtful)
                : ("its key was removed", .doubtful)
        }
        guard !sender.apps.isEmpty else { return ("\(count) a day, and none of its apps is relayed", .bad) }
        return ("\(count) a day", nil)
    }
}
