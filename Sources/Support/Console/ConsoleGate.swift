/// Decides which requests to a console are allowed.
///
/// A console is a page on loopback for the person who started the program. Websites in the same browser, and programs of
/// other users of this machine, can reach the same port. These checks keep them out:
/// - The printed address contains a token. It works once, and the browser receives a cookie for it.
/// - Browsers do not send the cookie with requests that another site starts (`SameSite=Strict`).
/// - Each path contains a random folder. Browsers send cookies to every port of a host, but only below the path of the
///   cookie, so another user's server on another port does not receive it.
/// - `Host` and `Origin` must be the console's, so that a domain that resolves to loopback opens nothing.
package struct ConsoleGate: Sendable {
    /// The parts of a request on which the decision depends.
    package struct Request: Sendable {
        package var method: String
        package var target: String
        /// All `Host` fields, because a second one must not be overlooked.
        package var hosts: [String]
        package var origins: [String] = []
        package var cookies: [String] = []
        package var contentType = ""
    }

    /// How to handle a request.
    package enum Decision: Sendable, Hashable {
        /// Redirect the browser to the page, and set its cookie.
        case admit(folder: String, cookie: String)
        case page
        /// Send events until the connection ends. The text is the URL's query, which selects the events.
        case events(String)
        /// Carry out an order.
        case act(String)
        case refuse(Refusal)
    }

    /// An HTTP status, and a message for people.
    package struct Refusal: Error, Sendable, Hashable {
        package let status: Int
        package let words: String

        package init(_ status: Int, _ words: String) {
            self.status = status
            self.words = words
        }
    }

    /// The port that the server listens on; while it is 0, every request is refused.
    package var port = 0
    private let actions: Set<String>
    private var token: String?
    private let session: String
    private let folder: String

    /// Creates a gate with new secrets.
    ///
    /// - Parameter actions: the names of all orders.
    package init(actions: Set<String>) {
        var generator = SystemRandomNumberGenerator()
        self.actions = actions
        self.token = Self.secret(&generator)
        self.session = Self.secret(&generator)
        self.folder = "/\(Self.secret(&generator))/"
    }

    /// The address that opens the page once.
    package var address: String { "http://127.0.0.1:\(self.port)/?token=\(self.token ?? "")" }

    /// Decides about a request.
    ///
    /// The first request that contains the token uses it up.
    package mutating func decide(_ request: Request) -> Decision {
        let names = ["127.0.0.1", "localhost"].map { "\($0):\(self.port)" }
        guard self.port > 0, request.hosts.count == 1, names.contains(request.hosts[0]) else {
            return .refuse(Refusal(421, "The console has another address. Open the address that the command printed."))
        }
        let origin = "http://\(request.hosts[0])"
        guard request.origins.allSatisfy({ $0 == origin }) else {
            return .refuse(Refusal(403, "The request comes from another page. Open the console itself."))
        }
        let path = request.target.prefix { $0 != "?" }
        let query = String(request.target.dropFirst(path.count + 1))
        if path == "/" { return self.enter(request.method, query) }
        guard Self.isSame(String(path.prefix(self.folder.count)), self.folder) else { return .refuse(Self.unknown) }
        let name = String(path.dropFirst(self.folder.count))
        guard name.isEmpty || name == "events" || self.actions.contains(name) else { return .refuse(Self.unknown) }
        let method = self.actions.contains(name) ? "POST" : "GET"
        guard request.method == method else { return .refuse(Self.method(method)) }
        guard self.hasCookie(request.cookies) else { return .refuse(Self.stranger) }
        switch name {
        case "": return .page
        case "events": return .events(query)
        default:
            guard request.origins.count == 1 else {
                return .refuse(Refusal(403, "The request does not say which page it comes from."))
            }
            guard request.contentType == "application/json" else {
                return .refuse(Refusal(415, "An order is a JSON object of the type application/json."))
            }
            return .act(name)
        }
    }

    private mutating func enter(_ method: String, _ query: String) -> Decision {
        guard method == "GET" else { return .refuse(Self.method("GET")) }
        guard let token = self.token, Self.isSame(query, "token=\(token)") else { return .refuse(Self.stranger) }
        self.token = nil
        let cookie = "console=\(self.session); Path=\(self.folder); HttpOnly; SameSite=Strict"
        return .admit(folder: self.folder, cookie: cookie)
    }

    private func hasCookie(_ fields: [String]) -> Bool {
        fields.flatMap { $0.split(separator: ";") }.contains { pair in
            Self.isSame(String(pair.drop { $0 == " " }), "console=\(self.session)")
        }
    }

    private static let unknown = Refusal(404, "The console has no such page.")
    private static let stranger = Refusal(
        403,
        "The printed address opens the console once, in one browser. Start the command again, and open the new address."
    )

    private static func method(_ allowed: String) -> Refusal { Refusal(405, "The method must be \(allowed).") }

    /// Compares in constant time.
    private static func isSame(_ text: String, _ secret: String) -> Bool {
        let (text, secret) = (Array(text.utf8), Array(secret.utf8))
        guard text.count == secret.count else { return false }
        return zip(text, secret).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 128 bits in hexadecimal digits.
    private static func secret(_ generator: inout some RandomNumberGenerator) -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
