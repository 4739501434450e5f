// The options of one salt-call: the minion's configuration, with the command line laid over it.
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Log } from '../../base/mod.ts'
import { expandRoots, minionConfig, option } from '../../config/mod.ts'
import { type Dict, str, textOf, truthy, type Value } from '../../data/mod.ts'
import type { CommandLine } from '../command-lines.ts'
import { configSources } from '../config-sources.ts'
import { type ProgramOptions, programOptions } from '../program-options.ts'
import { SALT_CALL } from '../programs/salt-call.ts'
import type { Streams } from '../streams.ts'

export async function callOptions(line: CommandLine, streams: Streams): Promise<ProgramOptions> {
  const { values, given } = line
  const id = textOf(values.get('id') ?? null) || undefined
  const proxyId = textOf(values.get('proxyid') ?? null) || undefined
  const read = (path: string, log: Log) =>
    minionConfig({ path, log, ...configSources, rememberId: true, id, proxyId, program: 'salt-call' })
  const file = proxyId === undefined ? 'minion' : 'proxy'
  const { opts, log } = await programOptions({ program: SALT_CALL, line, streams, file, read })
  if (truthy(values.get('module_dirs') ?? null)) opts.set('module_dirs', moduleDirs(option(opts, 'module_dirs')))
  setRoots(opts, line, streams.err)
  if (option(opts, 'local')) opts.set('file_client', 'local')
  moveCache(opts, given)
  opts.set('caller', true)
  return { opts, log }
}

/** Split words with several directories at commas. */
function moduleDirs(dirs: Value): Value {
  if (!Array.isArray(dirs)) return dirs
  return dirs.flatMap((dir) => str(dir).split(',')).map((dir) => resolve(dir))
}

function setRoots(opts: Dict, { values, given }: CommandLine, complain: (text: string) => void): void {
  const dirs = (dest: string): string[] => ((values.get(dest) ?? []) as Value[]).map((dir) => resolve(str(dir)))
  if (given.has('file_root')) opts.set('file_roots', new Map([['base', expandRoots(dirs('file_root'))]]))
  if (given.has('pillar_root')) opts.set('pillar_roots', new Map([['base', expandRoots(dirs('pillar_root'))]]))
  if (given.has('states_dir')) opts.set('states_dirs', dirs('states_dir'))
  if (option(opts, 'local')) {
    warnOfAbsent('--file-root', dirs('file_root'), complain)
    warnOfAbsent('--pillar-root', dirs('pillar_root'), complain)
    return
  }
  const ignored = ['file_root', 'pillar_root', 'states_dir'].filter((dest) => given.has(dest))
  if (ignored.length === 0) return
  const names = ignored.map((dest) => `--${dest.replace('_', '-')}`).join(', ')
  const verb = ignored.length === 1 ? 'is' : 'are'
  const why = 'the remote file client retrieves these from the master. Re-run with --local to use the local override.'
  complain(`Warning: ${names} ${verb} ignored because --local was not specified; ${why}\n`)
}

/** Warn about a missing root: Salt ignores it without a message, and then reports that no state was found. */
function warnOfAbsent(flag: string, dirs: readonly string[], complain: (text: string) => void): void {
  const isFolder = (path: Value): boolean => statSync(str(path), { throwIfNoEntry: false })?.isDirectory() === true
  for (const dir of dirs.filter((one) => !expandRoots([one]).some(isFolder))) {
    complain(`Warning: ${flag}: there is no directory ${dir}\n`)
  }
}

/** Move the folder of users' modules with the cache, unless it is configured separately. */
function moveCache(opts: Dict, given: ReadonlySet<string>): void {
  if (!given.has('cachedir')) return
  if (opts.get('extension_modules') !== join(str(opts.get('__cachedir')!), 'extmods')) return
  const cache = resolve(option(opts, 'cachedir'))
  opts.set('cachedir', cache)
  opts.set('extension_modules', join(cache, 'extmods'))
}
