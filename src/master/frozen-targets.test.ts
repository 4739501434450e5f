// Property test with random targets: the minions whose rights were checked are the minions that accept the job, in
// every notation of the target; and where master and minions evaluate a target alike, both find the same minions.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrineError, silentLog } from '../base/mod.ts'
import { type Dict, fromPlain, isDict, type Plain, type Value } from '../data/mod.ts'
import { type MinionKnowledge, match, resolveCertain, resolveTarget } from '../match/mod.ts'
import { Access } from './access/access.ts'
import type { LocalKeys } from './local-keys.ts'
import type { MasterParts } from './parts.ts'
import { Publishing } from './publish.ts'
import type { TargetResolver } from './target-resolver.ts'

interface Minion {
  id: string
  isSeen: boolean
  grains: Record<string, Plain>
  pillar: Record<string, Plain>
  /** Ids of resources of the type `ssh`. */
  resources: string[]
}

const dict = (entries: Record<string, Plain>): Dict => fromPlain(entries) as Dict

const bank = (entries: Array<[string, Dict]>) => {
  const known = new Map(entries)
  return { list: () => [...known.keys()], fetch: (key: string) => known.get(key) }
}

function knowledgeOf(fleet: readonly Minion[], opts: Dict): MinionKnowledge {
  const seen = fleet.filter(({ isSeen }) => isSeen)
  const banks: Record<string, ReturnType<typeof bank>> = {
    grains: bank(seen.map(({ id, grains }) => [id, dict(grains)])),
    pillar: bank(seen.map(({ id, pillar }) => [id, dict(pillar)])),
    minion_resources: bank(
      fleet.filter((one) => one.resources.length > 0).map((one) => [one.id, dict({ ssh: one.resources })]),
    ),
    resource_grains: bank(
      fleet.flatMap((one) => one.resources.map((id): [string, Dict] => [`ssh:${id}`, dict(one.grains)])),
    ),
  }
  const keys = { list: () => fleet.map(({ id }) => id) }
  return { opts, log: silentLog, keys, cache: { bank: (name: string) => banks[name] ?? bank([]) } } as never
}

/** A master in memory: returns its publication and its answer. */
async function publish(fleet: readonly Minion[], opts: Dict, load: Dict): Promise<{ sent: Dict[]; answer: Dict }> {
  const sent: Dict[] = []
  const known = knowledgeOf(fleet, opts)
  const parts = {
    ...known,
    bus: { fire: () => undefined },
    jobs: { job: () => undefined, saveJob: () => undefined, ledger: { noteEauth: () => undefined } },
    jobCaches: { published: async () => undefined },
    publications: { publish: async (publication: Dict) => sent.push(publication) },
    deliveries: { keep: () => undefined, expected: () => ({ ids: [], seconds: 0 }) },
    syndics: { hasAny: true, listening: () => ['syndic'] },
  } as unknown as MasterParts
  const resolve: TargetResolver['trusted'] = ({ target, kind, delimiter }) => ({
    ...resolveTarget(known, target, kind, delimiter),
    problems: [],
  })
  const targets = { trusted: resolve, foreign: async (request: never) => resolve(request) } as unknown as TargetResolver
  const access = new Access(parts, { owner: 'root', userOf: () => undefined } as unknown as LocalKeys, targets)
  const publishing = new Publishing(parts, { judge: (request) => access.judgePublish(request) })
  return { sent, answer: await publishing.publish(load) }
}

/** Whether a minion, or a resource, accepts a publication. */
function takes(load: Dict, id: string, { grains, pillar }: Pick<Minion, 'grains' | 'pillar'>, opts: Dict): boolean {
  const delimiter = load.get('delimiter')
  const subject = { id, grains: dict(grains), pillar: dict(pillar), opts }
  try {
    const options = typeof delimiter === 'string' ? { delimiter } : {}
    return match(String(load.get('tgt_type')), load.get('tgt')!, subject, options) === true
  } catch (error) {
    if (error instanceof BrineError) return false
    throw error
  }
}

