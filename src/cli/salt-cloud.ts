#!/usr/bin/env node
// The `salt-cloud` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-cloud').then((status) => {
  process.exitCode = status
})
