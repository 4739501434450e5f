// Whether a job can upgrade this minion: it is installed in a version directory or by a package. The code of upgrades
// is loaded at the start only if an upgrade may be open.
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyError, isJid, type Log, recover } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { UpgradeRequest } from '../sdk/mod.ts'
import type { MasterPeer } from './peer.ts'

/** The path of packaged programs, and the folder for records of package upgrades. */
const PACKAGED = /^\/usr\/lib\/brine\/dist\/[^/]+$/
const RECORDS = '/var/lib/brine/upgrades'

const VERSIONED = /\/versions\/[^/]+\/dist\/[^/]+$/

/** Whether an upgrade of this minion may be open. */
function mayBeUpgrading(): boolean {
  const [, program] = process.argv
  // the program was removed while it runs
  return recover(isAnyError, false, () => {
    if (program === undefined) return false
    const real = realpathSync(program)
    return VERSIONED.test(real) || (PACKAGED.test(real) && hasOpenRecord())
  })
}

const hasOpenRecord = (): boolean =>
  existsSync(RECORDS) &&
  readdirSync(RECORDS).some((name) => isJid(name) && !existsSync(join(RECORDS, name, 'reported')))

export const beginUpgrade = async (request: UpgradeRequest): Promise<Dict> =>
  (await import('./upgrading.ts')).beginUpgrade(request)

/** Watch the time of an upgrade that this minion is the new version of. Return how to stop that. */
export async function watchUpgrade(log: Log): Promise<() => void> {
  return mayBeUpgrading() ? (await import('./upgrading.ts')).watchTrial(log) : () => undefined
}

/** Report the result of an upgrade to the master, if there was one. */
export async function reportUpgrade(peer: MasterPeer, id: string, log: Log): Promise<void> {
  if (mayBeUpgrading()) await (await import('./upgrading.ts')).reportUpgrade(peer, id, log)
}
