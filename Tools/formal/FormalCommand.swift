internal import Foundation

/// `formal`: explores small worlds of the sharing protocol and compares each result with the expected one.
@main
enum FormalCommand {
    static func main() {
        let names = Array(CommandLine.arguments.dropFirst())
        let queries = QueryList.all.filter { names.isEmpty || names.contains($0.name) }
        if let unknown = names.first(where: { name in !queries.contains { $0.name == name } }) {
            print("formal: no query is named '\(unknown)'. Run formal without a name: it prints them all.")
            exit(64)
        }
        let results = queries.map { query in
            let result = QueryResult(query)
            print(result)
            return result
        }
        let unexpected = results.count { !$0.isAsExpected }
        print("\(results.count) queries, \(unexpected) with another result than expected")
        exit(unexpected == 0 ? 0 : 1)
    }
}
