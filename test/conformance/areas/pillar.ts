// Pillar: the data compiled from files, options and overrides, and the results of functions over a compiled pillar
// (cases/pillar/README.md). The order of keys from `file_tree` is that of the disk, so it is not compared.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BrineError } from '../../../src/base/mod.ts'
import type { Dict, Value } from '../../../src/data/mod.ts'
import { LocalHost } from '../../../src/host/mod.ts'
import { moduleTable, Registry } from '../../../src/loader/mod.ts'
import { compilePillar, LocalPillar } from '../../../src/pillar/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { decodeTyped } from '../typed-json.ts'

interface Fixture {
  minion: string
  grains: Json
  functions_pillar: Json
  gpg: { secret_key: string }
}

const fixture = JSON.parse(readFileSync(join(import.meta.dirname, '../cases/pillar/fixture.json'), 'utf8')) as Fixture

const grains = decodeTyped(fixture.grains) as Dict
const host = new LocalHost()

/** Options of a master that the cases do not set. */
const MASTER: ReadonlyArray<[string, Value]> = [
  ['id', 'master_master'],
  ['renderer', 'jinja|yaml'],
  ['state_top', 'top.sls'],
  ['nodegroups', new Map()],
  ['ext_pillar', []],
  ['on_demand_ext_pillar', ['libvirt', 'virtkey']],
  ['pillar_source_merging_strategy', 'smart'],
  ['pillar_merge_lists', false],
  ['pillar_includes_override_sls', false],
  ['pillar_safe_render_error', true],
  ['ssh_merge_pillar', true],
  ['decrypt_pillar_renderers', ['gpg']],
]

let keydir: Promise<string> | undefined

/** Made once; a key takes a moment to import. */
function gpgKeys(): Promise<string> {
  keydir ??= importKeys()
  return keydir
}

async function importKeys(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'brine-gpg-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  await host.run({ argv: ['gpg', '--homedir', directory, '--batch', '--import'], stdin: fixture.gpg.secret_key })
  return directory
}

function inRoot<T extends Json>(json: T, root: string): T {
  return JSON.parse(JSON.stringify(json).replaceAll('<ROOT>', root)) as T
}

async function options(testCase: Case, root: string): Promise<Dict> {
  const opts: Dict = new Map<Value, Value>(MASTER)
  const roots = (testCase['roots'] ?? { base: ['base'] }) as Record<string, string[]>
  opts.set(
    'pillar_roots',
    new Map(Object.entries(roots).map(([env, folders]) => [env, folders.map((folder) => join(root, folder))])),
  )
  opts.set('gpg_keydir', testCase['gpg'] ? await gpgKeys() : join(root, 'gpgkeys'))
  for (const [name, value] of decodeTyped(inRoot((testCase['opts'] ?? {}) as Json, root)) as Dict) opts.set(name, value)
  return opts
}

async function compiled(testCase: Case, root: string): Promise<Value> {
  for (const [path, text] of Object.entries(testCase['files'] as Record<string, string>)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text.replaceAll('<ROOT>', root))
  }
  const { pillar } = await compilePillar({
    opts: await options(testCase, root),
    grains,
    minionId: (testCase['minion'] as string | undefined) ?? fixture.minion,
    host,
    saltenv: (testCase['saltenv'] as string | undefined) ?? null,
    pillarenv: (testCase['pillarenv'] as string | undefined) ?? null,
    ext: decodeTyped(inRoot((testCase['ext'] ?? null) as Json, root)),
    override: decodeTyped(inRoot((testCase['override'] ?? null) as Json, root)),
    functions: (opts, pillar) => new Registry(moduleTable, { opts, grains, pillar, host, masked: false }),
  })
  return usesFileTree(testCase) ? inKeyOrder(pillar) : pillar
}

const usesFileTree = (testCase: Case): boolean => JSON.stringify(testCase['opts'] ?? '').includes('"file_tree"')

function inKeyOrder(value: Value): Value {
  if (!(value instanceof Map)) return value
  return new Map([...value].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)).map(([k, v]) => [k, inKeyOrder(v)]))
}

async function called(testCase: Case, root: string, unmask: boolean): Promise<Value> {
  const pillar = decodeTyped(fixture.functions_pillar) as Dict
  mkdirSync(join(root, 'base'), { recursive: true })
  writeFileSync(join(root, 'base/top.sls'), '')
  const opts = (await options(testCase, root)).set('pillar', pillar).set('id', fixture.minion)
  const bare = new Registry(moduleTable, { opts, grains, pillar, host })
  const { freshPillar, pillarOrigins } = new LocalPillar({ opts, grains, host, registry: bare })
  const registry = bare.with({ freshPillar, pillarOrigins })
  const fun = testCase['fun'] as string
  const kwargs = new Map(decodeTyped((testCase['kwargs'] ?? {}) as Json) as Map<string, Value>)
  if (unmask && 'masked' in testCase) kwargs.set('unmask', true)
  try {
    return await registry.call(fun, decodeTyped(testCase['args'] as Json) as Value[], kwargs)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    return failure(error)
  }
}

const failure = (error: BrineError): Dict =>
  new Map<Value, Value>([
    ['error', error.code],
    ['message', error.message],
  ])

/** A failure within a recorded answer, as a plain dict. */
function plainFailure(json: Json): Json {
  const isFailure = json !== null && typeof json === 'object' && '$error' in json
  return isFailure ? { error: json['$error']!, message: json['message']! } : json
}

function answersOf(testCase: Case): Json {
  const answers: Record<string, Json> = { result: plainFailure(testCase['result'] as Json) }
  if ('masked' in testCase) answers['masked'] = plainFailure(testCase['masked'] as Json)
  return answers
}

function withoutRoot(value: Value, root: string): Value {
  if (typeof value === 'string') return value.replaceAll(root, '<ROOT>')
  if (Array.isArray(value)) return value.constructor === Array ? value.map((item) => withoutRoot(item, root)) : value
  if (value instanceof Map) for (const [key, item] of value) value.set(key, withoutRoot(item, root))
  return value
}

async function answer(testCase: Case, root: string): Promise<Value> {
  if (!('fun' in testCase)) return compiled(testCase, root)
  const answers: Dict = new Map([['result', await called(testCase, root, true)]])
  if ('masked' in testCase) answers.set('masked', await called(testCase, root, false))
  return answers
}

/** A sorted copy of the recorded pillar, for cases whose order is the disk's. */
function sortedJson(json: Json): Json {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return json
  const entries = Object.entries(json).map(([key, value]): [string, Json] => [key, sortedJson(value)])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const area: Area = {
  name: 'pillar',
  recorded(testCase) {
    if ('fun' in testCase) return { expect: answersOf(testCase) }
    const { error } = testCase as unknown as { error?: string }
    if (error !== undefined) return { error: { class: error, message: testCase['message'] as string } }
    const pillar = testCase['pillar'] as Json
    return { expect: usesFileTree(testCase) ? sortedJson(pillar) : pillar }
  },
  async run(testCase: Case): Promise<Outcome> {
    const root = mkdtempSync(join(tmpdir(), 'brine-pillar-'))
    try {
      return { expect: withoutRoot(await answer(testCase, root), root) }
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      // the class of Python's `re.error` is just `error`
      return { error: { class: error.code.replace(/^re\./, ''), message: error.message.replaceAll(root, '<ROOT>') } }
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  },
}

export default area
