// Scripts of the roster around the first contact: `ssh_pre_hook` runs on the controller before each connection, `ssh_pre_flight` on the
// target when it is met for the first time, or always with --pre-flight.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeOwnFolder, PRIVATE_FILE } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { isList, shlexSplit, str, truthy, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { asText, type Ended, rawAnswer, type SshAnswer } from './answer.ts'
import type { SshParts } from './parts.ts'
import type { RosterEntry } from './roster/mod.ts'
import type { SshSession } from './session.ts'

/** Run the hook; return its output if it failed: the target is then skipped. */
export async function runPreHook({ log, signal }: SshParts, { id, settings }: RosterEntry): Promise<Ended | undefined> {
  const hook = settings.get('ssh_pre_hook') ?? null
  if (!truthy(hook)) return undefined
  const ended = await new LocalHost().run({ argv: ['/bin/sh', '-c', str(hook)], ...(signal && { signal }) })
  if (ended.retcode === 0) return undefined
  log('error', `Error running ssh_pre_hook script ${str(hook)} for target ${id}`)
  return asText(ended)
}

export const hasPreFlight = ({ settings }: RosterEntry): boolean => truthy(settings.get('ssh_pre_flight') ?? null)

/** Run the script if it is due; return its output as the target's answer if it failed. */
export async function runPreFlight(parts: SshParts, session: SshSession): Promise<SshAnswer | undefined> {
  const { opts, log, signal } = parts
  const { settings } = session.entry
  const contacted = join(option(session.opts, 'cachedir'), markerOf(session.opts.get('thin_dir') ?? null))
  const isDue = !existsSync(contacted) || option(opts, 'ssh_run_pre_flight')
  if (hasPreFlight(session.entry) && isDue) {
    const path = str(settings.get('ssh_pre_flight')!)
    if (!existsSync(path)) log('error', `The ssh_pre_flight script ${path} does not exist`)
    else {
      const words = wordsOf(settings.get('ssh_pre_flight_args') ?? option(opts, 'ssh_pre_flight_args') ?? null)
      const host = session.machine
      const copy = await host.tempFile({ prefix: '.pre-flight-', content: readFileSync(path) })
      const ended = await host.run({ argv: ['/bin/sh', copy, ...words], ...(signal && { signal }) })
      await host.remove(copy)
      if (ended.retcode !== 0) {
        log('error', `Error running ssh_pre_flight script ${basename(path)}`)
        return rawAnswer(session.id, asText(ended))
      }
    }
  }
  const isWiped = option(opts, 'ssh_wipe') && !truthy(settings.get('disable_wipe') ?? false)
  if (isWiped) rmSync(contacted, { force: true })
  else if (!existsSync(contacted)) {
    makeOwnFolder(option(session.opts, 'cachedir'))
    writeFileSync(contacted, '', { mode: PRIVATE_FILE })
  }
  return undefined
}

/** Return the name of the file that marks an earlier contact: Salt checks for `thin_dir` instead. */
const markerOf = (thin: Value): string =>
  thin === null ? 'contacted' : `contacted-${createHash('sha256').update(str(thin)).digest('hex').slice(0, 16)}`

const wordsOf = (given: Value): string[] =>
  isList(given) ? given.map(str) : truthy(given) ? shlexSplit(str(given)) : []
