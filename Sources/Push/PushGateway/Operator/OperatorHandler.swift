internal import Foundation
internal import NIOHTTP1
internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsJSONReading
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Handles the requests of an operator.
enum OperatorHandler {
    private typealias Answer = JSONRequestHandler.Answer

    /// The body of `PUT /keys`.
    private struct NewKey: Decodable {
        let teamID: String
        let keyID: String
        let publicKey: String
        let apps: [String]
        let relayedADay: Int?
    }

    private static let notHex = ["reason": "a device's key is 64 hexadecimal digits"]

    /// Performs a request, and returns its answer or the reason of a failure.
    static func answer(
        _ request: JSONRequestHandler.Request,
        _ gateway: PushGateway
    ) async throws -> JSONRequestHandler.Answer {
        do {
            return try await Self.result(of: request, gateway)
        } catch let error as GatewayError {
            return try Answer(.badRequest, ["reason": error.message])
        } catch is DecodingError {
            return try Answer(.badRequest, ["reason": "the command's JSON lacks required members"])
        } catch let rejection as Rejection where rejection.reason == .badDeviceToken {
            let isDevice = request.path.first == "devices"
            let words = isDevice ? "no such device is connected or has tokens" : "no such token is registered"
            return try Answer(.badRequest, ["reason": words])
        } catch {
            return try Answer(.serviceUnavailable, ["reason": Self.words(error)])
        }
    }

    /// The reason why a valid request failed.
    static func words(_ error: any Error) -> String {
        if let rejection = error as? Rejection {
            switch rejection.reason {
            case .shutdown: return "the gateway is ending"
            case .internalServerError: return "the gateway's database failed; the log says why"
            default: return "the gateway cannot answer now"
            }
        }
        if let error = error as? PostgreSQLError {
            return "the gateway's database failed (\(error)); check PostgreSQL, and try again"
        }
        let cause = SQLitePushStore.cause(error)
        guard !cause.isEmpty else { return "the gateway cannot answer now" }
        return "the gateway's database failed\(cause); check its disk, and try again"
    }

    private static func result(of request: JSONRequestHandler.Request, _ gateway: PushGateway) async throws -> Answer {
        let path = request.path
        switch (request.method, path.first, path.count) {
        case (.GET, "status", 1): return try Answer(.ok, await gateway.status())
        case (.GET, "pushes", 2): return try Answer(.ok, await gateway.trace(apnsID: path[1]))
        case (.GET, "devices", 1):
            let after = request.query.first { $0.name == "after" }?.value
            guard let key = after.map(Self.key) else { return try Answer(.ok, await gateway.devices()) }
            guard let key else { return try Answer(.badRequest, Self.notHex) }
            return try Answer(.ok, await gateway.devices(after: key))
        case (.DELETE, "devices", 2):
            guard let key = Self.key(path[1]) else { return try Answer(.badRequest, Self.notHex) }
            try await gateway.remove(key)
            return try Answer(.ok, ["removed": path[1]])
        case (.GET, "devices", 3) where path[2] == "tokens":
            guard let key = Self.key(path[1]) else { return try Answer(.badRequest, Self.notHex) }
            return try Answer(.ok, await gateway.tokens(of: key))
        case (.DELETE, "tokens", 2):
            guard let token = DeviceToken(hex: path[1]) else {
                return try Answer(.badRequest, ["reason": "a token is an even number of hexadecimal digits"])
            }
            try await gateway.remove(token)
            return try Answer(.ok, ["removed": path[1]])
        case (.GET, "senders", 1): return try Answer(.ok, await gateway.senders())
        case (.GET, "keys", 1): return try Answer(.ok, gateway.keys)
        case (.PUT, "keys", 1):
            let new = try JSONReader().decode(NewKey.self, from: request.body)
            let key = try ProviderKey(
                teamID: new.teamID,
                keyID: new.keyID,
                publicKeyPEM: new.publicKey,
                apps: new.apps,
                relayedADay: new.relayedADay
            )
            var words = ["added": key.name]
            words["warning"] = try gateway.add(key)
            return try Answer(.ok, words)
        case (.DELETE, "keys", 2...3):
            var words = ["removed": path.dropFirst().joined(separator: ":")]
            words["warning"] = try gateway.removeKeys(teamID: path[1], keyID: path.count == 3 ? path[2] : nil)
            return try Answer(.ok, words)
        default:
            return try Answer(
                .notFound,
                [
                    "reason":
                        "there are /status, /pushes/APNS-ID, /devices, /devices/KEY/tokens, /tokens/TOKEN, /keys and "
                        + "/senders"
                ]
            )
        }
    }

    private static func key(_ text: String) -> DeviceKey? {
        Hex.bytes(of: text).flatMap { $0.count == 32 ? DeviceKey(bytes: $0) : nil }
    }
}
