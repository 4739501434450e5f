#!/usr/bin/env node
// The `salt-syndic` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-syndic').then((status) => {
  process.exitCode = status
})
