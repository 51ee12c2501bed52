internal import Dialects

/// The connections of one device: what makes it a device of its own to the service. Under `pooled`
/// those of a whole lane.
final class DeviceLinks {
    private var byOrigin: [OriginLinks] = []

    /// Those that lead to `origin`; a device meets a handful.
    func links(to origin: Origin) -> OriginLinks {
        if let known = existing(to: origin) { return known }
        let links = OriginLinks(to: origin)
        byOrigin.append(links)
        return links
    }

    @inline(__always)
    func existing(to origin: Origin) -> OriginLinks? {
        for links in byOrigin where links.origin == origin { return links }
        return nil
    }

    var all: [OriginLinks] { byOrigin }

    /// Links and their home keep each other until here.
    deinit {
        for links in byOrigin { links.abandon() }
    }
}

/// The connections of one device to one origin.
final class OriginLinks {
    let origin: Origin
    /// For the `Host` header.
    let authority: String
    /// Open and free; the one used last at the end.
    var idle = Roster(.idle)
    /// Open, free or not.
    var open = Roster(.home)
    /// What the server gave last for resuming. Here, so that a device resumes its own sessions and
    /// never another's.
    var session: ResumableSession?

    func abandon() {
        idle.removeAll()
        open.removeAll()
    }

    /// Takes out the one used last that may carry another request; those that may not are closed.
    @inline(__always)
    func takeFit(where isWanted: (Connection) -> Bool = { _ in true }) -> Connection? {
        while let link = idle.connections.last(where: isWanted) {
            idle.remove(link)
            if link.isFit() { return link }
        }
        return nil
    }

    init(to origin: Origin) {
        self.origin = origin
        authority = origin.authority
    }
}
