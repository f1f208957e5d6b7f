internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The connections of locationctl, and the recordings that they receive.
///
/// Used only on the daemon's queue.
final class ToolConnections {
    /// Why the sources run for a connection of locationctl.
    private enum Recorder: Hashable {
        /// The fixes of the source in use.
        case fixes
        /// The bytes of a source.
        case bytes(of: Int)
        /// The connection receives no data: `locationctl doctor` runs the sources to test them.
        case trial
    }

    private let sources: DeviceSources
    private let storage: DeviceStorage
    private let bounds: BoundLog
    private let reach: Reach<ToolConnections>
    private var connections: [ObjectIdentifier: PacketConnection] = [:]
    /// The connections for which the sources run, and why.
    private var recorders: [ObjectIdentifier: Recorder] = [:]

    init(sources: DeviceSources, storage: DeviceStorage, bounds: BoundLog, reach: Reach<ToolConnections>) {
        self.sources = sources
        self.storage = storage
        self.bounds = bounds
        self.reach = reach
    }

    var count: Int { self.connections.count }

    func holds(_ key: ObjectIdentifier) -> Bool { self.connections[key] != nil }

    func socket(of key: ObjectIdentifier) -> PacketSocket? { self.connections[key]?.socket }

    /// Adds a connection, whose events `received` gets on the daemon's queue.
    func add(_ socket: PacketSocket, received: @escaping @Sendable (PacketConnection.Event, ObjectIdentifier) -> Void) {
        let key = ObjectIdentifier(socket)
        self.connections[key] = PacketConnection(
            socket,
            queue: self.reach.daemon.queue,
            writable: { [reach] in reach { $0.connections[key]?.flush() } },
            event: { event in received(event, key) }
        )
    }

    func reply(_ reply: WireControlReply, to key: ObjectIdentifier) {
        guard let connection = self.connections[key], let packet = self.bounds.packet(reply) else { return }
        if !connection.send(packet) {
            self.bounds.count(.readersCutOff)
            self.close(key)
        }
    }

    func close(_ key: ObjectIdentifier) {
        self.connections.removeValue(forKey: key)?.close()
        self.recordingEnded(key)
    }

    func closeAll() { for connection in self.connections.values { connection.close() } }

    // MARK: Recordings

    /// Starts to send a control connection the fixes of the sources, which run until the connection closes.
    ///
    /// - Parameters:
    ///   - order: what to record.
    ///   - shown: the source to name.
    ///   - key: the connection.
    /// - Throws: ``DaemonError`` when the source has no bytes, or the connection records.
    func record(_ order: WireRecordRequest, from shown: Int, _ key: ObjectIdentifier) throws(DaemonError) {
        guard self.recorders[key] == nil else { throw DaemonError("this connection already records") }
        var source = shown
        if order.raw > 0 {
            source = Int(order.raw) - 1
            try self.sources.tap(source) { [reach, source] bytes in
                reach { $0.tell(bytes, of: source) }
            }
            self.recorders[key] = .bytes(of: source)
        } else {
            self.recorders[key] = .fixes
        }
        self.storage.log(BundleID(""), "recording", "locationctl started recording the receiver's output.")
        self.reply(.with { $0.recordingBegun.source = self.sources.words(of: source) }, to: key)
        self.recordersChanged()
    }

    /// Tells the core whether a recording runs.
    private func recordersChanged() { self.reach.daemon.feed(.recordingChanged(isRecorded: !self.recorders.isEmpty)) }

    /// Records that a control connection is closed.
    private func recordingEnded(_ key: ObjectIdentifier) {
        guard let recorder = self.recorders.removeValue(forKey: key) else { return }
        // The doctor receives no positions, so the end of its trial is not logged.
        guard recorder != .trial else { return self.recordersChanged() }
        if case .bytes(let source) = recorder, !self.recorders.values.contains(recorder) {
            self.sources.untap(source)
        }
        self.storage.log(BundleID(""), "recording", "locationctl stopped recording the receiver's output.")
        self.recordersChanged()
    }

    /// Sends recordings a fix of the source in use.
    ///
    /// - Returns: the connections whose doctor waited for a fix.
    func tell(_ fix: Fix) -> [ObjectIdentifier] {
        var trials: [ObjectIdentifier] = []
        for (key, recorder) in self.recorders {
            switch recorder {
            case .fixes: self.reply(.with { $0.recorded.fix = WireFix(fix) }, to: key)
            case .trial: trials.append(key)
            case .bytes: break
            }
        }
        return trials
    }

    private func tell(_ bytes: [UInt8], of source: Int) {
        for (key, recorder) in self.recorders where recorder == .bytes(of: source) {
            self.reply(.with { $0.recorded.raw = Data(bytes) }, to: key)
        }
    }

    /// Runs the sources for the doctor.
    func beginTrial(_ key: ObjectIdentifier) throws(DaemonError) {
        guard self.recorders[key] == nil else {
            throw DaemonError("this connection already records, or runs the doctor")
        }
        self.recorders[key] = .trial
        self.recordersChanged()
    }

    func isTrial(_ key: ObjectIdentifier) -> Bool { self.recorders[key] == .trial }

    func endTrial(_ key: ObjectIdentifier) {
        self.recorders[key] = nil
        self.recordersChanged()
    }
}
