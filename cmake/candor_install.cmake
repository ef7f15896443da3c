# `cmake --install`: a prefix that can be moved as a whole.
