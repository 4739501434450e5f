// The clear command `targets`: which minions a target matches, without a job. The expression is matched like that of a
// job. The answer reveals data that minions have in common, so the caller needs the right to read the data in the
// expression.
import { briefStr, type Dict, numberOf, splitWords, str, type Value } from '../data/mod.ts'
import { parseTarget } from '../match/mod.ts'
import type { Peer } from '../wire/mod.ts'
import type { MasterRights } from './clear-commands.ts'
import { refusedAnswer } from './refusals.ts'
import type { TargetResolver } from './target-resolver.ts'

/** Runner functions that the caller must have the right for, by kind of target. */
const READS: ReadonlyMap<string, readonly string[]> = new Map([
  ['grain', ['cache.grains']],
  ['grain_pcre', ['cache.grains']],
  ['ipcidr', ['cache.grains']],
  ['pillar', ['cache.pillar']],
  ['pillar_exact', ['cache.pillar']],
  ['pillar_pcre', ['cache.pillar']],
])

const COMPOUND: ReadonlySet<string> = new Set(['compound', 'compound_pillar_exact'])

const LOOKING = 'manage.status'

/** Ids and missing ids of an answer. */
const MOST_IDS = 100_000
const MOST_MISSING = 1000

/** The same by engine of a word of a compound target. */
const READS_OF_WORDS: ReadonlyMap<string, string> = new Map([
  ['G', 'cache.grains'],
  ['P', 'cache.grains'],
  ['S', 'cache.grains'],
  ['I', 'cache.pillar'],
  ['J', 'cache.pillar'],
])

function needed(kind: string, target: string): Set<string> {
  if (!COMPOUND.has(kind)) return new Set([LOOKING, ...(READS.get(kind) ?? [])])
  // words are parsed as by the matcher: an expression may set its own delimiter, as in `I|@key|value`
  const read = splitWords(target).flatMap((word) => READS_OF_WORDS.get(parseTarget(word).engine ?? '') ?? [])
  return new Set([LOOKING, ...read])
}

/** Answer a question: how many minions match, the first of them, the missing ones, and the problems of the target. */
export async function answerTargets(
  rights: MasterRights,
  resolver: TargetResolver,
  load: Dict,
  peer?: Peer,
): Promise<Dict> {
  const [target, kind] = [str(load.get('tgt') ?? ''), briefStr(load.get('tgt_type') ?? 'glob')]
  const credentials = new Map(load).set('arg', []).set('kwarg', new Map())
  let author = ''
  for (const fun of needed(kind, target)) {
    const judged = await rights.judge(credentials, 'runner', fun, peer)
    if ('message' in judged) {
      return refusedAnswer({ ...judged, message: `This needs the right to call the runner function ${fun}` })
    }
    author = judged.user
  }
  const { minions, missing, problems } = await resolver.foreign({ author, target, kind, isQuiet: true })
  const limit = Math.min(MOST_IDS, Math.max(0, numberOf(load.get('limit') ?? null) ?? MOST_IDS))
  return new Map<Value, Value>([
    ['total', minions.length],
    ['minions', [...minions].sort().slice(0, limit)],
    ['missing', missing.slice(0, MOST_MISSING)],
    ['problems', problems],
  ])
}
