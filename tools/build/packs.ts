// Parts that commands load together in one file, a pack. Most parts are small, and opening, reading and compiling a file costs more than
// its text. Two parts are in one pack when the same programs import them at their start and the same rehearsals load them, so no command
// reads a part that it does not use.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Metafile } from 'esbuild'
import { rehearse } from './rehearsals.ts'

/** Parts that each part imports; those that it loads later, when something in it is called, are not among them. */
export type PartImports = ReadonlyMap<string, readonly string[]>

/** Return the imports of the parts that esbuild made. */
export function partImports({ outputs }: Metafile): PartImports {
  return new Map(
    Object.entries(outputs).map(([file, { imports }]) => [
      basename(file),
      imports
        .filter(({ kind, external }) => kind === 'import-statement' && !external)
        .map(({ path }) => basename(path)),
    ]),
  )
}

/** Return the parts that a program loads before its first line runs. */
function startOf(program: string, imports: PartImports): Set<string> {
  const found = new Set<string>()
  const waiting = [`${program}.js`]
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
export function packParts(root: string, outdir: string, programs: readonly string[], imports: PartImports): void {
  const folder = join(outdir, 'parts')
  const textOf = (part: string): string => readFileSync(join(folder, part), 'utf8')
  const uses = [...programs.map((program) => startOf(program, imports)), ...rehearsed(root, outdir)]
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
