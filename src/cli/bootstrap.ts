// `brine bootstrap HOST…`: installs a minion of this master on hosts over SSH. One line for each host reports what was
// done, or which step failed and why.
import type { Log } from '../base/mod.ts'
import { LocalClient } from '../client/mod.ts'
import { type BootstrapSite, bootstrapHosts, hostsOf, readMasterFacts, readPackage } from '../cloud/mod.ts'
import { clientConfig, option } from '../config/mod.ts'
import { type Dict, isList, str, textOf } from '../data/mod.ts'
import { socketAccess } from '../runner/mod.ts'
import { rosterTargets } from '../ssh/mod.ts'
import { configSources } from './config-sources.ts'
import { ProgramExit, UsageError } from './optparse/exit.ts'
import { programOptions } from './program-options.ts'
import { runProgram } from './program-run.ts'
import { BRINE_BOOTSTRAP } from './programs/brine-bootstrap.ts'
import { masterIsGone } from './salt/messages.ts'
import { processStreams, type Streams } from './streams.ts'

export const PROGRAM = BRINE_BOOTSTRAP

const EX_FAILED = 1
const EX_INTERRUPTED = 130

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runProgram(PROGRAM, argv, streams, async (line) => {
    const text = (name: string): string | undefined => textOf(line.values.get(name) ?? null)
    const id = text('id')
    if (line.args.length === 0) throw new UsageError('name at least one host')
    const named = line.values.get('packages') ?? null
    const files = isList(named) ? named.map(str) : []
    if (files.length === 0) throw new UsageError('name the package of the minion with --package')
    // remove the id, which would replace the master's own in its options
    line.values.delete('id')
    const read = (path: string, log: Log) => clientConfig({ path, log, ...configSources, program: 'salt-ssh' })
    const { opts, log } = await programOptions({ program: PROGRAM, line, streams, file: 'master', read })
    const access = socketAccess(opts, log)
    const stopped = new AbortController()
    const stop = (): void => stopped.abort()
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
    try {
      const reading = { opts, log, host: access.host, cache: access.stores.cache, keys: access.stores.keys }
      const entries = await hostsOf(
        line.args,
        (tgt) => rosterTargets({ ...reading, tgt, tgtType: 'glob' }),
        (shown) => new UsageError(`${shown} is neither in the roster nor a name that can be resolved`),
      )
      if (id !== undefined && entries.length > 1) throw new UsageError('--id is for one host')
      const pack = await readPackage(files, option(opts, 'package_keyring') || undefined)
      const master = await readMasterFacts(opts, access.host, text('bootstrap_master'))
      await assertMasterRuns(opts, log)
      const site: BootstrapSite = {
        ...{ access, master, log, signal: stopped.signal, id },
        package: pack,
        timeout: Number(line.values.get('bootstrap_timeout')),
        isTest: line.values.get('bootstrap_test') === true,
        isForced: line.values.get('bootstrap_force') === true,
      }
      let isFailed = false
      await bootstrapHosts(site, entries, ({ id, failed, text }) => {
        isFailed ||= failed
        if (failed) streams.err(`${id}: ${text}\n`)
        else streams.out(`${id}: ${text}\n`)
      })
      if (stopped.signal.aborted) return EX_INTERRUPTED
      return isFailed ? EX_FAILED : 0
    } finally {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
      access.close()
    }
  })
}

/** Refuse to begin while the master does not run: it could not see the minion. */
async function assertMasterRuns(opts: Dict, log: Log): Promise<void> {
  try {
    ;(await LocalClient.open(opts, log)).close()
  } catch (error) {
    log('debug', String(error))
    throw new ProgramExit(EX_FAILED, { stderr: `${masterIsGone}\n` })
  }
}
