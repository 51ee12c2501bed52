enum StandinPlaceholder {}
