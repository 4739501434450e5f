// The package `brine/sdk` for users: its types, for editors, and a script for running modules outside of Brine, in
// users' tests.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as esbuild from 'esbuild'

const SOURCE_IMPORT = /(["'])(\.{1,2}\/[^"']+)\.ts\1/g

/** Declarations of the sdk and of all that it speaks of. */
export function emitTypes(root: string, folder: string): void {
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const { stdout, stderr } = spawnSync(tsc, ['-p', join(root, 'tsconfig.types.json'), '--outDir', folder], {
    encoding: 'utf8',
  })
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'))
  if (files.length === 0) throw new Error(`No types were made: ${stdout}${stderr}`)
  for (const file of files) {
    const path = join(folder, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(SOURCE_IMPORT, '$1$2.js$1'))
  }
}

/** Return the version that the build writes into programs and the sdk. */
export function packageVersion(root: string): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
}

export async function bundleSdk(root: string, file: string): Promise<void> {
  await esbuild.build({
    entryPoints: [join(root, 'src', 'sdk', 'mod.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    define: { BRINE_VERSION: JSON.stringify(packageVersion(root)) },
    packages: 'external',
    logLevel: 'warning',
    logOverride: { 'empty-import-meta': 'silent' },
  })
}
