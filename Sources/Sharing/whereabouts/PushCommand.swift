internal import ArgumentParser
internal import Foundation
internal import Logging
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushGateway

/// `whereabouts push`: sends one push, like an app's server.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send one push to Apple or to a push gateway, and report the outcome.",
        discussion: """
            --dry-run prints the request and sends nothing. --check examines key, team, topic, environment, token, type and payload, \
            sends one push, and explains what the response proves. Without --token the push goes to a device token \
            that no device has. To check a relay, give a \
            sealed payload; `relay` in the output is the relay's own reason, or `apple` if Apple gave the reason.

            Examples:
              whereabouts push --check --to development --key AuthKey_ABCDE12345.p8 --key-id ABCDE12345 \\
                --team-id FGHIJ67890 --app com.example.FindFriends
              whereabouts push --to localhost:2197 --trust-roots ca.pem --key provider.p8 --key-id ABCDE12345 \\
                --team-id FGHIJ67890 --app com.example.FindFriends --token 00fc13adff785122

              whereabouts push --check --to push.vendor.example:2197 --key host.p8 --key-id HOSTKEY001 --team-id SELFHOST01 \\
                --app com.example.FindFriends --payload '{"aps":{},"whereabouts":{"sealed":"AAAA"}}'

            Exit codes:
              0  accepted; with --check: the server accepts this key's pushes for this app, and relays them if the payload is \
            sealed, and the examination found nothing; with --dry-run: no mistake found
              3  will be rejected each time: because of the push, its device token or the key; or the server is not trusted, not an APNs server, or relays \
            nothing. Change something first
              5  not accepted: the server was not reached, or accepts no pushes now (429, 500, 503). Try again later
              6  unknown: there was no response, or a relay had none from Apple; the push may have been accepted
              2  with --check: the server accepts the push, but the examination found something (`look` in the output). Such a \
            push may start no extension
              1  a file could not be used; 64: wrong usage; 74: the output could not be written; 141: the reader \
            of the output is gone
            """
    )

    @Option(
        help: ArgumentHelp(
            "The server: production for apps from the App Store and TestFlight, development for apps from Xcode, "
                + "production:2197 or development:2197 for Apple's other port, or any other server.",
            valueName: "production|development|host:port"
        ),
        transform: Self.parseEndpoint
    )
    var to: Endpoint = .apple(.production)

    @Option(help: ArgumentHelp("The key's .p8 file, as Apple issued it.", valueName: "file"))
    var key: String

    @Option(help: ArgumentHelp("The key's id, 10 characters.", valueName: "id"), transform: parseTeamOrKeyID)
    var keyID: String

    @Option(help: ArgumentHelp("The team's id, 10 characters.", valueName: "id"), transform: parseTeamOrKeyID)
    var teamID: String

    @Option(help: ArgumentHelp("The app's bundle identifier, not the extension's.", valueName: "bundle-id"))
    var app: String

    @Option(
        help: ArgumentHelp("The device's token for this app and type, in hexadecimal digits.", valueName: "hex"),
        transform: Self.parseToken
    )
    var token: DeviceToken?

    @Option(
        help: ArgumentHelp(
            "One of \(PushType.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "type"
        ),
        transform: Self.parseType
    )
    var type = PushType.location

    @Option(
        help: ArgumentHelp("Priority: 10, 5 or 1 [10; 5 for background].", valueName: "number"),
        transform: Self.parsePriority
    )
    var priority: Priority?

    @Option(
        help: ArgumentHelp("How long the server may store the push, such as 1h; 0s means one attempt [30d]."),
        transform: parseDuration
    )
    var expires: Duration?

    @Option(
        help: ArgumentHelp("Collapse ID, at most 64 bytes: it replaces earlier pushes with this ID.", valueName: "text")
    )
    var collapseID: String?

    @Option(help: ArgumentHelp("The push's apns-id [a random UUID].", valueName: "uuid"), transform: Self.parseID)
    var id: MessageID?

    @Option(help: ArgumentHelp("JSON payload [{}, which is enough for a location push].", valueName: "json"))
    var payload: String?

    @Option(help: ArgumentHelp("A file with the payload; - for standard input.", valueName: "file"))
    var payloadFile: String?

    @Option(help: ArgumentHelp("PEM file of authorities to trust instead of the system's.", valueName: "file"))
    var trustRoots: String?

    @Option(
        help: ArgumentHelp("An HTTP proxy to go through, such as http://user:password@host:8080.", valueName: "url"),
        transform: Self.parseProxy
    )
    var proxy: Proxy?

    @Option(help: "Time limit, such as 30s.", transform: parseDuration)
    var timeout: Duration = .seconds(10)

    @Flag(help: "Check key, topic, token and payload; send one push, and explain what the response proves.")
    var check = false

    @Flag(help: "Print the request, and send nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard self.token != nil || self.check else {
            throw ValidationError("--token is missing; give a device's token, or use --check")
        }
        guard !(self.check && self.dryRun) else { throw ValidationError("give --check or --dry-run, not both") }
        guard self.payload == nil || self.payloadFile == nil else {
            throw ValidationError("give --payload or --payload-file, not both")
        }
        do {
            if let payload { _ = try PushPayload(json: Array(payload.utf8)) }
        } catch {
            throw ValidationError("--payload: \(error)")
        }
        guard self.timeout > .zero else { throw ValidationError("--timeout must be longer than 0s") }
    }

    func run() async throws {
        try Secrecy.keep()
        let push = try self.push()
        var configuration = APNSClient.Configuration(
            endpoint: self.to,
            keys: [try SigningKey(teamID: self.teamID, keyID: self.keyID, path: self.key)],
            trustRoots: self.trustRoots.map { .file($0) }
        )
        configuration.proxy = self.proxy
        configuration.timeout = self.timeout
        // The result contains everything; nothing has to be logged as well.
        let logger = Logger(label: "whereabouts.push") { _ in SwiftLogNoOpLogHandler() }
        let client = try APNSClient(configuration: configuration, logger: logger)
        var report: SendingReport
        if self.dryRun {
            report = SendingReport(dryRun: push, to: self.to)
        } else {
            let result = await client.send(push)
            report =
                self.check && self.token == nil
                ? SendingReport(check: result, push, to: self.to) : SendingReport(result)
            if self.check { report.explain(self.examination(of: push)) }
        }
        if let proxy { report.name(proxy) }
        await client.shutdown()
        if self.json { try printJSON(report) } else { try printLine(report.text) }
        if report.status != 0 { throw ExitCode(report.status) }
    }

    private func examination(of push: Push) -> PushExamination {
        PushExamination(
            push: push,
            endpoint: self.to,
            keyPath: self.key,
            keyID: self.keyID,
            teamID: self.teamID,
            isForNobody: self.token == nil
        )
    }

    private func push() throws -> Push {
        var push = Push(
            self.type,
            token: self.token ?? .ofNobody,
            bundleIdentifier: self.app,
            payload: try self.readPayload(),
            priority: self.priority,
            collapseID: self.collapseID,
            id: self.id
        )
        if let expires {
            let until = Date.now.addingTimeInterval(expires / .seconds(1))
            push.expiration = expires == .zero ? .once : .until(Int64(until.timeIntervalSince1970))
        }
        return push
    }

    private func readPayload() throws -> PushPayload {
        if let payload { return try PushPayload(json: Array(payload.utf8)) }
        guard let payloadFile else { return .empty }
        let data: Data
        do {
            // Read at most one byte more than a push may have, which shows that the file is too large.
            data =
                payloadFile == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(filePath: payloadFile))
        } catch {
            throw OperatorError(
                description: "\(payloadFile): cannot be read; give a file with JSON, or - for standard input"
            )
        }
        return try PushPayload(json: Array(data))
    }
}

