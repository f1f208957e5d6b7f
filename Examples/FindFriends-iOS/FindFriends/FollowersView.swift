import SwiftUI

/// The friends who follow this person now.
struct FollowersView: View {
    let model: FriendsModel

    var body: some View {
        NavigationStack {
            List(self.model.followers) { follower in
                VStack(alignment: .leading) {
                    Text(follower.name)
                    Text("until \(follower.until.formatted())").font(.footnote)
                    if follower.isApproximate { Text("approximate positions only").font(.footnote) }
                    Button("End", role: .destructive) { Task { await self.model.end(follower) } }
                }
            }
            .overlay {
                if self.model.followers.isEmpty { Text("No friend follows you.").foregroundStyle(.secondary) }
            }
            .navigationTitle("Followers")
        }
    }
}
