/// Devices that live in one time, on one kernel: the first one owns it, and the others are its companions.
extension DeviceHost {
    /// The devices of one time, the first one first.
    var all: [DeviceHost] {
        let first = self.first ?? self
        return [first] + first.companions
    }

    /// The device that a process belongs to; the first one for code that runs elsewhere.
    func host(of process: Kernel.ProcessNumber) -> DeviceHost {
        let first = self.first ?? self
        return first.companions.first { $0.process(process) != nil } ?? first
    }

    /// The device whose code runs on this thread; nil on a thread that no device drives.
    static var current: DeviceHost? {
        guard let kernel = Kernel.current, let first = kernel.owner as? DeviceHost else { return nil }
        return first.host(of: kernel.process)
    }

    /// Whether the code that runs on this thread is of this device, or elsewhere in its time.
    var isCurrent: Bool {
        guard let kernel = Kernel.current, kernel === self.kernel else { return false }
        return kernel.process == 0 || self.process(kernel.process) != nil
    }
}
