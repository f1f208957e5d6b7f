internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The owner of a locationd in a PID namespace: locationd must be able to see the process that gives an order.
enum OwnerInside {
    /// Gives the orders from the pipe that the environment names, a line each, and prints `done` or the error.
    static func serve(runtime: String) async throws -> Never {
        guard let path = ProcessInfo.processInfo.environment["ATTACK_ORDERS"] else {
            throw WireError("ATTACK_ORDERS names no pipe", code: ENOENT)
        }
        let owner = try Owner(runtime: runtime)
        guard let orders = FileHandle(forReadingAtPath: path) else {
            throw WireError("\(path) does not open", code: ENOENT)
        }
        var bytes = Data()
        while true {
            let chunk = orders.availableData
            guard !chunk.isEmpty else { exit(0) }
            bytes.append(chunk)
            while let end = bytes.firstIndex(of: 0x0A) {
                let line = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeSubrange(...end)
                let reply = await self.reply(of: owner, to: line)
                try FileHandle.standardOutput.write(contentsOf: Data("\(reply)\n".utf8))
            }
        }
    }

    private static func reply(of owner: Owner, to line: String) async -> String {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let verb = words.first else { return "an empty line is no order" }
        do {
            _ = try await owner.order(self.request(verb, words.count > 1 ? words[1] : ""))
            try owner.readEvents()
            return "done"
        } catch {
            return "\(error)".replacing("\n", with: " ")
        }
    }

    private static func request(_ verb: String, _ argument: String) -> WireControlRequest {
        .with {
            switch verb {
            case "install": $0.install.path = argument
            case "run":
                $0.run.bundle = ForkingScene.bundle
                $0.run.arguments = [argument]
            case "terminate": $0.terminate.bundle = ForkingScene.bundle
            default: $0.settings = .init()
            }
        }
    }
}