const OSES = ['Debian', 'Rocky', 'a|b']
const nastyId = fc
  .array(fc.constantFrom('a', 'b', 'w', '1', '2', '-', '.', ',', '[', ']', '!', ' ', '*', '(', '@', ':'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((units) => units.join(''))
const plainId = fc.stringMatching(/^[a-c][a-c0-2]{0,3}$/)

const minionOf = (id: fc.Arbitrary<string>, isSeen: fc.Arbitrary<boolean>): fc.Arbitrary<Minion> =>
  fc.record({
    id,
    isSeen,
    grains: fc.record({ os: fc.constantFrom(...OSES), ipv4: fc.constantFrom(['10.0.0.1'], ['10.0.1.1']) }),
    pillar: fc.record({ tier: fc.constantFrom('front', 'back') }),
    resources: fc.constant<string[]>([]),
  })

const nastyFleet = fc
  .tuple(
    fc.uniqueArray(minionOf(nastyId, fc.boolean()), { selector: ({ id }) => id, minLength: 1, maxLength: 5 }),
    fc.uniqueArray(nastyId, { maxLength: 3 }),
  )
  .map(([minions, names]) => {
    const free = names.filter((name) => minions.every(({ id }) => id !== name))
    return minions.map((minion, at) => ({
      ...minion,
      resources: free.filter((_, index) => index % minions.length === at),
    }))
  })

const NODEGROUPS = { fronts: 'a*', both: 'N@fronts or G@os:Debian', odd: ['a', 'b,'] }
const OPTIONS = { nodegroups: NODEGROUPS, minion_data_cache: true }

/** Words of targets, made of the given ids. */
const nastyWord = (ids: readonly string[]): fc.Arbitrary<string> => {
  const id = fc.constantFrom(...ids)
  return fc.oneof(
    id,
    fc.tuple(id, id).map(([one, other]) => `${one},${other}`),
    id.map((one) => `[!,${one},]*`),
    id.map((one) => `${one.slice(0, 1)}*`),
    fc.tuple(fc.constantFrom('L', 'E', 'M', 'T', 'N', 'S', 'R'), id).map(([letter, one]) => `${letter}@${one}`),
    id.map((one) => `T@ssh:${one}`),
    fc.constantFrom(
      '*',
      'G@os:Debian',
      'P@os:^(D|R)',
      'G|@os|Debian',
      'I@tier:fr*',
      'J@tier:b',
      'I@tier:back',
      'S@10.0.0.0/24',
    ),
    fc.constantFrom(
      'N@fronts',
      'N@both',
      'N@odd',
      'T@ssh',
      '[',
      '[!',
      'G@',
      '@',
      'E@(',
      'os:Debian',
      'tier:front',
      'os|Debian',
    ),
  )
}

const OFTEN = ['glob', 'list', 'compound']
const KINDS = ['pcre', 'grain', 'grain_pcre', 'pillar', 'pillar_pcre', 'ipcidr']
const RARE_KINDS = [
  'nodegroup',
  'resource',
  'managing_minion',
  'compound_pillar_exact',
  'pillar_exact',
  'data',
  'nonsense',
]

const nastyTarget = (ids: readonly string[]): fc.Arbitrary<{ tgt: Value; kind: string; delimiter: string }> => {
  const word = fc.oneof(
    { weight: 3, arbitrary: nastyWord(ids) },
    { weight: 2, arbitrary: fc.constantFrom('and', 'or', 'not', '(', ')') },
  )
  const joined = fc
    .array(fc.tuple(nastyWord(ids), fc.constantFrom('and', 'or', 'or', 'and not', 'or (')), {
      minLength: 1,
      maxLength: 3,
    })
    .map((words) => words.flat().slice(0, -1).join(' '))
  return fc.record({
    tgt: fc.oneof(
      joined,
      fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
      nastyWord(ids),
      fc.array(fc.constantFrom(...ids, 'ghost'), { maxLength: 4 }),
    ) as fc.Arbitrary<Value>,
    kind: fc.oneof(
      { weight: 7, arbitrary: fc.constantFrom(...OFTEN) },
      { weight: 2, arbitrary: fc.constantFrom(...KINDS) },
      fc.constantFrom(...RARE_KINDS),
    ),
    delimiter: fc.constantFrom(':', ':', '|', 'o'),
  })
}

const rules = (ids: readonly string[]): fc.Arbitrary<Plain[]> =>
  fc.oneof(
    fc.constantFrom<Plain[]>(
      ['test.*'],
      [{ '*': ['test.*'] }],
      [{ 'G@os:Debian': ['.*'] }],
      [{ 'not G@os:Rocky': ['.*'] }],
      [],
    ),
    nastyWord(ids).map((word): Plain[] => [{ [word]: ['test.*'] }]),
  )

const limitedRun = nastyFleet.chain((fleet) => {
  const ids = fleet.flatMap(({ id, resources }) => [id, ...resources])
  return fc.record({ fleet: fc.constant(fleet), target: nastyTarget(ids), list: rules(ids), orders: fc.boolean() })
})

test('A job of a limited user is taken by the minions that were judged, and by no others', async () => {
  let taken = 0
  await fc.assert(
    fc.asyncProperty(limitedRun, async ({ fleet, target: { tgt, kind, delimiter }, list, orders }) => {
      const opts = dict({ ...OPTIONS, external_auth: { auto: { joe: list } }, order_masters: orders })
      const kwargs = dict({ eauth: 'auto', username: 'joe', password: 'x', delimiter })
      const load = dict({ cmd: 'publish', fun: 'test.ping', arg: [], ret: '', jid: '', user: 'x', tgt_type: kind })
      const { sent, answer } = await publish(fleet, opts, load.set('kwargs', kwargs).set('tgt', tgt) as Dict)
      const said = answer.get('load')
      const judged = new Set(said !== undefined && isDict(said) ? (said.get('minions') as string[]) : [])
      const all = fleet.flatMap((minion) => [minion.id, ...minion.resources].map((id) => ({ ...minion, id })))
      const minionOpts = dict(OPTIONS)
      const takers = all.filter((one) => sent.some((each) => takes(each, one.id, one, minionOpts))).map(({ id }) => id)
      const isEverywhere = list[0] === 'test.*' || (list[0] as Record<string, unknown> | undefined)?.['*'] !== undefined
      // this user's rights hold on every minion of every master, so the minions evaluate the target
      if (orders && isEverywhere) return
      taken += takers.length
      expect(takers.sort()).toEqual([...judged].filter((id) => all.some((one) => one.id === id)).sort())
      if (isEverywhere) return
      const known = knowledgeOf(fleet, opts)
      const covered = list.flatMap((entry) => resolveCertain(known, Object.keys(entry as object)[0]!))
      expect(takers.filter((id) => !covered.includes(id))).toEqual([])
    }),
    { numRuns: 1500 },
  )
  // most random targets match nothing
  expect(taken).toBeGreaterThan(50)
})

const plainWord = (ids: readonly string[]): fc.Arbitrary<string> => {
  const id = fc.constantFrom(...ids)
  return fc.oneof(
    id,
    id.map((one) => `${one.slice(0, 1)}*`),
    fc.tuple(id, id).map(([one, other]) => `L@${one},${other}`),
    fc.constantFrom('*', 'G@os:Debian', 'P@os:^(D|R)', 'I@tier:fr*', 'J@tier:b', 'S@10.0.0.0/24', 'E@[ab]', 'N@fronts'),
  )
}

const plainCompound = (ids: readonly string[]): fc.Arbitrary<string> =>
  fc.letrec<{ expression: string; term: string }>((tie) => ({
    term: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      plainWord(ids),
      plainWord(ids).map((word) => `not ${word}`),
      tie('expression').map((inside) => `( ${inside} )`),
    ),
    expression: fc
      .tuple(tie('term'), fc.array(fc.tuple(fc.constantFrom('and', 'or'), tie('term')), { maxLength: 3 }))
      .map(([first, rest]) => [first, ...rest.map(([operator, term]) => `${operator} ${term}`)].join(' ')),
  })).expression

const ownersRun = fc
  .uniqueArray(minionOf(plainId, fc.constant(true)), { selector: ({ id }) => id, minLength: 1, maxLength: 6 })
  .chain((fleet) => {
    const ids = fleet.map(({ id }) => id)
    const of = (kind: string, tgt: fc.Arbitrary<string>): fc.Arbitrary<[string, string]> =>
      tgt.map((text) => [kind, text])
    const target = fc.oneof(
      { weight: 4, arbitrary: of('compound', plainCompound(ids)) },
      of(
        'glob',
        fc.oneof(
          fc.constantFrom(...ids, '*', '?', '[ab]*'),
          fc.constantFrom(...ids).map((id) => `${id[0]}*`),
        ),
      ),
      of(
        'list',
        fc.array(fc.constantFrom(...ids, 'ghost'), { minLength: 1 }).map((list) => list.join(',')),
      ),
      of('pcre', fc.constantFrom('a', '[ab]', 'a|b', '.*1$')),
      of('grain', fc.constantFrom('os:Debian', 'os:*', 'os:none')),
      of('grain_pcre', fc.constantFrom('os:^D', 'os:o')),
      of('pillar', fc.constantFrom('tier:fr*', 'tier:back')),
      of('ipcidr', fc.constantFrom('10.0.0.1', '10.0.0.0/24', 'x')),
    )
    return fc.record({ fleet: fc.constant(fleet), target })
  })

test('Master and minions find the same minions for targets that they evaluate alike', () => {
  fc.assert(
    fc.property(ownersRun, ({ fleet, target: [kind, tgt] }) => {
      const opts = dict(OPTIONS)
      const load = dict({ tgt, tgt_type: kind })
      const takers = fleet.filter((minion) => takes(load, minion.id, minion, opts)).map(({ id }) => id)
      expect(takers.sort()).toEqual(resolveTarget(knowledgeOf(fleet, opts), tgt, kind).minions.sort())
    }),
    { numRuns: 1500 },
  )
})
