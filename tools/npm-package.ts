// `npm run npm-package`: packs dist/ as npm publishes it, installs the package below a directory that holds nothing else, as
// `npm install --global` does, and tries every program there: versions, the sample tree without a master, and a master with minions.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { build } from './build.ts'
import { runCommand } from './command.ts'
import { type Outcome, tryMasterless, tryOptions, trySite } from './try-programs.ts'

const INSTALL = ['install', '--global', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

async function assertDone(root: string, command: string, args: string[]): Promise<string> {
  const { code, output } = await runCommand(root, command, args)
  if (code !== 0) throw new Error(`${command} ${args[0]} failed: ${output}`)
  return output
}

/** Pack and install; return the prefix. */
async function install(root: string, home: string): Promise<string> {
  await build(root)
  await assertDone(root, 'npm', ['pack', '--silent', '--pack-destination', home])
  const archive = readdirSync(home).find((name) => name.endsWith('.tgz'))
  if (archive === undefined) throw new Error('npm pack wrote no archive')
  const prefix = join(home, 'prefix')
  await assertDone(home, 'npm', [...INSTALL, '--prefix', prefix, join(home, archive)])
  return prefix
}

interface Manifest {
  bin: Readonly<Record<string, string>>
  man: readonly string[]
}

/** Check npm's links in the folders of programs and of manual pages. */
async function tryLinks(root: string, prefix: string): Promise<Outcome[]> {
  const { bin, man }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const outcomes: Outcome[] = []
  for (const name of Object.keys(bin)) {
    const { code, output } = await runCommand('/', join(prefix, 'bin', name), ['--version'])
    // salt-pip goes on to the version of pip, which may be absent
    const isFine = (code === 0 || name === 'salt-pip') && output.startsWith(`${name} `)
    outcomes.push({ name: `${name} --version`, problem: isFine ? undefined : output })
  }
  for (const page of man) {
    const link = join(prefix, 'share', 'man', `man${extname(page).slice(1)}`, basename(page))
    outcomes.push({ name: page, problem: existsSync(link) ? undefined : `${link} is missing` })
  }
  return outcomes
}

async function main(root: string): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'brine-npm-'))
  try {
    const prefix = await install(root, home)
    const dist = join(prefix, 'lib', 'node_modules', 'brine', 'dist')
    const running = { node: process.execPath, dist, home: join(home, 'programs') }
    const outcomes = [
      ...(await tryLinks(root, prefix)),
      ...(await tryOptions(running, process.version)),
      ...(await tryMasterless(root, running, home)),
      ...(await trySite(root, running, home)),
    ]
    const failed = outcomes.filter(({ problem }) => problem !== undefined)
    for (const { name, problem } of failed) process.stdout.write(`FAIL ${name}\n${problem}\n`)
    process.stdout.write(`${outcomes.length - failed.length} passed, ${failed.length} failed\n`)
    return failed.length === 0 ? 0 : 1
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

process.exitCode = await main(join(import.meta.dirname, '..'))
