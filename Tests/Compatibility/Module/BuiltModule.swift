public import Foundation

/// The module CoreLocation as built beside this program, and the compiler's information about it.
public struct BuiltModule: Sendable {
    /// A toolchain program that failed, with its output.
    public struct Failure: Error, CustomStringConvertible {
        /// The tool's output, or the path that is missing.
        public let description: String
    }

    private let products: URL

    /// Finds the module beside the program that runs.
    ///
    /// - Throws: ``Failure`` when it is not there.
    public init() throws {
        self.products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let module = self.products.appending(path: "Modules/CoreLocation.swiftmodule")
        guard FileManager.default.fileExists(atPath: module.path) else {
            throw Failure(description: "\(module.path) is missing; build first (make build)")
        }
    }

    /// The compiler's flags: the folder the module lies in, and no more.
    ///
    /// A package that does not depend on this one, and asks `canImport(CoreLocation)` in a build folder where it lies, is
    /// compiled without any other: a module that needs one breaks a stranger's build.
    private var flags: [String] {
        [
            "-target", self.products.deletingLastPathComponent().lastPathComponent,
            "-I", self.products.appending(path: "Modules").path,
        ]
    }

    /// Returns the compiler's symbol graph of the module.
    ///
    /// - Throws: ``Failure`` when the compiler cannot make it.
    public func symbolGraph() async throws -> SymbolGraph {
        try await Self.withTemporaryDirectory { directory in
            try await self.extractSymbols(to: directory)
            return try SymbolGraph(Data(contentsOf: directory.appending(path: "CoreLocation.symbols.json")))
        }
    }

    /// The modules beside this one that a file with `import CoreLocation` loads, and may see members of.
    ///
    /// - Throws: ``Failure`` with what the compiler says.
    public func dependencies() async throws -> Set<String> {
        try await Self.withTemporaryDirectory { directory in
            let file = directory.appending(path: "Import.swift")
            try Data("import CoreLocation\n".utf8).write(to: file)
            let arguments = ["-typecheck", "-Rmodule-loading", file.path]
            let result = try await Self.run(["swiftc"] + arguments + self.flags)
            guard result.status == 0 else { throw Failure(description: result.output) }
            let ours = "; source: '" + self.products.deletingLastPathComponent().deletingLastPathComponent().path
            let names = result.output.split(separator: "\n").compactMap { line -> String? in
                guard let name = line.firstRange(of: "loaded module '"), line.contains(ours) else { return nil }
                return String(line[name.upperBound...].prefix { $0 != "'" })
            }
            return Set(names).subtracting(["CoreLocation"])
        }
    }

    /// The public members that a module adds to types of other modules: every file sees them that loads it.
    ///
    /// - Throws: ``Failure`` with what the compiler says.
    public func members(addedBy module: String) async throws -> Set<String> {
        try await Self.withTemporaryDirectory { directory in
            try await self.extractSymbols(of: module, to: directory, ["-emit-extension-block-symbols"])
            let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            // A file of its own for each module whose types are extended.
            let graphs = try files.filter { $0.lastPathComponent.hasPrefix("\(module)@") }
                .map { try SymbolGraph(Data(contentsOf: $0)) }
            return Set(graphs.flatMap(\.symbols).filter { $0.kind != "extension" }.map(\.name))
        }
    }

    /// Makes the documentation of the module, with pages for a browser.
    ///
    /// - Parameters:
    ///   - catalog: the folder of pages.
    ///   - output: where to.
    /// - Throws: ``Failure`` with what DocC finds, warnings too: a link to nothing, a page that nothing leads to.
    public func makeDocumentation(from catalog: URL, to output: URL) async throws {
        try await Self.withTemporaryDirectory { directory in
            try await self.extractSymbols(to: directory)
            let result = try await Self.run([
                "docc", "convert", catalog.path, "--additional-symbol-graph-dir", directory.path,
                "--output-path", output.path, "--fallback-display-name", "CoreLocation",
                "--fallback-bundle-identifier", "CoreLocation", "--warnings-as-errors",
            ])
            guard result.status == 0 else { throw Failure(description: result.output) }
        }
    }

    private func extractSymbols(
        of module: String = "CoreLocation",
        to directory: URL,
        _ options: [String] = []
    ) async throws {
        let arguments = ["-module-name", module, "-minimum-access-level", "public", "-output-dir", directory.path]
        let result = try await Self.run(["swift", "symbolgraph-extract"] + arguments + options + self.flags)
        guard result.status == 0 else { throw Failure(description: result.output) }
    }

    private static func withTemporaryDirectory<Result: Sendable>(
        _ work: (URL) async throws -> Result
    ) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "module-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await work(directory)
    }

    /// Type-checks sources against the module, as one module.
    ///
    /// - Parameters:
    ///   - sources: the files.
    ///   - mode: the language mode, `5` or `6`.
    ///   - options: further options of the compiler.
    /// - Returns: whether there was no error, and what the compiler wrote.
    /// - Throws: when the compiler cannot be run.
    public func typeCheck(
        _ sources: [URL],
        mode: String,
        _ options: [String] = []
    ) async throws -> (isRight: Bool, output: String) {
        let arguments = ["-typecheck", "-swift-version", mode, "-parse-as-library", "-module-name", "Corpus"]
        let result = try await Self.run(["swiftc"] + arguments + options + self.flags + sources.map(\.path))
        return (result.status == 0, result.output)
    }

    /// Runs a command; its output goes through a file, so that no pipe fills up.
    private static func run(_ command: [String]) async throws -> (status: Int32, output: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "compiler-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        let output = try FileHandle(forWritingTo: file)
        process.standardOutput = output
        process.standardError = output
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return (process.terminationStatus, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
