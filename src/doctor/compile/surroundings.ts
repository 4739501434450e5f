// The context of one minion's compilation: options without anything that could run, the trees, renderers and read-only
// functions.
import { minionDefaults, option } from '../../config/mod.ts'
import { type Dict, deepCopy } from '../../data/mod.ts'
import type { FunctionSource, Renderer } from '../../render/mod.ts'
import { type DryHost, dryHost } from '../dry/dry-host.ts'
import { DryFunctions } from '../dry/functions.ts'
import { dryRenderers, type RenderWatch } from '../dry/renderers.ts'
import { Unevaluated } from '../dry/unevaluated.ts'
import type { KnownMinion, Site } from '../site/site.ts'

/** Options of a master that its minions need for states. */
const OF_MASTER = [
  ...([
    'renderer',
    'failhard',
    'state_top',
    'state_top_saltenv',
    'nodegroups',
    'state_auto_order',
    'jinja_env',
  ] as const),
  ...(['jinja_sls_env', 'jinja_lstrip_blocks', 'jinja_trim_blocks', 'allow_undefined', 'env_order'] as const),
  ...(['default_top', 'top_file_merging_strategy', 'file_roots', 'pillar_roots'] as const),
]

/** Options that hide modules, extensions and external pillars of the site, because the doctor runs none of them. */
const INERT: ReadonlyArray<readonly [string, unknown]> = [
  ['extension_modules', ''],
  ['module_dirs', []],
  ['disable_extensions', ['*']],
  ['python_upstream_modules', false],
  ['fileserver_backend', ['roots']],
  ['ext_pillar', []],
  ['decrypt_pillar', []],
  ['master_tops', new Map()],
]

/** Shared by all minions of a site: templates are compiled once. */
export class DryRun {
  readonly site: Site
  readonly unevaluated = new Unevaluated()
  readonly machine: DryHost
  readonly renderers: readonly Renderer[]

  constructor(site: Site, watch: RenderWatch, entering: (file: string) => boolean) {
    this.site = site
    this.machine = dryHost([...site.states.roots.values(), ...site.pillar.roots.values()].flat(), entering)
    this.renderers = dryRenderers(this.unevaluated, watch, site.own.namesOf('renderers'))
  }

  /** The options under which pillar is compiled. */
  servingOptions(): Dict {
    return inert(new Map(this.site.serving.opts)).set('pillar_safe_render_error', false)
  }

  minionOptions({ id, grains }: KnownMinion, pillar: Dict): Dict {
    const { serving, daemons } = this.site
    const minion = daemons.find(({ role }) => role === 'minion')
    const isOwn = serving.role === 'minion'
    const opts: Dict = new Map(isOwn && minion ? minion.opts : minionDefaults())
    for (const name of OF_MASTER) if (serving.opts.has(name)) opts.set(name, serving.opts.get(name)!)
    opts.set('id', id).set('grains', grains).set('pillar', pillar).set('file_client', 'local')
    opts.set('config_dir', this.site.request.configDir || '/etc/salt')
    if (!isOwn) opts.set('saltenv', option(serving.opts, 'saltenv') ?? null)
    return inert(opts)
  }

  functions(opts: Dict, grains: Dict, pillar: Dict): FunctionSource {
    const { machine, unevaluated, renderers, site } = this
    return new DryFunctions({ opts, grains, pillar, machine, own: site.own, unevaluated, renderers })
  }
}

function inert(opts: Dict): Dict {
  for (const [name, value] of INERT) opts.set(name, deepCopy(value as never))
  return opts
}
