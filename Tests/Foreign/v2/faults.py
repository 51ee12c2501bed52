"""Faults of state that a real service could have. Each is switched on by name."""

import random


class Fault:
    def __init__(self, name, section, promise, sentence, share=100):
        self.name, self.section, self.promise = name, section, promise
        self.sentence, self.share = sentence, share

    def __str__(self):
        often = "" if self.share == 100 else f" ({self.share:g} % unless given)"
        return f"{self.name}: {self.sentence}{often} [section {self.section}, {self.promise}]"


ALL = [
    Fault("late-profile", "5.5", "I3",
          "for --window seconds after a login, a replica that has not seen it answers polls by code",
          share=50),
    Fault("lost-profile", "6", "I5", "a profile that was just shown is gone afterwards", share=20),
    Fault("expired-profile-served", "6", "I9", "profiles are shown and honoured after their notAfter"),
    Fault("profile-prolonged", "6", "I25", "each look at a profile begins its life anew"),
    Fault("wrong-provider-profile", "6", "I20, I22",
          "profile calls for one provider answer the device's newest profile of any provider"),
    Fault("views-differ", "6", "I21", "the list of profiles shows times that the other profile calls do not"),
    Fault("wrong-user", "5.4", "I1, I2", "a login is saved under the user who signed in before it", share=50),
    Fault("session-hijack", "5.2", "I23", "completing a session moves it to the device that completed it"),
    Fault("superseded-code-lives", "5.2", "I33", "an older code signs a device in although it asked for a newer one"),
    Fault("expired-code-accepted", "5.5", "I9", "a code can be opened and signed in with after its notAfter"),
    Fault("code-signs-twice", "5.5", "I6", "a code that was signed in with can be opened and signed in with again"),
    Fault("code-twice", "5.2", "I8", "a new session is given a code that is still pending for another device",
          share=50),
    Fault("premature-authorize", "5.2", "I24",
          "a new session says authorize for a device whose profile has ended"),
    Fault("stale-decision", "7, 9", "I10, I14", "what was permitted before a logout is still permitted after it"),
    Fault("foreign-media-token", "7", "I26",
          "a permit carries the media token that another device was given for the resource", share=50),
    Fault("media-token-repeat", "7", "I26", "the same media token is handed out for each permit of a resource"),
    Fault("preauthorize-spends", "7, 11", "I27", "preauthorizing uses up the resources of a promotional TempPass"),
    Fault("late-logout", "9", "I10",
          "for --window seconds after a logout, a replica that has not seen it still shows and honours the profile",
          share=50),
    Fault("logout-all-providers", "9", "I22", "a logout of one provider ends the profiles of all"),
    Fault("partial-single-logout", "8.2, 9", "I29",
          "a logout with an identity ends nothing of the other devices and applications under it"),
    Fault("foreign-service-token", "8.2", "I28",
          "a service token shows the newest login under any user of the same identity service"),
    Fault("platform-identity-leak", "8.1, 8.2", "I28",
          "a platform identity shows the newest login of any home with such an identity"),
    Fault("partner-gate-open", "8.3", "I30", "an Apple profile is shown and honoured without the user's permission"),
    Fault("degradation-outlives-rule", "10", "I32",
          "a degradation rule is honoured for --window seconds after its end"),
    Fault("temppass-refill", "11", "I31", "a logout gives a TempPass back its time and its resources"),
]
BY_NAME = {fault.name: fault for fault in ALL}


class Faults:
    """Decides by seed which of the affected requests show a fault."""

    def __init__(self, planted, window, seed):
        self.planted, self.window = dict(planted), int(window * 1000)
        self.random = random.Random(seed)
        self.activated = {}

    def switch(self, name, share):
        """A share of None switches it off."""
        self.planted[BY_NAME[name].name] = BY_NAME[name].share if share == "usual" else share

    def activates(self, name):
        share = self.planted.get(BY_NAME[name].name)
        if share is None or self.random.uniform(0, 100) >= share:
            return False
        self.activated[name] = self.activated.get(name, 0) + 1
        return True
