// `npm run up`: builds Brine and applies the sample tree with it, as a minion without a master would. The minion lives in
// .brine/up and its states write below .brine/up/root, so nothing else on the machine changes and no rights are needed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.ts'
import { runCommand } from './command.ts'

const root = join(import.meta.dirname, '..')
const sandbox = join('.brine', 'up')
const program = join('dist', 'salt-call.js')

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** JSON is YAML too, whatever characters the paths have. */
function minionConfig(): string {
  const options = {
    id: 'web1.example.com',
    root_dir: join(root, sandbox, 'minion'),
    file_roots: { base: [join(root, 'examples', 'tree', 'salt')] },
    pillar_roots: { base: [join(root, 'examples', 'tree', 'pillar')] },
    file_client: 'local',
    grains: { shop_root: join(root, sandbox, 'root') },
  }
  const lines = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `${lines.join('\n')}\n`
}

async function apply(...args: string[]): Promise<void> {
  const words = [program, '--local', '-c', join(sandbox, 'etc'), 'state.apply', ...args]
  say(`$ node ${words.join(' ')}`)
  const { code, output } = await runCommand(root, process.execPath, words)
  say(output.trimEnd())
  if (code !== 0) throw new Error(`state.apply ended with exit code ${code}`)
  say('')
}

async function main(): Promise<void> {
  await build(root)
  rmSync(join(root, sandbox), { recursive: true, force: true })
  mkdirSync(join(root, sandbox, 'etc'), { recursive: true })
  writeFileSync(join(root, sandbox, 'etc', 'minion'), minionConfig())

  say('Brine is built. The sample tree examples/tree, first only what it would change:\n')
  await apply('test=True')
  say('And now for real:\n')
  await apply()

  const call = `node ${program} --local -c ${join(sandbox, 'etc')}`
  say(`What it wrote is below ${join(sandbox, 'root')}. Try next:\n`)
  say(`  ${call} state.apply                           # once more: nothing changes`)
  say(`  ${call} state.apply pillar='{"shop": {"workers": 16}}'`)
  say(`  ${call} state.show_lowstate --out=yaml        # what the states are compiled to`)
  say(`  ${call} pillar.items                          # what the minion is told`)
  say(`  ${call} grains.item os num_cpus               # what it knows of the machine`)
  say(`  ${call} sys.doc file.append                   # how a function is called\n`)
  say('There is no master and no minion daemon yet: README.md says what works today.')
}

await main()
