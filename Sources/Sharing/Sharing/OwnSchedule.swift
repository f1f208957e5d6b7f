internal import WhereaboutsVocabulary

/// A schedule that this person started, as their profile stores it: the request, and the key that opens its answers.
///
/// The key is on disk for as long as the schedule is stored, because answers arrive while no program runs.
struct OwnSchedule: Sendable, Hashable {
    let request: Signed<Request>
    let key: RequestKey

    init(_ request: Signed<Request>, _ key: RequestKey) {
        self.request = request
        self.key = key
    }

    /// The sort key of schedules: the order in which they started.
    var place: (WallTime, String) { (self.request.value.issued, "\(self.request.value.id)") }

    /// The request and the secret key, each after its count.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.counted(self.request.bytes)
        writer.counted(self.key.secret)
        return writer.bytes
    }

    /// Reads ``bytes``.
    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the file of a schedule")
        self.request = try Signed<Request>(bytes: reader.counted())
        let request = self.request.value
        self.key = RequestKey(suite: request.suite, publicKey: request.publicKey, secret: try reader.counted())
        try reader.end()
    }
}
