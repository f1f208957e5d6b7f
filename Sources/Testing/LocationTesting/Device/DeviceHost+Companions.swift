/// Several devices that share one time and one kernel: the first device owns the kernel, and the others are its companions.
extension DeviceHost {
    /// All devices that share the kernel, beginning with its owner.
    var all: [DeviceHost] {
        let first = self.first ?? self
        return [first] + first.companions
    }

    /// The device that a process belongs to; the first device for code that belongs to none.
    func host(of process: Kernel.ProcessNumber) -> DeviceHost {
        let first = self.first ?? self
        return first.companions.first { $0.process(process) != nil } ?? first
    }

    /// The device whose code runs on this thread; nil on a thread without a device.
    static var current: DeviceHost? {
        guard let kernel = Kernel.current, let first = kernel.owner as? DeviceHost else { return nil }
        return first.host(of: kernel.process)
    }

    /// Whether the code on this thread belongs to a process of this device, or to no process of its kernel.
    var isCurrent: Bool {
        guard let kernel = Kernel.current, kernel === self.kernel else { return false }
        return kernel.process == 0 || self.process(kernel.process) != nil
    }
}
