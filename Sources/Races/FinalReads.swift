extension Schedule {
    /// One thing that is asked when the race is over.
    struct FinalRead: Sendable, Hashable {
        var step: Step
        /// Who asks: the screen that this op, by its position, was of; nil: the living room's TV.
        var op: Int?
        var household: Int
        /// The op that made the code that it is about; nil: the newest of its living room.
        var code: String?
        /// Counts from 0.
        var resource: Int?
    }

    /// What tells the state that the schedule's mutators leave: whether a phone's code is bound, which
    /// codes live where some were made or deleted at once, whether an authorization is there. After that
    /// TVs poll.
    var finalReads: [FinalRead] {
        var reads: [FinalRead] = []
        for (position, op) in ops.enumerated() where op.step == .authenticate {
            let household = household(of: op)
            guard !reads.contains(where: { $0.household == household }) else { continue }
            reads.append(
                FinalRead(
                    step: .checkCode, op: position, household: household, code: op[arg: "code"]))
        }
        for household in Set(actors.map(\.household)).sorted() where changesCodes(household) {
            for op in ops where op.step.issuesCode && self.household(of: op) == household {
                let isAsked = ops.contains {
                    $0.step.looksCodeUp && $0[arg: "code"] == op.id
                }
                guard !isAsked else { continue }
                reads.append(
                    FinalRead(
                        step: .registrationRecord, op: nil, household: household, code: op.id))
            }
        }
        for op in ops where op.step == .authorize {
            reads.append(
                FinalRead(
                    step: .authorizationToken, op: nil, household: self.household(of: op),
                    code: nil, resource: Int(op[arg: "resource"] ?? "0")))
        }
        // Whether what was given back still works (RFC 7009, 2).
        for (position, op) in ops.enumerated()
        where op.step == .revocation || op.step == .otherClientRevocation {
            reads.append(
                FinalRead(
                    step: .refreshToken, op: position, household: self.household(of: op), code: nil)
            )
        }
        // Each is asked once.
        return reads.enumerated().filter { number, read in !reads[..<number].contains(read) }
            .map(\.element)
    }

    /// Codes are made or deleted in a race: which live then is not known by counting.
    private func changesCodes(_ household: Int) -> Bool {
        clusters.contains { cluster in
            cluster.isRaced(in: self)
                && cluster.members.contains { position in
                    let step = ops[position].step
                    return (step == .deleteRegistration || step.issuesCode)
                        && self.household(of: ops[position]) == household
                }
        }
    }

    /// Living rooms with a TV, which polls in the end.
    var polling: [Int] {
        Set(actors.filter { $0.screen == .first }.map(\.household)).sorted()
    }

    /// Living rooms in which something is read in the end.
    var readers: [Int] { Set(polling + finalReads.map(\.household)).sorted() }

    private func household(of op: Op) -> Int { self[actor: op.actor]?.household ?? 0 }
}
