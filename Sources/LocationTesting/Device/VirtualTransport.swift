internal import CoreLocation
internal import Dispatch
internal import LocationWireMessages

/// The connection of one process to the device it lives on: values handed over, nothing encoded.
final class VirtualTransport: Transport {
    // Touched by the thread that pumps the device only; `send` turns everybody else away.
    private nonisolated(unsafe) var host: DeviceHost?
    private nonisolated(unsafe) var receive: (@Sendable (TransportEvent) -> Void)?
    private let process: Kernel.ProcessNumber
    private let name: String

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
        guard let host = unsafe self.host else { return }
        guard Kernel.current === host.kernel else {
            return host.problems.add(
                "a Core Location object of \(self.name) was used on a thread that no virtual device drives: a Thread, a "
                    + "Timer, or the test itself. Use it in the app's own tasks or queues, or through VirtualApp.read"
            )
        }
        host.received(message, from: self.process)
    }

    /// The device is gone.
    func detach() { unsafe self.host = nil }

    /// A device's processes have one thread, which is their main one.
    var callbacks: CallbackContext? { CallbackContext { DispatchQueue.main.async(execute: $0) } }

    /// Gives the process's side an event, in the process's name.
    func deliver(_ event: TransportEvent) {
        unsafe self.receive?(event)
    }
}
