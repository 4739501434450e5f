#!/usr/bin/env node
// The `salt-api` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-api').then((status) => {
  process.exitCode = status
})
