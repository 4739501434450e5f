#!/usr/bin/env node
// The `spm` program, which prints that it is not available and names an alternative.
import { absentProgram } from './absent-programs.ts'

absentProgram('spm').then((status) => {
  process.exitCode = status
})
