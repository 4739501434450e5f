// External pillars of users' own: Python files in `_pillar` with an `ext_pillar` function.
import type { Dict } from '../data/mod.ts'
import { userPlugins } from '../pybridge/mod.ts'
import { answersOf, type Scope } from '../python/mod.ts'
import { sourceFamily } from '../render/mod.ts'
import type { ExtPillar, ExtPillarContext, ExtPillars } from './ext-pillar.ts'

const scopeOf = ({ opts, grains, functions, log }: ExtPillarContext, pillar: Dict): Scope => ({
  opts,
  grains,
  pillar,
  memory: new Map(),
  log,
  answers: answersOf(functions ? { function: sourceFamily(functions) } : {}),
})

export async function userExtPillars(ctx: ExtPillarContext): Promise<ExtPillars> {
  const found = new Map<string, () => Promise<ExtPillar>>()
  for (const [name, plugin] of await userPlugins(scopeOf(ctx, new Map()), 'pillar')) {
    if (!plugin.has('ext_pillar')) continue
    // Python binds what is configured itself
    const source: ExtPillar = {
      parameters: [],
      required: 0,
      rest: true,
      open: true,
      run: (own, { rest, further }, pillar) =>
        plugin.call(scopeOf(own, pillar), 'ext_pillar', [own.minionId, pillar, ...rest], new Map(further)),
    }
    found.set(name, async () => source)
  }
  return found
}
