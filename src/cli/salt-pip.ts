#!/usr/bin/env node
// The `salt-pip` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-pip').then((status) => {
  process.exitCode = status
})
