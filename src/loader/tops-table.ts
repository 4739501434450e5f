// Made by tools/plugin-table.ts; run it after a source of tops was added or removed.
import type { TopsSource } from '../sdk/mod.ts'

export const topsTable: Readonly<Record<string, () => Promise<{ default: TopsSource }>>> = {
  cobbler: () => import('../library/automation/cobbler/tops.ts'),
  ext_nodes: () => import('../library/salt/tops-sources/ext_nodes.tops.ts'),
  mongo: () => import('../library/databases/mongodb/mongo.tops.ts'),
  reclass: () => import('../library/automation/reclass/tops.ts'),
  saltclass: () => import('../library/automation/saltclass/tops.ts'),
  varstack: () => import('../library/automation/varstack/tops.ts'),
}
