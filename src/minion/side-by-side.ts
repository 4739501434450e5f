// Whether this minion can be upgraded by a job: it is installed in a version directory or by a package. Only those load the code of
// upgrades.
import { realpathSync } from 'node:fs'
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { UpgradeRequest } from '../sdk/mod.ts'
import type { MasterPeer } from './peer.ts'

function isUpgradable(): boolean {
  const [, program] = process.argv
  try {
    return program !== undefined && /\/(?:versions\/[^/]+|usr\/lib\/brine)\/dist\/[^/]+$/.test(realpathSync(program))
  } catch {
    // the program was removed while it runs
    return false
  }
}

export const beginUpgrade = async (request: UpgradeRequest): Promise<Dict> =>
  (await import('./upgrading.ts')).beginUpgrade(request)

/** Watch the time of an upgrade that this minion is the new version of. Return how to stop that. */
export async function watchUpgrade(log: Log): Promise<() => void> {
  return isUpgradable() ? (await import('./upgrading.ts')).watchTrial(log) : () => undefined
}

/** Tell the master how an upgrade ended, if there was one. */
export async function reportUpgrade(peer: MasterPeer, id: string, log: Log): Promise<void> {
  if (isUpgradable()) await (await import('./upgrading.ts')).reportUpgrade(peer, id, log)
}
