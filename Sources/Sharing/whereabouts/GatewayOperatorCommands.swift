internal import ArgumentParser
internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsJSONReading
internal import WhereaboutsPushGateway

/// `--control` of the commands that ask a running gateway.
struct ControlOption: ParsableArguments {
    @Option(help: ArgumentHelp("Control socket of the gateway (its --control).", valueName: "file"))
    var control: String

    @Flag(help: "Print JSON.")
    var json = false

    /// The maximum number of bytes of an answer: a thousand devices with all the topics that they may have.
    private static let answerBytesMax = 64 << 20

    /// Asks the gateway.
    ///
    /// - Returns: the decoded answer; nil if it was printed as JSON, as requested.
    /// - Throws: ``OperatorError`` with the gateway's reason, or the remedy.
    func ask<Value: Decodable>(
        _ path: String,
        _ method: HTTPMethod = .GET,
        body: Data? = nil,
        as type: Value.Type
    ) async throws -> Value? {
        let value = try await self.answer(path, method, body: body, as: type)
        return self.json ? nil : value
    }

    /// Sends a command to the gateway, and prints the answer as JSON if wanted, otherwise for people.
    ///
    /// - Throws: ``OperatorError`` with the gateway's reason, or the remedy.
    func answer<Value: Decodable>(
        _ path: String,
        _ method: HTTPMethod = .GET,
        body: Data? = nil,
        as type: Value.Type
    ) async throws -> Value {
        let socket = URL(filePath: self.control).path(percentEncoded: false)
        guard let address = URL(httpURLWithSocketPath: socket, uri: path) else {
            throw OperatorError(
                description: "\(self.control): is not a usable path; give the --control path of the gateway"
            )
        }
        try self.checkSocket()
        var request = HTTPClientRequest(url: address.absoluteString)
        request.method = method
        if let body { request.body = .bytes(body) }
        let (status, data): (HTTPResponseStatus, Data)
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
            let body = try await response.body.collect(upTo: Self.answerBytesMax)
            (status, data) = (response.status, Data(body.readableBytesView))
        } catch {
            throw OperatorError(
                description:
                    "\(self.control): no gateway answers on this socket; check that a gateway runs with this --control"
            )
        }
        let decoder = JSONReader(dates: .iso8601)
        guard status == .ok else {
            let reason = try? decoder.decode([String: String].self, from: data)["reason"]
            throw OperatorError(description: reason ?? "the gateway answered \(status.code)")
        }
        let value = try decoder.decode(type, from: data)
        if self.json { try printLine(String(decoding: data, as: UTF8.self)) }
        return value
    }
}

extension ControlOption {
    /// Checks that a gateway can be reached: the client would retry for ten seconds, and not report the cause.
    ///
    /// - Throws: ``OperatorError`` with the reason and the remedy.
    private func checkSocket() throws {
        let words: String
        switch SocketFile(self.control) {
        case .inUse: return
        case .missing: words = "does not exist; give the --control path of a running gateway"
        case .abandoned:
            words = "no gateway listens on it any more; start the gateway, or give the --control path of a running one"
        case .noSocket: words = "is not a socket; give the --control path of the gateway"
        case .notOurs: words = "belongs to another user; run this as the user who runs the gateway"
        case .badPath: words = "is not the path of a socket, which has 1 to \(SocketFile.longestPath) bytes"
        }
        throw OperatorError(description: "\(self.control): \(words)")
    }
}

/// Why a running gateway did not answer, and the remedy.
struct OperatorError: Error, CustomStringConvertible {
    let description: String
}

