// The options of one salt-call: the minion's configuration, with the command line laid over it.

import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Log, toError } from '../../base/mod.ts'
import { expandRoots, minionConfig } from '../../config/mod.ts'
import { type Dict, str, textOf, truthy, type Value } from '../../data/mod.ts'
import type { CommandLine } from '../command-lines.ts'
import { UsageError } from '../optparse/exit.ts'
import { SALT_CALL } from '../programs/salt-call.ts'
import { addSaltfile } from '../saltfile.ts'

export async function callOptions(line: CommandLine, log: Log, complain: (text: string) => void): Promise<Dict> {
  const { values, given } = line
  addSaltfile(SALT_CALL, line, log)
  const folder = configDir(str(values.get('config_dir')!), given.has('config_dir'), complain)
  values.set('config_dir', folder)
  const id = textOf(values.get('id') ?? null)
  const opts = await loadConfig(join(folder, 'minion'), id, log)
  layOver(opts, line)
  if (truthy(values.get('module_dirs') ?? null)) opts.set('module_dirs', moduleDirs(opts.get('module_dirs')!))
  setRoots(opts, line, complain)
  if (truthy(opts.get('local') ?? null)) opts.set('file_client', 'local')
  moveCache(opts, given)
  opts.set('caller', true)
  return opts
}

/** The directory of the configuration; `SALT_CONFIG_DIR` names it where the command line does not. */
function configDir(named: string, isGiven: boolean, complain: (text: string) => void): string {
  const chosen = isGiven ? named : process.env['SALT_CONFIG_DIR'] || named
  const folder = chosen.replace(/^~(?=\/|$)/, homedir())
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    complain(`WARNING: CONFIG '${folder}' directory does not exist.\n`)
  }
  return resolve(folder)
}

async function loadConfig(path: string, id: string | undefined, log: Log): Promise<Dict> {
  try {
    return await minionConfig({ path, log, rememberId: true, id: id || undefined, program: 'salt-call' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new UsageError(`Failed to load configuration: ${toError(error).message}`)
  }
}

/** What was given wins; a default of the command line only fills what no file says. */
function layOver(opts: Dict, { values, given, meaning }: CommandLine): void {
  for (const [dest, value] of values) {
    if (value === null) continue
    if (given.has(dest) || (opts.get(dest) ?? null) === null) opts.set(dest, value)
  }
  for (const [name, value] of meaning) opts.set(name, value)
  opts.set('selected_output_option', values.get('output') ?? null)
}

/** Several directories may stand in one word, parted by commas. */
function moduleDirs(dirs: Value): Value {
  if (!Array.isArray(dirs)) return dirs
  return dirs.flatMap((dir) => str(dir).split(',')).map((dir) => resolve(dir))
}

function setRoots(opts: Dict, { values, given }: CommandLine, complain: (text: string) => void): void {
  const dirs = (dest: string): string[] => ((values.get(dest) ?? []) as Value[]).map((dir) => resolve(str(dir)))
  if (given.has('file_root')) opts.set('file_roots', new Map([['base', expandRoots(dirs('file_root'))]]))
  if (given.has('pillar_root')) opts.set('pillar_roots', new Map([['base', expandRoots(dirs('pillar_root'))]]))
  if (given.has('states_dir')) opts.set('states_dirs', dirs('states_dir'))
  if (truthy(opts.get('local') ?? null)) return
  const ignored = ['file_root', 'pillar_root', 'states_dir'].filter((dest) => given.has(dest))
  if (ignored.length === 0) return
  const names = ignored.map((dest) => `--${dest.replace('_', '-')}`).join(', ')
  const verb = ignored.length === 1 ? 'is' : 'are'
  const why = 'the remote file client retrieves these from the master. Re-run with --local to use the local override.'
  complain(`Warning: ${names} ${verb} ignored because --local was not specified; ${why}\n`)
}

/** Modules of users lie below the cache, unless they were put elsewhere on purpose. */
function moveCache(opts: Dict, given: ReadonlySet<string>): void {
  if (!given.has('cachedir')) return
  if (opts.get('extension_modules') !== join(str(opts.get('__cachedir')!), 'extmods')) return
  const cache = resolve(str(opts.get('cachedir')!))
  opts.set('cachedir', cache)
  opts.set('extension_modules', join(cache, 'extmods'))
}
