// The part of the top data for this minion: SLS names by environment.
import { option } from '../../config/mod.ts'
import { contains, type Dict, PyError, str, truthy, typeError, typeName, type Value } from '../../data/mod.ts'
import { match } from '../../match/mod.ts'
import { ownMatch } from '../../pybridge/mod.ts'
import type { CompilerContext } from './compiler-context.ts'
import type { Top } from './merge-tops.ts'
import type { StateList } from './tree.ts'
import type { Matches } from './types.ts'

export async function topMatches(top: Top, ctx: CompilerContext, states: StateList): Promise<Matches> {
  const only = option(ctx.opts, 'saltenv')
  const matching = new TopMatching(ctx, await states.environments())
  for (const [saltenv, targets] of top) {
    if (truthy(only) && saltenv !== only) continue
    for (const [target, data] of targets) await matching.take(str(saltenv), target, data)
  }
  await addMasterTops(matching.matches, ctx)
  return matching.matches
}

class TopMatching {
  readonly matches: Matches = new Map()
  private readonly ctx: CompilerContext
  private readonly environments: ReadonlySet<string>

  constructor(ctx: CompilerContext, environments: ReadonlySet<string>) {
    this.ctx = ctx
    this.environments = environments
  }

  async take(saltenv: string, target: Value, data: Value): Promise<void> {
    const items = typeof data === 'string' ? [data] : data
    if (!Array.isArray(items)) throw typeError(`'${typeName(items)}' object is not iterable`)
    if (!(await this.isMeant(target, items))) return
    const names = namesOf(this.matches, saltenv)
    for (const item of items) {
      if (contains(item, 'subfilter') && item instanceof Map) await this.subfilter(saltenv, item)
      if (typeof item === 'string') names.push(item)
      else if (item instanceof Map) this.other(item)
    }
  }

  private async subfilter(saltenv: string, item: Dict): Promise<void> {
    const inner = item.get('subfilter')
    item.delete('subfilter')
    if (inner instanceof Map) for (const [target, data] of inner) await this.take(saltenv, target, data)
  }

  /** `env: sls` names an SLS of another environment; any other pair is an option of the match. */
  private other(item: Dict): void {
    const last = [...item].at(-1)
    if (last === undefined) throw new PyError('KeyError', "'dictionary is empty'")
    const saltenv = str(last[0])
    if (this.environments.has(saltenv)) namesOf(this.matches, saltenv).push(last[1])
  }

  private async isMeant(target: Value, items: readonly Value[]): Promise<boolean> {
    let kind: Value = 'compound'
    for (const item of items) if (item instanceof Map && item.has('match')) kind = item.get('match')!
    const { opts, grains, pillar, log } = this.ctx
    const subject = { id: option(opts, 'id'), grains, pillar, opts, log }
    const own = ownMatch(str(kind), target, subject)
    return truthy(own ? await own : match(str(kind), target, subject))
  }
}

function namesOf(matches: Matches, saltenv: string): Value[] {
  let names = matches.get(saltenv)
  if (!names) {
    names = []
    matches.set(saltenv, names)
  }
  return names
}

async function addMasterTops(matches: Matches, { masterTops, opts }: CompilerContext): Promise<void> {
  if (!masterTops) return
  for (const [saltenv, names] of await masterTops()) {
    const own = matches.get(str(saltenv)) ?? []
    const other = Array.isArray(names) ? names : []
    const [first, second] = option(opts, 'master_tops_first') ? [other, own] : [own, other]
    matches.set(str(saltenv), [...first, ...second.filter((name) => !first.includes(name))])
  }
}
