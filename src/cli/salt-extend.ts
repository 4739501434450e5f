#!/usr/bin/env node
// The `salt-extend` program, which prints that it is not available and names an alternative.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-extend').then((status) => {
  process.exitCode = status
})
