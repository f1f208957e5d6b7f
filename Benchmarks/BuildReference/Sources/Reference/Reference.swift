import ArgumentParser

@main struct Reference: ParsableCommand {
    @Argument var words: [String] = []

    func run() {
        print(self.words.joined(separator: " "))
    }
}
