internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The state of the socket for readers of NMEA 0183, for people: its path, who may read, and who reads.
extension Daemon {
    /// The state of the socket; nil: there is no socket.
    var nmeaStatus: WireNMEASocketStatus? {
        guard let port = self.nmea?.port else { return nil }
        let status = self.core.engine.status(of: Self.nmeaBundle)
        return .with {
            $0.path = port.path
            $0.mode = port.mode ?? 0
            $0.fault = port.fault ?? ""
            $0.readers = port.readers.map { reader in
                .with {
                    $0.pid = reader.pid
                    $0.program = Self.program(of: reader.pid)
                    $0.user = Self.name(of: reader.user)
                    $0.since = reader.since.microseconds
                }
            }
            $0.readersMax = UInt32(NMEAPort.readersMax)
            $0.authorization = status.map { .init($0.authorization) } ?? .notDetermined
            $0.reducedAccuracy = status.map { !$0.isPrecise } ?? false
            $0.others = self.configuration.nmeaReaders.sorted().map(Self.name)
        }
    }

    /// The socket's state for the doctor; nil: there is no socket.
    var nmeaFacts: DeviceFacts.NMEASocket? {
        guard let port = self.nmea?.port else { return nil }
        let status = self.core.engine.status(of: Self.nmeaBundle)
        return DeviceFacts.NMEASocket(
            path: port.path,
            fault: port.fault,
            readers: port.readersCount,
            isDenied: status.map { $0.authorization == .denied || $0.authorization == .restricted } ?? false,
            isPrecise: status?.isPrecise ?? true
        )
    }

    /// The name that a process has given itself; empty when the process has ended.
    static func program(of pid: Int32) -> String {
        let name = FileManager.default.contents(atPath: "/proc/\(pid)/comm") ?? Data()
        return PlainText.of(String(decoding: name, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? "")
    }

    /// The name of a user, or the number if there is no name.
    private static func name(of user: uid_t) -> String {
        unsafe getpwuid(user).flatMap { unsafe $0.pointee.pw_name }.map { unsafe String(cString: $0) } ?? "\(user)"
    }
}
