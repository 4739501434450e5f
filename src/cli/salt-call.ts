#!/usr/bin/env node
// The `salt-call` program: a function on this machine.
import './short-run.ts'
import { saltCall } from './call/main.ts'
import { processStreams } from './streams.ts'

process.exitCode = await saltCall(process.argv.slice(2), processStreams)
