internal import CoreLocation
internal import Glibc
internal import Synchronization
internal import Testing
internal import WhereaboutsCVirtualTime
internal import WhereaboutsLocationWireMessages

/// Uses of Core Location without a device: in the body of a test that has a device, or on a thread that an app started.
///
/// Without a message such code would look for a real `locationd`, and receive nothing from the device.
final class Strays: Sendable {
    static let shared = Strays()

    fileprivate struct Device {
        let number: UInt64
        let problems: Problems
        /// The test that created the device; nil outside of Swift Testing.
        let test: Test.ID?
        let thread: pthread_t
        /// Whether an app's thread was reported.
        var heardOfThread = false
    }

    fileprivate struct State {
        var devices: [Device] = []
        /// The tests that already got this report.
        var told: Set<Test.ID> = []
    }

    private let state = Mutex(State())
    let nowhere = LocationClient(transport: Nowhere())

    /// The words for a thread on which Core Location cannot work.
    static let thread = "a thread outside of virtual time, and not in the app's own tasks or queues"

    /// Installs the function that finds the client of each new Core Location object; the C constructor calls this.
    static func installFinder() {
        LocationClient.find {
            guard let kernel = Kernel.current else { return self.shared.client() }
            guard let host = DeviceHost.current else { return nil }
            return host.clients.client(of: kernel.process) ?? self.shared.client()
        }
    }

    func remember(_ number: UInt64, _ problems: Problems) {
        let device = Device(number: number, problems: problems, test: Test.current?.id, thread: pthread_self())
        self.state.withLock { $0.devices.append(device) }
    }

    func forget(_ number: UInt64) { self.state.withLock { $0.devices.removeAll { $0.number == number } } }

    /// The client of code that no device drives; nil if the code does not belong to a test with a device.
    private func client() -> LocationClient? {
        let birthplace = cvirtualtime_birthplace()
        if birthplace != 0 {
            self.state.withLock { $0.problems(ofThreadsOf: birthplace) }?.add(
                "an app created a Core Location object on \(Self.thread)\(CodeLine.here); it is connected to no device"
            )
            return self.nowhere
        }
        guard let isFirst = self.state.withLock({ $0.isFirstOfItsTest }) else { return nil }
        if isFirst {
            Reporter.report(
                "the test itself used Core Location\(CodeLine.here), and not an app on a virtual device: the object is "
                    + "connected to no device. Create it in an app: "
                    + "device.install(AppUnderTest(\"com.example.App\", object: { Model() })), and open it"
            )
        }
        return self.nowhere
    }
}

extension Strays.State {
    /// The problems of a device, for the first report about a thread that its apps started; nil for later ones.
    ///
    /// Only the first is reported, because finding the line of a report takes a while.
    fileprivate mutating func problems(ofThreadsOf number: UInt64) -> Problems? {
        guard let index = self.devices.firstIndex(where: { $0.number == number && !$0.heardOfThread }) else {
            return nil
        }
        self.devices[index].heardOfThread = true
        return self.devices[index].problems
    }

    /// Whether this is the first report to the test that runs here; nil if the test has no devices.
    fileprivate var isFirstOfItsTest: Bool? {
        mutating get {
            guard let test = Test.current?.id else {
                let isMaker = self.devices.contains { $0.test == nil && $0.thread == pthread_self() }
                return isMaker ? true : nil
            }
            guard TestScope.current != nil || self.devices.contains(where: { $0.test == test }) else { return nil }
            return self.told.insert(test).inserted
        }
    }
}

private struct Nowhere: Transport {
    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {}
    func send(_ message: WireClientMessage) {}
}
