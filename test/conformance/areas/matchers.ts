// Matchers: which minions a target means, judged by each minion itself and by their master (cases/matchers/README.md).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError } from '../../../src/base/mod.ts'
import { type Dict, truthy, type Value } from '../../../src/data/mod.ts'
import { type MatchOptions, match, matchers, matchFleet, publishedTarget } from '../../../src/match/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { decodeTyped } from '../typed-json.ts'

interface Fleet {
  minions: Minion[]
  nodegroups: Value
}

interface Minion {
  id: string
  grains: Dict
  pillar: Dict
  resources: Value
  isAccepted: boolean
  isCached: boolean
}

function readFleets(): Map<string, Fleet> {
  const file = join(import.meta.dirname, '../cases/matchers/fleets.json')
  const fleets = new Map<string, Fleet>()
  for (const [name, fleet] of Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, RawFleet>)) {
    fleets.set(name, {
      nodegroups: decodeTyped(fleet.nodegroups),
      minions: fleet.minions.map((minion) => ({
        id: minion.id,
        grains: decodeTyped(minion.grains) as Dict,
        pillar: decodeTyped(minion.pillar) as Dict,
        resources: decodeTyped(minion.resources ?? {}),
        isAccepted: minion.key === 'accepted',
        isCached: minion.cached,
      })),
    })
  }
  return fleets
}

interface RawFleet {
  nodegroups: Json
  minions: Array<{ id: string; grains: Json; pillar: Json; resources?: Json; key: string; cached: boolean }>
}

const fleets = readFleets()

interface Answer {
  minion: string[]
  errors: Map<string, string[]>
}

function ask(fleet: Fleet, target: Value, kind: string, options: MatchOptions): Answer {
  const answer: Answer = { minion: [], errors: new Map() }
  // a job with an unknown kind of target matches no minion
  if (!matchers.has(kind)) return answer
  for (const { id, grains, pillar, resources } of fleet.minions) {
    const opts: Dict = new Map<Value, Value>([
      ['id', id],
      ['nodegroups', fleet.nodegroups],
      ['resources', resources],
    ])
    try {
      if (truthy(match(kind, target, { id, grains: new Map([...grains, ['id', id]]), pillar, opts }, options))) {
        answer.minion.push(id)
      }
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      // the class of Python's `re.error` is just `error`
      const name = error.code.replace(/^re\./, '')
      answer.errors.set(name, [...(answer.errors.get(name) ?? []), id])
    }
  }
  return answer
}

/** A recording's data about minions in one format: its own fields, and those that a top file would match. */
const FIELDS = ['minion', 'minion_errors', 'wire', 'top', 'top_errors', 'master', 'missing', 'master_raw'] as const

/** Recordings list ids in the order of the fleet, and unknown ids as they were written. */
function expected(
  fleet: Fleet,
  target: Value,
  kind: string,
  delimiter?: string,
): { minions: string[]; missing: string[] } {
  const data = new Map(fleet.minions.filter(({ isCached }) => isCached).map((minion) => [minion.id, minion]))
  const { minions, missing } = matchFleet(
    {
      opts: dict([['nodegroups', fleet.nodegroups]]),
      accepted: fleet.minions.filter(({ isAccepted }) => isAccepted).map(({ id }) => id),
      seen: () => data.keys(),
      grains: (id) => data.get(id)?.grains,
      pillar: (id) => data.get(id)?.pillar,
      resources: new Map(fleet.minions.map(({ id, resources }) => [id, resources as Dict])),
    },
    target,
    kind,
    delimiter === undefined ? {} : { delimiter },
  )
  const order = fleet.minions.map(({ id }) => id)
  const place = (id: string): number => order.indexOf(id) + 1 || order.length + 1
  return { minions: [...minions].sort((a, b) => place(a) - place(b)), missing }
}

function dict(entries: Iterable<[string, Value]>): Dict {
  return new Map<Value, Value>(entries)
}

function published(testCase: Case, fleet: Fleet): { wire: Dict; target?: Value; kind?: string } {
  const opts: Dict = new Map<Value, Value>([
    ['nodegroups', fleet.nodegroups],
    ['conf_file', '<CONF>'],
  ])
  try {
    const { target, kind } = publishedTarget(testCase['expr'] as string, testCase['tgt_type'] as string, opts)
    return {
      wire: dict([
        ['tgt', target],
        ['tgt_type', kind],
      ]),
      target,
      kind,
    }
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    return {
      wire: dict([
        ['error', error.code],
        ['message', error.message],
      ]),
    }
  }
}

function answers(testCase: Case): Dict {
  const fleet = fleets.get(testCase['fleet'] as string)!
  const options: MatchOptions = testCase['delimiter'] ? { delimiter: testCase['delimiter'] as string } : {}
  const { wire, target, kind } = published(testCase, fleet)
  const result = dict([])
  if (target !== undefined && kind !== undefined) {
    const { minion, errors } = ask(fleet, target, kind, options)
    result.set('minion', minion)
    if (errors.size > 0) result.set('minion_errors', dict(errors))
  }
  if (testCase['wire'] !== undefined) {
    result.set('wire', wire)
    const top = ask(fleet, testCase['expr'] as string, testCase['tgt_type'] as string, {})
    result.set('top', top.minion)
    if (top.errors.size > 0) result.set('top_errors', dict(top.errors))
  }
  if (target !== undefined && kind !== undefined) {
    const { minions, missing } = expected(fleet, target, kind, options.delimiter)
    result.set('master', minions)
    if (missing.length > 0) result.set('missing', missing)
  }
  if (testCase['wire'] === undefined) return result
  const raw = expected(fleet, testCase['expr'] as string, testCase['tgt_type'] as string)
  result.set('master_raw', raw.minions)
  return result
}

const area: Area = {
  name: 'matchers',
  recorded(testCase) {
    const expect: Record<string, Json> = {}
    for (const field of FIELDS) if (field in testCase) expect[field] = testCase[field] as Json
    return { expect }
  },
  run(testCase: Case): Outcome {
    return { expect: answers(testCase) }
  },
}

export default area
