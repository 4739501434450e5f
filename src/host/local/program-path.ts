// The file that a command starts: resolved like the system does, with its error before anything wraps the command.
import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { isAnyError, recover } from '../../base/mod.ts'
import { systemError } from '../errors.ts'
import type { Command } from '../host.ts'

/** The search path without PATH. */
const DEFAULT_PATH = '/bin:/usr/bin'

export function programPath({ argv: [program = ''], env, cleanEnv }: Command): string {
  const path = env?.get('PATH') ?? (cleanEnv ? undefined : process.env['PATH']) ?? DEFAULT_PATH
  const isNamed = program.includes('/')
  const candidates = isNamed ? [program] : path.split(':').map((directory) => `${directory}/${program}`)
  const found = candidates.filter((candidate) => existsSync(candidate))
  if (found.length === 0 || program === '') throw systemError('ENOENT', program)
  const runnable = found.find(isExecutable)
  if (runnable === undefined) throw systemError('EACCES', program)
  if (isNamed && isPlainText(program)) throw systemError('ENOEXEC', program)
  return runnable
}

function isExecutable(path: string): boolean {
  // the reason does not matter here
  return recover(isAnyError, false, () => {
    accessSync(path, constants.X_OK)
    return true
  })
}

/** Text without `#!` is no program, although many a shell would run it. */
function isPlainText(path: string): boolean {
  const start = Buffer.alloc(64)
  let length: number
  try {
    const file = openSync(path, 'r')
    try {
      length = readSync(file, start, 0, start.length, 0)
    } finally {
      closeSync(file)
    }
  } catch {
    // a program can be executable without being readable
    return false
  }
  const text = start.subarray(0, length)
  return !text.subarray(0, 2).equals(Buffer.from('#!')) && !text.includes(0)
}
