// `npm run one-file [-- --program salt-minion|salt-call --arch x64|arm64 --out FILE]`: a program with Node and all its parts in one
// executable, as Node's manual of single executable applications describes. A minion answers to the name salt-call, too.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import * as esbuild from 'esbuild'
import { runCommand } from './command.ts'
import { nodeOf } from './nodes.ts'

/** The version of Node inside: one whose support lasts and that needs no library beyond those of the smallest Debian. */
const MAJOR = 24

/** The text by which Node recognises such a program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const ARCHITECTURES = ['x64', 'arm64']

/** The contained programs, by name; the first handles unknown names. */
const CONTENTS: Readonly<Record<string, { file: string; programs: { name: string; lasts: boolean }[] }>> = {
  'salt-minion': {
    file: 'brine-minion',
    programs: [
      { name: 'salt-minion', lasts: true },
      { name: 'salt-call', lasts: false },
    ],
  },
  'salt-call': { file: 'salt-call', programs: [{ name: 'salt-call', lasts: false }] },
}

async function assertDone(root: string, command: string, args: string[]): Promise<void> {
  const { code, output } = await runCommand(root, command, args)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`)
}

async function assertNode(root: string, arch: string): Promise<string> {
  const node = await nodeOf(root, MAJOR, arch)
  if (node === undefined) throw new Error(`npm cannot install Node ${MAJOR} for ${arch}`)
  return node
}

/** Return the names of the parts that programs can load. */
function partsOf(folder: string, programs: readonly string[]): Set<string> {
  const found = new Set<string>()
  const waiting = programs.map((name) => `${name}.js`)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    found.add(name)
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, other] of text.matchAll(/require\("\.\/([^"]+\.js)"\)/g)) waiting.push(other!)
  }
  return found
}

/** Return the sources of users' Python side as one text; other files, such as compiled forms, are left out. */
function pythonText(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.py'))
    .sort()
  return JSON.stringify(Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')])))
}

/** Write the assets and the description of the program for Node; return the path of the description. */
async function describe(root: string, work: string, program: string): Promise<string> {
  const { programs } = CONTENTS[program]!
  const parts = join(work, 'dist', 'parts')
  const names = [
    ...partsOf(
      parts,
      programs.map(({ name }) => name),
    ),
  ].sort()
  const coded = names
    .filter((name) => statSync(join(parts, `${name}.code`), { throwIfNoEntry: false }))
    .map((name) => `${name}.code`)
  const all = [...names, ...coded]
  const made = {
    'one-file.json': JSON.stringify({ programs, names: all }),
    'python.json': pythonText(join(work, 'dist', 'python')),
  }
  for (const [name, text] of Object.entries(made)) writeFileSync(join(work, name), text)
  await esbuild.build({
    entryPoints: [join(root, 'tools', 'one-file', 'main.cjs')],
    outfile: join(work, 'main.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: `node${MAJOR}`,
    external: ['node:sea'],
    logLevel: 'warning',
  })
  const assets = Object.fromEntries([
    ...all.map((name) => [name, join(parts, name)]),
    ...Object.keys(made).map((name) => [name, join(work, name)]),
  ])
  const description = join(work, 'sea.json')
  const options = {
    main: join(work, 'main.cjs'),
    output: join(work, 'blob'),
    assets,
    disableExperimentalSEAWarning: true,
  }
  writeFileSync(description, JSON.stringify(options))
  return description
}

export async function buildOneFile(root: string, program: string, arch: string, output: string): Promise<void> {
  const builder = await assertNode(root, process.arch)
  const executable = await assertNode(root, arch)
  const work = mkdtempSync(join(tmpdir(), 'brine-one-file-'))
  try {
    // the compiled forms of parts are those of the Node inside
    await assertDone(root, builder, ['--import', 'tsx', join('tools', 'build.ts'), '--no-packs', join(work, 'dist')])
    const description = await describe(root, work, program)
    await assertDone(root, builder, ['--experimental-sea-config', description])
    // under a temporary name until it is whole
    const fresh = `${output}.new`
    mkdirSync(dirname(output), { recursive: true })
    copyFileSync(executable, fresh)
    const postject = join(root, 'node_modules', '.bin', 'postject')
    await assertDone(root, postject, [fresh, 'NODE_SEA_BLOB', join(work, 'blob'), '--sentinel-fuse', FUSE])
    chmodSync(fresh, 0o755)
    renameSync(fresh, output)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { program: text, arch: text, out: text } })
  const { program = 'salt-minion', arch = process.arch } = values
  const content = Object.hasOwn(CONTENTS, program) ? CONTENTS[program] : undefined
  if (!content || !ARCHITECTURES.includes(arch)) {
    const known = `--program ${Object.keys(CONTENTS).join('|')}, --arch ${ARCHITECTURES.join('|')}`
    process.stderr.write(`There is no one-file program ${program} for ${arch}; choose ${known}\n`)
    process.exit(64)
  }
  const out = values.out ?? join(root, 'packages', `${content.file}-linux-${arch}`)
  await buildOneFile(root, program, arch, out)
  process.stdout.write(`${out}\n`)
}
