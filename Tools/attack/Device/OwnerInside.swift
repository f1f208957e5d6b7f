internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The owner of a locationd in a PID namespace: locationd must be able to see the process that gives an order.
enum OwnerInside {
    /// Gives the orders from the pipe that the environment names, a line in base64 each, and prints the reply or the error.
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
        do {
            let packet = [UInt8](Data(base64Encoded: line) ?? Data())
            let reply = try await owner.order(WireMessage.decode(WireControlRequest.self, from: packet))
            try owner.readEvents()
            return Data(try WireMessage.encode(reply)).base64EncodedString()
        } catch {
            return "\(error)".replacing("\n", with: " ")
        }
    }
}
