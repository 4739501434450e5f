#!/usr/bin/env node
// The `salt-extend` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-extend').then((status) => {
  process.exitCode = status
})
