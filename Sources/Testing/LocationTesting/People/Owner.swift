public import Testing

/// The owner of the device, such as a company or a school; its rules override the person's decisions.
public final class Owner {
    // Keeps the device alive: a test that uses the owner still needs the device.
    private let device: VirtualDevice

    init(of device: VirtualDevice) {
        self.device = device
    }

    /// The rules in force.
    public var rules: Management { self.device.host.service.management }

    /// Applies rules in place of all earlier ones.
    ///
    /// ```swift
    /// device.owner.manage(Management(apps: ["com.example.Tracker": .init(isHeadless: true, answer: .always())]))
    /// ```
    /// - Parameters:
    ///   - rules: the rules from now on; they outlive a restart of the location service.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func manage(_ rules: Management, sourceLocation: SourceLocation = #_sourceLocation) {
        self.device.host.group.act(at: sourceLocation) { self.device.host.service.manage(rules) }
    }
}
