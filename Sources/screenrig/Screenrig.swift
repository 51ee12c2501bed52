import ArgumentParser

@main struct Screenrig: ParsableCommand {}
