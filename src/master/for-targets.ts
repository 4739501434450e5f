// The master's answers to targets of salt-ssh. No minion runs there; the program that works on a target sends its
// requests under the target's id, and the master's options apply as for a minion.
import type { Dict } from '../data/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import { MineService } from './mine-service.ts'
import { MinionTargets } from './minion-targets.ts'
import { Peers } from './peer.ts'
import { Quotas } from './quotas.ts'
import { TargetResolver } from './target-resolver.ts'

function targetsOf({ opts, log, stores }: MasterAccess): MinionTargets {
  return new MinionTargets(new TargetResolver({ opts, log, keys: stores.keys, cache: stores.cache }))
}

/** Answer `_mine_get`: mine data of minions. */
export function minedData(access: MasterAccess, load: Dict): Promise<Dict> {
  const { opts, log, stores } = access
  return new MineService({ opts, cache: stores.cache }, targetsOf(access), new Quotas(opts, log)).get(load)
}

/** `minion_publish`: publish a job to minions, and wait for the returns. */
export function publishForPeer(access: MasterAccess, load: Dict): Promise<Dict> {
  const own = {
    ...access,
    publishTo: (job: Parameters<MasterAccess['publish']>[0], minions: string[]) =>
      access.publish({ ...job, tgt: minions, tgtType: 'list' }),
  }
  return new Peers(own, targetsOf(access)).publishAndWait(load)
}