/// `whereabouts gateway status`.
struct GatewayStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the gateway's readiness, connections, keys, and relayed apps.",
        discussion: """
            A relay shows a line for each app: whether Apple accepted the vendor's key for the latest push.

            Example:
              whereabouts gateway status --control /run/whereabouts/gateway
            """
    )

    @OptionGroup var control: ControlOption

    func run() async throws {
        guard let status = try await self.control.ask("/status", as: GatewayStatus.self) else { return }
        try printLine("ready      \(status.isReady ? "yes" : "no")")
        try printLine("providers  \(status.providers) connected")
        try printLine("devices    \(status.devices) connected")
        let keys = status.keys.joined(separator: ", ")
        try printLine("keys       \(keys.isEmpty ? "none, so no push is accepted" : keys)")
        for (index, app) in status.relayed.enumerated() {
            try printLine("\(index == 0 ? "relays" : "      ")     \(app.app): \(Self.words(app))")
        }
    }

    /// Apple's verdict on the vendor's key for an app, in words.
    private static func words(_ app: RelayedApp) -> String {
        let since = app.at.map { ", \(Moment($0).local)" } ?? ""
        switch app.key {
        case "taken": return "Apple accepts the key\(since)"
        case "refused":
            let reason = app.reason.flatMap { WhereaboutsAPNS.Reason(rawValue: $0) }
            let advice = reason.map { "; \($0.advice)" } ?? ""
            return "Apple does not accept the key: \(app.reason ?? "no reason")\(since)\(advice)"
        case "silent": return "Apple did not answer, or was not reached\(since)"
        default: return "no push since the start, so it is unknown whether Apple accepts the key"
        }
    }
}

/// `whereabouts gateway trace`.
struct GatewayTraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Trace a push by its apns-id, up to the device's acknowledgement or Apple's response.",
        discussion: """
            The gateway remembers the newest \(PushTrace.rememberedCount) pushes since its start; pushes stored before that have no \
            trace. For an unknown apns-id the exit code is 1, and --json prints an empty list.
            """
    )

    @Argument(help: ArgumentHelp("The apns-id of the push's response.", valueName: "apns-id"))
    var id: String

    func validate() throws {
        guard UUID(uuidString: self.id) != nil else {
            throw ValidationError("'\(self.id)' is not an apns-id, such as 123E4567-E89B-12D3-A456-4266554400A0")
        }
    }

    @OptionGroup var control: ControlOption

    func run() async throws {
        let traces = try await self.control.answer("/pushes/\(self.id)", as: [PushTrace].self)
        // With --json, the empty list was printed, and no text is needed.
        if self.control.json, traces.isEmpty { throw ExitCode(1) }
        guard !traces.isEmpty else {
            throw OperatorError(
                description: "no push with this apns-id is among the newest \(PushTrace.rememberedCount) since this "
                    + "gateway's start. An earlier push has no trace but may still wait; `whereabouts gateway devices` "
                    + "counts waiting pushes"
            )
        }
        if self.control.json { return }
        for line in traces.flatMap({ $0.lines { Moment($0).local } }) { try printLine(line) }
    }
}

/// Checks the key of a device, as `whereabouts gateway devices` lists it.
///
/// - Throws: `ValidationError` naming the rule.
func checkDeviceKey(_ text: String) throws {
    let isHex = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    guard text.utf8.count == 64, isHex else {
        throw ValidationError(
            "'\(text)' is not a device's key. Give 64 hexadecimal digits, as `whereabouts gateway devices` lists them."
        )
    }
}

/// `whereabouts gateway devices`.
struct GatewayDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List devices with tokens, a thousand at a time, or remove one.",
        discussion: """
            Removing a device ends its tokens and drops its pending pushes; providers get 410 Unregistered. A connected device \
            registers again, and gets new tokens.
            """
    )

    @Option(help: ArgumentHelp("List devices after this key, the last one of the previous page.", valueName: "key"))
    var after: String?

    @Option(help: ArgumentHelp("Remove this device.", valueName: "key"))
    var remove: String?

    @OptionGroup var control: ControlOption

    func validate() throws {
        guard self.after == nil || self.remove == nil else {
            throw ValidationError("give --after or --remove, not both")
        }
        for key in [self.after, self.remove].compactMap(\.self) { try checkDeviceKey(key) }
    }

    func run() async throws {
        if let key = self.remove {
            guard try await self.control.ask("/devices/\(key)", .DELETE, as: [String: String].self) != nil else {
                return
            }
            return try printLine("removed \(key)")
        }
        let path = "/devices" + (self.after.map { "?after=\($0)" } ?? "")
        guard let devices = try await self.control.ask(path, as: [DeviceSummary].self) else { return }
        guard !devices.isEmpty else {
            return try printLine(
                self.after == nil ? "no devices; a device is listed once an app registers" : "no more devices"
            )
        }
        for device in devices {
            let link = device.isConnected ? "connected" : "away"
            try printLine("\(device.key)  \(link)  \(device.waiting) waiting  \(device.topics.joined(separator: ","))")
        }
    }
}
