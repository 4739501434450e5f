// A minion without a master for one recorded case: options, grains and pillar as the recording had them, and every
// function there is.
import { silentLog } from '../../../src/base/mod.ts'
import { minionDefaults } from '../../../src/config/mod.ts'
import { type Dict, decodeBytes, type Value } from '../../../src/data/mod.ts'
import { collectGrains } from '../../../src/grains/mod.ts'
import { type Host, LocalHost } from '../../../src/host/mod.ts'
import { moduleTable, Registry } from '../../../src/loader/mod.ts'
import { LocalPillar } from '../../../src/pillar/mod.ts'
import { renderText } from '../../../src/render/mod.ts'
import { LocalTree, stateEngine } from '../../../src/state/mod.ts'
import { load } from '../../../src/yaml/mod.ts'
import type { Json } from '../area.ts'
import { asValue } from './normalise.ts'

export interface CaseConfig {
  id: string
  grains?: Record<string, Json>
  opts?: Record<string, Json>
}

export interface CaseMinion {
  functions: Registry
  /** Data that functions leave for the caller, such as `retcode`. */
  memory: Dict
}

let machineGrains: Promise<Dict> | undefined

/** The machine is queried once for all cases; settings of a case are read again for each minion. */
async function grainsOf(root: string, { id, grains = {} }: CaseConfig, host: Host): Promise<Dict> {
  machineGrains ??= collectGrains({ opts: minionDefaults().set('id', id).set('conf_file', ''), host })
  const own = await host.stat(`${root}/etc/grains`)
  const fromFile = own ? load(decodeBytes(await host.read(`${root}/etc/grains`))) : null
  return new Map([
    ...(await machineGrains),
    ...(fromFile instanceof Map ? fromFile : []),
    ...(asValue(grains) as Dict),
    ['id', id],
  ])
}

function optionsOf(root: string, { id, grains = {}, opts = {} }: CaseConfig): Dict {
  const options = minionDefaults()
  const given: Record<string, Json> = {
    id,
    file_client: 'local',
    file_roots: { base: [`${root}/salt`] },
    pillar_roots: { base: [`${root}/pillar`] },
    root_dir: `${root}/minion`,
    cachedir: `${root}/minion/cache`,
    extension_modules: `${root}/minion/cache/extmods`,
    conf_file: `${root}/etc/minion`,
    config_dir: `${root}/etc`,
    state_events: false,
    __role: 'minion',
    ...opts,
  }
  for (const [name, value] of Object.entries(given)) options.set(name, asValue(value))
  options.set('grains', asValue(grains))
  return options
}

export async function caseMinion(root: string, config: CaseConfig): Promise<CaseMinion> {
  const opts = optionsOf(root, config)
  const host = new LocalHost()
  const grains = await grainsOf(root, config, host)
  opts.set('grains', grains)
  const memory: Dict = new Map()
  const openStates = stateEngine({ tree: (options) => new LocalTree(options, host) })
  const open = (pillar: Dict, local?: LocalPillar): Registry => {
    const functions: Registry = new Registry(moduleTable, {
      opts,
      grains,
      pillar,
      memory,
      host,
      openStates,
      ...(local && { freshPillar: local.freshPillar, pillarOrigins: local.pillarOrigins }),
      render: async ({ text, ...request }) => {
        const context = { ...request, opts, grains, pillar, functions, log: silentLog }
        return (await renderText(text, context)).value as Value
      },
    })
    return functions
  }
  const local = new LocalPillar({ opts, grains, host, registry: open(new Map()) })
  const { pillar } = await local.compile()
  opts.set('pillar', pillar)
  return { functions: open(pillar, local), memory }
}
