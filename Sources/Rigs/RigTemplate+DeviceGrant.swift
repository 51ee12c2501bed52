extension RigTemplate {
    /// The rig for an authorization server of the user's own (RFC 8628).
    static func deviceGrant(for path: String) -> String {
        """
        \(head("A rig for an authorization server with the OAuth device grant", path))

        rig: staging
        target:
          # Scheme, host, port and path of the issuer, as in https://id.staging.example/realms/tv
          base: ???
          protocol: oauth-device-grant
          device-grant:
            # Known servers: django-allauth, django-oauth-toolkit, glewlwyd. Of others the metadata tell where to
            # ask (RFC 8414 or OpenID Connect Discovery).
            preset: standard
            # client_id of the app, registered for the device grant.
            client: ???
            # Of a confidential client:
            # secret: ${CLIENT_SECRET}
            # authentication: basic
            # Scopes that the app asks for. openid gives an id_token, which tells whose token the TV got.
            scope: openid
            user-from: id-token
            # Where there are no metadata:
            # device-authorization: /oauth/device_authorization
            # token: /oauth/token
            # revocation: /oauth/revoke
            # Words of the page after an approval, or of the address that it leads to. Without them no approval
            # counts as confirmed, and a TV that is not told of one is not noticed.
            approved-when:
              - ???
            # refused-when: [denied]
            # Buttons of the page that asks the person, where 'try' does not find them:
            # approve-button: action=accept
            # refuse-button: action=deny
            # Where the pages are a program over JSON calls ('try' says that a page needs JavaScript), what that
            # program sends; a browser's developer tools show it:
            # phone:
            #   - {for: login, method: POST, path: /api/auth, json: '{"user": "{user}", "password": "{password}"}'}
            #   - {for: code, path: "/device?code={code}", failed-when: [error]}
            #   - {for: approve, method: POST, path: /device, json: '{"code": "{code}", "answer": "yes"}'}
            # A second app on the server, so that 'race' shows it this one's codes and tokens:
            # other-client: tv-2
          # Every host that a request may go to. A server on this machine (127.0.0.1) needs none: remove
          # 'allow' and its item.
          allow:
            - ???

        load:
          # 0.2 households per second for a minute: twelve households. Raise it when 'try' passes.
          arrivals: [{ramp-to: 0.2/s, over: 0s}, {hold: 1m}]
          settle: 15s

        kinds:
          - name: living room
            viewer: {notices-code: 3s, signs-in: 5s, gives-up: 0%}
          # A share of viewers who say no:
          # - {name: refusing, weight: 1, viewer: {refuses: 100%, gives-up: 0%}}

        \(polledOn)
        # The server's own interval holds where it is longer.
        polling: {every: 5s}
        after-sign-in: [userinfo, {logout: 100%}]

        # Accounts that viewers sign in with: a file next to this one, first line mvpd,user,password,user-id, with any
        # word for mvpd, and for user-id what the claim 'sub' has for the user; then run: chmod 600 accounts.csv
        accounts: {file: accounts.csv}

        # Which broken promises fail a run. Default: 'documented', what the standards promise, plus safety (no
        # household sees the sign-in of another). 'strict' adds what users expect without a documented promise;
        # 'observe' fails nothing. The headline shows violations that do not fail the run.
        # promises: strict

        thresholds:
          - sign-in-service p95 < 8s
          - errors < 1%

        """
    }
}
