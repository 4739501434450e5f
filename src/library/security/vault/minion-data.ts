// A runner's data about a minion: the proven id, and the stored grains and pillar.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import type { MasterContext } from '../../../sdk/mod.ts'
import type { VaultConfig } from './config.ts'
import type { MinionData } from './templates.ts'

const dictOr = (value: Value | undefined, otherwise: Dict): Dict =>
  value !== undefined && isDict(value) ? value : otherwise

export function minionData(
  ctx: MasterContext,
  id: string,
  refresh: VaultConfig['policies']['refreshPillar'],
): MinionData {
  const grains = dictOr(ctx.cache.bank('grains').fetch(id), new Map([['id', id]]))
  let pillar: Promise<Dict> | undefined
  return {
    id,
    // grains come from the minion, but its id is proven
    grains: new Map(grains).set('id', id),
    pillar: () => (pillar ??= ctx.keptPillar(id, grains, refresh)),
  }
}
