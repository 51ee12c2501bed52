import Testing

@testable import Statistics

@Suite("Chance and many comparisons")
struct SignificanceTests {
    @Test(
        "tails of the normal distribution have the values of the tables",
        arguments: [
            (0.0, 0.5), (1.0, 0.158_655_253_9), (1.959_963_985, 0.025), (1.999_999, 0.022_750_19),
            (2.0, 0.022_750_13), (3.0, 1.349_898e-3), (6.0, 9.865_876e-10), (-1.0, 0.841_344_746),
            (10, 7.619_853e-24),
        ])
    func tails(deviate: Double, expected: Double) {
        let tail = Significance.tail(above: deviate)
        #expect(abs(tail - expected) < 1e-6 * expected, "\(tail)")
    }

    @Test("beyond what a number can hold there is no chance left")
    func far() {
        #expect(Significance.tail(above: 40) == 0)
        #expect(Significance.twoSided(-40) == 0)
        #expect(Significance.twoSided(0) == 1)
    }

    @Test("Holm raises each by how many are left, and never out of order")
    func holm() {
        let adjusted = Significance.holm([0.01, 0.04, 0.03, 0.005])
        let expected = [0.03, 0.06, 0.06, 0.02]
        #expect(zip(adjusted, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(adjusted)")
        #expect(Significance.holm([]) == [])
        #expect(Significance.holm([0.9, 0.8]) == [1, 1])
    }

    @Test(
        "Student's t as a normal deviate keeps its tail",
        // t at which the upper tail is 2.5 %, by degrees of freedom.
        arguments: [(3.0, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423), (200, 1.9719)])
    func student(freedom: Double, t: Double) {
        #expect(abs(Significance.deviate(ofStudent: t, freedom: freedom) - 1.96) < 0.02)
        #expect(abs(Significance.deviate(ofStudent: -t, freedom: freedom) + 1.96) < 0.02)
    }
}
