import SwiftUI

/// The journal of this device: each request, and its answer.
struct JournalView: View {
    let model: FriendsModel

    var body: some View {
        NavigationStack {
            List(self.model.journal) { entry in
                VStack(alignment: .leading) {
                    Text(entry.words)
                    Text(entry.time.formatted()).font(.footnote)
                }
            }
            .navigationTitle("Journal")
        }
    }
}
