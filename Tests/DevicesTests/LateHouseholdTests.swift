import Journal
import Testing
import Vocabulary

/// Requests that the rig itself sent late: how long, in which of a household's times.
@Suite("A rig that is late delays sign-ins")
struct LateHouseholdTests {
    private static let pending = Scripted.answer(404)

    @Test(
        "lateness counts in the times in which it fell, but not of polls while the viewer signs in, or of the code's request"
    )
    func times() throws {
        let life = try Scene(
            polls: [.late(.seconds(3), Self.pending), .late(.seconds(2), Script.token)],
            [
                .registrationCode: [
                    .late(
                        .milliseconds(15),
                        .answer(201, #"{"code":"ABCDEF","generated":1000,"expires":1801000}"#))
                ], .assertion: [.late(.seconds(1), .redirect("https://demo.test/done"))],
            ], viewer: "5500ms")
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        #expect(
            life.record.rigLateness
                == SignInLateness(inSignIn: .seconds(3), inVisibility: .seconds(2)))
        let (signIn, visibility) = try (
            #require(life.record.signIn), #require(life.record.tokenVisibility)
        )
        #expect(life.record.punctualSignIn == signIn - .seconds(3))
        #expect(life.record.punctualVisibility == max(.zero, visibility - .seconds(2)))
    }

    @Test("a rig in time leaves the times as they are")
    func inTime() throws {
        let life = try Scene(polls: [Self.pending, Script.token], viewer: "2s")
        #expect(life.record.rigLateness == SignInLateness())
        #expect(life.record.punctualSignIn == life.record.signIn)
        #expect(life.record.punctualVisibility == life.record.tokenVisibility)
        #expect(life.record.punctualSignInByPath == life.record.signInByPath)
    }
}
