#!/usr/bin/env node
// The `spm` program, which says that it is not here and what to use instead.
import { absentProgram } from './absent-programs.ts'

absentProgram('spm').then((status) => {
  process.exitCode = status
})
