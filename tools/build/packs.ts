// Parts that commands load together in one file, a pack. Most parts are small, and opening, reading and compiling a file costs more than
// its text. Two parts are in one pack when the same programs import them at their start and the same rehearsals load them, so no command
// reads a part that it does not use.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Metafile } from 'esbuild'
import { rehearse } from './rehearsals.ts'

/** Files that daemons load later than their own imports, but always. A daemon whose packs have nothing else holds less memory. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  'salt-master': [
    'src/master/master.ts',
    'src/pillar/minion-pillar.ts',
    'src/pybridge/log-handlers.ts',
    'src/wire/transport/zeromq.ts',
  ],
  'salt-minion': [
    'src/library/salt/config/module.ts',
    'src/library/salt/mine/module.ts',
    'src/library/salt/test/module.ts',
    'src/minion/minion.ts',
    'src/pybridge/grains-modules.ts',
    'src/pybridge/log-handlers.ts',
    'src/pybridge/user-modules.ts',
    'src/wire/transport/zeromq.ts',
    'src/yaml/dump/dump.ts',
  ],
}

/** The parts that esbuild made. */
export interface Parts {
  /** The parts that each part imports when it is loaded; parts that a function imports when it is called are not listed. */
  imports: ReadonlyMap<string, readonly string[]>
  /** The part that begins with a file: a program, or a file that something loads later. */
  ofFile: ReadonlyMap<string, string>
}

export function partsOf({ outputs }: Metafile): Parts {
  const all = Object.entries(outputs)
  const imports = all.map(([file, { imports }]) => {
    const direct = imports.filter(({ kind, external }) => kind === 'import-statement' && !external)
    return [basename(file), direct.map(({ path }) => basename(path))] as const
  })
  const ofFile = all.flatMap(([file, { entryPoint }]) => (entryPoint ? [[entryPoint, basename(file)] as const] : []))
  return { imports: new Map(imports), ofFile: new Map(ofFile) }
}

/** Return the parts that a program loads before its first line runs; those of a daemon until it has started. */
function startOf(program: string, { imports, ofFile }: Parts): Set<string> {
  const found = new Set<string>()
  const started = (STARTED[program] ?? []).map((file) => {
    const part = ofFile.get(file)
    if (part === undefined)
      throw new Error(`${file}: nothing loads it when it is called, so ${program} need not name it`)
    return part
  })
  const waiting = [`${program}.js`, ...started]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (found.has(part)) continue
    found.add(part)
    waiting.push(...(imports.get(part) ?? []))
  }
  return found
}

/** Return the parts that each rehearsal loaded. */
function rehearsed(root: string, outdir: string): Set<string>[] {
  const folder = mkdtempSync(join(tmpdir(), 'brine-build-'))
  try {
    const file = join(folder, 'parts')
    rehearse(root, outdir, { BRINE_RECORD_PARTS: file })
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.map((line) => new Set(JSON.parse(line) as string[]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Put the parts of `programs` into packs, and write where each is. */
export function packParts(root: string, outdir: string, programs: readonly string[], all: Parts): void {
  const folder = join(outdir, 'parts')
  const textOf = (part: string): string => readFileSync(join(folder, part), 'utf8')
  const uses = [...programs.map((program) => startOf(program, all)), ...rehearsed(root, outdir)]
  const groups = new Map<string, string[]>()
  for (const part of [...new Set(uses.flatMap((use) => [...use]))].sort()) {
    const key = uses.map((use) => (use.has(part) ? '1' : '0')).join('')
    groups.set(key, [...(groups.get(key) ?? []), part])
  }
  const packs: Record<string, string> = {}
  for (const parts of groups.values()) {
    if (parts.length === 1) continue
    const functions = parts.map((part) => `${JSON.stringify(part)}:function(exports,require,module){${textOf(part)}\n}`)
    const text = `({${functions.join(',\n')}})\n`
    // a daemon that an upgrade replaced finds its own packs by their names
    const name = `pack-${createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()}.js`
    writeFileSync(join(folder, name), text)
    for (const part of parts) {
      packs[part] = name
      rmSync(join(folder, part))
    }
  }
  writeFileSync(join(folder, 'packs.json'), `${JSON.stringify(packs)}\n`)
}
