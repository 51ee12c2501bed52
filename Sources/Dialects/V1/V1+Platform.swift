/// The calls that only some devices make: TempPass, the platform's sign-on, and its end in a browser.
extension V1 {
    /// L2: a web view's, so that the provider's session ends as well (A12).
    public func webLogout(_ credential: Credential) -> Call? {
        let fields =
            [("requestor", requestor), ("deviceId", credential.device.id)]
            + credential.device.style.everywhere + [("redirect_url", redirectURL)]
        return BrowserHops.start(.logout, address("/api/v1/logout", fields))
    }

    /// N5.
    public func freePreview(mvpd: String, _ credential: Credential) -> Call? {
        let fields = [
            ("requestor_id", requestor), ("deviceId", credential.device.id), ("mso_id", mvpd),
            ("domain_name", domain),
        ]
        return post(.freePreview, "/api/v1/authenticate/freepreview", fields, credential)
    }

    /// S1. It needs no deviceId; the answer is bytes, whatever is asked for (§ 3.3).
    public func profileRequest(
        mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call? {
        let path =
            "/api/v1/\(FormEncoding.encode(requestor))/profile-requests/\(FormEncoding.encode(mvpd))"
        return get(
            .profileRequest, address(path, [("deviceType", device.rawValue)]), credential)
    }

    /// S2. `response` is Base64; the form's own encoding is the one percent-encoding that
    /// apple-sso.md § 4 asks for.
    public func tokenExchange(
        _ response: String, mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call? {
        let fields = [
            ("requestor", requestor), ("deviceId", credential.device.id), ("mvpd", mvpd),
            ("deviceType", device.rawValue), ("SAMLResponse", response),
        ]
        return post(.tokenExchange, "/api/v1/tokens/authn", fields, credential)
    }
}
