// A minion without a master for one recorded case: options, grains and pillar as the recording had them, and every
// function there is.
import { silentLog } from '../../../src/base/mod.ts'
import { minionDefaults } from '../../../src/config/mod.ts'
import type { Dict, Value } from '../../../src/data/mod.ts'
import { LocalHost } from '../../../src/host/mod.ts'
import { moduleTable, Registry, stateTable } from '../../../src/loader/mod.ts'
import { LocalPillar } from '../../../src/pillar/mod.ts'
import { renderText } from '../../../src/render/mod.ts'
import { RootsTree, stateEngine } from '../../../src/state/mod.ts'
import type { Json } from '../area.ts'
import { asValue } from './normalise.ts'

export interface CaseConfig {
  id: string
  grains?: Record<string, Json>
  opts?: Record<string, Json>
}

export interface CaseMinion {
  functions: Registry
  /** What functions leave for the caller, such as `retcode`. */
  memory: Dict
}

/** Facts of the machine that recordings were made on, as far as states ask for them. */
const MACHINE: Record<string, Json> = {
  os: 'Debian',
  os_family: 'Debian',
  osfullname: 'Debian GNU/Linux',
  oscodename: 'bookworm',
  osrelease: '12',
  osmajorrelease: 12,
  osfinger: 'Debian-12',
  kernel: 'Linux',
  init: 'unknown',
  shell: '/bin/bash',
  cpuarch: 'x86_64',
  path: process.env['PATH'] ?? '',
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
  const grains = asValue({ ...MACHINE, ...config.grains, id: config.id }) as Dict
  opts.set('grains', grains)
  const host = new LocalHost()
  const memory: Dict = new Map()
  const openStates = stateEngine({ table: stateTable, tree: (options) => new RootsTree(options, host) })
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
