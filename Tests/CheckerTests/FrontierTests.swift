import Statistics
import Testing

@testable import Checker

/// Small random histories of one device: some come of a true run of the model, some are corrupted,
/// some are pure noise.
struct Histories {
    var dice: Dice
    var model: DeviceModel

    init(_ seed: Seed) {
        dice = seed.generator()
        model = DeviceModel(Rules())
        model.reusesCodes = dice.chance(0.2)
        model.newCodeReplaces = dice.chance(0.8)
        model.secondSignInReplaces = dice.chance(0.8)
        model.recordsOutliveTokens = dice.chance(0.8)
    }

    private mutating func mutator(_ made: inout UInt8) -> ModelOperation {
        let code = UInt8(dice.below(max(1, Int(made))))
        let tag = UInt8(dice.below(3))
        switch dice.below(10) {
        case 0, 1:
            guard made < 4 else { return ModelOperation(kind: .signOut) }
            made += 1
            return ModelOperation(kind: .create, code: made - 1)
        case 2: return ModelOperation(kind: .createUnseen, isMaybe: true)
        case 3: return ModelOperation(kind: .delete, code: code)
        case 4: return ModelOperation(kind: .expireCode, code: code)
        case 5, 6: return ModelOperation(kind: .signIn, code: code, tag: tag, isMaybe: true)
        case 7: return ModelOperation(kind: .signInElsewhere, tag: tag)
        case 8: return ModelOperation(kind: .authorize, resource: UInt8(dice.below(2)))
        default:
            return dice.chance(0.6)
                ? ModelOperation(kind: .signOut)
                : ModelOperation(kind: .expireToken, tag: tag, isMaybe: true)
        }
    }

    private mutating func read(_ state: DeviceState?, _ made: UInt8) -> ModelOperation {
        let code = UInt8(dice.below(max(1, Int(made))))
        let tag = UInt8(dice.below(3))
        let resource = UInt8(dice.below(2))
        let candidates = [
            ModelOperation(kind: .tokenAbsent), ModelOperation(kind: .tokenSeen, tag: tag),
            ModelOperation(kind: .tokenAny),
            ModelOperation(kind: .codeLive, code: code),
            ModelOperation(kind: .codeDead, code: code),
            ModelOperation(kind: .codeBound, code: code),
            ModelOperation(kind: .codeUnbound, code: code),
            ModelOperation(
                kind: .granted, tag: dice.chance(0.5) ? tag : ModelOperation.none,
                resource: resource),
            ModelOperation(kind: .ungranted, resource: resource),
        ]
        guard let state else { return candidates[dice.below(candidates.count)] }
        let trueOnes = candidates.filter { model.holds(state, $0) }
        return trueOnes.isEmpty
            ? ModelOperation(kind: state.token == 0 ? .tokenAbsent : .tokenAny)
            : trueOnes[dice.below(trueOnes.count)]
    }

    /// 2 to 7 operations within few stamps, so that many are equal.
    mutating func next() -> [Entry] {
        let count = 2 + dice.below(6)
        let isTrue = dice.chance(0.6)
        var entries: [Entry] = []
        var made: UInt8 = 0
        var state = DeviceState()
        for position in 0..<count {
            var act: ModelOperation
            if dice.chance(0.45) {
                act = mutator(&made)
                if isTrue, !(act.isMaybe && dice.chance(0.3)) {
                    if let after = model.step(state, act) {
                        state = after
                    } else if !act.isMaybe {
                        act = read(state, made)
                    }
                }
            } else {
                act = read(isTrue ? state : nil, made)
            }
            let point = position * 2
            var entry = Entry(
                act: act, call: point - dice.below(5), ret: point + dice.below(5))
            if !act.isRead, dice.chance(0.12) { entry.ret = .max }
            entries.append(entry)
        }
        if isTrue, dice.chance(0.4) {
            // One answer is another.
            let position = dice.below(count)
            if entries[position].act.isRead { entries[position].act = read(nil, made) }
        }
        return entries
    }
}

@Suite("Frontier, Wing and Gong, and brute force")
struct FrontierTests {
    /// 20 parts of 5,500 histories: 110,000.
    @Test("agree on random small histories, valid and invalid", arguments: Seed.samples(20))
    func agreement(seed: Seed) {
        var histories = Histories(seed)
        var explained = 0
        for number in 0..<5_500 {
            if number % 50 == 0 { histories = Histories(seed.child("model", number)) }
            let entries = histories.next()
            let brute = BruteForce(model: histories.model, entries: entries).isExplained
            let frontier = Frontier.judge(entries, histories.model) == .holds
            #expect(frontier == brute, "\(seed) \(number): \(entries) \(histories.model)")
            // The twin of the twin is slower: a part of them.
            if number % 5 == 0 {
                let search = WingGong(model: histories.model, entries: entries).isExplained
                #expect(search == brute, "\(seed) \(number): \(entries) \(histories.model)")
            }
            if brute { explained += 1 }
            if frontier != brute { return }
        }
        #expect((1_000...4_500).contains(explained))
    }
}
