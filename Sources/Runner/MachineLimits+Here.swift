internal import Foundation
package import Rigs
internal import Wire

extension MachineLimits {
    /// What this machine offers a run of this rig.
    package static func here(for rig: Rig) -> MachineLimits {
        let descriptors = WireLimits.descriptors()
        return MachineLimits(
            descriptors: descriptors.soft, descriptorsAtMost: descriptors.hard,
            ports: WireLimits.ephemeralPorts().count,
            cores: ProcessInfo.processInfo.activeProcessorCount, memoryMB: MemoryUse.availableMB,
            measured: RememberedCalibration.load()?.measured,
            foreignSources: rig.sources.flatMap { [$0.first, $0.last] }
                .filter { !WireLimits.maySend(from: $0) })
    }
}
