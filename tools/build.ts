// `npm run build`: one small program per command in dist/, with what several of them use split into shared parts.
// A command loads a part only when it needs it, and its compiled form where there is one; that is what keeps start-up
// near that of Node alone.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import * as esbuild from 'esbuild'
import { ownRelease } from '../src/upkeep/mod.ts'
import { compileAhead } from './build/compile-ahead.ts'
import { buildConsole } from './build/console.ts'
import { pastFaces } from './build/faces.ts'
import { type Parts, packParts, partsOf } from './build/packs.ts'
import { bundleSdk, emitTypes, packageVersion } from './build/sdk.ts'
import { writeCompletion } from './completion.ts'
import { writeManPages } from './man.ts'

interface Program {
  name: string
  file: string
  /** Whether it is a daemon. */
  lasts: boolean
}

const DAEMONS: ReadonlySet<string> = new Set(['salt-api', 'salt-master', 'salt-minion', 'salt-proxy', 'salt-syndic'])

/** Files of src/cli/ that are programs: those with a `#!` line. */
function programs(root: string): Program[] {
  const folder = join(root, 'src', 'cli')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && readFileSync(join(folder, file), 'utf8').startsWith('#!'))
    .map((file) => ({
      name: basename(file, '.ts'),
      file: join(folder, file),
      lasts: DAEMONS.has(basename(file, '.ts')),
    }))
}

const COMMON: esbuild.CommonOptions = {
  platform: 'node',
  target: 'node20.19',
  // names stay readable in stack traces
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  // `import.meta` is used only where the code runs from source
  logOverride: { 'empty-import-meta': 'silent' },
}

/** Bundle with shared parts, which esbuild supports only for ES modules; return the parts. */
async function bundle(root: string, all: Program[], folder: string): Promise<Parts> {
  const { metafile } = await esbuild.build({
    ...COMMON,
    entryPoints: all.map(({ file }) => file),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    chunkNames: '[name]-[hash]',
    // they have native parts
    external: ['libsql', 'ldapts'],
    define: { BRINE_VERSION: JSON.stringify(packageVersion(root)) },
    plugins: [pastFaces(join(root, 'src'))],
    metafile: true,
  })
  return partsOf(metafile)
}

/** Scripts instead of modules: only these can be loaded in compiled form. */
async function toScript(from: string, to: string): Promise<void> {
  const text = readFileSync(from, 'utf8')
  const { code } = await esbuild.transform(text, { ...COMMON, format: 'cjs', supported: { 'dynamic-import': false } })
  writeFileSync(to, code.replace(/^#!.*\n/, ''))
}

const starter = ({ name, lasts }: Program): string =>
  `#!/usr/bin/env node\nrequire('./parts/program-loader.cjs').start('${name}', { lasts: ${lasts} })\n`

/** Python's own compiled forms stay behind. */
const isSource = (path: string): boolean => basename(path) !== '__pycache__'

/** `hasPacks`: whether parts that are loaded together lie in one file; an executable of one file has no use for that. */
export async function build(root: string, outdir = join(root, 'dist'), { hasPacks = true } = {}): Promise<void> {
  rmSync(outdir, { recursive: true, force: true })
  const parts = join(outdir, 'parts')
  mkdirSync(parts, { recursive: true })
  const all = programs(root)
  const modules = mkdtempSync(join(tmpdir(), 'brine-build-'))
  let made: Parts
  try {
    made = await bundle(root, all, modules)
    await Promise.all(readdirSync(modules).map((file) => toScript(join(modules, file), join(parts, file))))
  } finally {
    rmSync(modules, { recursive: true })
  }
  writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n')
  writeFileSync(join(outdir, 'release.json'), `${JSON.stringify(ownRelease())}\n`)
  copyFileSync(join(import.meta.dirname, 'build', 'program-loader.cjs'), join(parts, 'program-loader.cjs'))
  for (const program of all) {
    const file = join(outdir, `${program.name}.js`)
    writeFileSync(file, starter(program))
    chmodSync(file, 0o755)
  }
  cpSync(join(root, 'python'), join(outdir, 'python'), { recursive: true, filter: isSource })
  if (hasPacks) {
    const names = all.map(({ name }) => name)
    packParts(root, outdir, names, made)
  }
  compileAhead(root, outdir)
  compilePython(join(outdir, 'python'))
  await buildConsole(root, join(outdir, 'console'))
  await bundleSdk(root, join(outdir, 'sdk.js'))
  await writeManPages(root, join(outdir, 'man'))
  await writeCompletion(root, join(outdir, 'completion'))
  // the package is made of dist/ alone
  if (outdir === join(root, 'dist')) emitTypes(root, join(outdir, 'types'))
}

/** The compiled forms for the Python that is here; any other makes its own. */
function compilePython(folder: string): void {
  spawnSync('python3', ['-m', 'compileall', '-q', '--invalidation-mode', 'checked-hash', folder], { stdio: 'ignore' })
}

if (import.meta.filename === process.argv[1]) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'no-packs': { type: 'boolean' } } })
  await build(join(import.meta.dirname, '..'), positionals[0], { hasPacks: values['no-packs'] !== true })
}
