// `npm run -s bench -- <name>`: bundles bench/<name>.ts as a release would be and runs it. A bench exports
// `default (context) => boolean`: whether it reached its goals. Exit 1 when it did not, 2 when it could not run.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as esbuild from 'esbuild'

export interface BenchContext {
  /** The repository. */
  root: string
  args: string[]
  /** Bundles another program of bench/ and gives the path of the result. */
  bundle(name: string): Promise<string>
}

export type Bench = (context: BenchContext) => Promise<boolean>

const root = join(import.meta.dirname, '..')

async function bundle(name: string): Promise<string> {
  const outfile = join(root, '.brine', 'bench', `${name}.mjs`)
  const entryPoints = [join(root, 'bench', `${name}.ts`)]
  await esbuild.build({
    entryPoints,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // these find files of their own beside them
    external: ['libsql', 'playwright-core'],
  })
  return outfile
}

function benchNames(): string[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts'))
  return files
    .filter((file) => /export default .*Bench/.test(readFileSync(join(import.meta.dirname, file), 'utf8')))
    .map((file) => file.slice(0, -'.ts'.length))
}

async function main([name, ...args]: string[]): Promise<number> {
  const names = benchNames()
  if (name === undefined || !names.includes(name)) {
    process.stderr.write(`Name one bench of: ${names.join(', ')}\n`)
    return 2
  }
  const bench: Bench = (await import(await bundle(name))).default
  try {
    return (await bench({ root, args, bundle })) ? 0 : 1
  } catch (error) {
    // the bundle has a separate class, so the name is compared
    if (!(error instanceof Error && error.constructor.name === 'NoPeerError')) throw error
    process.stderr.write(`${error.message}\n`)
    return 2
  }
}

process.exitCode = await main(process.argv.slice(2))
