internal import Glibc
internal import WhereaboutsCSystemBus
internal import WhereaboutsGeoClue

/// The connection to the system bus through sd-bus, for one thread and without callbacks: the caller reads messages one
/// by one (ADR 0079).
@safe final class SystemBus {
    private static let driver = "org.freedesktop.DBus"
    /// The timeout for answers of the bus itself, in microseconds; the bus answers within milliseconds, or hangs.
    private static let patience: UInt64 = 5_000_000

    private let handle: OpaquePointer

    /// Connects to the system bus, or to the bus that `DBUS_SYSTEM_BUS_ADDRESS` names.
    ///
    /// - Throws: ``BusError`` that names the address.
    init() throws(BusError) {
        do throws(BusError) {
            var made: OpaquePointer?
            try BusError.check(unsafe sd_bus_open_system(&made), "cannot connect with the system bus")
            guard let handle = unsafe made else { throw BusError("there is no system bus") }
            unsafe self.handle = handle
            _ = unsafe sd_bus_set_method_call_timeout(handle, Self.patience)
            // sd-bus connects in the background, especially over TCP, so only a call shows whether the bus answers.
            var id = sd_id128_t()
            try BusError.check(unsafe sd_bus_get_bus_id(handle, &id), "no bus answers")
        } catch {
            throw BusError("\(error.description), at \(Self.place)")
        }
    }

    /// The bus's address, where it comes from, and the remedy, for errors.
    private static var place: String {
        unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS").map { address in
            "\(unsafe String(cString: address)), which DBUS_SYSTEM_BUS_ADDRESS names; check that it is the bus's address, and that the bus runs"
        } ?? "/run/dbus/system_bus_socket; start it (systemctl start dbus), or apt-get install dbus"
    }

    deinit { _ = unsafe sd_bus_flush_close_unref(self.handle) }

    // MARK: Waiting

    var descriptor: Int32 { unsafe sd_bus_get_fd(self.handle) }
    var events: Int16 { Int16(truncatingIfNeeded: unsafe sd_bus_get_events(self.handle)) }

    /// The milliseconds until ``process()`` must be called; nil: only when data arrives.
    var patience: Int32? {
        var until: UInt64 = .max
        guard unsafe sd_bus_get_timeout(self.handle, &until) >= 0, until != .max else { return nil }
        var now = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        return until <= microseconds ? 0 : Int32(clamping: (until - microseconds) / 1000 + 1)
    }

    /// The result of ``process()``.
    enum Progress {
        /// Nothing is left to do.
        case idle
        case worked
        case message(BusMessage)
    }

    func process() throws(BusError) -> Progress {
        var message: OpaquePointer?
        let result = unsafe sd_bus_process(self.handle, &message)
        try BusError.check(result, "the connection with the system bus ended")
        if let message = unsafe message { return .message(unsafe BusMessage(owning: message)) }
        return result == 0 ? .idle : .worked
    }

    // MARK: The bus itself

    /// Requests a name that no other program has.
    func takeName(_ name: String) throws(BusError) {
        let result = unsafe sd_bus_request_name(self.handle, name, 0)
        if result == -EEXIST {
            throw BusError("another program has the name \(name) on the system bus; stop it (systemctl stop geoclue)")
        }
        if result == -EACCES || result == -EPERM {
            throw BusError(
                "the system bus does not allow this user to own the name \(name); see /usr/share/doc/locationd-geoclue"
            )
        }
        try BusError.check(result, "cannot acquire the name \(name)")
    }

    /// Subscribes to signals that match a rule.
    func match(_ rule: String) throws(BusError) {
        let call = try self.makeCall(Self.driver, "/org/freedesktop/DBus", Self.driver, "AddMatch")
        try call.append(.text(rule))
        try BusError.check(unsafe sd_bus_call(self.handle, call.handle, 0, nil, nil), "cannot follow signals")
    }

    /// The process and the user of a name on the bus; nil: the program has left the bus.
    func process(of name: String) -> (pid: Int32, user: UInt32)? {
        // SD_BUS_CREDS_PID and SD_BUS_CREDS_EUID: from the kernel when the program connected, not from /proc.
        var made: OpaquePointer?
        guard unsafe sd_bus_get_name_creds(self.handle, name, 1 << 0 | 1 << 4, &made) >= 0, let made = unsafe made
        else {
            return nil
        }
        defer { _ = unsafe sd_bus_creds_unref(made) }
        var pid: pid_t = 0
        var user: uid_t = 0
        guard unsafe sd_bus_creds_get_pid(made, &pid) >= 0, unsafe sd_bus_creds_get_euid(made, &user) >= 0 else {
            return nil
        }
        return (pid, user)
    }

    // MARK: Messages

    func makeCall(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let result = unsafe sd_bus_message_new_method_call(self.handle, &made, destination, path, interface, member)
        return unsafe try Self.message(result, made)
    }

    func makeSignal(
        _ path: String,
        _ interface: String,
        _ member: String,
        to destination: String?
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let result = unsafe sd_bus_message_new_signal(self.handle, &made, path, interface, member)
        let message = unsafe try Self.message(result, made)
        if let destination {
            try BusError.check(
                unsafe sd_bus_message_set_destination(message.handle, destination),
                "cannot address a signal"
            )
        }
        return message
    }

    func makeReply(to call: BusMessage) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        return unsafe try Self.message(sd_bus_message_new_method_return(call.handle, &made), made)
    }

    func makeError(_ refusal: Refusal, to call: BusMessage) throws(BusError) -> BusMessage {
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        _ = unsafe sd_bus_error_set(&error, refusal.name, refusal.message)
        var made: OpaquePointer?
        return unsafe try Self.message(sd_bus_message_new_method_error(call.handle, &made, &error), made)
    }

    private static func message(_ result: Int32, _ made: OpaquePointer?) throws(BusError) -> BusMessage {
        try BusError.check(result, "cannot make a message")
        guard let made = unsafe made else { throw BusError("out of memory for a message") }
        return unsafe BusMessage(owning: made)
    }

    /// Sends a message without waiting for a reply.
    func send(_ message: BusMessage) throws(BusError) {
        try BusError.check(unsafe sd_bus_send(self.handle, message.handle, nil), "cannot send to the system bus")
    }

    /// Sends a call, and returns the number that its answer will contain.
    func call(_ message: BusMessage) throws(BusError) -> UInt64 {
        var cookie: UInt64 = 0
        try BusError.check(unsafe sd_bus_send(self.handle, message.handle, &cookie), "cannot send to the system bus")
        return cookie
    }
}
