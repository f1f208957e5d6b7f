import Foundation
// A program that asks org.freedesktop.GeoClue2 on the bus of $DBUS_SYSTEM_BUS_ADDRESS, and does the least: it reads each
// location that it is notified of, and records when it had it. A position in the southern hemisphere ends the run; it then writes this:
// milliseconds since midnight, the arrival, and the latitude in 1e-7 degree.
import WhereaboutsCSystemBus

func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

@main
struct GeoClueClient {
    static let name = "org.freedesktop.GeoClue2"
    let bus: OpaquePointer
    var client = ""
    var seen: [(time: Int64, arrival: Int64, latitude: Int64)] = []
    var cpu: Int64 = 0

    static func main() {
        var bus: OpaquePointer?
        guard sd_bus_open_system(&bus) >= 0, let bus else { fatalError("there is no bus") }
        var program = GeoClueClient(bus: bus)
        program.run()
    }

    func message(_ path: String, _ interface: String, _ member: String) -> OpaquePointer {
        var made: OpaquePointer?
        guard sd_bus_message_new_method_call(self.bus, &made, Self.name, path, interface, member) >= 0, let made else {
            fatalError("cannot make a message")
        }
        return made
    }

    /// Calls a method, and releases the reply after reading it.
    func call(_ message: OpaquePointer, read: (OpaquePointer) -> Void = { _ in }) -> Bool {
        var reply: OpaquePointer?
        // A person may take a minute to answer a prompt.
        let result = sd_bus_call(self.bus, message, 60_000_000, nil, &reply)
        sd_bus_message_unref(message)
        guard result >= 0, let reply else { return false }
        read(reply)
        sd_bus_message_unref(reply)
        return true
    }

    func set(_ property: String, _ type: CChar, _ append: (OpaquePointer) -> Void) {
        let message = self.message(self.client, "org.freedesktop.DBus.Properties", "Set")
        for text in [Self.name + ".Client", property] { sd_bus_message_append_basic(message, CChar(115), text) }
        let contents = [type, 0]
        sd_bus_message_open_container(message, CChar(118), contents)
        append(message)
        sd_bus_message_close_container(message)
        guard self.call(message) else { fatalError("cannot set \(property)") }
    }

    mutating func run() {
        let match = self.messageToBus("AddMatch")
        sd_bus_message_append_basic(match, CChar(115), "type='signal',interface='\(Self.name).Client'")
        guard self.call(match) else { fatalError("cannot hear signals") }
        var path = ""
        let create = self.message("/org/freedesktop/GeoClue2/Manager", Self.name + ".Manager", "CreateClient")
        guard self.call(create, read: { path = Self.text($0, 111) }) else { fatalError("there is no GeoClue") }
        self.client = path
        self.set("DesktopId", CChar(115)) { sd_bus_message_append_basic($0, CChar(115), "bench") }
        var level: UInt32 = 8
        self.set("RequestedAccuracyLevel", CChar(117)) { sd_bus_message_append_basic($0, CChar(117), &level) }
        guard self.call(self.message(self.client, Self.name + ".Client", "Start")) else { fatalError("refused") }
        while self.take() {}
        self.cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - self.cpu
        let lines = (["\(self.cpu)"] + self.seen.map { "\($0.time) \($0.arrival) \($0.latitude)" })
        FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    private func messageToBus(_ member: String) -> OpaquePointer {
        var made: OpaquePointer?
        let driver = "org.freedesktop.DBus"
        guard sd_bus_message_new_method_call(self.bus, &made, driver, "/org/freedesktop/DBus", driver, member) >= 0,
            let made
        else { fatalError("cannot make a message") }
        return made
    }

    static func text(_ message: OpaquePointer, _ type: CChar) -> String {
        var pointer: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, type, &pointer) > 0, let pointer else { return "" }
        return String(cString: pointer)
    }

    /// Handles a message of the bus; false when the last position came.
    private mutating func take() -> Bool {
        var message: OpaquePointer?
        guard sd_bus_process(self.bus, &message) >= 0 else { fatalError("the bus ended") }
        guard let message else {
            sd_bus_wait(self.bus, .max)
            return true
        }
        defer { sd_bus_message_unref(message) }
        guard sd_bus_message_is_signal(message, Self.name + ".Client", "LocationUpdated") > 0,
            sd_bus_message_get_path(message).map({ String(cString: $0) }) == self.client
        else { return true }
        _ = Self.text(message, 111)
        guard let location = self.location(Self.text(message, 111)) else { return true }
        if self.seen.isEmpty {
            self.cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
            FileHandle.standardOutput.write(Data("ready\n".utf8))
        }
        self.seen.append((location.time, nanoseconds(CLOCK_MONOTONIC), location.latitude))
        return location.latitude >= 0
    }

    /// Reads a location; nil: the object no longer exists.
    private func location(_ path: String) -> (time: Int64, latitude: Int64)? {
        let message = self.message(path, "org.freedesktop.DBus.Properties", "GetAll")
        sd_bus_message_append_basic(message, CChar(115), Self.name + ".Location")
        var (time, latitude): (Int64, Int64) = (0, 0)
        let isThere = self.call(message) { reply in
            sd_bus_message_enter_container(reply, CChar(97), "{sv}")
            while sd_bus_message_enter_container(reply, CChar(101), "sv") > 0 {
                switch Self.text(reply, 115) {
                case "Latitude":
                    var degrees = 0.0
                    sd_bus_message_enter_container(reply, CChar(118), "d")
                    sd_bus_message_read_basic(reply, CChar(100), &degrees)
                    sd_bus_message_exit_container(reply)
                    latitude = Int64((degrees * 1e7).rounded())
                case "Timestamp":
                    var (seconds, microseconds): (UInt64, UInt64) = (0, 0)
                    sd_bus_message_enter_container(reply, CChar(118), "(tt)")
                    sd_bus_message_enter_container(reply, CChar(114), "tt")
                    sd_bus_message_read_basic(reply, CChar(116), &seconds)
                    sd_bus_message_read_basic(reply, CChar(116), &microseconds)
                    sd_bus_message_exit_container(reply)
                    sd_bus_message_exit_container(reply)
                    time = Int64(seconds % 86_400) * 1000 + Int64((microseconds + 500) / 1000)
                default: sd_bus_message_skip(reply, "v")
                }
                sd_bus_message_exit_container(reply)
            }
        }
        return isThere ? (time, latitude) : nil
    }
}
