// Published packages of npm, each fetched once and kept below .brine/packages. The bytes must have the SHA-512 in
// package-lock.json or here: neither the registry nor the kept copy is trusted.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../command.ts'
import { type Architecture, NAMES } from './target.ts'

export interface Published {
  name: string
  version: string
  integrity: string
}

/** The Node that packages bring: published builds of nodejs.org as packages of npm. */
const NODE_VERSION = '22.23.3'

const NODE_INTEGRITY: Readonly<Record<Architecture, string>> = {
  amd64: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  arm64: 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
}

export const nodeFor = (architecture: Architecture): Published => ({
  name: `node-linux-${NAMES[architecture].node}`,
  version: NODE_VERSION,
  integrity: NODE_INTEGRITY[architecture],
})

/** Unpack a package into a folder. */
export async function unpack(root: string, wanted: Published, folder: string): Promise<void> {
  const tarball = await fetched(root, wanted)
  mkdirSync(folder, { recursive: true })
  await command(root, 'tar', ['-xzf', tarball, '-C', folder, '--strip-components=1', '--no-same-owner'])
}

async function fetched(root: string, { name, version, integrity }: Published): Promise<string> {
  const kept = join(root, '.brine', 'packages')
  const file = join(kept, `${name.replace('/', '+')}-${version}.tgz`)
  if (existsSync(file) && integrityOf(file) === integrity) return file
  mkdirSync(kept, { recursive: true })
  const folder = mkdtempSync(join(kept, 'fetch-'))
  try {
    const options = ['--silent', '--ignore-scripts', '--fetch-retries=1', '--pack-destination', folder]
    await command(root, 'npm', ['pack', `${name}@${version}`, ...options])
    const [tarball] = readdirSync(folder)
    if (tarball === undefined) throw new Error(`npm fetched nothing for ${name}@${version}`)
    const found = integrityOf(join(folder, tarball))
    if (found !== integrity)
      throw new Error(`${name}@${version} has the checksum ${found}, and should have ${integrity}`)
    renameSync(join(folder, tarball), file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return file
}

const integrityOf = (file: string): string =>
  `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`

async function command(root: string, program: string, words: string[]): Promise<void> {
  const { code, output } = await runCommand(root, program, words)
  if (code !== 0) throw new Error(`${program} ${words.slice(0, 2).join(' ')} exited with ${code}: ${output.trim()}`)
}
