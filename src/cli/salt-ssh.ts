#!/usr/bin/env node
// The `salt-ssh` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-ssh').then((status) => {
  process.exitCode = status
})
