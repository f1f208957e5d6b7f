import SwiftUI
import WhereaboutsSharing

/// The exchange with a friend: an invitation to them, theirs to this person, and the grants both ways.
struct AddFriendView: View {
    let model: FriendsModel
    @Environment(\.dismiss) private var dismiss
    @State private var ownName = ""
    @State private var link: String?
    @State private var text = ""
    @State private var friendName = ""
    @State private var invitation: Invitation?
    @State private var grant: String?
    @State private var isApproximate = false

    var body: some View {
        NavigationStack {
            Form {
                Section("Ask a friend for a grant") {
                    TextField("Your name", text: self.$ownName)
                    Button("Make an invitation") { self.link = self.model.invite(as: self.ownName) }
                    if let link { ShareLink("Send it", item: link) }
                    Text("Your safety number: \(self.model.safetyNumber)").font(.footnote)
                }
                Section("From a friend") {
                    TextField("Their invitation, or their grant", text: self.$text, axis: .vertical)
                    TextField("Their name", text: self.$friendName)
                    Button("Continue", action: self.read)
                }
                if let invitation { self.approval(of: invitation) }
            }
            .navigationTitle("Add")
            .toolbar { Button("Done") { self.dismiss() } }
        }
    }

    @ViewBuilder private func approval(of invitation: Invitation) -> some View {
        Section("Let \(invitation.name) ask where you are") {
            Text("Compare by voice: \(invitation.requester.safetyNumber)")
            Toggle("Approximate only", isOn: self.$isApproximate)
            Button("The numbers match; allow for 30 days") {
                self.grant = self.model.approve(
                    invitation,
                    for: .seconds(30 * 86_400),
                    precision: self.isApproximate ? .reduced : .full
                )
            }
            if let grant { ShareLink("Send the grant", item: grant) }
        }
    }

    private func read() {
        if Signed<Grant>.begins(self.text) {
            self.model.keep(grant: self.text, from: self.friendName)
        } else {
            self.invitation = self.model.read(invitation: self.text)
        }
    }
}
