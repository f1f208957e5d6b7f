/// The owner of the device, whose rules stand above what people decide: a company, a school, whoever set up the box.
public final class Owner {
    // Keeps the device alive: whoever talks to its owner is not done with it.
    private let device: VirtualDevice

    init(of device: VirtualDevice) {
        self.device = device
    }

    /// The rules in force.
    public var rules: Management { self.device.host.management }

    /// Puts rules in force, in place of all before.
    ///
    /// ```swift
    /// device.owner.manage(Management(apps: ["com.example.Tracker": .init(isHeadless: true, answer: .always())]))
    /// ```
    /// - Parameter rules: what holds from now on; they outlive a restart of the location service.
    public func manage(_ rules: Management) {
        self.device.host.act { self.device.host.manage(rules) }
    }
}
