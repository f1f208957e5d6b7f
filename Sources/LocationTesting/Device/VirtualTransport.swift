internal import CoreLocation
internal import Dispatch
internal import LocationWireMessages
internal import Synchronization

/// The connection of one process to the device it lives on: values handed over, nothing encoded.
final class VirtualTransport: Transport {
    // Touched by the thread that pumps the device only; `reach` turns everybody else away.
    private nonisolated(unsafe) var host: DeviceHost?
    private nonisolated(unsafe) var receive: (@Sendable (TransportEvent) -> Void)?
    private let process: Kernel.ProcessNumber
    private let name: String
    /// Whether a use by code that may not was told of; once is enough, and to find a line takes a while.
    private let wasTold = Atomic(false)

    init(host: DeviceHost, process: VirtualProcess) {
        unsafe self.host = host
        self.process = process.number
        self.name = process.name
    }

    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        unsafe self.receive = receive
        unsafe self.host?.processConnects(self.process)
    }

    func send(_ message: WireClientMessage) {
        self.reach()?.received(message, from: self.process)
    }

    func used() { _ = self.reach() }

    /// The device is gone.
    func detach() { unsafe self.host = nil }

    /// A device's processes have one thread, which is their main one.
    var callbacks: CallbackContext? { CallbackContext { DispatchQueue.main.async(execute: $0) } }

    /// Gives the process's side an event, in the process's name.
    func deliver(_ event: TransportEvent) {
        unsafe self.receive?(event)
    }

    /// The device, for code that may use it; for other code nil, and what is wrong with it is said.
    private func reach() -> DeviceHost? {
        let own = unsafe self.host
        let host = Kernel.current?.owner as? DeviceHost
        if let own, host === own, own.hasProcess(self.process) { return own }
        guard !self.wasTold.exchange(true, ordering: .relaxed) else { return nil }
        guard Kernel.current != nil else {
            own?.problems.add(
                "a Core Location object of \(self.name) was used on \(Strays.thread)\(CodeLine.here), or by the test itself; "
                    + "what it says is lost. A test looks into an app with VirtualApp.read"
            )
            return nil
        }
        host?.problems.add(
            "a Core Location object of \(self.name) was used after its process ended\(CodeLine.here): it survived in a static, "
                + "or was handed from one launch to the next. On a device it is gone with its process; here it does nothing. "
                + "Make it anew at every launch, or run the app in a process of its own (AppUnderTest(_:separateProcess:))"
        )
        return nil
    }
}
