internal import ArgumentParser
internal import Foundation
internal import NIOHTTP1
internal import WhereaboutsAPNS
internal import WhereaboutsPushGateway

/// `whereabouts gateway tokens`.
struct GatewayTokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "List the device tokens of one device, or remove one.",
        discussion: """
            Removing a token ends it, and drops its topic's pending push; providers get 410 Unregistered. A connected \
            device registers again, and gets a new token.
            """
    )

    @Option(help: ArgumentHelp("Key of the device, as `devices` lists it.", valueName: "key"))
    var device: String?

    @Option(help: ArgumentHelp("Remove this token.", valueName: "hex"))
    var remove: String?

    @OptionGroup var control: ControlOption

    func validate() throws {
        guard (self.device == nil) != (self.remove == nil) else {
            throw ValidationError("give either --device or --remove")
        }
        if let device { try checkDeviceKey(device) }
        if let remove, DeviceToken(hex: remove) == nil {
            throw ValidationError(
                "'\(remove)' is not a device token. Give an even number of hexadecimal digits, at most "
                    + "\(2 * Limits.deviceTokenBytesMax)"
            )
        }
    }

    func run() async throws {
        if let remove {
            guard try await self.control.ask("/tokens/\(remove)", .DELETE, as: [String: String].self) != nil else {
                return
            }
            return try printLine("removed \(remove)")
        }
        guard let device,
            let tokens = try await self.control.ask("/devices/\(device)/tokens", as: [TokenSummary].self)
        else { return }
        guard !tokens.isEmpty else { return try printLine("no tokens of this device") }
        for token in tokens {
            try printLine("\(token.token)  \(Moment(token.usedAt).local)  \(token.topic)")
        }
    }
}
