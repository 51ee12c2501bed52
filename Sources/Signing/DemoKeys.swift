/// Keys that are the same for everyone, so that a rig and a stand-in in another process agree
/// without being told. They are published with the sources and protect nothing:
/// a service that trusts one of them trusts the whole world.
public enum DemoKeys {
    /// Signs software statements (rest-v1.md § 5).
    public static func statements() -> RSAKey { parsed(statementsPEM) }
    static var statementsText: String { statementsPEM }
    /// Signs media tokens (rest-v1.md § 11).
    public static func media() -> RSAKey { parsed(mediaPEM) }
    /// Signs SAML messages of the demo providers and platforms.
    public static func saml() -> RSAKey { parsed(samlPEM) }

    /// Proof that it cannot fail: the texts below are constants, and SigningTests parse them all.
    private static func parsed(_ text: String) -> RSAKey {
        do {
            return try RSAKey(privatePEM: text)
        } catch {
            preconditionFailure("a demo key is broken: \(error)")
        }
    }

    /// DEMO KEY, NOT A SECRET: software statements.
    private static let statementsPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCwXLL0wkK6o4pI
        lv1Qsqoodo3IhOc57MCOoreTLNOEbmcPxAzAz5sZ2iVDhrKmN98d7TFo96Bqi1tb
        suMq8hdU9MLesNGm2UyHfD2E+ZsCT/j1uvtiuxMFPOhRABEprPcvZNkcIj5V55jH
        4UMpUC54KeuY9SKgAs8x5hOOLTj+nngumHcP3R0mP0KLmW76yJaB4R2aVIEZPXCH
        YmUz/7gvZQ1e5IH1ErYsCSnx/L+uWOitRm59RbWYbjHV8Rj3gTXk/Z5DvpyBKhWt
        GdpRtstPRTSxzteSA0jdm6ZHmvRf1zoD9fl5CGYc7EJIkr4C9FkQGZ2FgIGZI0AW
        tsp9vaBLAgMBAAECggEAFVFh46/BpNF/iyO5LgfSr/5t8qw3TlX9tqAY7uYvESXO
        jmYlISoBy7UF5mzXQRFQMSFf5MTInr2xRtsk63wvnCTT6LAt6hb/0awPvE2hp5IR
        fBPkhCbXIeh0BSqBaJdlmlR8i+fgahOLG7TGdgLLrdm/W+dcY+7DAHtDp4l0Mg6z
        9kjGYwJUBc7pitdPHZt3P88BfvMf+tXBbev5OdtjmApJ/4ZHPP/F84ys4q20YcjN
        wYGoavpeLyWpdW0jd6YLMXn4ZcwnHlHeL85VjFCv9dBLCycae1HDThZqXFK/q33Z
        Ra5yaOSdSowfBUPkFGVkG+hoF8myJb6gtuJcYtb8QQKBgQDfNeVvpxsT88p/wQ4z
        S4MLzGiB7fgf+nZy3KjAbSsPqc8+TXLXd5+ibqnbDE/Al07XTPElF3ISTjwkr7gv
        eJ7amHTViPJw3c0qA/0DS+3iqVBhYmtQGlIKmU/ERCPmkRr3WFIf4oLmSTiUum6b
        dYEagLykCJt71tHHYab+L4H6iwKBgQDKRQK9sXTAdI9gtGbQj4YwUXeYsj/LAQtq
        lNb7STn24Qgip0nh1oRJbsVaSEzvmE6eenf2xdPb26oZ2LcZBzlYUIJePDhydYCB
        X7TtjtmPA95WmZjfbDkfHoXgCjntzUOxTs+0cjmHoaGmIbVgs96BbYRunCq8LDEh
        Udgzay5pQQKBgA8n97ZHIH2QVjWqhC5TeEh6zrXT1L9HIHfYJ9U5FG1x2FKgq6WZ
        x8sdvIbVJS0smPvhi5Y7K1G24jqTe+wtQowRQg2lyOCFDwNFVg69Px/e40hZiHPd
        9agmlNX80ns7axtUce8cUEsWubLPnecMaYHFMAnrU7Nq+L+TD+W+kBLVAoGAZ4Ae
        ofBvHJfIUiSdw7TdZlYZi5ISYI9dRyF4TEcxGOoXXpwZiy1Yrba317XNYICgIinq
        vuSFvyfNB8LEFlOC/XTc8NmBzNfhdNIDY9fH7Y1+NPQNrK3VIN5ehMDW2Z9CNzVr
        xRr54zRK4ha3mA8SGUpwDKVunLFERpd5uP3sVsECgYEAt0uizU4EdYmj3LaceC85
        jEYA9ujhoHq5ICEH0dDdchNjnzSw1n7gh87NSg5HCEfcYl2TZPS5W2r/MGdlLB4x
        w+7NZOs8t0HUBH4ja4EDtek4r7TTAC6rqXlFeyUDl/aMhVlJJttefJpUYY3UX4Xo
        a2uCGlulOv2YglB5kkps8N8=
        -----END PRIVATE KEY-----
        """

    /// DEMO KEY, NOT A SECRET: media tokens.
    private static let mediaPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDKdL2j3RPiBWkD
        Qski6N8CeTRCGnsUoKrlMtqb+se1+ExlfeC7T1oSi3N9kUrPRRnV+1WdG5fO2tZm
        C1XJkCbNlCqm34hAstE6ZQohM9VHbQb41Gc1GDaC+iKe0O8UAlQlkRitbo+mRntc
        NfRdq8x7spCYValLEsELZZdQOWT0lhBkcWH7xRqyLPjnjOwuelJCeA5orZFRGLcN
        pc9bgxWniwBVfIC8wFsOapxf5fBW8/CQaKzANY/vdrmh2Zgw5nCkdtKLvxnqV2xK
        ta7qjJweaxv9BpbRtvm1Pvpz8FhpGjQfmCssweI5vW3T+pPDw56ba7+q/bhUv4ma
        B8xKAqwtAgMBAAECggEAEInZgAxW9nduAlfZ/yG6LgU2sVELzZM+bVC/2PlzMmNL
        4l1BFta+9ercZAfoGOcn2s9tnqhFY3QvCtD8O2YCNXhYGkpXuBP40ZC1c3bnglk0
        C5mrq1kEraMUtu08dTb80Wt5R5mo3x1nhbsxRixQR6k+SfjIG/DhQja/VfdfpDcv
        fABszrt3Q/m+cczW+lHLGZzV1oACmEZDO/0w8trl98RHupBWELpu7FDho5e3WCX8
        v30U8ZgV1r74UUGwDfThxdxyfbH0IRjlWgeY5KBfA53gWyYqGy6zvO5rpLoq1GBV
        UJza6LZWkgP9sRoOxEU7VMcm7il4pU6eSUEZAW7E5QKBgQDsG4DI8EWboq34OsDp
        6v5C6G4JYN+8N8ibrRza/YhGray8Ydbc0YB9JKhnoyBnx83UOgQARPlSZJfVFHhZ
        qQ7f41TYRC84cCQPJxhgNuIqP581bNfXNUr2SlsLvPOEa4BHz0DPb/vWPoMaaPQt
        0aP4v9JwNZGLN/MypaZ2YRY9jwKBgQDbg2zab6GTEzWhVRXt/0qk7AeXXlRWzHoI
        4CPa4MjMtncdawtyK2Wgq69FuM08L1KBo/IdH51/MDOXQIldR0qMTcEIyxpqwm+f
        4VdzEH/K7GHHTh8ZkkceKkf0nwYoZQ4WSM9O2OkVapmsIaMF/esx6lXirKH/CvMX
        aTZd7w4UgwKBgHFrPNBJ64Y5/Ywy3R0BT6bgdIt4x8Fooqt121ivVdlt8H6GGWr2
        EN0M0QEH8bco2g1K2UUv3PzhabZoIPAhMA4I7Gb/She4dvn4c9M0Siy1Z0uIv56X
        8Syix126JNjFs1fLjXyYdMeUO/Jh3HpuLHB/5R0V/pZ8CA2aWX6gYMitAoGAFR1v
        OxPB1wPiBMLKeTo1U+fgUw8fzbmdg30L9eHpbseebZX+Y90IyYu6MFq2YzOqHA5J
        G8QOwk1AqSvsCqzw3s4b41ymDd7mHdrvLoJHyJ00SpeZJjyL2rr2cPFbBkeyMzKN
        vmffA9BdN9GEfO8P0J1Z5ZP1gTLsbzQPprl4AUECgYEAigpCsYmtwwLqDjVv96He
        frthTSMrd2HXQUWv6Bn597AOgpfhz1cfq4rNbjYyjdwt157tyX5q2QC7j76PPscO
        fLbcC6bUKKoi6ApzYPmEQOFIE0aobaLNv/xWNr7WnjO07eU3oJ77J8dIlPLawjho
        CcoSjcFwxuDE9+TIwSiFrxY=
        -----END PRIVATE KEY-----
        """

