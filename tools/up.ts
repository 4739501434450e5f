// `npm run up`: builds Brine and shows on a sample tree what it can do today, writing only below .brine/.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { build } from './build.ts'
import { runCommand } from './command.ts'

const root = join(import.meta.dirname, '..')
const tree = join('examples', 'tree')
const out = join('.brine', 'up')
const program = join('dist', 'brine.js')

const GRAINS = ['--grains', join(tree, 'grains.yaml')]
const FILE_ROOT = ['--file-root', join(tree, 'salt')]

type State = Record<string, unknown>
type HighData = Record<string, Record<string, State[]>>

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function brine(...args: string[]): Promise<string> {
  const { code, output } = await runCommand(root, process.execPath, [program, ...args])
  if (code !== 0) throw new Error(`brine ${args.join(' ')} failed:\n${output}`)
  return output
}

function keep(source: string, name: string, text: string): string {
  const path = join(out, name)
  writeFileSync(join(root, path), text)
  say(`  ${relative(tree, source).padEnd(32)} → ${path}`)
  return path
}

/** The files that file.managed would write: each source rendered with its own context. */
async function renderManagedFiles(high: HighData, pillar: string): Promise<void> {
  for (const [name, state] of Object.entries(high)) {
    const settings = Object.assign({}, ...(state['file.managed'] ?? [])) as Record<string, unknown>
    if (settings['template'] !== 'jinja') continue
    const source = String(settings['source']).replace('salt:/', join(tree, 'salt'))
    const context = join(out, 'context.json')
    writeFileSync(join(root, context), JSON.stringify(settings['context'] ?? {}))
    const options = ['--renderer', 'jinja', '--context', context, '--pillar', pillar]
    keep(source, basename(name), await brine('render', source, ...options, ...GRAINS, ...FILE_ROOT))
    rmSync(join(root, context))
  }
}

async function main(): Promise<void> {
  await build(root)
  mkdirSync(join(root, out), { recursive: true })
  say(`${(await brine('--version')).trim()} is built. A sample tree, rendered as Salt would for web1.example.com:\n`)

  const pillarSource = join(tree, 'pillar', 'shop.sls')
  const pillar = keep(pillarSource, 'pillar.yaml', await brine('render', pillarSource, ...GRAINS))
  const sls = join(tree, 'salt', 'shop', 'init.sls')
  const render = ['render', sls, '--pillar', pillarSource, ...GRAINS, ...FILE_ROOT]
  const states = await brine(...render)
  keep(sls, 'shop.yaml', states)
  await renderManagedFiles(JSON.parse(await brine(...render, '--out', 'json')), pillar)

  say(`\n${states.replace(/^/gm, '  ').trimEnd()}\n`)
  say('Change something under examples/tree and render it again:\n')
  say(`  node ${program} ${render.join(' ')}\n`)
  say('So far Brine is the two languages of a Salt tree, Jinja and YAML, and the render pipeline. It does not apply')
  say('states yet and has no master and no minion: docs/architecture.md says what is there and what comes next.')
}

await main()
