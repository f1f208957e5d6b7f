internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts journal`: shows who asked and how each request ended, and checks that nothing is missing.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Show who asked for your location and what they received, and verify that the journal is unchanged.",
        discussion: """
            This device keeps the journal, encrypted with your key. Each line is signed and holds the hash of the one before it. With --json \
            each request is one object on its own line; --gpx and --geojson print the positions that you gave.

            Exit codes:
              0  the journal is complete
              3  it is not: standard error names the first line that was changed, replaced or removed
              1  it cannot be read
            """
    )

    /// The output formats.
    enum Form: String, EnumerableFlag {
        case json, gpx, geojson

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .json: "Print JSON."
            case .gpx: "Print the positions that you gave as GPX."
            case .geojson: "Print the positions that you gave as GeoJSON."
            }
        }
    }

    @OptionGroup var profile: ProfileOption
    @Flag(exclusivity: .exclusive) var form: Form?
    @Option(help: ArgumentHelp("Show only this many of the newest requests (default: all).", valueName: "count"))
    var last: Int?
    @Option(
        help: ArgumentHelp(
            "When the app notifies you about answers: at-once (default) or daily.",
            valueName: "at-once|daily"
        ),
        transform: Self.pace
    )
    var tell: NoticePace?

    @Sendable private static func pace(_ text: String) throws -> NoticePace {
        switch text {
        case "at-once": .atOnce
        case "daily": .daily
        default: throw ValidationError("--tell \(text): use at-once or daily.")
        }
    }

    func validate() throws {
        if let last, last < 1 { throw ValidationError("--last must be 1 or more") }
        if self.tell != nil, self.form != nil || self.last != nil {
            throw ValidationError("--tell prints nothing of the journal. Leave out the other options.")
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        if let tell {
            try profile.tell(tell)
            return try printLine(
                tell == .daily ? "the app notifies you once a day" : "the app notifies you of each answer"
            )
        }
        let journal = try profile.journal()
        let requests = journal.requests.suffix(self.last ?? .max)
        switch self.form {
        case .json: for request in requests { try printJSON(JournalRow(request, of: profile)) }
        case .gpx: try printLine(JournalExport.gpx(Array(requests)))
        case .geojson: try printLine(JournalExport.geoJSON(Array(requests)))
        case nil: try Self.show(Array(requests), journal, profile)
        }
        guard let fault = journal.fault else { return }
        throw CommandFailure(
            code: "changed",
            reason: "the journal was changed after this device wrote it: \(fault)",
            status: 3
        )
    }

    private static func show(_ requests: [JournaledRequest], _ journal: Journal, _ profile: SharingProfile) throws {
        guard let first = journal.lines.first, let last = journal.lines.last else {
            guard journal.fault == nil else { return }
            return try printLine("The journal is empty: nobody asked yet.")
        }
        let titles = ["LINE", "TIME", "NAME", "SAFETY NUMBER", "ASKED", "ANSWER", "THEN"]
        for line in Table.lines(titles, requests.map { JournalRow($0, of: profile).cells }) { try printLine(line) }
        guard journal.fault == nil else { return }
        let dropped = first.number > 1 ? "; older lines were removed to make room" : ""
        try printLine("lines \(first.number) to \(last.number), none changed and none missing\(dropped)")
    }
}

/// A request in the output.
struct JournalRow: Encodable {
    struct Position: Encodable {
        let latitude: Double
        let longitude: Double
        let accuracy: Double
        let measured: Moment
    }

    let line: UInt64
    let time: Moment
    let request: String
    let grant: String
    let requester: String
    /// Absent for a person without a name.
    let name: String?
    let safetyNumber: String
    let asked: String
    /// One of fix, refusal and unavailable.
    let answer: String
    let position: Position?
    /// The reason, as a sentence, when there is no position.
    let reason: String?
    /// The reason as a word for programs: the rule of a refusal, or `unavailable`.
    let code: String?
    /// Either delivered, declined or withheld; absent while the answer is on its way.
    let end: String?
    /// The schedule to which the request belongs; absent when the requester asked directly.
    let schedule: String?
    /// When the live share or schedule of this request ended; absent if there is none, or it continues.
    let over: Moment?
    let overReason: String?

    init(_ request: JournaledRequest, of profile: SharingProfile) {
        self.line = request.line
        self.time = Moment(request.time)
        self.request = "\(request.request)"
        self.grant = "\(request.grant)"
        self.requester = request.requester.text
        self.name = profile.title(of: request.requester)
        self.safetyNumber = request.requester.safetyNumber
        self.asked = "\(request.asked)"
        self.schedule = request.schedule.map { "\($0)" }
        self.over = (request.over?.time).map(Moment.init)
        self.overReason = request.over.map { "\($0.reason)" }
        self.overWords = request.over?.reason.words
        (self.reason, self.code) = (request.content.reason, request.content.code)
        switch request.content {
        case .fix(let fix):
            self.answer = "fix"
            self.position = Position(
                latitude: fix.latitude,
                longitude: fix.longitude,
                accuracy: fix.horizontalAccuracy,
                measured: Moment(fix.time)
            )
        case .refusal: (self.answer, self.position) = ("refusal", nil)
        case .unavailable: (self.answer, self.position) = ("unavailable", nil)
        }
        self.end =
            switch request.end {
            case .delivered: "delivered"
            case .declined: "declined"
            case .withheld: "withheld"
            case nil: nil
            }
    }

    private let overWords: String?

    private enum CodingKeys: String, CodingKey {
        case line, time, request, grant, requester, name, safetyNumber, asked, answer, position, reason, code, end,
            schedule, over, overReason
    }

    /// The outcome of the answer, and the end of the live share or schedule.
    private var then: String {
        let end = self.end ?? "on its way"
        guard let over, let overWords else { return end }
        return "\(end); over \(over.local): \(overWords)"
    }

    var cells: [String] {
        let answer =
            if let position {
                PlaceText(latitude: position.latitude, longitude: position.longitude, accuracy: position.accuracy).text
            } else {
                PlainText.of(self.reason ?? "")
            }
        return [
            "\(self.line)", self.time.local, self.name ?? "-", self.safetyNumber,
            self.schedule == nil ? self.asked : "\(self.asked), by a schedule", answer, self.then,
        ]
    }
}
