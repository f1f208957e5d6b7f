internal import Foundation
internal import Rig

/// `h2load` of nghttp2, which sends the pushes: a client that needs little processor time compared with the server.
struct H2Load {
    /// The outcome of one run.
    struct Outcome {
        /// Seconds, from the first request to the last answer.
        let seconds: Double
        /// The answers with a status of 2xx.
        let accepted: Int
        /// Requests a second.
        var rate: Double { Double(self.accepted) / self.seconds }
    }

    /// The units of its report, in seconds.
    private static let units: [String: Double] = ["s": 1, "ms": 1e-3, "us": 1e-6]

    let path: String

    /// Looks for the program.
    ///
    /// - Throws: ``NotMeasured`` when it is not installed.
    init() throws {
        guard
            let path = ["/usr/bin/h2load", "/usr/local/bin/h2load"].first(where: FileManager.default.isExecutableFile)
        else { throw NotMeasured(reason: "h2load is missing; apt-get install nghttp2-client") }
        self.path = path
    }

    /// Sends requests, 100 streams on each connection.
    ///
    /// - Parameters:
    ///   - addresses: a file of addresses, used in turn.
    ///   - body: a file that each request carries.
    ///   - headers: the headers of each request.
    ///   - connections: how many connections share the work.
    ///   - requests: the number of requests.
    ///   - log: the file that its standard error goes to.
    /// - Returns: the outcome.
    /// - Throws: when it fails, or its report cannot be read.
    func run(
        _ addresses: String,
        body: String,
        headers: [String],
        connections: Int,
        requests: Int,
        log: String
    ) throws -> Outcome {
        let arguments =
            ["-n", "\(requests)", "-c", "\(connections)", "-m", "100", "-t", "1", "-i", addresses, "-d", body]
            + headers.flatMap { ["-H", $0] }
        let child = try Child("h2load", self.path, arguments, log: log)
        let report = try child.waitForEnd(within: 120).output
        let time = try #/finished in ([0-9.]+)(ms|s|us)/#.firstMatch(in: report)
        let accepted = try #/status codes: ([0-9]+) 2xx/#.firstMatch(in: report)
        guard let time, let number = Double(time.output.1), let accepted, let count = Int(accepted.output.1) else {
            throw RigError("h2load", "its report cannot be read:\n\(report)")
        }
        return Outcome(seconds: number * (Self.units[String(time.output.2)] ?? 1), accepted: count)
    }
}
