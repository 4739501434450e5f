// External pillars of users' own: Python files in `_pillar` with an `ext_pillar` function.
import type { Dict } from '../data/mod.ts'
import { userPlugins } from '../pybridge/mod.ts'
import { answersOf, type Scope } from '../python/mod.ts'
import { sourceFamily } from '../render/mod.ts'
import { arg, defineExtPillar, type ExtPillar, type ExtPillarContext } from '../sdk/mod.ts'
import type { ExtPillars } from './ext-pillar.ts'

const scopeOf = ({ opts, grains, functions, log }: ExtPillarContext, pillar: Dict): Scope => ({
  opts,
  grains,
  pillar,
  memory: new Map(),
  log,
  answers: answersOf(functions ? { function: sourceFamily(functions) } : {}),
})

export async function userExtPillars(
  ctx: ExtPillarContext,
  names: readonly string[],
  builtIn: readonly string[],
): Promise<ExtPillars> {
  const found = new Map<string, () => Promise<ExtPillar>>()
  for (const [name, plugin] of await userPlugins(scopeOf(ctx, new Map()), 'pillar', names, builtIn)) {
    if (!plugin.has('ext_pillar')) continue
    // Python itself binds the configured arguments
    const source = defineExtPillar({
      name,
      doc: "A user's own external pillar.",
      args: { args: arg.rest('Arguments'), kwargs: arg.open('Keywords') },
      run: (own, { args, kwargs }, pillar) =>
        plugin.call(scopeOf(own, pillar), 'ext_pillar', [own.minionId, pillar, ...args], new Map(kwargs)),
    })
    found.set(name, async () => source)
  }
  return found
}
