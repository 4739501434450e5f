// The folder a recorded case lives in: made from its files and setup, and looked at afterwards.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Json } from '../area.ts'

const FOLDERS = ['salt', 'pillar', 'out', 'etc/minion.d', 'tmp', 'home']
const BASE = tmpdir()

/** The placeholder for the folder's own path in recordings. */
const PLACEHOLDER = '<ROOT>'

export class CaseRoot {
  readonly path: string

  constructor() {
    this.path = mkdtempSync(join(BASE, 'brine-case-'))
    for (const folder of FOLDERS) mkdirSync(join(this.path, folder), { recursive: true })
  }

  /** Puts the real path into recorded data. */
  fill<T extends Json>(data: T): T {
    return replaceTexts(data, PLACEHOLDER, this.path) as T
  }

  /** Puts the placeholder back. */
  strip<T extends Json>(data: T): T {
    return replaceTexts(data, this.path, PLACEHOLDER) as T
  }

  write(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.path, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text.replaceAll(PLACEHOLDER, this.path))
    }
  }

  /** Shell commands in this folder. */
  run(commands: readonly string[]): void {
    for (const command of commands) {
      execFileSync('sh', ['-c', command.replaceAll(PLACEHOLDER, this.path)], { cwd: this.path, stdio: 'ignore' })
    }
  }

  /** The tree below `out`: path → content. */
  out(): Record<string, Json> {
    const found: Record<string, Json> = {}
    if (existsSync(join(this.path, 'out'))) walk(join(this.path, 'out'), '', found)
    return found
  }

  remove(): void {
    process.chdir(BASE)
    rmSync(this.path, { recursive: true, force: true })
  }
}

function replaceTexts(data: Json, from: string, to: string): Json {
  if (typeof data === 'string') return data.replaceAll(from, to)
  if (Array.isArray(data)) return data.map((item) => replaceTexts(item, from, to))
  if (data === null || typeof data !== 'object') return data
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key.replaceAll(from, to), replaceTexts(value, from, to)]),
  )
}

function walk(folder: string, below: string, found: Record<string, Json>): void {
  for (const name of readdirSync(folder).sort()) {
    if (name === '.git') continue
    const path = join(folder, name)
    const relative = below === '' ? name : `${below}/${name}`
    const stat = lstatSync(path)
    const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0')
    if (stat.isSymbolicLink()) found[relative] = { link: readlinkSync(path) }
    else if (stat.isDirectory()) {
      found[relative] = { mode, dir: true }
      chmodSync(path, stat.mode | 0o700)
      walk(path, relative, found)
    } else if (stat.isFile()) found[relative] = { mode, ...content(path) }
    else found[relative] = { other: true }
  }
}

function content(path: string): { text: string } | { size: number } {
  const bytes = readFileSync(path)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { size: bytes.length }
  }
}