// MARK: Arguments

extension PushCommand {
    @Sendable private static func parseEndpoint(_ text: String) throws -> Endpoint {
        let parts = text.split(separator: ":", maxSplits: 1)
        let name = parts.first.map(String.init) ?? ""
        if let environment = Environment(rawValue: name == "sandbox" ? "development" : name) {
            guard parts.count == 2 else { return .apple(environment) }
            if let port = Int(parts[1]), [443, 2197].contains(port) { return .apple(environment, port: port) }
            throw ValidationError("'\(text)': Apple's ports are 443 and 2197")
        }
        guard let address = ListenAddress(text), address.port > 0 else {
            throw ValidationError("'\(text)' is not a server; give production, development or HOST:PORT")
        }
        return Endpoint(host: address.host, port: address.port)
    }

    @Sendable private static func parseToken(_ text: String) throws -> DeviceToken {
        guard let token = DeviceToken(hex: text) else {
            throw ValidationError(
                "'\(text)' is not a device token. Give an even number of hexadecimal digits, at most "
                    + "\(2 * Limits.deviceTokenBytesMax)"
            )
        }
        return token
    }

    @Sendable private static func parseType(_ text: String) throws -> PushType {
        guard let type = PushType(rawValue: text) else {
            let names = PushType.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(text)' is not a push type; the types are \(names)")
        }
        return type
    }

    @Sendable private static func parsePriority(_ text: String) throws -> Priority {
        guard let priority = Int(text).flatMap(Priority.init(rawValue:)) else {
            throw ValidationError("'\(text)' is not a priority. Give 10, 5 or 1.")
        }
        return priority
    }

    @Sendable private static func parseID(_ text: String) throws -> MessageID {
        guard let id = MessageID(text) else {
            throw ValidationError("'\(text)' is not a UUID, such as 123e4567-e89b-12d3-a456-4266554400a0")
        }
        return id
    }

    @Sendable private static func parseProxy(_ text: String) throws -> Proxy {
        guard let url = URLComponents(string: text), url.scheme == "http", let host = url.host, let port = url.port,
            url.path.isEmpty || url.path == "/"
        else {
            throw ValidationError("the proxy is not http://HOST:PORT or http://USER:PASSWORD@HOST:PORT")
        }
        guard let user = url.user else { return Proxy(host: host, port: port) }
        return Proxy(host: host, port: port, user: user, password: url.password ?? "")
    }
}
