// `npm run build`: one small program per command in dist/, with what several of them use split into shared parts.
// A command loads a part only when it needs it; that is what keeps start-up near that of Node alone.
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as esbuild from 'esbuild'

/** Files of src/cli/ that are programs: those with a `#!` line. */
function programs(root: string): string[] {
  const folder = join(root, 'src', 'cli')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && readFileSync(join(folder, file), 'utf8').startsWith('#!'))
    .map((file) => join(folder, file))
}

export async function build(root: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const outdir = join(root, 'dist')
  rmSync(outdir, { recursive: true, force: true })
  const entries = programs(root)
  await esbuild.build({
    entryPoints: entries,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    chunkNames: 'parts/[name]-[hash]',
    // names stay readable in stack traces
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'external',
    define: { BRINE_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  })
  for (const file of readdirSync(outdir)) if (file.endsWith('.js')) chmodSync(join(outdir, file), 0o755)
}

if (import.meta.filename === process.argv[1]) await build(join(import.meta.dirname, '..'))
