// The pillar of one minion, with its errors and their places.
import type { Log } from '../../base/mod.ts'
import { type Dict, isList, merge, str } from '../../data/mod.ts'
import { compilePillar } from '../../pillar/mod.ts'
import type { KnownMinion } from '../site/site.ts'
import type { DryRun } from './surroundings.ts'

export interface PillarProblem {
  text: string
  at?: { file: string; line: number }
  hint?: string
}

export interface MinionPillar {
  pillar: Dict
  problems: PillarProblem[]
  ms: number
}

/** Lines of the log that belong to an error of the pillar have its place at their end. */
const PLACE = /\nat (.+), line (\d+)(?:\n([\s\S]*))?$/

export async function dryPillar(run: DryRun, minion: KnownMinion): Promise<MinionPillar> {
  const { id: minionId, grains } = minion
  const problems: PillarProblem[] = []
  const log: Log = (level, text) => {
    if (level !== 'error' && level !== 'critical') return
    const place = PLACE.exec(text)
    if (text.startsWith('Pillar render error: ')) return
    problems.push({
      text: withoutExcerpt(place ? text.slice(0, place.index) : text),
      ...(place && { at: { file: place[1]!, line: Number(place[2]) } }),
      ...(place?.[3] && { hint: place[3] }),
    })
  }
  const began = performance.now()
  const { pillar } = await compilePillar({
    opts: run.servingOptions(),
    grains,
    minionId,
    host: run.machine.host,
    log,
    renderers: run.renderers,
    functions: (opts, seen) => run.functions(opts, grains, seen),
  })
  const errors = pillar.get('_errors') ?? null
  for (const text of isList(errors) ? errors.map((error) => withoutExcerpt(str(error))) : []) {
    if (!problems.some((known) => known.text === text)) problems.push({ text })
  }
  pillar.delete('_errors')
  const ms = performance.now() - began
  // data of external pillars is known only from the cache
  const whole = minion.pillar ? (merge(new Map(minion.pillar), pillar, { strategy: 'smart' }) as Dict) : pillar
  return { pillar: whole, problems: shortest(problems), ms }
}

/** Lines of pillar files may hold secrets, and are not shown. */
const withoutExcerpt = (text: string): string => text.replace(/(?:; line \d+)?\s*\n+---\n[\s\S]*$/, '')

/** Remove errors that are also reported with their place. */
function shortest(problems: readonly PillarProblem[]): PillarProblem[] {
  const placed = problems.filter(({ at }) => at !== undefined)
  const others = problems.filter(({ at, text }) => at === undefined && !placed.some((one) => text.includes(one.text)))
  return [...placed, ...others]
}
