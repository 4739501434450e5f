// Loads every module of the Salt extensions that an interpreter has, and says what each gives: `BRINE_EXTENSIONS` is the
// interpreter, such as that of a virtual environment. With `SALT_TREE` (and `SALT_PYTHONPATH`) a real Salt loads the same, and
// differences are listed. Ends with 1 when an extension that Salt loads does not load here completely.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../src/base/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { collectGrains } from '../../src/grains/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import type { ModuleFacts } from '../../src/pybridge/declare.ts'
import { describeHere } from '../../src/pybridge/describe.ts'
import { functionScope } from '../../src/pybridge/mod.ts'
import { userModules } from '../../src/pybridge/user-modules.ts'
import { filesIn } from '../../src/python/folders.ts'
import { type Extension, installedExtensions } from '../../src/python/mod.ts'

interface Loaded {
  functions: Set<string>
  missing: Map<string, string>
}

/** Folders in a package that Salt's loader knows. */
const KINDS = new Set(
  `auth beacons cache clouds engines executors fileserver grains log_handlers matchers metaproxy modules netapi output pillar
  pkgdb pkgfiles proxy queues renderers resources returners roster runners sdb serializers states thorium tokens tops wheel
  wrapper`.split(/\s+/),
)

const keyOf = (kind: string, folder: string): string => `${kind} ${folder}`

async function loadsHere(registry: Registry, extensions: readonly Extension[]): Promise<Map<string, Loaded>> {
  const all = new Map<string, Loaded>()
  for (const extension of extensions) {
    for (const [kind, folder] of foldersOf(extension)) {
      const files = filesIn(folder).map((file) => ({ ...file, extension }))
      const loaded: Loaded = { functions: new Set(), missing: new Map() }
      for (const facts of await describeHere(functionScope(registry.ctx), kind, files)) {
        if (facts.reason !== undefined) loaded.missing.set(facts.file, facts.reason)
        else for (const name of servedNames(facts)) loaded.functions.add(name)
      }
      all.set(keyOf(kind, folder), loaded)
    }
  }
  return all
}

const servedNames = ({ name, aliases, functions }: ModuleFacts): string[] =>
  [name, ...aliases].flatMap((module) => [...functions.keys()].map((fun) => `${module}.${fun}`))

const foldersOf = ({ folders }: Extension): [string, string][] =>
  [...folders]
    .filter(([kind]) => KINDS.has(kind))
    .flatMap(([kind, paths]) => paths.map((path): [string, string] => [kind, path]))

/** Return the modules that a real Salt loads; undefined without one. */
function loadsInSalt(python: string, extensions: readonly Extension[]): Map<string, Loaded> | undefined {
  const tree = process.env['SALT_TREE']
  if (!tree) return undefined
  const root = mkdtempSync(join(tmpdir(), 'brine-extensions-'))
  try {
    const conf = join(root, 'minion')
    writeFileSync(conf, `id: m1\nroot_dir: ${root}\nfile_client: local\nlog_level_logfile: quiet\n`)
    const path = [tree, process.env['SALT_PYTHONPATH']].filter(Boolean).join(':')
    const { stdout, stderr } = spawnSync(python, [new URL('salt_loads.py', import.meta.url).pathname, conf], {
      input: JSON.stringify(extensions.flatMap(foldersOf)),
      env: { ...process.env, PYTHONPATH: path },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
    if (stdout === '') throw new Error(`Salt did not answer: ${stderr}`)
    const told = JSON.parse(stdout) as { kind: string; folder: string; functions: string[]; missing: object }[]
    return new Map(
      told.map(({ kind, folder, functions, missing }) => [
        keyOf(kind, folder),
        { functions: new Set(functions), missing: new Map(Object.entries(missing)) },
      ]),
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const without = (all: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
  [...all].filter((name) => !others.has(name)).sort()

/** Print what an extension gives; whether all that Salt loads is there. */
function report(extension: Extension, here: Map<string, Loaded>, salt: Map<string, Loaded> | undefined): boolean {
  let isComplete = true
  process.stdout.write(`${extension.name} ${extension.version}\n`)
  for (const [kind, folder] of foldersOf(extension)) {
    const own = here.get(keyOf(kind, folder))!
    const theirs = salt?.get(keyOf(kind, folder))
    const count = theirs ? `${own.functions.size} of ${theirs.functions.size}` : `${own.functions.size}`
    process.stdout.write(`  ${kind}: ${count} functions\n`)
    for (const [file, reason] of own.missing) process.stdout.write(`    ${file} does not serve: ${reason}\n`)
    if (!theirs) continue
    const [lacking, further] = [without(theirs.functions, own.functions), without(own.functions, theirs.functions)]
    if (lacking.length > 0) process.stdout.write(`    only in Salt: ${lacking.join(' ')}\n`)
    if (further.length > 0) process.stdout.write(`    only here: ${further.join(' ')}\n`)
    isComplete &&= lacking.length === 0
  }
  return isComplete
}

async function main(): Promise<number> {
  const python = process.env['BRINE_EXTENSIONS']
  if (!python) {
    process.stderr.write('Set BRINE_EXTENSIONS to the Python interpreter that has the extensions\n')
    return 2
  }
  const root = mkdtempSync(join(tmpdir(), 'brine-extensions-'))
  const opts: Dict = new Map<Value, Value>([
    ['id', 'm1'],
    ['cachedir', root],
    ['extension_modules', root],
    ['file_client', 'local'],
    ['file_roots', new Map([['base', []]])],
    ['python_executable', python],
  ])
  const log: Log = (level, text) =>
    ['warning', 'error', 'critical'].includes(level) && process.stdout.write(`[${level}] ${text}\n`)
  const host = new LocalHost()
  const grains = await collectGrains({ opts, host, log })
  const registry = new Registry(moduleTable, { opts, grains, pillar: new Map(), host, log, userModules })
  await registry.refresh()
  const extensions = installedExtensions(opts, log)
  const here = await loadsHere(registry, extensions)
  const salt = loadsInSalt(python, extensions)
  const complete = extensions.filter((extension) => report(extension, here, salt))
  process.stdout.write(`${complete.length} of ${extensions.length} extensions load completely\n`)
  rmSync(root, { recursive: true, force: true })
  return complete.length === extensions.length ? 0 : 1
}

process.exitCode = await main()
