// A Saltfile: options that a project always wants on the command lines of Salt's programs, by program.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Log, toError } from '../base/mod.ts'
import { isRegularFile, readConfigFile } from '../config/mod.ts'
import { equals, fromPlain, isDict, str, textOf } from '../data/mod.ts'
import { UsageError } from './optparse/exit.ts'
import { allOptions, destOf, type Program } from './optparse/option.ts'
import type { Parsed } from './optparse/parse.ts'

/** Add the options of the Saltfile that the command line does not set. */
export function addSaltfile(program: Program, { values, given }: Parsed, log: Log): void {
  const named = textOf(values.get('saltfile') ?? null) ?? process.env['SALT_SALTFILE']
  const path = named ?? [join(process.cwd(), 'Saltfile'), join(homedir(), '.salt', 'Saltfile')].find(isRegularFile)
  if (!path) return
  if (!isRegularFile(path)) throw new UsageError(`'${path}' file does not exist.\n`)
  values.set('saltfile', resolve(path))
  const own = optionsFor(program.name, path, log)
  if (!isDict(own)) return
  const defaults = new Map(allOptions(program).map((option) => [destOf(option), option.default] as const))
  for (const [key, value] of own) {
    const dest = str(key)
    const isDefault = equals(values.get(dest) ?? null, fromPlain(defaults.get(dest) ?? null))
    if (given.has(dest) && !isDefault) continue
    values.set(dest, value)
    given.add(dest)
  }
}

function optionsFor(name: string, path: string, log: Log) {
  try {
    return readConfigFile(path, log).get(name) ?? null
  } catch (error) {
    throw new UsageError(toError(error).message)
  }
}
