enum DevicesPlaceholder {}
