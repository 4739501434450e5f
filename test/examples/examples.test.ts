import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/render.ts'
import { Sandbox } from '../sandbox/sandbox.ts'

const owner = execFileSync('sh', ['-c', 'echo "$(id -un):$(id -gn)"'], { encoding: 'utf8' }).trim()
// recorded from Salt 3008.2 rendering and applying the same tree
const recorded = JSON.parse(
  // recorded as root; the user who applies the tree owns its files
  readFileSync(join(import.meta.dirname, 'shop.json'), 'utf8').replaceAll('owned by root:root', `owned by ${owner}`),
)
const RECORDED_ROOT = '/srv/example'
const tree = join(import.meta.dirname, '../../examples/tree')
const shared = ['--grains', join(tree, 'grains.yaml'), '--file-root', join(tree, 'salt')]
const pillar = join(tree, 'pillar', 'shop.sls')

async function render(...argv: string[]): Promise<unknown> {
  let out = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text
    return true
  })
  expect(await run([...argv, '--out', 'json', ...shared])).toBe(0)
  return JSON.parse(out)
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the sample tree', () => {
  test('has the pillar that Salt makes of it', async () => {
    expect(JSON.stringify(await render(pillar))).toBe(JSON.stringify(recorded.pillar))
  })

  test('has the states that Salt makes of it, in their order', async () => {
    const states = await render(join(tree, 'salt', 'shop', 'init.sls'), '--pillar', pillar)
    expect(JSON.stringify(states)).toBe(JSON.stringify(recorded.shop))
  })
})

interface StateResult {
  result: boolean | null
  comment: string
  changes: Record<string, unknown>
}

describe('the sample tree, applied', () => {
  const sandbox = new Sandbox()
  const root = join(sandbox.dir, 'root')
  const facts = 'os: Debian, os_family: Debian, osfinger: Debian-12, num_cpus: 4, shop_root: $DIR/root'
  const roots = [`file_roots: {base: [${tree}/salt]}`, `pillar_roots: {base: [${tree}/pillar]}`]
  const options = ['id: web1.example.com', 'root_dir: $DIR/minion', ...roots, `grains: {${facts}}`]
  sandbox.write({ 'etc/minion': `${options.join('\n')}\n` })
  afterAll(() => sandbox.remove())

  async function apply(...args: string[]): Promise<Record<string, StateResult>> {
    const { out, err, code } = await sandbox.call('state.apply', '--out=json', ...args)
    expect(err).toBe('')
    expect(code).toBe(0)
    const results = JSON.parse(out.replaceAll(root, RECORDED_ROOT)).local as Record<string, StateResult>
    for (const { changes } of Object.values(results)) delete changes['pid']
    const kept = ({ result, comment, changes }: StateResult): StateResult => ({ result, comment, changes })
    return Object.fromEntries(Object.entries(results).map(([tag, result]) => [tag, kept(result)]))
  }

  // one after another: each run needs the state after the previous one
  test('changes what it does with Salt, and nothing twice', async () => {
    expect(await apply('test=True')).toEqual(recorded.runs['test=True'])
    expect(await apply()).toEqual(recorded.runs.first)
    expect(await apply()).toEqual(recorded.runs.second)
    for (const [path, text] of Object.entries(recorded.files)) {
      expect(readFileSync(path.replace(RECORDED_ROOT, root), 'utf8')).toBe(text)
    }
  })
})