    /// DEMO KEY, NOT A SECRET: SAML messages.
    private static let samlPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCf6rZkPJs0fdvI
        kUbTRZ1OC9V46LR9pSQPU4+ziDHvnomnUUhD7MxVJriuqnb7oV0ERfnDsWjUqgI6
        BrXUx2cKzYA19Y0ed3tffOgGVDl2fJVtDXXAQvdrG3Jqfioatb7uIRTVwU1m8gm6
        Jp94OTVTKBo5LwJ7hrcnoJhLn/bSVaaAriMxIACZEQvzxoNzYNNOFiEAG9NRm3ur
        RWfmNF9RAoDIXxAkc563BiogM/fVVLA8ZhArr/vFUXFzyuHWLDpBVwdPJfcYos+L
        CgfTXFLx3/pkUoK39un4u9qia5nXEe/NDICeR3uP62ajjtMg2qCtLPEErCVVbKpv
        upTFQIkrAgMBAAECggEAJdERdL7ITS9+K/3+67NIsc4mm0Mce6Hz1xQBpYkNlga9
        sq2ME1QKNhDEF7oEDRlpr7sEh3yKt8/EWwh/M2Q8P9e8/AWna48Bw+D71ZNRS23G
        wFUwhVjQvalt8zUGq+5SymlUTgA6V5/hIP5FM98DdzjCisdNJP0EjwBxQ2D+s1pi
        FjXuV3AIjEkGaroO0TQnoVVsPJaUcH8xbGTc6l/mhpNYHLEalNRmonELDL1f/5B1
        xLqRegaKFRbU469j1+L29DpefFKysTZKTTXykAip6YdeG9eP+1GhmYywgI5gPqEv
        dxdgp6unhmYDKnGIuIYYtoyWC15EwOZDTY4eIpHswQKBgQDRllh2lU3w8cugkLdO
        BHHXFgspKqStg367WKgy/uWq5/dyl0RpCYvCr/m2co2wzNAo85ktVvA5seRTT7xl
        deJw7yncX7cVsuAgilB/zYNKt/nxvw5OwQFcNiRuDLHlv0eLIPenN5wOm+dlbuy9
        m58JsWCHtvzjHCAPwSBGw9wLGwKBgQDDVIOFEwsMpE4QPkgr1PeghJqmqbYqFQPG
        519wlIEi+cdAzZxupZOognp4zXTooeYQM3x4xiWKtnq6qMrvF0Ogswz6dZMruy08
        As1KeeKDtqgHu82BdCyLXKtHO6dBgXNoEgSqX231OluoZVm3AIL2FcbZ9XBa6nUS
        FDuPozzLMQKBgHAqqFl+emIS5cme6ZtFYa+cyohTnCKIl1ComAwCwuN+lb2sGx6j
        zzp4d4ofMJmIY3cnN7k+J/6Yp/u2VrtuJawPMzYPu6pPOwfvPjnHwRZB8/BfMccQ
        ICw7ha+n96Vfg2iAUkoZxtlCsspkXSr0mF7VoTXAxwK80KPd1epJdAA1AoGBAIk7
        a1unUXAET8QhvdrtuTxRbcYCHjXapdis3eTesQu9qTviOTGTqvYNFbahwq1ecaCY
        S68ep2mZYwiZZlosYhsZMNkWmdtzmgg7f7f/giE/xzYHwA5fbJxM8xkM1Cm1pTtM
        zXJVsY9E/PiGnE1yUpBKJHcldVaquq2FAYOdEC1BAoGBAJRTRNiEzgNiOCiFlpvm
        LYMEdhIM7Ez6I2YcCJtRg4GJdns9FTOtA12Nr25msYk1fpFhVWkvN1wPIhH7Hu0a
        9MwyVPoO3rTJ7jJpkUZ4LNUmTctFCESNHExBl4sDddkDTQH23usKpU3OFat6admH
        aO3v6yzYakUyhOHv+ULz0M7H
        -----END PRIVATE KEY-----
        """
}

/// The software statement of a rig that brings none: names a demo application, signed with the demo
/// key. The same text every time.
public func demoSoftwareStatement() -> String {
    let claims = """
        {"iss":"screenrig-demo","sub":"screenrig","iat":1760000000,"software_id":"screenrig-demo",\
        "software_name":"screenrig demo","software_version":"1.0.0"}
        """
    do {
        return try JWT.make(claims: claims, key: DemoKeys.statements())
    } catch {
        // A private RSA key signs any bytes; nothing in `claims` comes from outside.
        preconditionFailure("the demo key does not sign: \(error)")
    }
}
