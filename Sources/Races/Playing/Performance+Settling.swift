internal import Devices
internal import Dialects
internal import Lanes

/// After the race: what has come of it, as everybody sees it.
extension Performance {
    /// Nothing for a while, then what everybody sees: phones ask for their codes, TVs poll.
    func settle() async {
        guard await rest(schedule.settle.quiet), schedule.settle.reads > 0 else { return }
        var asked: Set<Int> = []
        for (position, op) in schedule.ops.enumerated() where op.step == .authenticate {
            guard asked.insert(room(position)).inserted, let code = code(for: op, position) else {
                continue
            }
            let lead = cast.doubles[position]?.source ?? cast.screens[position]
            await read(room(position), lead) { $0.checkCode(code, $1) }
        }
        for reading in 0..<schedule.settle.reads {
            if reading > 0 { guard await rest(schedule.settle.every) else { return } }
            for room in rooms.indices where cast.firstScreens[room] > 0 {
                let code = codes[room].last?.issued.code
                let target = ground.terms.polling.target
                await read(room, .first(0)) { dialect, credential in
                    var call = dialect.poll(code ?? Code(""), target, credential)
                    call.code = code
                    return call
                }
            }
        }
    }

    private func read(
        _ room: Int, _ screen: DrivenHousehold.Screen,
        _ make: (any Dialect, Credential) -> Call
    ) async {
        do throws(DrivenHousehold.Refusal) {
            let credential = try await rooms[room].credential(of: screen)
            _ = try await rooms[room].ask(screen, make(ground.terms.dialect, credential))
        } catch {
            // What nobody could read tells nothing.
            if case .stopped = error { give(up: .stopped) }
        }
    }
}
