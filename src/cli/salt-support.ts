#!/usr/bin/env node
// The `salt-support` program, which prints that it is not available and names an alternative.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-support').then((status) => {
  process.exitCode = status
})
