internal import ArgumentParser
internal import Dispatch
internal import WhereaboutsConsole
internal import WhereaboutsSharing

/// `whereabouts web`.
struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Show your people, grants and requests in a browser on this machine.",
        discussion: """
            Prints an address and runs until Ctrl-C. The address works once, in one browser. The page shows what \
            friends, grants, questions, followers, schedules, devices and journal print, and can ask, follow, answer, \
            invite, accept, make groups and links, and revoke. It runs this program for each order, so your keys stay in the \
            profile. For backups and a new key, use the command line.
            """
    )

    @OptionGroup var profile: ProfileOption
    @Option(help: "Port on 127.0.0.1; 0 chooses a free one.") var port: UInt16 = 0

    func run() async throws {
        // Fail here, with a message on the terminal, if the directory is not a profile.
        _ = try self.profile.open()
        try await Self.serve(PersonSite(profile: self.profile.profile), port: self.port)
    }

    /// Serves a page until Ctrl-C, and prints its address.
    static func serve(_ site: some ConsoleSite, port: UInt16) async throws {
        do {
            // Run the site on another thread: it blocks, and Swift's thread pool may have only one thread.
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    let served = Result {
                        try ConsoleServer(site).run(port: Int(port)) { address in try? printLine(address) }
                    }
                    continuation.resume(with: served)
                }
            }
        } catch {
            throw SharingError(
                .network,
                "--port \(port): cannot listen on 127.0.0.1. Choose a free port, or leave --port out."
            )
        }
    }
}
