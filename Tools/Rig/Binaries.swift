internal import Foundation

/// Where the executables of this build are.
public struct Binaries: Sendable {
    /// The folder that contains all executables.
    public let directory: String

    /// Finds the folder of the running executable, or of the test bundle that runs in it.
    public init() throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let places = [(own as NSString).deletingLastPathComponent, Self.folderOfTests].compactMap(\.self)
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/locationd") })
        else {
            throw RigError("the executables", "locationd is not in \(places.joined(separator: " or ")); build it first")
        }
        self.directory = place
    }

    /// The build's folder if a test runner loaded this code: the folder of the test bundle among the arguments.
    private static var folderOfTests: String? {
        CommandLine.arguments.first { $0.hasSuffix(".xctest") }.map { ($0 as NSString).deletingLastPathComponent }
    }

    /// The path of an executable of this build.
    public func path(_ name: String) -> String { "\(self.directory)/\(name)" }

    /// The path of a program of the system; nil when it is not installed.
    public static func system(_ name: String) -> String? {
        ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
