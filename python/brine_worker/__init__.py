"""The Python side of Brine: runs users' own modules for a daemon or a program written in TypeScript."""
