#!/usr/bin/env node
// The `salt-support` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-support').then((status) => {
  process.exitCode = status
})
