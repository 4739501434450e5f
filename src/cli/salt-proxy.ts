#!/usr/bin/env node
// The `salt-proxy` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('salt-proxy').then((status) => {
  process.exitCode = status
})
