internal import ArgumentParser
internal import Foundation
internal import ServiceLifecycle
internal import WhereaboutsAPNS
internal import WhereaboutsCertificates
internal import WhereaboutsMockAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway

/// `whereabouts gateway --mock`: APNs for tests.
struct GatewayMockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock",
        abstract: "Imitate APNs for tests: check and list pushes, deliver none (also: gateway --mock).",
        discussion: """
            Needs no files and no configuration. When the port is open, one line on standard output says so:
              listening url=https://localhost:2197 certificate=/tmp/…/certificate.pem mock=http://localhost:2197/mock
            Send pushes to the URL, and trust the certificate. Each rejected or scripted push, and each mistake that Apple \
            would not report, is a line on standard error.

            The same port answers HTTP/1.1:
              GET /mock/pushes[?after=N&count=N&wait=5s]   list pushes, or wait for them
              DELETE /mock/pushes                          clear the list
              PUT /mock/script                             replace the script; POST adds to it
              DELETE /mock                                 clear list and script
              GET /mock/certificate                        the certificate

            A script is JSON, for example:
              {"rules": [{"nth": 3, "reason": "TooManyRequests"}, {"topic": "com.example.App", "delay": 2}]}
            """
    )

    @Argument(help: "Port for pushes and for the HTTP API; 0 lets the system choose.")
    var port = 2197

    @Option(help: ArgumentHelp("Address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(
        name: .customLong("name"),
        parsing: .singleValue,
        help: ArgumentHelp("Host name in the certificate; repeatable. [localhost, 127.0.0.1]", valueName: "host")
    )
    var names: [String] = []

    @Option(help: ArgumentHelp("File to write the certificate to. [a temporary file]", valueName: "file"))
    var certificate: String?

    @Flag(help: "Accept HTTP/2 without TLS (h2c) instead of TLS.")
    var cleartext = false

    @Option(
        name: .customLong("key"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Key that may sign provider tokens; repeatable. [every key; only the form is checked]",
            valueName: "team:key-id:file[:app,app]"
        )
    )
    var keys: [String] = []

    @Option(help: ArgumentHelp("Script with rules and device tokens, JSON.", valueName: "file"))
    var script: String?

    @Option(help: ArgumentHelp("Environment to imitate: production or sandbox.", valueName: "name"))
    var environment = "production"

    @Flag(help: "Reject pushes that Apple accepts and then delays or drops.")
    var strict = false

    /// Makes `gateway --mock` mean `gateway mock`.
    static func withSubcommand(_ arguments: [String]) -> [String] {
        guard arguments.starts(with: ["gateway", "--mock"]) else { return arguments }
        return ["gateway", "mock"] + arguments.dropFirst(2)
    }

    func validate() throws {
        guard (0...65_535).contains(self.port) else {
            throw ValidationError("\(self.port): is not a port. Use a number from 0 to 65535.")
        }
        guard MockScript.Environment(rawValue: self.environment) != nil else {
            throw ValidationError("--environment \(self.environment): unknown. Use production or sandbox.")
        }
        for name in self.names where HostName(name) == nil {
            throw ValidationError("--name \(name): is not a host name or an address. Use a name such as apns.test.")
        }
        guard !self.cleartext || self.certificate == nil else {
            throw ValidationError("--cleartext uses no certificate. Leave out --certificate, or --cleartext.")
        }
        for option in self.keys { try checkKeyOption(option) }
    }

    func run() async throws {
        var configuration = MockAPNS.Configuration()
        configuration.host = self.host
        configuration.port = self.port
        configuration.isCleartext = self.cleartext
        configuration.names = (self.names + configuration.names)
        configuration.certificatePath = self.certificate
        configuration.keys = try self.keys.map { try ProviderKey(option: $0) }
        configuration.environment = MockScript.Environment(rawValue: self.environment) ?? .production
        configuration.isStrict = self.strict
        configuration.onPush = { push in Self.report(push) }
        if let path = self.script {
            guard let json = FileManager.default.contents(atPath: path) else {
                throw ValidationError("--script \(path): cannot be read. Check the path.")
            }
            configuration.script = try MockScript(json: json)
        }
        let mock = configuration
        try await Serving.run { readiness, _ in [MockService(configuration: mock, readiness: readiness)] }
    }

    /// Writes a line for each finding about a push, without the device token and the payload.
    private static func report(_ push: MockPush) {
        if push.end != .accept {
            let answer = push.answer.map { answer in
                [String(answer.status), answer.reason?.rawValue].compactMap(\.self).joined(separator: " ")
            }
            let cause = push.isScripted ? "by the script" : push.explanation ?? ""
            // The name of the case, without its values.
            let end = "\(push.end)".prefix { $0 != "(" }
            printTrouble("push \(push.number): \(answer ?? String(end)): \(cause)")
        }
        for finding in push.findings { printTrouble("push \(push.number): \(finding.name): \(finding.words)") }
    }
}

/// The mock as a service: starts, prints where it listens, and stops with the service group.
private struct MockService: Service {
    let configuration: MockAPNS.Configuration
    let readiness: Readiness

    func run() async throws {
        let mock = try await MockAPNS(self.configuration)
        let certificate = mock.certificatePath.map { " certificate=\($0)" } ?? ""
        try? printLine("listening url=\(mock.url)\(certificate) mock=\(mock.controlURL)")
        self.readiness.listens()
        try await gracefulShutdown()
        try await mock.stop()
    }
}
